//! Starts the whole system as child processes on one machine, for `up`, tests and benchmarks.

pub mod backends;
pub mod builds;
pub mod cli;
pub mod files;
pub mod http;
pub mod packages;
pub mod ports;
pub mod process;
pub mod session;
pub mod stack;
pub mod supervisor;
pub mod test;
pub mod up;
