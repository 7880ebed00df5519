//! Tests the files of `deploy` and `k8s` with the real programs, and the supervisor. One binary, because most tests spend
//! their time waiting.

mod compose;
mod k8s;
mod nginx;
mod supervisor;
