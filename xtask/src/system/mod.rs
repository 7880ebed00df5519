//! This machine: its programs, packages and users.

pub mod packages;
pub mod tools;
pub mod users;
