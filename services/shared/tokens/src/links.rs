use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{InvalidToken, SigningKeys};

pub const LINK_LIFETIME: TimeDelta = TimeDelta::days(7);

/// Time for which a link in an email about a lead can log in. Limited, because people forward and archive emails.
pub const LOGIN_WINDOW: TimeDelta = TimeDelta::hours(24);

/// Time for which a requested login link can log in. Short, because people open such a link immediately.
pub const REQUESTED_LOGIN_WINDOW: TimeDelta = TimeDelta::minutes(15);

/// Time after expiry within which an expired link can be exchanged for a new link by email.
pub const RENEWAL_WINDOW: TimeDelta = TimeDelta::days(30);

/// A link in an email that opens a lead at the desk. Identifies the person by [`Person::id`](crate::Person::id) instead
/// of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MagicLink {
    /// The recipient of the email.
    #[serde(rename = "sub")]
    pub person: Uuid,
    /// The lead that the link opens.
    pub lead: Uuid,
    /// `None` in emails whose replies go to the visitor, because a reply may quote the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<Login>,
}

/// Allows the first browser that opens the link to log in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Login {
    /// The email with the link.
    pub email: Uuid,
    #[serde(with = "chrono::serde::ts_seconds")]
    pub until: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMagicLink {
    /// The link was not signed with these keys.
    #[error("not a magic link")]
    Forged,
    /// The link can still be renewed by email.
    #[error("the magic link has expired")]
    Expired(MagicLink),
    /// The link can no longer be renewed.
    #[error("the magic link expired more than {} days ago", RENEWAL_WINDOW.num_days())]
    Lapsed(MagicLink),
}

impl MagicLink {
    const PURPOSE: &str = "magic-link";

    /// Signs the URL fragment of a link, which opens the lead for [`LINK_LIFETIME`] from `now`.
    pub fn sign(&self, keys: &SigningKeys, now: DateTime<Utc>) -> String {
        keys.sign(Self::PURPOSE, self, Some(now + LINK_LIFETIME))
    }

    /// Verifies the URL fragment of a link. From [`Login::until`] on, the result contains no `login`.
    pub fn verify(
        text: &str,
        keys: &SigningKeys,
        now: DateTime<Utc>,
    ) -> Result<Self, InvalidMagicLink> {
        let at_present = |link: Self| Self {
            login: link.login.filter(|login| now < login.until),
            ..link
        };
        match keys.verify(Self::PURPOSE, text, now) {
            Ok(link) => Ok(at_present(link)),
            Err(InvalidToken::Forged) => Err(InvalidMagicLink::Forged),
            Err(InvalidToken::Expired(link, expired_at)) => {
                let is_renewable = now < expired_at + RENEWAL_WINDOW;
                let invalid = if is_renewable {
                    InvalidMagicLink::Expired
                } else {
                    InvalidMagicLink::Lapsed
                };
                Err(invalid(at_present(link)))
            }
        }
    }
}

/// The token in the link "Stop contacting me" of a visitor's email. The token never expires, because visitors may
/// withdraw consent at any time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithdrawalToken {
    /// The lead that the email is about.
    #[serde(rename = "sub")]
    pub lead: Uuid,
    /// The CRM's keyed hash of the mailbox that received the email, if the lead's address had been corrected. `None` if the
    /// email went to the submitted address.
    #[serde(rename = "mailbox", default, skip_serializing_if = "Option::is_none")]
    pub mailbox_hash: Option<String>,
}

impl WithdrawalToken {
    const PURPOSE: &str = "withdraw";

    /// Signs the token as URL-safe text: letters, digits, dots, dashes and underscores.
    pub fn sign(&self, keys: &SigningKeys) -> String {
        keys.sign(Self::PURPOSE, self, None)
    }

    /// Returns `None` if the text is not a valid token.
    pub fn verify(text: &str, keys: &SigningKeys) -> Option<Self> {
        keys.verify(Self::PURPOSE, text, DateTime::UNIX_EPOCH).ok()
    }
}

/// The token in the link "Shall we call you?", in the confirmation and in the response to the form. Never expires, because
/// visitors may agree at any time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentToken {
    /// The lead whose visitor may agree.
    #[serde(rename = "sub")]
    pub lead: Uuid,
    /// As in [`WithdrawalToken`].
    #[serde(rename = "mailbox", default, skip_serializing_if = "Option::is_none")]
    pub mailbox_hash: Option<String>,
}

impl ConsentToken {
    const PURPOSE: &str = "consent";

    /// Signs the token as URL-safe text.
    pub fn sign(&self, keys: &SigningKeys) -> String {
        keys.sign(Self::PURPOSE, self, None)
    }

    /// Returns `None` if the text is not a valid token.
    pub fn verify(text: &str, keys: &SigningKeys) -> Option<Self> {
        keys.verify(Self::PURPOSE, text, DateTime::UNIX_EPOCH).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(key: &str) -> SigningKeys {
        key.repeat(40).parse().unwrap()
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_337_906, 0).unwrap()
    }

