//! JWTs with one algorithm, so the header is constant and there is nothing to negotiate.

use std::str::FromStr;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::hmac::{self, HMAC_SHA256, Key};
use serde::{Serialize, de::DeserializeOwned};

const SHORTEST_KEY: usize = 32;

/// `{"typ":"JWT","alg":"HS256"}`
const HEADER: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9";

/// The first key signs, all verify. Not `Debug`, as it is a secret.
#[derive(Clone)]
pub struct SigningKeys {
    sign: Key,
    verify: Vec<Key>,
}

/// A key that could be guessed, or none at all.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("each key must have at least {SHORTEST_KEY} characters")]
pub struct WeakKey;

impl FromStr for SigningKeys {
    type Err = WeakKey;

    /// Takes keys separated by commas, each of at least 32 characters.
    fn from_str(keys: &str) -> Result<Self, WeakKey> {
        let keys: Vec<&[u8]> = keys.split(',').map(|key| key.trim().as_bytes()).collect();
        if keys.iter().any(|key| key.len() < SHORTEST_KEY) {
            return Err(WeakKey);
        }
        let verify: Vec<Key> = keys.iter().map(|key| Key::new(HMAC_SHA256, key)).collect();
        let sign = verify.first().cloned().ok_or(WeakKey)?;
        Ok(Self { sign, verify })
    }
}

impl SigningKeys {
    /// A token that says `claims`.
    ///
    /// # Panics
    /// When `claims` cannot be written as JSON.
    #[must_use]
    pub fn sign(&self, claims: &impl Serialize) -> String {
        let claims = serde_json::to_vec(claims).expect("claims serialize to JSON");
        let signed = format!("{HEADER}.{}", BASE64.encode(claims));
        let signature = BASE64.encode(hmac::sign(&self.sign, signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// The claims of a token that was signed with one of the keys; `None` for any other text.
    #[must_use]
    pub fn verify<C: DeserializeOwned>(&self, token: &str) -> Option<C> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = BASE64.decode(signature).ok()?;
        let claims = signed.strip_prefix(HEADER)?.strip_prefix('.')?;
        if !self.verify.iter().any(|key| hmac::verify(key, signed.as_bytes(), &signature).is_ok()) {
            return None;
        }
        serde_json::from_slice(&BASE64.decode(claims).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "old-old-old-old-old-old-old-old-old";
    const NEW: &str = "new-new-new-new-new-new-new-new-new";

    fn keys(keys: &str) -> SigningKeys {
        keys.parse().unwrap()
    }

    #[test]
    fn keys_can_be_rotated() {
        let both = format!("{NEW}, {OLD}");
        let token = keys(OLD).sign(&7);
        assert_eq!(keys(&both).verify(&token), Some(7));
        assert_eq!(keys(NEW).verify::<i32>(&token), None);
        assert_eq!(keys(NEW).verify(&keys(&both).sign(&7)), Some(7));
    }

    #[test]
    fn a_forged_token_is_refused() {
        // {"alg":"none","typ":"JWT"}
        let token = keys(NEW).sign(&7);
        let claims = token.split('.').nth(1).unwrap();
        let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.");
        for forged in ["", "x", "a.b.c", &unsigned, &token[..token.len() - 2]] {
            assert_eq!(keys(NEW).verify::<i32>(forged), None);
        }
    }

    #[test]
    fn short_keys_are_refused() {
        for weak in ["", "too-short", &format!("{NEW},"), &format!("{NEW},too-short")] {
            assert!(weak.parse::<SigningKeys>().is_err(), "{weak}");
        }
    }
}
