//! The API of the sales team's web page, which opens from a link in an email to show and update leads.

pub mod config;
mod http;
mod session;

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
