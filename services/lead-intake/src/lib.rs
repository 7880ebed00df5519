//! Takes a visitor's interest: an anonymous session, the form's rules, a promise that the lead is kept, an answer.
//!
//! [`http`] is the edge: it reads requests and writes answers. [`domain`] knows the rules and does no I/O. [`event`]
//! turns what passed into the contracts' messages, and [`roads`] takes it to where it is kept. [`app`] ties them to the
//! world.

pub mod app;
pub mod config;
pub mod domain;
pub mod event;
pub mod http;
pub mod roads;
pub mod token;
