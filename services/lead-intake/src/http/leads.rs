//! Handles the submission of the form.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequest, Request, State},
    http::{HeaderMap, StatusCode, header},
};
use lead::{Channel, HomePreference, Language, Lead, Plan, SpamSignal, Visit, VisitTime, id_of};
use secrecy::ExposeSecret;
use serde::Serialize;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    Intake, body::JsonBody, error::ApiError, late_consent::ConsentOffer, session::SessionToken,
};
use crate::rules::RegistrationBody;

/// The header with the visitor's network, which nginx sets.
pub(super) const NETWORK: &str = "visitor-network";

/// The lead is stored durably.
#[derive(Serialize, ToSchema)]
pub(crate) struct Accepted {
    /// Id of the lead, derived from the idempotency key.
    id: Uuid,
    /// Short reference of the lead, for people.
    #[schema(example = "ZG-7F3K-2Q")]
    reference: String,
    /// Absent if the visitor chose a channel in the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    consent: Option<ConsentOffer>,
}

/// Registers interest.
///
/// 202 means that the lead is stored durably: a quorum of the broker confirmed it, or the CRM's database committed it.
/// With the public key as bearer token, as supabase-js sends it, the lead has no session and the signal `no_session`.
#[utoipa::path(
    post, path = "/functions/v1/send-contact-email", tag = "leads", operation_id = "submitLead",
    request_body = RegistrationBody, security(("apikey" = [], "session" = [])),
    params(
        ("Idempotency-Key" = Option<Uuid>, Header, description = "UUID of one submission, the same for each retry; generated when absent."),
        ("Content-Language" = Option<String>, Header, description = "Language of the page: `en` or `zh`."),
        ("Privacy-Policy-Version" = String, Header, description = "Version of the privacy policy that the visitor accepted, one of those that the site has published; a replaced version until a week after its successor. Not required with `Canary-Key`."),
        ("Contact-Channels" = Option<String>, Header, description = "Channels that the visitor agreed to, separated by commas: `phone`, `message` (WhatsApp or SMS)."),
        ("Enquiry-Plan" = Option<String>, Header, description = "Id of the floor plan that the visitor asks about, e.g. `C2N`. An unknown id is ignored."),
        ("Visit-Times" = Option<String>, Header, description = "Times at which the visitor could come to the show flat, separated by commas: `weekday-mornings`, `weekday-afternoons`, `weekday-evenings`, `weekend-mornings`, `weekend-afternoons`, `weekend-evenings`. Unknown times are ignored."),
        ("Home-Preferences" = Option<String>, Header, description = "Homes that the visitor looks for, separated by commas: numbers of bedrooms `1-bedroom` to `5-bedroom`, and purposes `own-use`, `investment`. Unknown values are ignored."),
        ("traceparent" = Option<String>, Header, description = "W3C trace context."),
        ("Canary-Key" = Option<String>, Header, description = "Marks the lead as a canary of the operators, which sales does not receive."),
    ),
    responses(
        (status = 202, description = "The lead is stored durably", body = Accepted),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "The lead may not be stored: retry with the same key after `Retry-After`", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn post_lead(
    State(intake): State<Arc<Intake>>,
    request: Request,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let headers = request.headers();
    let visit = authorize(&intake, headers)?;
    let is_canary = is_canary(&intake, headers)?;
    let id = id_of(idempotency_key(headers)?.unwrap_or_else(|| intake.ids.next_id()));
    let given = |name| header_text(headers, name).unwrap_or_default();
    let lead = Lead {
        language: parse_language(given(header::CONTENT_LANGUAGE.as_str())),
        privacy_policy_version: given("privacy-policy-version").trim().into(),
        channels: parse_channels(given("contact-channels").split(',')),
        plan: Plan::find(given("enquiry-plan").trim()),
        visit_times: VisitTime::known_from_contract(&split_ids(given("visit-times"))),
        home_preferences: HomePreference::known_from_contract(&split_ids(given(
            "home-preferences",
        ))),
        visit,
        signals: is_canary
            .then_some(SpamSignal::Canary)
            .into_iter()
            .collect(),
        ..Lead::empty(id, intake.clock.now())
    };
    let network = given(NETWORK).to_owned();
    let JsonBody(body) = JsonBody::<RegistrationBody>::from_request(request, &intake).await?;
    let lead = body.into_lead(lead).map_err(ApiError::ValidationFailed)?;
    let accepted = Accepted {
        id,
        reference: lead.reference.to_string(),
        consent: ConsentOffer::for_lead(&intake, &lead),
    };
    intake.submit(lead, network).await?;
    Ok((StatusCode::ACCEPTED, Json(accepted)))
}

/// Returns the session of the bearer token, or `None` if the token is the anonymous key, which supabase-js sends.
fn authorize(intake: &Intake, headers: &HeaderMap) -> Result<Option<Visit>, ApiError> {
    // The key is public, so the comparison need not take constant time.
    let anon_key = intake.config.anon_key.as_str();
    if header_text(headers, "apikey") != Some(anon_key) {
        return Err(ApiError::ApikeyInvalid);
    }
    let (scheme, token) = header_text(headers, header::AUTHORIZATION.as_str())
        .and_then(|value| value.split_once(' '))
        .ok_or(ApiError::TokenMissing)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(ApiError::TokenMissing);
    }
    let token = token.trim();
    if token == anon_key {
        return Ok(None);
    }
    SessionToken::Access
        .verify(token, &intake.config.session_keys, intake.clock.now())
        .map(Some)
}

/// Rejects a wrong key: otherwise sales would receive the canary as a lead.
fn is_canary(intake: &Intake, headers: &HeaderMap) -> Result<bool, ApiError> {
    let Some(given) = headers.get("canary-key") else {
        return Ok(false);
    };
    let mut keys = intake.config.canary_keys.iter();
    if keys.any(|key| bool::from(given.as_bytes().ct_eq(key.expose_secret().as_bytes()))) {
        Ok(true)
    } else {
        Err(ApiError::CanaryKeyInvalid)
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<Uuid>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let value = value
        .to_str()
        .map_err(|_| ApiError::IdempotencyKeyInvalid)?
        .trim();
    // The IETF's draft specifies a quoted string.
    let quoted = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    quoted
        .unwrap_or(value)
        .parse()
        .map(Some)
        .map_err(|_| ApiError::IdempotencyKeyInvalid)
}

pub(super) fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// English, unless the tag is Chinese.
pub(super) fn parse_language(tag: &str) -> Language {
    match tag.trim().split(['-', '_']).next() {
        Some(primary) if primary.eq_ignore_ascii_case("zh") => Language::Chinese,
        _ => Language::English,
    }
}

/// Drops unknown channels. Returns the others sorted and without duplicates.
pub(super) fn parse_channels<'a>(given: impl Iterator<Item = &'a str>) -> Vec<Channel> {
    let given: Vec<&str> = given.map(str::trim).collect();
    Channel::ALL
        .iter()
        .copied()
        .filter(|channel| given.contains(&channel.id()))
        .collect()
}

fn split_ids(list: &str) -> Vec<&str> {
    list.split(',').map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_language_tags() {
        for (tag, read) in [
            ("zh", Language::Chinese),
            ("zh-CN", Language::Chinese),
            ("zh_CN", Language::Chinese),
            ("ZH-Hans", Language::Chinese),
            ("zhx", Language::English),
            ("en", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(parse_language(tag), read, "{tag}");
        }
    }
}
