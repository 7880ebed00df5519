//! Keeps the CRM. A folder is a capability with its calls, its rules and its statements: [`leads`] are recorded once,
//! [`deliveries`] schedule their mails, [`people`] are exported and erased, [`search`] finds leads, [`statistics`] counts
//! them, [`canary`] watches test leads, [`tasks`] are done once. All of it stands on [`db`]; [`grpc`] and [`consumer`]
//! bring the calls and the messages.

pub mod app;
mod auth;
pub mod canary;
pub mod config;
pub mod consumer;
pub mod db;
pub mod deliveries;
mod error;
mod grpc;
pub mod leads;
mod maintenance;
pub mod people;
mod sampler;
pub mod search;
pub mod statistics;
pub mod tasks;
