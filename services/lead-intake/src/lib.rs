//! Takes a visitor's interest: an anonymous session, the form's rules, a promise that the lead is kept, an answer.
//!
//! [`http`] is the edge: it reads requests and writes answers. [`rules`] makes a lead of what the form sent and does no
//! I/O. [`submit`] stores it durably. [`app`] ties them to the world.

pub mod app;
pub mod config;
pub mod http;
pub mod rules;
pub mod submit;
pub mod token;
