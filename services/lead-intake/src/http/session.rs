//! Creates anonymous sessions on a visitor's first page, and renews them before their token expires.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use lead::{Attribution, Campaign, UserText, Visit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Intake, body::JsonBody, error::ApiError};
use crate::{
    rules::attribution::capped,
    token::{ACCESS_LIFETIME, SessionToken},
};

/// Where the visitor came from, as seen by the first page. Every field is optional. A text that is too long is
/// truncated, and a value of another type is ignored.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSession {
    /// Path of the first page.
    #[schema(value_type = Option<String>, example = "/floor-plans")]
    landing_path: Option<Value>,
    /// Host of the referring page.
    #[schema(value_type = Option<String>, example = "news.example")]
    referrer_host: Option<Value>,
    /// Campaign parameters by name, with or without `utm_`: source, medium, campaign, term, content.
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    utm: Option<Value>,
}

/// The refresh token of a session.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refresh {
    /// `refresh_token` of an earlier response.
    #[schema(value_type = String)]
    refresh_token: Option<Value>,
}

/// The tokens of a session.
#[derive(Serialize, ToSchema)]
pub(crate) struct Tokens {
    /// Token for submitting leads.
    access_token: String,
    /// Token for renewing the session.
    refresh_token: String,
    /// Always `bearer`.
    token_type: &'static str,
    /// Lifetime of the access token in seconds.
    expires_in: i64,
}

/// Starts an anonymous session.
#[utoipa::path(
    post, path = "/auth/v1/session", tag = "session", operation_id = "createSession", request_body = NewSession,
    security(()),
    responses(
        (status = 201, description = "A new session", body = Tokens),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "Unavailable: retry after `Retry-After`", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn create(
    State(intake): State<Arc<Intake>>,
    JsonBody(body): JsonBody<NewSession>,
) -> (StatusCode, Json<Tokens>) {
    let visit = intake.new_visit(capped(attribution(&body)));
    (StatusCode::CREATED, Json(tokens(&intake, &visit)))
}

/// Renews a session.
#[utoipa::path(
    post, path = "/auth/v1/session/refresh", tag = "session", operation_id = "refreshSession", request_body = Refresh,
    security(()),
    responses(
        (status = 201, description = "New tokens", body = Tokens),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "Unavailable: retry after `Retry-After`", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn refresh(
    State(intake): State<Arc<Intake>>,
    JsonBody(body): JsonBody<Refresh>,
) -> Result<(StatusCode, Json<Tokens>), ApiError> {
    let Some(Value::String(token)) = body.refresh_token else { return Err(ApiError::TokenMissing) };
    let visit = SessionToken::Refresh.verify(&token, &intake.session_keys, intake.clock.now())?;
    Ok((StatusCode::CREATED, Json(tokens(&intake, &visit))))
}

fn tokens(intake: &Intake, visit: &Visit) -> Tokens {
    let now = intake.clock.now();
    Tokens {
        access_token: SessionToken::Access.sign(visit, &intake.session_keys, now),
        refresh_token: SessionToken::Refresh.sign(visit, &intake.session_keys, now),
        token_type: "bearer",
        expires_in: ACCESS_LIFETIME.num_seconds(),
    }
}

fn attribution(body: &NewSession) -> Attribution {
    let text =
        |value: Option<&Value>| -> UserText { value.and_then(Value::as_str).unwrap_or_default().into() };
    let utm = |name: &str| {
        let parameters = body.utm.as_ref();
        text(parameters.and_then(|utm| utm.get(name).or_else(|| utm.get(format!("utm_{name}")))))
    };
    Attribution {
        landing_path: text(body.landing_path.as_ref()),
        referrer_host: text(body.referrer_host.as_ref()),
        campaign: Campaign {
            source: utm("source"),
            medium: utm("medium"),
            name: utm("campaign"),
            term: utm("term"),
            content: utm("content"),
        },
    }
}
