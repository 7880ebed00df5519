//! Issues and verifies session tokens: signed, stateless, anonymous. A JWT with one algorithm only, so it has one header
//! and needs no library's negotiation.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use chrono::{DateTime, TimeDelta, Utc};
use lead::{Attribution, Visit};
use ring::hmac::{self, HMAC_SHA256, Key};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub const ACCESS_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// A visitor who returns within this time keeps the session.
pub const REFRESH_LIFETIME: TimeDelta = TimeDelta::days(30);

const SHORTEST_KEY: usize = 32;

/// `{"typ":"JWT","alg":"HS256"}`
const HEADER: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9";

#[derive(Clone)]
pub struct SigningKeys {
    sign: Key,
    verify: Vec<Key>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("each key must have at least {SHORTEST_KEY} characters")]
pub struct WeakKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Sending a lead.
    Access,
    /// Getting new tokens.
    Refresh,
}

/// Why a token was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not issued here, or for another purpose.
    #[error("not a valid token")]
    Invalid,
    #[error("the token has expired")]
    Expired,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    sub: Uuid,
    #[serde(with = "chrono::serde::ts_seconds")]
    exp: DateTime<Utc>,
    #[serde(with = "chrono::serde::ts_seconds")]
    born: DateTime<Utc>,
    purpose: Purpose,
    #[serde(default)]
    attribution: Attribution,
}

