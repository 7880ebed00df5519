//! Tells the sales team about each lead by mail, then tells everybody that it did.
//!
//! Leads come by the queue ([`handler`]) and, when nobody was told of them, from the CRM's ledger ([`reconciler`]).
//! Either way [`telling`] claims each recipient, has [`mail`] written and sent over [`smtp`], and reports. [`wire`]
//! turns events into a [`domain`] lead, and asks the ledger.

pub mod app;
pub mod config;
pub mod domain;
mod handler;
pub mod mail;
mod metrics;
pub mod recipients;
mod reconciler;
pub mod smtp;
mod telling;
pub mod wire;
