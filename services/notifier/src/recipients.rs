//! Whom one lead is for.

use std::{collections::BTreeSet, num::NonZeroU32};

use lettre::Address;

/// What the CRM and events call the visitor: an address that the lead holds is kept nowhere else.
const VISITOR: &str = "visitor";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient<'a> {
    /// A mailbox of the sales team.
    Sales(&'a Address),
    /// Who sent the lead.
    Visitor {
        /// So many mails, at most, to their address within 24 hours.
        daily_limit: NonZeroU32,
    },
}

impl Recipient<'_> {
    /// Its name at the CRM and in events.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Sales(address) => address.to_string(),
            Self::Visitor { daily_limit: _ } => VISITOR.to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audience {
    /// Mailboxes of the sales team, each once.
    pub sales: Vec<Address>,
    /// How many mails a day the visitor gets at most; `None`: visitors are not written to.
    pub visitor: Option<NonZeroU32>,
}

impl Audience {
    /// All of them, the sales team first.
    pub fn recipients(&self) -> impl Iterator<Item = Recipient<'_>> {
        self.sales.iter().map(Recipient::Sales).chain(self.visitor())
    }

    #[must_use]
    pub fn visitor(&self) -> Option<Recipient<'_>> {
        self.visitor.map(|daily_limit| Recipient::Visitor { daily_limit })
    }

    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.recipients().map(Recipient::name).collect()
    }
}

/// Each address once, however its letters are written, in the order they come.
#[must_use]
pub fn each_once(addresses: impl IntoIterator<Item = Address>) -> Vec<Address> {
    let mut seen = BTreeSet::new();
    addresses.into_iter().filter(|address| seen.insert(address.to_string().to_ascii_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_kept_once_and_in_order() {
        let addresses = ["b@x.co", "a@x.co", "B@X.co", "a@x.co"].map(|address| address.parse().unwrap());
        let kept: Vec<_> = each_once(addresses).iter().map(ToString::to_string).collect();
        assert_eq!(kept, ["b@x.co", "a@x.co"]);
    }

    #[test]
    fn the_visitor_has_no_address_among_the_names() {
        let audience =
            Audience { sales: vec!["sales@x.co".parse().unwrap()], visitor: Some(NonZeroU32::MIN) };
        assert_eq!(audience.names(), ["sales@x.co", "visitor"]);
    }
}