impl SigningKeys {
    /// The first key signs, all verify.
    ///
    /// # Errors
    /// [`WeakKey`] when there is no key, or one is too short.
    pub fn new<'a>(keys: impl Iterator<Item = &'a str>) -> Result<Self, WeakKey> {
        let keys: Vec<&[u8]> = keys.map(str::as_bytes).collect();
        if keys.iter().any(|key| key.len() < SHORTEST_KEY) {
            return Err(WeakKey);
        }
        let verify: Vec<Key> = keys.iter().map(|key| Key::new(HMAC_SHA256, key)).collect();
        let sign = verify.first().cloned().ok_or(WeakKey)?;
        Ok(Self { sign, verify })
    }

    /// A token for this session, valid from `now` on.
    ///
    /// # Panics
    /// Never: a session can be written as JSON.
    #[must_use]
    pub fn issue(&self, visit: &Visit, purpose: Purpose, now: DateTime<Utc>) -> String {
        let lifetime = match purpose {
            Purpose::Access => ACCESS_LIFETIME,
            Purpose::Refresh => REFRESH_LIFETIME,
        };
        let claims = Claims {
            sub: visit.id,
            exp: now + lifetime,
            born: visit.started_at,
            purpose,
            attribution: visit.attribution.clone(),
        };
        let claims = serde_json::to_vec(&claims).expect("a session can be written as JSON");
        let signed = format!("{HEADER}.{}", BASE64.encode(claims));
        let signature = BASE64.encode(hmac::sign(&self.sign, signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// The session that a token was issued for.
    ///
    /// # Errors
    /// [`TokenError`] when the token was not issued here, is for another purpose, or has expired at `now`.
    pub fn verify(&self, token: &str, purpose: Purpose, now: DateTime<Utc>) -> Result<Visit, TokenError> {
        let claims =
            self.claims(token).filter(|claims| claims.purpose == purpose).ok_or(TokenError::Invalid)?;
        if claims.exp <= now {
            return Err(TokenError::Expired);
        }
        Ok(Visit { id: claims.sub, started_at: claims.born, attribution: claims.attribution })
    }

    /// The claims of a token that was signed here.
    fn claims(&self, token: &str) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = BASE64.decode(signature).ok()?;
        let ours = |key| hmac::verify(key, signed.as_bytes(), &signature).is_ok();
        let claims = signed.strip_prefix(HEADER)?.strip_prefix('.')?;
        self.verify
            .iter()
            .any(ours)
            .then(|| BASE64.decode(claims).ok())?
            .and_then(|it| serde_json::from_slice(&it).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "old-old-old-old-old-old-old-old-old";
    const NEW: &str = "new-new-new-new-new-new-new-new-new";

    fn keys(keys: &[&str]) -> SigningKeys {
        SigningKeys::new(keys.iter().copied()).unwrap()
    }

    fn visit() -> Visit {
        Visit { id: Uuid::from_u128(7), started_at: now(), attribution: Attribution::default() }
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_337_906, 0).unwrap()
    }

    #[test]
    fn a_token_is_good_until_its_last_second() {
        let token = keys(&[NEW]).issue(&visit(), Purpose::Access, now());
        let verify = |at| keys(&[NEW]).verify(&token, Purpose::Access, at);
        assert_eq!(verify(now() + ACCESS_LIFETIME - TimeDelta::seconds(1)), Ok(visit()));
        assert_eq!(verify(now() + ACCESS_LIFETIME), Err(TokenError::Expired));
    }

    #[test]
    fn a_token_is_good_for_its_purpose_only() {
        let token = keys(&[NEW]).issue(&visit(), Purpose::Refresh, now());
        assert_eq!(keys(&[NEW]).verify(&token, Purpose::Access, now()), Err(TokenError::Invalid));
        assert_eq!(keys(&[NEW]).verify(&token, Purpose::Refresh, now()), Ok(visit()));
    }

    #[test]
    fn keys_can_be_rotated_without_losing_a_visitor() {
        let token = keys(&[OLD]).issue(&visit(), Purpose::Access, now());
        assert_eq!(keys(&[NEW, OLD]).verify(&token, Purpose::Access, now()), Ok(visit()));
        assert_eq!(keys(&[NEW]).verify(&token, Purpose::Access, now()), Err(TokenError::Invalid));
        let token = keys(&[NEW, OLD]).issue(&visit(), Purpose::Access, now());
        assert_eq!(keys(&[NEW]).verify(&token, Purpose::Access, now()), Ok(visit()));
    }

    #[test]
    fn a_forged_token_is_refused() {
        // {"alg":"none","typ":"JWT"}
        let token = keys(&[NEW]).issue(&visit(), Purpose::Access, now());
        let claims = token.split('.').nth(1).unwrap();
        let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.");
        for forged in ["", "x", "a.b.c", &unsigned, &token[..token.len() - 2]] {
            assert_eq!(keys(&[NEW]).verify(forged, Purpose::Access, now()), Err(TokenError::Invalid));
        }
    }

    /// Made by the library that signed before, with the same key: visitors of the version before keep their sessions.
    #[test]
    fn a_token_is_a_jwt_as_others_make_it() {
        let token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwM\
             DAwMDciLCJleHAiOjE3NzIzNDE1MDYsImJvcm4iOjE3NzIzMzc5MDYsInB1cnBvc2UiOiJhY2Nlc3MiLCJhdHRyaWJ\
             1dGlvbiI6eyJsYW5kaW5nX3BhdGgiOiIiLCJyZWZlcnJlcl9ob3N0IjoiIiwiY2FtcGFpZ24iOnsic291cmNlIjoiI\
             iwibWVkaXVtIjoiIiwibmFtZSI6IiIsInRlcm0iOiIiLCJjb250ZW50IjoiIn19fQ.YEsC4K0oenodBf7YgDOCH389\
             _Yv97n9-qoV0zATFOwc";
        assert_eq!(keys(&[NEW]).verify(token, Purpose::Access, now()), Ok(visit()));
        assert_eq!(keys(&[NEW]).issue(&visit(), Purpose::Access, now()), token);
    }

    #[test]
    fn short_keys_are_refused() {
        assert!(SigningKeys::new(["too-short"].into_iter()).is_err());
        assert!(SigningKeys::new([NEW, ""].into_iter()).is_err());
        assert!(SigningKeys::new(std::iter::empty()).is_err());
    }
}
