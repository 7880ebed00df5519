//! The recipients of one lead.

use std::{collections::BTreeSet, num::NonZeroU32};

use lead::recipient::{BROCHURE, PERSON, REQUESTED, VISITOR, WEBHOOK};
use lettre::Address;
use tokens::Person;

use crate::{routes::Routes, webhook::Webhook};

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
    /// A recipient whom the CRM names.
    Requested(&'a Requested),
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
            Self::Requested(requested) => requested.name.clone(),
            Self::Visitor => VISITOR.to_owned(),
            Self::Brochure => BROCHURE.to_owned(),
        }
    }
}

/// An email about a lead that the CRM asks for.
#[derive(Clone, PartialEq, Eq)]
pub struct Requested {
    /// `person:NAME#NUMBER`, or another prefix and a name or an address.
    name: String,
    /// `None`: nobody in the routes has the name any more.
    pub address: Option<Address>,
}

impl Requested {
    #[must_use]
    pub fn read(name: String, routes: &Routes) -> Self {
        let found = REQUESTED.iter().find_map(|prefix| Some((*prefix, name.strip_prefix(prefix)?)));
        let address = found.and_then(|(prefix, recipient)| {
            // People have no # in their names.
            let person = recipient.split('#').next().and_then(|name| routes.people().named(name));
            let address = person.map_or(recipient, Person::email).parse().ok();
            // When the owner has left the team, somebody else has to know.
            let other = routes.default_recipients().first().filter(|_| prefix != PERSON);
            address.or_else(|| other.cloned())
        });
        Self { name, address }
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
    pub fn requested(names: Vec<String>, routes: &Routes) -> Self {
        let (brochure, names): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name == BROCHURE);
        let requested = names.into_iter().map(|name| Requested::read(name, routes)).collect();
        Self { requested, brochure: !brochure.is_empty(), ..Self::default() }
    }

    /// The sales team comes first.
    pub fn recipients(&self) -> impl Iterator<Item = Recipient<'_>> {
        let webhooks = self.webhooks.iter().map(Recipient::Webhook);
        self.mailed_sales().chain(webhooks).chain(self.mailed_visitor())
    }

    /// The members of the sales team.
    pub fn mailed_sales(&self) -> impl Iterator<Item = Recipient<'_>> {
        self.sales.iter().map(Recipient::Sales).chain(self.requested.iter().map(Recipient::Requested))
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
pub fn dedup_addresses(addresses: impl IntoIterator<Item = Address>) -> Vec<Address> {
    let mut seen = BTreeSet::new();
    addresses.into_iter().filter(|address| seen.insert(address.to_string().to_ascii_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_kept_once_and_in_order() {
        let addresses = ["b@x.co", "a@x.co", "B@X.co", "a@x.co"].map(|address| address.parse().unwrap());
        let kept: Vec<_> = dedup_addresses(addresses).iter().map(ToString::to_string).collect();
        assert_eq!(kept, ["b@x.co", "a@x.co"]);
    }

    #[test]
    fn the_visitor_has_no_address_among_the_names() {
        let sales = vec!["sales@x.co".parse().unwrap()];
        let audience = Audience { sales, visitor: true, ..Audience::default() };
        assert_eq!(audience.names(), ["sales@x.co", "visitor"]);
    }
}
