//! Message ids, derived from what a mail is about and its recipient.

use std::fmt;

use chrono::NaiveDate;
use lettre::Address;
use uuid::{Uuid, uuid};

/// Keeps ids of morning mails apart.
const MORNINGS: Uuid = uuid!("b7a2f6de-3c19-4c0f-9a37-1e5d8c42f690");

/// Identical when the same mail is sent again, so that mailboxes can drop the duplicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageId {
    id: Uuid,
    domain: String,
}

impl MessageId {
    /// Id of the mail about one lead to one sales recipient.
    #[must_use]
    pub fn new(lead: Uuid, recipient: &Address, sender: &Address) -> Self {
        Self::named(lead, key(recipient).as_bytes(), sender)
    }

    /// Id of the mail about one lead to a recipient with a name of their own: a visitor's address must not be guessable from
    /// an id.
    #[must_use]
    pub fn for_named(lead: Uuid, name: &str, sender: &Address) -> Self {
        Self::named(lead, name.as_bytes(), sender)
    }

    /// The part before the domain.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.id
    }

    #[must_use]
    pub fn for_morning(day: NaiveDate, recipient: &Address, sender: &Address) -> Self {
        Self::named(MORNINGS, format!("{day} {}", key(recipient)).as_bytes(), sender)
    }

    fn named(namespace: Uuid, name: &[u8], sender: &Address) -> Self {
        Self { id: Uuid::new_v5(&namespace, name), domain: sender.domain().to_owned() }
    }
}

/// In lower case: no mail server is known to distinguish case in addresses.
fn key(recipient: &Address) -> String {
    recipient.to_string().to_ascii_lowercase()
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}@{}>", self.id, self.domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn is_of_the_lead_and_the_recipient() {
        let sender = address("leads@zyon.example");
        let id = |lead: u128, recipient: &str| {
            MessageId::new(Uuid::from_u128(lead), &address(recipient), &sender).to_string()
        };
        assert_eq!(id(1, "a@x.co"), id(1, "A@x.co"));
        assert_ne!(id(1, "a@x.co"), id(1, "b@x.co"));
        assert_ne!(id(1, "a@x.co"), id(2, "a@x.co"));
        assert!(id(1, "a@x.co").ends_with("@zyon.example>"));
        assert_ne!(id(1, "a@x.co"), MessageId::for_named(Uuid::from_u128(1), "visitor", &sender).to_string());
    }

    #[test]
    fn a_morning_has_one_mail_for_each_recipient() {
        let sender = address("leads@zyon.example");
        let id = |day: u32, recipient: &str| {
            MessageId::for_morning(
                NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
                &address(recipient),
                &sender,
            )
        };
        assert_eq!(id(1, "a@x.co"), id(1, "A@x.co"));
        assert_ne!(id(1, "a@x.co"), id(2, "a@x.co"));
        assert_ne!(id(1, "a@x.co"), id(1, "b@x.co"));
    }
}
