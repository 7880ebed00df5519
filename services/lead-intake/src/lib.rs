//! Accepts leads from the site: anonymous sessions, the form's rules, durable storage.
//!
//! [`http`] handles requests. [`rules`] validates the form and converts it to a lead, without I/O. [`submit`] stores the
//! lead durably.

pub mod config;
pub mod http;
pub mod rules;
pub mod submit;

use std::{io, net::SocketAddr};

use runtime::service::Context;

use crate::config::Config;

/// Starts the service and returns the HTTP address.
///
/// # Errors
/// If the service cannot bind the address.
pub async fn start(config: Config, context: &Context) -> io::Result<SocketAddr> {
    let address = config.http_addr;
    runtime::http::serve(address, http::router(config, context), context).await
}
