//! The files of `deploy` and `k8s` with the real programs, and the supervisor that starts them. One binary, because most
//! tests wait for others.

mod compose;
mod k8s;
mod nginx;
mod supervisor;