    const KEY: MagicLink = MagicLink {
        person: Uuid::from_u128(1),
        lead: Uuid::from_u128(2),
        login: None,
    };

    #[test]
    fn link_is_valid_until_its_last_second() {
        let until = now() + REQUESTED_LOGIN_WINDOW;
        let logs_in = MagicLink {
            login: Some(Login {
                email: Uuid::from_u128(3),
                until,
            }),
            ..KEY
        };
        let (text, second) = (logs_in.sign(&keys("a"), now()), TimeDelta::seconds(1));
        let end = LINK_LIFETIME + RENEWAL_WINDOW;
        for (age, read) in [
            (REQUESTED_LOGIN_WINDOW - second, Ok(logs_in)),
            (REQUESTED_LOGIN_WINDOW, Ok(KEY)),
            (LINK_LIFETIME - second, Ok(KEY)),
            (LINK_LIFETIME, Err(InvalidMagicLink::Expired(KEY))),
            (end - second, Err(InvalidMagicLink::Expired(KEY))),
            (end, Err(InvalidMagicLink::Lapsed(KEY))),
        ] {
            assert_eq!(
                MagicLink::verify(&text, &keys("a"), now() + age),
                read,
                "{age}"
            );
        }
    }

    #[test]
    fn rejects_other_links() {
        let other = WithdrawalToken {
            lead: KEY.lead,
            mailbox_hash: None,
        }
        .sign(&keys("a"));
        let text = KEY.sign(&keys("a"), now());
        for wrong in [
            "",
            "x",
            &text[1..],
            &text[..text.len() - 2],
            &format!("{text}x"),
            &other,
        ] {
            assert_eq!(
                MagicLink::verify(wrong, &keys("a"), now()),
                Err(InvalidMagicLink::Forged),
                "{wrong}"
            );
        }
        assert_eq!(
            MagicLink::verify(&text, &keys("b"), now()),
            Err(InvalidMagicLink::Forged)
        );
    }

    #[test]
    fn altered_link_is_forged() {
        let text = KEY.sign(&keys("a"), now());
        for at in 0..text.len() {
            for replacement in ["A", "z", "-", ".", "é"] {
                let altered = [&text[..at], replacement, &text[at + 1..]].concat();
                let expected = if altered == text {
                    Ok(KEY)
                } else {
                    Err(InvalidMagicLink::Forged)
                };
                assert_eq!(
                    MagicLink::verify(&altered, &keys("a"), now()),
                    expected,
                    "{altered}"
                );
            }
        }
    }

    #[test]
    fn link_is_url_safe_and_names_nobody() {
        let text = KEY.sign(&keys("a"), now());
        assert!(
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)),
            "{text}"
        );
        assert!(text.len() < 300, "{}", text.len());
    }

    #[test]
    fn withdrawal_token_without_a_mailbox_keeps_its_text() {
        #[derive(Serialize)]
        struct Old {
            sub: Uuid,
        }
        let old = keys("a").sign(WithdrawalToken::PURPOSE, &Old { sub: KEY.lead }, None);
        let token = WithdrawalToken {
            lead: KEY.lead,
            mailbox_hash: None,
        };
        assert_eq!(token.sign(&keys("a")), old);
        assert_eq!(WithdrawalToken::verify(&old, &keys("a")), Some(token));
    }

    #[test]
    fn tokens_of_consent_and_withdrawal_differ() {
        let consent = ConsentToken {
            lead: KEY.lead,
            mailbox_hash: Some("0a".repeat(32)),
        };
        let withdrawal = WithdrawalToken {
            lead: consent.lead,
            mailbox_hash: consent.mailbox_hash.clone(),
        };
        let text = consent.sign(&keys("a"));
        assert_eq!(ConsentToken::verify(&text, &keys("b")), None);
        assert_eq!(WithdrawalToken::verify(&text, &keys("a")), None);
        assert_eq!(
            ConsentToken::verify(&withdrawal.sign(&keys("a")), &keys("a")),
            None
        );
        assert_eq!(ConsentToken::verify(&text, &keys("a")), Some(consent));
    }

    #[test]
    fn accepts_only_tokens_for_withdrawal() {
        let token = WithdrawalToken {
            lead: KEY.lead,
            mailbox_hash: None,
        };
        let text = token.sign(&keys("a"));
        assert_eq!(
            WithdrawalToken::verify(&text, &keys("a")),
            Some(token.clone())
        );
        let to_corrected = WithdrawalToken {
            mailbox_hash: Some("0a".repeat(32)),
            ..token
        };
        let corrected = to_corrected.sign(&keys("a"));
        assert_eq!(
            WithdrawalToken::verify(&corrected, &keys("a")),
            Some(to_corrected)
        );
        assert_eq!(WithdrawalToken::verify(&text, &keys("b")), None);
        assert_eq!(
            WithdrawalToken::verify(&KEY.sign(&keys("a"), now()), &keys("a")),
            None
        );
    }
}
