//! Accepts leads from the site: anonymous sessions, the form's rules, durable storage.
//!
//! [`http`] reads requests and writes answers. [`rules`] makes a lead of the form, without I/O. [`submit`] stores it
//! durably. [`app`] wires them.

pub mod app;
pub mod config;
pub mod http;
pub mod rules;
pub mod submit;
