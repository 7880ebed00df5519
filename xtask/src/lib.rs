//! Starts the whole system as child processes on one machine, for `up`, tests and benchmarks.

pub mod backends;
pub mod bench;
pub mod builds;
pub mod chaos;
pub mod checkout;
pub mod cli;
pub mod error;
pub mod files;
pub mod http;
pub mod interrupt;
pub mod output;
pub mod ports;
pub mod process;
pub mod progress;
pub mod random;
pub mod session;
pub mod stack;
pub mod supervisor;
pub mod system;
pub mod test;
pub mod up;
pub mod wait;
