//! The recipients of one lead.

use std::{collections::BTreeSet, num::NonZeroU32};

use lettre::Address;

/// The visitor's name in the CRM and in events: their address is stored only in the lead.
const VISITOR: &str = "visitor";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient<'a> {
    Sales(&'a Address),
    /// The visitor who sent the lead.
    Visitor {
        /// Maximum mails to their address within 24 hours.
        daily_limit: NonZeroU32,
    },
}

impl Recipient<'_> {
    /// The name used in the CRM and in events.
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
    /// Without duplicates.
    pub sales: Vec<Address>,
    /// Maximum mails to the visitor per day; `None`: none are sent.
    pub visitor: Option<NonZeroU32>,
}

impl Audience {
    /// The sales team comes first.
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

/// Removes duplicates, ignoring case, and keeps the order.
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
