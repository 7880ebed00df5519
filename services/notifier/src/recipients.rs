//! The recipients of one lead.

use std::{collections::BTreeSet, num::NonZeroU32};

use lettre::Address;

use crate::webhook::Webhook;

/// Maximum mails to visitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitorLimits {
    /// To one address within 24 hours.
    pub daily: NonZeroU32,
    /// To all of them within an hour.
    pub hourly: NonZeroU32,
}

/// The visitor's name in the CRM and in events: their address is stored only in the lead.
const VISITOR: &str = "visitor";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient<'a> {
    Sales(&'a Address),
    /// A system of the sales team's.
    Webhook(&'a Webhook),
    /// The visitor who sent the lead.
    Visitor,
}

impl Recipient<'_> {
    /// The name used in the CRM and in events.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Sales(address) => address.to_string(),
            Self::Webhook(webhook) => format!("webhook:{}", webhook.name),
            Self::Visitor => VISITOR.to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audience {
    /// Without duplicates.
    pub sales: Vec<Address>,
    pub webhooks: Vec<Webhook>,
    /// `None`: the visitor is not mailed.
    pub visitor: Option<VisitorLimits>,
}

impl Audience {
    /// The sales team comes first.
    pub fn recipients(&self) -> impl Iterator<Item = Recipient<'_>> {
        let webhooks = self.webhooks.iter().map(Recipient::Webhook);
        self.sales.iter().map(Recipient::Sales).chain(webhooks).chain(self.visitor())
    }

    #[must_use]
    pub fn visitor(&self) -> Option<Recipient<'_>> {
        self.visitor.map(|_| Recipient::Visitor)
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
        let limits = VisitorLimits { daily: NonZeroU32::MIN, hourly: NonZeroU32::MIN };
        let audience = Audience {
            sales: vec!["sales@x.co".parse().unwrap()],
            webhooks: Vec::new(),
            visitor: Some(limits),
        };
        assert_eq!(audience.names(), ["sales@x.co", "visitor"]);
    }
}
