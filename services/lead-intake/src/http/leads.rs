//! The form's own call.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequest, Request, State},
    http::{HeaderMap, StatusCode, header},
};
use runtime::trace::TraceParent;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Intake, body::JsonBody, error::ApiError};
use crate::{
    domain::{
        lead::{Language, Lead, LeadId, policy_version},
        registration::{Form, Interest, Registration},
        rule::{Broken, Rule},
        session::Session,
    },
    event::Submitted,
    token::Purpose,
};

/// What the form sends: exactly these five. Any value is taken here, so that a wrong one is told by field.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Registration)]
pub(crate) struct RegistrationBody {
    /// At least one of `brochure`, `purchase`, `showflat`.
    #[schema(value_type = Vec<String>, example = json!(["showflat"]))]
    interests: Option<Value>,
    /// 1 to 100 UTF-16 code units, trimmed as JavaScript trims.
    #[schema(value_type = String, example = "陈伟")]
    name: Option<Value>,
    /// 8 to 19 UTF-16 code units, trimmed.
    #[schema(value_type = String, example = "+65 9123 4567")]
    mobile: Option<Value>,
    /// What a browser takes for an address, with a dot in its domain; at most 255 UTF-16 code units, trimmed.
    #[schema(value_type = String, example = "chen@example.com")]
    email: Option<Value>,
    /// At most 1000 UTF-16 code units; empty when there is none.
    #[schema(value_type = String, example = "")]
    questions: Option<Value>,
}

/// The lead is safe.
#[derive(Serialize, ToSchema)]
pub(crate) struct Accepted {
    /// The lead's id: the same for the same idempotency key.
    id: Uuid,
    /// The lead's name for people.
    #[schema(example = "ZG-7F3K-2Q")]
    reference: String,
}

/// Registers interest. 202 means that the lead is kept for good: a quorum of the broker has it, or the CRM's database.
#[utoipa::path(
    post, path = "/functions/v1/send-contact-email", tag = "leads", request_body = RegistrationBody,
    params(
        ("apikey" = String, Header, description = "The site's public anonymous key."),
        ("Authorization" = String, Header, description = "`Bearer` and the session's access token."),
        ("Idempotency-Key" = Option<Uuid>, Header, description = "One per intent, kept across retries; made here when absent."),
        ("Content-Language" = Option<String>, Header, description = "Language of the page: `en` or `zh`."),
        ("Privacy-Policy-Version" = Option<String>, Header, description = "Version of the policy shown."),
        ("traceparent" = Option<String>, Header, description = "W3C trace context."),
        ("Canary-Key" = Option<String>, Header, description = "Only of the operators' own: a lead that sales is not told of."),
    ),
    responses(
        (status = 202, description = "Kept for good", body = Accepted),
        (status = "4XX", description = "Refused, see the code", body = super::error::ErrorAnswer),
        (status = 503, description = "Nothing is promised: try again with the same key, after Retry-After", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn submit(
    State(intake): State<Arc<Intake>>,
    request: Request,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let headers = request.headers().clone();
    // Where spans are collected, this request's is the next in the trace.
    let trace = TraceParent::current().or_else(|| TraceParent::in_headers(&headers));
    let session = authorize(&intake, &headers)?;
    let is_canary = is_canary(&intake, &headers)?;
    let JsonBody(body) = JsonBody::<RegistrationBody>::from_request(request, &intake).await?;
    let idempotency_key = idempotency_key(&headers)?.unwrap_or_else(|| intake.ids.next());
    let registration = body.parse().map_err(ApiError::ValidationFailed)?;

    let lead = Lead {
        id: LeadId::of(idempotency_key),
        submitted_at: intake.clock.now(),
        registration,
        language: text(&headers, header::CONTENT_LANGUAGE.as_str())
            .map(Language::from_tag)
            .unwrap_or_default(),
        privacy_policy_version: text(&headers, "privacy-policy-version")
            .map(policy_version)
            .unwrap_or_default(),
        session,
        is_canary,
    };
    let (id, reference) = (lead.id.uuid(), lead.id.reference().to_string());
    intake.roads.submit(&Submitted::from(lead), trace.as_ref()).await?;
    Ok((StatusCode::ACCEPTED, Json(Accepted { id, reference })))
}

fn authorize(intake: &Intake, headers: &HeaderMap) -> Result<Session, ApiError> {
    let apikey = text(headers, "apikey").unwrap_or_default();
    if !bool::from(apikey.as_bytes().ct_eq(intake.anon_key.as_bytes())) {
        return Err(ApiError::ApikeyInvalid);
    }
    let (scheme, token) = text(headers, header::AUTHORIZATION.as_str())
        .and_then(|value| value.split_once(' '))
        .ok_or(ApiError::TokenMissing)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(ApiError::TokenMissing);
    }
    Ok(intake.session_keys.verify(token.trim(), Purpose::Access, intake.clock.now())?)
}

/// Who does not know the key is refused: a canary that is taken for a lead would be mailed to sales.
fn is_canary(intake: &Intake, headers: &HeaderMap) -> Result<bool, ApiError> {
    let Some(given) = headers.get("canary-key") else { return Ok(false) };
    let key = intake.canary_key.as_ref().ok_or(ApiError::CanaryKeyInvalid)?;
    let is_right = bool::from(given.as_bytes().ct_eq(key.expose_secret().as_bytes()));
    if is_right { Ok(true) } else { Err(ApiError::CanaryKeyInvalid) }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<Uuid>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().ok().and_then(|value| value.trim().parse().ok());
    key.map(Some).ok_or(ApiError::IdempotencyKeyInvalid)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

impl RegistrationBody {
    fn parse(self) -> Result<Registration, Broken> {
        let mut refused = Broken::new();
        let form = Form {
            interests: keep(interests(self.interests), "interests", &mut refused),
            name: keep(string(self.name), "name", &mut refused),
            mobile: keep(string(self.mobile), "mobile", &mut refused),
            email: keep(string(self.email), "email", &mut refused),
            questions: keep(string(self.questions), "questions", &mut refused),
        };
        Registration::parse(form, refused)
    }
}

fn keep<T>(value: Result<T, Rule>, field: &'static str, refused: &mut Broken) -> Option<T> {
    value.map_err(|rule| refused.entry(field.into()).or_default().push(rule)).ok()
}

fn string(value: Option<Value>) -> Result<String, Rule> {
    match value {
        Some(Value::String(text)) => Ok(text),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(Rule::WrongType)
        }
        None => Err(Rule::Missing),
    }
}

fn interests(value: Option<Value>) -> Result<Vec<Interest>, Rule> {
    let Some(value) = value else { return Err(Rule::Missing) };
    let Value::Array(choices) = value else { return Err(Rule::WrongType) };
    choices
        .iter()
        .map(|choice| choice.as_str().ok_or(Rule::WrongType))
        .map(|choice| choice.and_then(|id| Interest::from_id(id).ok_or(Rule::UnknownInterest)))
        .collect()
}
