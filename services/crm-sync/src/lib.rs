//! Keeps the CRM: takes leads from the queue ([`consumer`]) and over gRPC ([`grpc`]), records each once
//! ([`recorder`]) in the database ([`store`]), knows who was told of it ([`ledger`]), and shows leads to clients, as
//! they come if they wish ([`watch`]).

pub mod app;
pub mod config;
pub mod consumer;
pub mod domain;
mod failure;
pub mod grpc;
pub mod ledger;
pub mod people;
pub mod recorder;
pub mod store;
mod upkeep;
mod vitals;
pub mod watch;
pub mod wire;
