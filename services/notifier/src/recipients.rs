//! The recipients of one lead.

use lead::recipient::{BROCHURE, BROCHURE_TEST, LOGIN, PERSON, REQUESTED, VISITOR, WEBHOOK};
use lettre::Address;
use tokens::Person;

use crate::{routes::Routes, webhook::Webhook};

#[derive(Clone)]
pub enum Recipient {
    /// An address of the sales team in the routes.
    Sales(Address),
    /// A system of the sales team's.
    Webhook(Webhook),
    /// A recipient whom the CRM names by one of [`REQUESTED`] and a name or an address, such as `person:NAME#NUMBER`. Claimed
    /// separately, as is the brochure. Without an address, nobody in the routes has the name any more.
    Requested { name: String, address: Option<Address> },
    /// The visitor who sent the lead, who gets a confirmation.
    Visitor,
    /// The visitor, who is sent the brochure.
    Brochure,
}

impl Recipient {
    /// A recipient of an email that somebody asked the CRM for.
    #[must_use]
    pub fn requested(name: String, routes: &Routes) -> Self {
        if name == BROCHURE {
            return Self::Brochure;
        }
        let found = REQUESTED.iter().find_map(|prefix| Some((*prefix, name.strip_prefix(prefix)?)));
        let address = found.and_then(|(prefix, recipient)| {
            // People have no # in their names.
            let person = recipient.split('#').next().and_then(|name| routes.people.named(name));
            let address = person.map_or(recipient, Person::email).parse().ok();
            // When the owner has left the team, somebody else has to know.
            let other = routes.default.first().filter(|_| ![PERSON, LOGIN, BROCHURE_TEST].contains(&prefix));
            address.or_else(|| other.cloned())
        });
        Self::Requested { name, address }
    }

    /// The name used in the CRM and in events.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Sales(address) => address.to_string(),
            Self::Webhook(webhook) => format!("{WEBHOOK}{}", webhook.name),
            Self::Requested { name, .. } => name.clone(),
            Self::Visitor => VISITOR.to_owned(),
            Self::Brochure => BROCHURE.to_owned(),
        }
    }

    /// Whether it is a mailbox of the sales team.
    #[must_use]
    pub fn is_sales(&self) -> bool {
        matches!(self, Self::Sales(_) | Self::Requested { .. })
    }

    /// Whether it is the mailbox of the visitor.
    #[must_use]
    pub fn is_visitor(&self) -> bool {
        matches!(self, Self::Visitor | Self::Brochure)
    }
}
