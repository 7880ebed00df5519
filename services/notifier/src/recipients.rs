//! The recipients of one lead.

use std::{collections::BTreeSet, num::NonZeroU32};

use lead::recipient::{BROCHURE, PERSON, VISITOR, WEBHOOK};
use lettre::Address;
use tokens::{Person, Team};

use crate::webhook::Webhook;

/// Maximum mails to visitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitorLimits {
    /// To one address within 24 hours.
    pub daily: NonZeroU32,
    /// To all of them within an hour; brochures have half of it.
    pub hourly: NonZeroU32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Recipient<'a> {
    Sales(&'a Address),
    /// A system of the sales team's.
    Webhook(&'a Webhook),
    /// A member of the sales team who is to be mailed by name.
    Person(&'a Requested),
    /// The visitor who sent the lead, who is thanked.
    Visitor,
    /// The visitor, who is sent the brochure.
    Brochure,
}

impl Recipient<'_> {
    /// The name used in the CRM and in events.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Sales(address) => address.to_string(),
            Self::Webhook(webhook) => format!("{WEBHOOK}{}", webhook.name),
            Self::Person(requested) => requested.name.clone(),
            Self::Visitor => VISITOR.to_owned(),
            Self::Brochure => BROCHURE.to_owned(),
        }
    }
}

/// A mail that somebody asked the CRM for.
#[derive(Clone, PartialEq, Eq)]
pub struct Requested {
    /// `person:NAME#NUMBER`
    name: String,
    /// `None`: nobody in the routes has the name any more.
    pub person: Option<Person>,
}

impl Requested {
    #[must_use]
    pub fn read(name: String, people: &Team) -> Self {
        let of_person = name.strip_prefix(PERSON).and_then(|name| name.rsplit_once('#'));
        let person = of_person.and_then(|(name, _)| people.named(name)).cloned();
        Self { name, person }
    }
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Audience {
    /// Without duplicates.
    pub sales: Vec<Address>,
    pub webhooks: Vec<Webhook>,
    /// These are claimed by themselves, as is the brochure.
    pub requested: Vec<Requested>,
    pub brochure: bool,
    /// Whether the visitor is thanked.
    pub visitor: bool,
}

impl Audience {
    /// Those of mails that somebody asked the CRM for.
    #[must_use]
    pub fn requested(names: Vec<String>, people: &Team) -> Self {
        let (brochure, names): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name == BROCHURE);
        let requested = names.into_iter().map(|name| Requested::read(name, people)).collect();
        Self { requested, brochure: !brochure.is_empty(), ..Self::default() }
    }

    /// The sales team comes first.
    pub fn recipients(&self) -> impl Iterator<Item = Recipient<'_>> {
        let webhooks = self.webhooks.iter().map(Recipient::Webhook);
        self.mailed_sales().chain(webhooks).chain(self.mailed_visitor())
    }

    /// The members of the sales team.
    pub fn mailed_sales(&self) -> impl Iterator<Item = Recipient<'_>> {
        self.sales.iter().map(Recipient::Sales).chain(self.requested.iter().map(Recipient::Person))
    }

    /// What the visitor is mailed.
    pub fn mailed_visitor(&self) -> impl Iterator<Item = Recipient<'_>> {
        let thanked = self.visitor.then_some(Recipient::Visitor);
        thanked.into_iter().chain(self.brochure.then_some(Recipient::Brochure))
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
        let sales = vec!["sales@x.co".parse().unwrap()];
        let audience = Audience { sales, visitor: true, ..Audience::default() };
        assert_eq!(audience.names(), ["sales@x.co", "visitor"]);
    }
}
