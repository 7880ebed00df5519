//! Keeps the CRM: takes leads from the queue ([`consumer`]) and over gRPC ([`grpc`]), records each once
//! ([`recorder`]) in the database ([`store`]), schedules its mails ([`deliveries`]), and shows leads to clients, as
//! they come if they wish ([`watch`]).

pub mod app;
pub mod config;
pub mod consumer;
pub mod deliveries;
pub mod domain;
mod failure;
pub mod grpc;
mod maintenance;
pub mod people;
pub mod recorder;
mod sampler;
pub mod store;
pub mod watch;
pub mod wire;
