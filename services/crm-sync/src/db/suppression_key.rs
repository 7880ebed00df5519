//! The key that hashes the mailboxes and phone numbers of suppressions.

use std::str::FromStr;

use lead::{EmailKey, PhoneNumber};
use ring::hmac::{self, HMAC_SHA256};
use tokens::WeakKey;

/// Length of [`SuppressionKey::hash_mailbox`].
pub(crate) const HASH_LENGTH: usize = 64;

/// HMAC key of the suppressions. Unkeyed hashes could be reversed by trying all phone numbers.
#[derive(Clone)]
pub struct SuppressionKey(hmac::Key);

impl FromStr for SuppressionKey {
    type Err = WeakKey;

    fn from_str(secret: &str) -> Result<Self, WeakKey> {
        tokens::check_key(secret)?;
        Ok(Self(hmac::Key::new(HMAC_SHA256, secret.as_bytes())))
    }
}

impl SuppressionKey {
    /// The hash of the mailbox of an address. All spellings of the mailbox have the same hash.
    pub(crate) fn hash_mailbox(&self, email: &EmailKey) -> String {
        self.hash(&format!("email:{}", email.mailbox()))
    }

    pub(crate) fn hash_number(&self, number: &PhoneNumber) -> String {
        self.hash(&format!("phone:{}", number.as_str()))
    }

    fn hash(&self, value: &str) -> String {
        let hash = hmac::sign(&self.0, value.as_bytes());
        hash.as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}
