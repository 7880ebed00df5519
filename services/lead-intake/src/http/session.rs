//! Creates anonymous sessions on a visitor's first page, and renews sessions before their token expires.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, TimeDelta, Utc};
use lead::{
    Attribution, Campaign, UserText, Visit,
    text::{single_line, truncated},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;
use tokens::{InvalidToken, SigningKeys};
use utoipa::ToSchema;

use super::{Intake, body::JsonBody, error::ApiError, leads::header_text};
use crate::rules::text;

pub(super) const ACCESS_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// A visitor who returns within this time keeps the session.
const REFRESH_LIFETIME: TimeDelta = TimeDelta::days(30);
/// A session expires after this time regardless of renewals.
const SESSION_LIFETIME: TimeDelta = TimeDelta::days(90);
/// The longest time on a page before its session starts.
const LONGEST_VISIT: TimeDelta = TimeDelta::days(1);

/// Maximum lengths of texts in a token, in characters.
const LONGEST_PATH: usize = 200;
const LONGEST_VALUE: usize = 100;

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
    params(("Page-Age" = Option<u64>, Header, description = "Seconds since the visitor opened the page. The visit began then, at most a day ago. Without it, the visit begins now.")),
    responses(
        (status = 201, description = "A new session", body = Tokens),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "Unavailable: retry after `Retry-After`", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn create(
    State(intake): State<Arc<Intake>>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<NewSession>,
) -> (StatusCode, Json<Tokens>) {
    let started_at = intake.clock.now() - page_age(&headers);
    let visit = intake.new_visit(body.attribution(), started_at);
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
    let Some(Value::String(token)) = body.refresh_token else {
        return Err(ApiError::TokenMissing);
    };
    let visit =
        SessionToken::Refresh.verify(&token, &intake.config.session_keys, intake.clock.now())?;
    Ok((StatusCode::CREATED, Json(tokens(&intake, &visit))))
}

/// How long the visitor has read the page, at most [`LONGEST_VISIT`]. Zero if the header is missing or no number.
///
/// A page that was opened without a connection begins its session late, perhaps only with the form. Without its age, the
/// spam check would call the visitor fast.
fn page_age(headers: &HeaderMap) -> TimeDelta {
    let seconds = header_text(headers, "page-age").and_then(|it| it.parse::<u32>().ok());
    TimeDelta::seconds(seconds.unwrap_or_default().into()).min(LONGEST_VISIT)
}

fn tokens(intake: &Intake, visit: &Visit) -> Tokens {
    let now = intake.clock.now();
    Tokens {
        access_token: SessionToken::Access.sign(visit, &intake.config.session_keys, now),
        refresh_token: SessionToken::Refresh.sign(visit, &intake.config.session_keys, now),
        token_type: "bearer",
        expires_in: ACCESS_LIFETIME.num_seconds(),
    }
}

impl NewSession {
    /// Joins the lines of each value and truncates it to fit into a token. Removes the query from the path.
    fn attribution(&self) -> Attribution {
        let value = |value: Option<&Value>| -> UserText {
            truncated(&single_line(text(value)), LONGEST_VALUE).into()
        };
        let utm = |name: &str| {
            let parameters = self.utm.as_ref();
            value(
                parameters.and_then(|utm| utm.get(name).or_else(|| utm.get(format!("utm_{name}")))),
            )
        };
        let path = text(self.landing_path.as_ref())
            .split(['?', '#'])
            .next()
            .unwrap_or_default();
        Attribution {
            landing_path: truncated(&single_line(path), LONGEST_PATH).into(),
            referrer_host: value(self.referrer_host.as_ref()),
            campaign: Campaign {
                source: utm("source"),
                medium: utm("medium"),
                name: utm("campaign"),
                term: utm("term"),
                content: utm("content"),
            },
        }
    }
}

/// The purpose of a signed, stateless, anonymous token.
#[derive(Clone, Copy, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum SessionToken {
    /// Submits a lead.
    Access,
    /// Renews the session.
    Refresh,
}

impl SessionToken {
    /// Signs a token for this visit.
    pub(super) fn sign(self, visit: &Visit, keys: &SigningKeys, now: DateTime<Utc>) -> String {
        let lifetime = match self {
            Self::Access => ACCESS_LIFETIME,
            Self::Refresh => REFRESH_LIFETIME,
        };
        let expires_at = (now + lifetime).min(visit.started_at + SESSION_LIFETIME);
        keys.sign(self.into(), visit, Some(expires_at))
    }

    /// Returns the visit of a valid token.
    pub(super) fn verify(
        self,
        token: &str,
        keys: &SigningKeys,
        now: DateTime<Utc>,
    ) -> Result<Visit, ApiError> {
        keys.verify(self.into(), token, now)
            .map_err(|invalid| match invalid {
                InvalidToken::Forged => ApiError::TokenInvalid,
                InvalidToken::Expired::<Visit>(..) => ApiError::TokenExpired,
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn keys() -> SigningKeys {
        "new-new-new-new-new-new-new-new-new".parse().unwrap()
    }

    fn visit() -> Visit {
        Visit {
            id: Uuid::from_u128(7),
            started_at: now(),
            is_network_busy: false,
            attribution: Attribution::default(),
        }
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_337_906, 0).unwrap()
    }

    #[test]
    fn token_is_valid_until_its_last_second() {
        let token = SessionToken::Access.sign(&visit(), &keys(), now());
        let verify = |at| SessionToken::Access.verify(&token, &keys(), at);
        assert_eq!(
            verify(now() + ACCESS_LIFETIME - TimeDelta::seconds(1)).unwrap(),
            visit()
        );
        assert!(matches!(
            verify(now() + ACCESS_LIFETIME),
            Err(ApiError::TokenExpired)
        ));
    }

    #[test]
    fn renewal_ends_after_ninety_days() {
        let (mut at, mut renewals) = (now(), 0);
        let mut token = SessionToken::Refresh.sign(&visit(), &keys(), at);
        while let Ok(visit) = SessionToken::Refresh.verify(&token, &keys(), at) {
            (at, renewals) = (at + TimeDelta::days(7), renewals + 1);
            token = SessionToken::Refresh.sign(&visit, &keys(), at);
        }
        assert_eq!((at - now(), renewals), (TimeDelta::days(91), 13));
    }

    #[test]
    fn token_is_valid_for_its_purpose_only() {
        let token = SessionToken::Refresh.sign(&visit(), &keys(), now());
        let verified = SessionToken::Access.verify(&token, &keys(), now());
        assert!(matches!(verified, Err(ApiError::TokenInvalid)));
        assert_eq!(
            SessionToken::Refresh
                .verify(&token, &keys(), now())
                .unwrap(),
            visit()
        );
    }

    /// Python's hmac signed this token.
    #[test]
    fn accepts_a_jwt_of_another_library() {
        let token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJpZCI6IjAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwM\
             DAwNyIsInN0YXJ0ZWRfYXQiOiIyMDI2LTAzLTAxVDA0OjA1OjA2WiIsImxhbmRpbmdfcGF0aCI6Ii8iLCJleHAiOjE\
             3NzIzNDE1MDYsInB1cnBvc2UiOiJhY2Nlc3MifQ.t2Umvv94CA7jYfoCNhRpEW-RdOl2O-0m6RDYHRdHHHM";
        let attribution = Attribution {
            landing_path: "/".into(),
            ..Attribution::default()
        };
        let verified = SessionToken::Access.verify(token, &keys(), now());
        assert_eq!(
            verified.unwrap(),
            Visit {
                attribution,
                ..visit()
            }
        );
    }

    #[test]
    fn truncates_attribution_and_drops_the_query() {
        let path = format!("/floor-plans?email=mei@example.com{}", "x".repeat(500));
        let body = json!({ "landing_path": path, "referrer_host": 7, "utm": { "source": "宝".repeat(200) } });
        let attribution = serde_json::from_value::<NewSession>(body)
            .unwrap()
            .attribution();
        assert_eq!(attribution.landing_path, "/floor-plans");
        assert_eq!(attribution.referrer_host, "");
        assert_eq!(attribution.campaign.source.chars().count(), 100);
    }
}
