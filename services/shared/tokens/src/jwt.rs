//! Signs and verifies JWTs. HS256 is the only algorithm, so the header is constant.

use std::str::FromStr;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use chrono::{DateTime, Utc, serde::ts_seconds_option};
use ring::hmac::{self, HMAC_SHA256, Key};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

const MIN_KEY_CHARACTERS: usize = 32;

/// `{"typ":"JWT","alg":"HS256"}`
const HEADER: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9";

/// HMAC keys: the first key signs, all keys verify. Not `Debug`, because the keys are secret.
#[derive(Clone)]
pub struct SigningKeys {
    sign: Key,
    verify: Vec<Key>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("keys must have at least {MIN_KEY_CHARACTERS} characters")]
pub struct WeakKey;

/// Fails if a key has so few characters that it could be guessed.
pub fn check_key(key: &str) -> Result<(), WeakKey> {
    if key.chars().count() < MIN_KEY_CHARACTERS {
        Err(WeakKey)
    } else {
        Ok(())
    }
}

impl FromStr for SigningKeys {
    type Err = WeakKey;

    /// Parses keys separated by commas, each of at least 32 characters.
    fn from_str(keys: &str) -> Result<Self, WeakKey> {
        let keys: Vec<&str> = keys.split(',').map(str::trim).collect();
        keys.iter().try_for_each(|key| check_key(key))?;
        let verify: Vec<Key> = keys
            .iter()
            .map(|key| Key::new(HMAC_SHA256, key.as_bytes()))
            .collect();
        let sign = verify.first().cloned().ok_or(WeakKey)?;
        Ok(Self { sign, verify })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidToken<C> {
    /// The token was not signed with these keys for this purpose.
    Forged,
    /// The token was valid until this time.
    Expired(C, DateTime<Utc>),
}

#[derive(Serialize, Deserialize)]
struct Payload<P, C> {
    purpose: P,
    #[serde(
        with = "ts_seconds_option",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    exp: Option<DateTime<Utc>>,
    #[serde(flatten)]
    claims: C,
}

impl SigningKeys {
    /// Signs a token for one purpose. Without `expires_at`, the token never expires.
    ///
    /// # Panics
    /// If the claims do not serialise to a JSON map.
    pub fn sign(
        &self,
        purpose: &str,
        claims: &impl Serialize,
        expires_at: Option<DateTime<Utc>>,
    ) -> String {
        let payload = Payload {
            purpose,
            exp: expires_at,
            claims,
        };
        let payload = serde_json::to_vec(&payload).expect("claims serialise to JSON");
        let signed = format!("{HEADER}.{}", BASE64.encode(payload));
        let signature = BASE64.encode(hmac::sign(&self.sign, signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// Returns the claims of a token that one of the keys signed for this purpose and that has not expired at `now`.
    pub fn verify<C: DeserializeOwned>(
        &self,
        purpose: &str,
        token: &str,
        now: DateTime<Utc>,
    ) -> Result<C, InvalidToken<C>> {
        let Payload { exp, claims, .. } = self
            .payload(token)
            .filter(|payload: &Payload<String, C>| payload.purpose == purpose)
            .ok_or(InvalidToken::Forged)?;
        match exp {
            Some(exp) if exp <= now => Err(InvalidToken::Expired(claims, exp)),
            _ => Ok(claims),
        }
    }

    fn payload<T: DeserializeOwned>(&self, token: &str) -> Option<T> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = BASE64.decode(signature).ok()?;
        let payload = signed.strip_prefix(HEADER)?.strip_prefix('.')?;
        if !self
            .verify
            .iter()
            .any(|key| hmac::verify(key, signed.as_bytes(), &signature).is_ok())
        {
            return None;
        }
        serde_json::from_slice(&BASE64.decode(payload).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    const OLD: &str = "old-old-old-old-old-old-old-old-old";
    const NEW: &str = "new-new-new-new-new-new-new-new-new";

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Seven {
        seven: u8,
    }

    const SEVEN: Seven = Seven { seven: 7 };

    fn keys(keys: &str) -> SigningKeys {
        keys.parse().unwrap()
    }

    fn verify(keys: &SigningKeys, token: &str) -> Result<Seven, InvalidToken<Seven>> {
        keys.verify("test", token, DateTime::UNIX_EPOCH)
    }

    #[test]
    fn keys_can_be_rotated() {
        let both = keys(&format!("{NEW}, {OLD}"));
        let token = keys(OLD).sign("test", &SEVEN, None);
        assert_eq!(verify(&both, &token), Ok(SEVEN));
        assert_eq!(verify(&keys(NEW), &token), Err(InvalidToken::Forged));
        assert_eq!(
            verify(&keys(NEW), &both.sign("test", &SEVEN, None)),
            Ok(SEVEN)
        );
    }

    #[test]
    fn forged_token_is_rejected() {
        // {"alg":"none","typ":"JWT"}
        let token = keys(NEW).sign("test", &SEVEN, None);
        let claims = token.split('.').nth(1).unwrap();
        let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.");
        for forged in ["", "x", "a.b.c", &unsigned, &token[..token.len() - 2]] {
            assert_eq!(verify(&keys(NEW), forged), Err(InvalidToken::Forged));
        }
    }

    #[test]
    fn tokens_are_valid_for_their_purpose_until_they_expire() {
        let expires_at = DateTime::UNIX_EPOCH + TimeDelta::seconds(1);
        let token = keys(NEW).sign("test", &SEVEN, Some(expires_at));
        assert_eq!(verify(&keys(NEW), &token), Ok(SEVEN));
        assert_eq!(
            keys(NEW).verify("test", &token, expires_at),
            Err(InvalidToken::Expired(SEVEN, expires_at))
        );
        assert_eq!(
            keys(NEW).verify::<Seven>("other", &token, DateTime::UNIX_EPOCH),
            Err(InvalidToken::Forged)
        );
    }

    #[test]
    fn rejects_short_keys() {
        for weak in [
            "",
            "too-short",
            &"é".repeat(31),
            &format!("{NEW},"),
            &format!("{NEW},too-short"),
        ] {
            assert!(weak.parse::<SigningKeys>().is_err(), "{weak}");
        }
        assert!("é".repeat(32).parse::<SigningKeys>().is_ok());
    }
}
