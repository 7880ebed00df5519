//! Routes leads to recipients, as configured in a TOML file.
//!
//! ```toml
//! default = ["sales@example.com"]
//! canary = ["canary@example.com"]
//!
//! [[route]]
//! interests = ["purchase"]
//! languages = ["zh"]
//! recipients = ["mei@example.com"]
//!
//! [[person]]
//! name = "Mei Tan"
//! email = "mei@example.com"
//!
//! [[webhook]]
//! name = "crm"
//! url = "https://crm.example.com/leads"
//! secret_file = "/run/secrets/webhooks/crm"
//! ```

pub mod reader;

use std::fmt;

use lead::{Interest, Language};
use lettre::Address;
use tokens::Team;

use crate::{
    recipients::{Recipient, each_once},
    webhook::Webhook,
};

/// The routes; every lead has at least one recipient.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Routes {
    default: Vec<Address>,
    canary: Vec<Address>,
    routes: Vec<Route<Vec<Address>>>,
    webhooks: Vec<Route<Webhook>>,
    people: Team,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Route<T> {
    leads: Filter,
    to: T,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Filter {
    /// Leads with at least one of these interests; empty matches all.
    interests: Vec<Interest>,
    /// Leads in one of these languages; empty matches all.
    languages: Vec<Language>,
}

impl Routes {
    /// Recipients of the morning mail and of leads that match no route.
    #[must_use]
    pub fn default_recipients(&self) -> &[Address] {
        &self.default
    }

    /// Recipients of canaries; may be empty.
    #[must_use]
    pub fn canary_recipients(&self) -> &[Address] {
        &self.canary
    }

    /// The recipients of all matching routes without duplicates, or the default.
    #[must_use]
    pub fn recipients(&self, interests: &[Interest], language: Language) -> Vec<Address> {
        let matching = self.routes.iter().filter(|route| route.leads.includes(interests, language));
        let recipients = each_once(matching.flat_map(|route| route.to.iter().cloned()));
        if recipients.is_empty() { self.default.clone() } else { recipients }
    }

    #[must_use]
    pub fn webhooks(&self, interests: &[Interest], language: Language) -> Vec<Webhook> {
        let matching = self.webhooks.iter().filter(|route| route.leads.includes(interests, language));
        matching.map(|route| route.to.clone()).collect()
    }

    /// Who of the recipients has a name, and a link to the desk in each mail.
    #[must_use]
    pub fn people(&self) -> &Team {
        &self.people
    }

    /// Whatever leads they are for.
    pub fn all_webhooks(&self) -> impl Iterator<Item = &Webhook> {
        self.webhooks.iter().map(|route| &route.to)
    }
}

/// The recipients of a lead with a single interest, for each interest and language.
impl fmt::Display for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for interest in Interest::ALL {
            for language in Language::ALL {
                let mails = self.recipients(&[*interest], *language);
                let webhooks = self.webhooks(&[*interest], *language);
                let mails = mails.iter().map(Recipient::Sales);
                let recipients = mails.chain(webhooks.iter().map(Recipient::Webhook)).map(Recipient::name);
                let recipients: Vec<_> = recipients.collect();
                writeln!(f, "  {:<10}{:<4}{}", interest.id(), language.id(), recipients.join(", "))?;
            }
        }
        Ok(())
    }
}

impl Filter {
    fn includes(&self, interests: &[Interest], language: Language) -> bool {
        let is_for_interest = |interest| self.interests.contains(interest);
        (self.interests.is_empty() || interests.iter().any(is_for_interest))
            && (self.languages.is_empty() || self.languages.contains(&language))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        default = ["sales@x.co"]

        [[route]]
        interests = ["purchase", "showflat"]
        recipients = ["buyers@x.co", "desk@x.co"]

        [[route]]
        languages = ["zh"]
        recipients = ["Desk@x.co", "mei@x.co"]
    "#;

    fn told(routes: &Routes, interests: &[Interest], language: Language) -> Vec<String> {
        routes.recipients(interests, language).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_lead_goes_to_all_routes_that_are_for_it_or_to_the_default() {
        use Interest::{Brochure, Purchase, Showflat};
        use Language::{Chinese, English};
        let routes: Routes = FILE.parse().unwrap();
        assert_eq!(told(&routes, &[Brochure], English), ["sales@x.co"]);
        assert_eq!(told(&routes, &[Brochure, Showflat], English), ["buyers@x.co", "desk@x.co"]);
        assert_eq!(told(&routes, &[Purchase], Chinese), ["buyers@x.co", "desk@x.co", "mei@x.co"]);
        assert_eq!(told(&routes, &[Brochure], Chinese), ["Desk@x.co", "mei@x.co"]);
    }
}
