//! Tells the sales team about each lead by mail, then tells everybody that it did.
//!
//! Leads come by the queue ([`handler`]) and, when nobody was told of them, from the CRM's ledger ([`reconciler`]).
//! Either way [`telling`] asks [`routes`] who is to be told, claims each recipient, has [`mail`] written and sent over
//! [`smtp`], and reports. [`wire`] turns events into a [`domain`] lead, and asks the ledger. Once a day [`morning`] tells
//! of what nobody has contacted.

pub mod app;
pub mod config;
pub mod domain;
mod handler;
pub mod mail;
mod metrics;
mod morning;
pub mod preview;
pub mod recipients;
mod reconciler;
pub mod routes;
pub mod smtp;
mod telling;
pub mod wire;
