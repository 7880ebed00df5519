use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::SigningKeys;

/// The token in the link "Stop contacting me" of a visitor's email. It does not expire, because consent can be withdrawn
/// at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalToken {
    /// The lead that the email is about.
    pub lead: Uuid,
}

#[derive(Serialize, Deserialize)]
enum Purpose {
    #[serde(rename = "withdraw")]
    Withdraw,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    purpose: Purpose,
    sub: Uuid,
}

impl WithdrawalToken {
    /// The text of the token: letters, digits, dots, dashes and underscores.
    #[must_use]
    pub fn sign(self, keys: &SigningKeys) -> String {
        keys.sign(&Claims { purpose: Purpose::Withdraw, sub: self.lead })
    }

    /// Reads a token; `None` for any other text.
    #[must_use]
    pub fn verify(text: &str, keys: &SigningKeys) -> Option<Self> {
        let Claims { purpose: Purpose::Withdraw, sub: lead } = keys.verify(text)?;
        Some(Self { lead })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_tokens_for_withdrawal() {
        let keys = |key: &str| key.repeat(40).parse::<SigningKeys>().unwrap();
        let token = WithdrawalToken { lead: Uuid::from_u128(7) };
        let text = token.sign(&keys("a"));
        assert_eq!(WithdrawalToken::verify(&text, &keys("a")), Some(token));
        assert_eq!(WithdrawalToken::verify(&text, &keys("b")), None);
        let other =
            keys("a").sign(&[("purpose", "magic-link"), ("sub", "00000000-0000-0000-0000-000000000007")]);
        assert_eq!(WithdrawalToken::verify(&other, &keys("a")), None);
    }
}
