//! The contract as code and as JSON.

mod generated;
mod json;
