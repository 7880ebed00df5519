//! Issues and verifies session tokens: signed, stateless, anonymous.

use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use lead::{Attribution, Visit};
use serde::{Deserialize, Serialize};
use tokens::{InvalidToken, SigningKeys, WeakKey};
use uuid::Uuid;

pub const ACCESS_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// A visitor who returns within this time keeps the session.
pub const REFRESH_LIFETIME: TimeDelta = TimeDelta::days(30);
/// A session ends after this, however often it is renewed.
const SESSION_LIFETIME: TimeDelta = TimeDelta::days(90);

#[derive(Clone)]
pub struct SessionKeys(SigningKeys);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Sending a lead.
    Access,
    /// Getting new tokens.
    Refresh,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access",
            Self::Refresh => "refresh",
        }
    }
}

/// Why a token was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not issued here, or for another purpose.
    #[error("the token is invalid")]
    Invalid,
    #[error("the token has expired")]
    Expired,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    sub: Uuid,
    #[serde(with = "chrono::serde::ts_seconds")]
    born: DateTime<Utc>,
    #[serde(default)]
    attribution: Attribution,
}

impl FromStr for SessionKeys {
    type Err = WeakKey;

    fn from_str(keys: &str) -> Result<Self, WeakKey> {
        keys.parse().map(Self)
    }
}

impl SessionKeys {
    /// A token for this session, valid from `now` on.
    #[must_use]
    pub fn issue(&self, visit: &Visit, purpose: Purpose, now: DateTime<Utc>) -> String {
        let lifetime = match purpose {
            Purpose::Access => ACCESS_LIFETIME,
            Purpose::Refresh => REFRESH_LIFETIME,
        };
        let claims = Claims { sub: visit.id, born: visit.started_at, attribution: visit.attribution.clone() };
        let expires_at = (now + lifetime).min(visit.started_at + SESSION_LIFETIME);
        self.0.sign(purpose.as_str(), &claims, Some(expires_at))
    }

    /// The session that a token was issued for.
    ///
    /// # Errors
    /// [`TokenError`] when the token was not issued here, is for another purpose, or has expired at `now`.
    pub fn verify(&self, token: &str, purpose: Purpose, now: DateTime<Utc>) -> Result<Visit, TokenError> {
        let verified = self.0.verify(purpose.as_str(), token, now);
        let Claims { sub: id, born: started_at, attribution } =
            verified.map_err(|invalid| match invalid {
                InvalidToken::Forged => TokenError::Invalid,
                InvalidToken::Expired(..) => TokenError::Expired,
            })?;
        Ok(Visit { id, started_at, attribution })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> SessionKeys {
        "new-new-new-new-new-new-new-new-new".parse().unwrap()
    }

    fn visit() -> Visit {
        Visit { id: Uuid::from_u128(7), started_at: now(), attribution: Attribution::default() }
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_337_906, 0).unwrap()
    }

    #[test]
    fn a_token_is_good_until_its_last_second() {
        let token = keys().issue(&visit(), Purpose::Access, now());
        let verify = |at| keys().verify(&token, Purpose::Access, at);
        assert_eq!(verify(now() + ACCESS_LIFETIME - TimeDelta::seconds(1)), Ok(visit()));
        assert_eq!(verify(now() + ACCESS_LIFETIME), Err(TokenError::Expired));
    }

    #[test]
    fn a_session_ends_after_ninety_days_however_often_it_is_renewed() {
        let (mut at, mut renewals) = (now(), 0);
        let mut token = keys().issue(&visit(), Purpose::Refresh, at);
        while let Ok(visit) = keys().verify(&token, Purpose::Refresh, at) {
            (at, renewals) = (at + TimeDelta::days(7), renewals + 1);
            token = keys().issue(&visit, Purpose::Refresh, at);
        }
        assert_eq!((at - now(), renewals), (TimeDelta::days(91), 13));
    }

    #[test]
    fn a_token_is_good_for_its_purpose_only() {
        let token = keys().issue(&visit(), Purpose::Refresh, now());
        assert_eq!(keys().verify(&token, Purpose::Access, now()), Err(TokenError::Invalid));
        assert_eq!(keys().verify(&token, Purpose::Refresh, now()), Ok(visit()));
    }

    /// Made by the crate jsonwebtoken with the same key.
    #[test]
    fn accepts_a_jwt_of_another_library() {
        let token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwM\
             DAwMDciLCJleHAiOjE3NzIzNDE1MDYsImJvcm4iOjE3NzIzMzc5MDYsInB1cnBvc2UiOiJhY2Nlc3MiLCJhdHRyaWJ\
             1dGlvbiI6eyJsYW5kaW5nX3BhdGgiOiIiLCJyZWZlcnJlcl9ob3N0IjoiIiwiY2FtcGFpZ24iOnsic291cmNlIjoiI\
             iwibWVkaXVtIjoiIiwibmFtZSI6IiIsInRlcm0iOiIiLCJjb250ZW50IjoiIn19fQ.YEsC4K0oenodBf7YgDOCH389\
             _Yv97n9-qoV0zATFOwc";
        assert_eq!(keys().verify(token, Purpose::Access, now()), Ok(visit()));
    }
}
