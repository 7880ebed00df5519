//! The name of a mail.

use std::fmt;

use lettre::Address;
use uuid::Uuid;

/// The same for the same lead and recipient, however often the mail is sent: mailboxes may drop the second.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageId {
    id: Uuid,
    domain: String,
}

impl MessageId {
    /// The id of the mail that tells this recipient of this lead.
    #[must_use]
    pub fn new(lead: Uuid, recipient: &Address, sender: &Address) -> Self {
        let recipient = recipient.to_string().to_ascii_lowercase();
        Self { id: Uuid::new_v5(&lead, recipient.as_bytes()), domain: sender.domain().to_owned() }
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}@{}>", self.id, self.domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_of_the_lead_and_the_recipient() {
        let sender: Address = "leads@zyon.example".parse().unwrap();
        let id = |lead: u128, recipient: &str| {
            MessageId::new(Uuid::from_u128(lead), &recipient.parse().unwrap(), &sender).to_string()
        };
        assert_eq!(id(1, "a@x.co"), id(1, "A@x.co"));
        assert_ne!(id(1, "a@x.co"), id(1, "b@x.co"));
        assert_ne!(id(1, "a@x.co"), id(2, "a@x.co"));
        assert!(id(1, "a@x.co").ends_with("@zyon.example>"));
    }
}
