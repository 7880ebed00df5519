//! Takes a visitor's interest: an anonymous session, the form's rules, a confirmed publish, an answer.
//!
//! [`http`] is the edge: it reads requests and writes answers. [`domain`] knows the rules and does no I/O. [`event`]
//! turns what passed into the contract's message. [`app`] ties them to the world.

pub mod app;
pub mod config;
pub mod domain;
pub mod event;
pub mod http;
pub mod token;
