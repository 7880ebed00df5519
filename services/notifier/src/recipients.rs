//! Who is told.

use std::{collections::BTreeSet, str::FromStr};

use lettre::Address;

/// The mailboxes that are told of every lead: at least one, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipients(Vec<Address>);

/// Why a list of recipients was not taken.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum InvalidRecipients {
    /// There was no address in it.
    #[error("holds no e-mail address")]
    Empty,
    /// These entries are no addresses, or not in ASCII.
    #[error("not e-mail addresses in ASCII: {}", .0.join(", "))]
    NotAddresses(Vec<String>),
}

impl Recipients {
    /// The addresses, in the order they were given.
    #[must_use]
    pub fn addresses(&self) -> &[Address] {
        &self.0
    }
}

impl FromStr for Recipients {
    type Err = InvalidRecipients;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut seen = BTreeSet::new();
        let (mut addresses, mut wrong) = (Vec::new(), Vec::new());
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match entry.parse::<Address>() {
                Ok(address) if entry.is_ascii() => {
                    if seen.insert(entry.to_ascii_lowercase()) {
                        addresses.push(address);
                    }
                }
                Ok(_) | Err(_) => wrong.push(format!("{entry:?}")),
            }
        }
        if !wrong.is_empty() {
            return Err(InvalidRecipients::NotAddresses(wrong));
        }
        if addresses.is_empty() {
            return Err(InvalidRecipients::Empty);
        }
        Ok(Self(addresses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_kept_once_and_in_order() {
        let recipients: Recipients = "b@x.co, a@x.co ,,B@X.co,a@x.co".parse().unwrap();
        assert_eq!(
            recipients.addresses().iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["b@x.co", "a@x.co"]
        );
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let error = "sales@x.co, nobody, 销售@x.co, a@".parse::<Recipients>().unwrap_err();
        assert_eq!(error.to_string(), r#"not e-mail addresses in ASCII: "nobody", "销售@x.co", "a@""#);
    }

    #[test]
    fn somebody_must_be_told() {
        assert_eq!(" , ".parse::<Recipients>(), Err(InvalidRecipients::Empty));
    }
}
