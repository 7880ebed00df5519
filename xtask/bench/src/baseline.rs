//! The baseline: an axum handler that publishes leads with lapin, without session, rules or fallback path. Runs as a
//! separate process.

use std::net::Ipv4Addr;

use anyhow::Result;

use ::lead::{Reference, field::timestamp, id_of};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use contracts::leads::v1::{Interest, Language, LeadSubmitted, Session};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties};
use messaging::topology::{EXCHANGE, Route};
use prost::Message;
use runtime::clock::{Clock, SystemClock};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use uuid::Uuid;

/// `delivery_mode` of a message that survives a broker restart.
const PERSISTENT: u8 = 2;

#[derive(Deserialize)]
struct Form {
    interests: Vec<String>,
    name: String,
    mobile: String,
    email: String,
    questions: String,
}

/// Serves until killed, with the settings of the Express app.
#[expect(
    clippy::disallowed_methods,
    reason = "a program for measurements, not a service"
)]
pub(crate) async fn serve() -> Result<()> {
    let variable = |name: &str| std::env::var(name);
    let port: u16 = variable("PORT")?.parse()?;
    let connection =
        Connection::connect(&variable("AMQP_URL")?, ConnectionProperties::default()).await;
    let channel = connection?.create_channel().await?;
    channel
        .confirm_select(ConfirmSelectOptions::default())
        .await?;
    let router = Router::new()
        .route("/functions/v1/send-contact-email", post(submit))
        .with_state(channel);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    Ok(axum::serve(listener, router).await?)
}

async fn submit(
    State(channel): State<Channel>,
    headers: HeaderMap,
    Json(form): Json<Form>,
) -> std::result::Result<(StatusCode, Json<Value>), StatusCode> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    let key: Uuid = text("idempotency-key")
        .parse()
        .map_err(|_| StatusCode::BAD_REQUEST)?;
    let lead = event(key, form, text("privacy-policy-version"));
    let Ok(Confirmation::Ack(_)) = publish(&channel, &lead).await else {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    };
    Ok((
        StatusCode::ACCEPTED,
        Json(json!({ "id": lead.lead_id, "reference": lead.reference })),
    ))
}

/// The event that lead-intake publishes for the same form.
fn event(key: Uuid, form: Form, policy_version: &str) -> LeadSubmitted {
    let (id, now) = (id_of(key), SystemClock.now());
    LeadSubmitted {
        lead_id: id.to_string(),
        reference: Reference::from_id(id).to_string(),
        submitted_at: Some(timestamp(now)),
        interests: form
            .interests
            .iter()
            .map(|_| Interest::Showflat.into())
            .collect(),
        name: form.name,
        mobile: form.mobile,
        email: form.email,
        questions: form.questions,
        language: Language::En.into(),
        privacy_policy_version: policy_version.to_owned(),
        session: Some(Session {
            session_id: key.to_string(),
            is_network_busy: false,
            started_at: Some(timestamp(now)),
            landing_path: "/floor-plans".to_owned(),
            referrer_host: "news.example".to_owned(),
            ..Session::default()
        }),
        ..LeadSubmitted::default()
    }
}

async fn publish(channel: &Channel, lead: &LeadSubmitted) -> lapin::Result<Confirmation> {
    let key = Route::LeadSubmitted.key();
    let properties = BasicProperties::default()
        .with_delivery_mode(PERSISTENT)
        .with_message_id(lead.lead_id.as_str().into())
        .with_type(key.into())
        .with_content_type("application/x-protobuf".into());
    let (options, body) = (BasicPublishOptions::default(), lead.encode_to_vec());
    channel
        .basic_publish(EXCHANGE.into(), key.into(), options, &body, properties)
        .await?
        .await
}
