//! The sales team's pages: opened by an email's link, they show a lead and record what happened to it.

pub mod config;
mod http;
mod session;

use std::{future::IntoFuture, io, net::SocketAddr};

use runtime::{network::listen, service::Context};
use tracing::info;

use crate::config::Config;

/// Starts the service, in production and in tests; returns the HTTP address.
///
/// # Errors
/// When the address cannot be bound.
pub async fn start(config: Config, context: &Context) -> io::Result<SocketAddr> {
    let http_addr = config.http_addr;
    let listener = listen(http_addr).await.map_err(|error| {
        io::Error::new(error.kind(), format!("cannot bind HTTP_ADDR={http_addr}: {error}"))
    })?;
    let address = listener.local_addr()?;
    let server = axum::serve(listener, http::router(config, context))
        .with_graceful_shutdown(context.lifecycle.soft_stop().cancelled_owned());
    context.lifecycle.spawn("http", server.into_future());
    info!(%address, "serving HTTP");
    Ok(address)
}
