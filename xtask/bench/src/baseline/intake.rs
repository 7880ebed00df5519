//! A minimal HTTP handler that publishes leads, without session, rules or fallback path. Runs as its own process.

use std::net::Ipv4Addr;
use std::path::Path;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use runtime::clock::{Clock, SystemClock};
use serde::Serialize;
use tokio::net::TcpListener;
use uuid::Uuid;
use xtask::error::{Error, Result};
use xtask::files;

use super::publisher::Publisher;
use crate::lead::{self, Form};

/// The answer of lead-intake.
#[derive(Serialize)]
struct Accepted {
    id: String,
    reference: String,
}

/// Serves on `port` until killed. The file contains the broker's URL.
pub(crate) async fn serve(port: u16, amqp_url_file: &Path) -> Result<()> {
    let failed = |error: std::io::Error| Error::failed(format!("cannot start the baseline handler: {error}"));
    let publisher = Publisher::connect(files::read(amqp_url_file)?.trim()).await?;
    let router = Router::new().route("/functions/v1/send-contact-email", post(submit)).with_state(publisher);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    axum::serve(listener, router).await.map_err(failed)
}

async fn submit(
    State(publisher): State<Publisher>,
    headers: HeaderMap,
    Json(form): Json<Form>,
) -> std::result::Result<(StatusCode, Json<Accepted>), StatusCode> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key: Uuid = text("idempotency-key").parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    let lead = lead::event(key, form, SystemClock.now());
    publisher.publish(&lead, text("traceparent")).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok((StatusCode::ACCEPTED, Json(Accepted { id: lead.lead_id, reference: lead.reference })))
}
