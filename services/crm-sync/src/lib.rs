//! The CRM service. Each module implements one capability: [`leads`] records leads, [`deliveries`] schedules emails,
//! [`people`] merges, splits and erases people, [`search`] finds leads, [`statistics`] counts them, [`report`] shows how the launch goes, [`canary`] measures
//! test leads, [`access`] grants sessions, links and tasks. All use [`db`]. [`grpc`] and [`consumer`] receive calls and
//! messages.

pub mod access;
pub mod app;
mod auth;
pub mod canary;
pub mod config;
pub mod consumer;
pub mod db;
pub mod deliveries;
mod error;
mod grpc;
mod jobs;
pub mod leads;
pub mod metrics;
pub mod people;
pub mod report;
pub mod search;
pub mod statistics;
pub mod tls;
