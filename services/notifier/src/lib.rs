//! Tells the sales team about each lead by mail, then tells everybody that it did.
//!
//! [`wire`] turns an event into a [`domain`] lead, [`mail`] writes the mail, [`smtp`] sends it, [`handler`] decides
//! what that means for the event.

pub mod app;
pub mod config;
pub mod domain;
pub mod handler;
pub mod mail;
mod metrics;
pub mod recipients;
pub mod smtp;
mod told;
pub mod wire;
