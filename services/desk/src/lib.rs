//! The sales team's pages: opened by a mail's link, they show a lead and take what happened to it.

pub mod app;
pub mod config;
mod crm;
mod http;
mod limit;
mod session;
