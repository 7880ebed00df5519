//! The recipients of each lead, read from a TOML file.
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

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    str::FromStr,
};

use lead::{Interest, Language};
use lettre::Address;
use serde::{Deserialize, Deserializer, de::Error};
use tokens::{InvalidPerson, Person, Team};

use crate::{
    recipients::{Recipient, dedup_addresses},
    webhook::{self, InvalidWebhook, Webhook},
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
    /// Leads with at least one of these interests; empty matches all.
    interests: Vec<Interest>,
    /// Leads in one of these languages; empty matches all.
    languages: Vec<Language>,
    to: T,
}

impl<T> Route<T> {
    fn matches(&self, interests: &[Interest], language: Language) -> bool {
        let has_interest = |interest| self.interests.contains(interest);
        (self.interests.is_empty() || interests.iter().any(has_interest))
            && (self.languages.is_empty() || self.languages.contains(&language))
    }
}

impl Routes {
    /// # Errors
    /// [`InvalidRoutes`] when the file cannot be read or contains an error.
    pub fn read(path: &Path) -> Result<Self, InvalidRoutes> {
        let routes: Self = fs::read_to_string(path)?.parse()?;
        webhook::check(routes.webhooks.iter().map(|route| &route.to))?;
        Ok(routes)
    }

    /// Recipients of the daily summary and of leads that match no route.
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
        let matching = self.routes.iter().filter(|route| route.matches(interests, language));
        let recipients = dedup_addresses(matching.flat_map(|route| route.to.iter().cloned()));
        if recipients.is_empty() { self.default.clone() } else { recipients }
    }

    #[must_use]
    pub fn webhooks(&self, interests: &[Interest], language: Language) -> Vec<Webhook> {
        let matching = self.webhooks.iter().filter(|route| route.matches(interests, language));
        matching.map(|route| route.to.clone()).collect()
    }

    /// The recipients with a name, whose emails link to the desk.
    #[must_use]
    pub fn people(&self) -> &Team {
        &self.people
    }
}

/// The recipients of a lead with a single interest, for each interest and language.
impl fmt::Display for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for interest in Interest::ALL {
            for language in Language::ALL {
                let emails = self.recipients(&[*interest], *language);
                let webhooks = self.webhooks(&[*interest], *language);
                let recipients = emails.iter().map(Recipient::Sales);
                let recipients = recipients.chain(webhooks.iter().map(Recipient::Webhook));
                let names: Vec<_> = recipients.map(Recipient::name).collect();
                writeln!(f, "  {:<10}{:<4}{}", interest.id(), language.id(), names.join(", "))?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum InvalidRoutes {
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// Names the line and column.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error(transparent)]
    Person(#[from] InvalidPerson),
    #[error(transparent)]
    Webhook(#[from] InvalidWebhook),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(deserialize_with = "recipients")]
    default: Vec<Address>,
    #[serde(default, deserialize_with = "recipients")]
    canary: Vec<Address>,
    #[serde(default)]
    route: Vec<RouteTable>,
    #[serde(default)]
    person: Vec<TeamMember>,
    #[serde(default)]
    webhook: Vec<WebhookTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteTable {
    #[serde(default)]
    interests: Vec<Interest>,
    #[serde(default)]
    languages: Vec<Language>,
    #[serde(deserialize_with = "recipients")]
    recipients: Vec<Address>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookTable {
    name: String,
    url: webhook::Url,
    secret_file: PathBuf,
    #[serde(default)]
    allow_private: bool,
    #[serde(default)]
    interests: Vec<Interest>,
    #[serde(default)]
    languages: Vec<Language>,
}

/// A person whose name and address are valid.
#[derive(Deserialize)]
#[serde(try_from = "Person")]
struct TeamMember(Person);

impl TryFrom<Person> for TeamMember {
    type Error = InvalidPerson;

    fn try_from(person: Person) -> Result<Self, Self::Error> {
        Person::new(person.name(), person.email()).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct AsciiAddress(Address);

impl TryFrom<String> for AsciiAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let address = text.parse().ok().filter(|_| text.is_ascii());
        address.map(Self).ok_or_else(|| format!("{text:?} is not an ASCII email address"))
    }
}

/// At least one address, without duplicates.
fn recipients<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Address>, D::Error> {
    let addresses = Vec::<AsciiAddress>::deserialize(deserializer)?;
    if addresses.is_empty() {
        return Err(D::Error::custom("must have at least one email address"));
    }
    Ok(dedup_addresses(addresses.into_iter().map(|AsciiAddress(address)| address)))
}

impl FromStr for Routes {
    type Err = InvalidRoutes;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let File { default, canary, route, person, webhook } = toml::from_str(text)?;
        let routes = route.into_iter().map(|table| Route {
            interests: table.interests,
            languages: table.languages,
            to: table.recipients,
        });
        let webhooks = webhook.into_iter().map(|table| {
            let WebhookTable { name, url, secret_file, allow_private, interests, languages } = table;
            Route { interests, languages, to: Webhook { name, url, secret_file, allow_private } }
        });
        let people = person.into_iter().map(|TeamMember(person)| person);
        Ok(Self {
            default,
            canary,
            routes: routes.collect(),
            webhooks: webhooks.collect(),
            people: Team::new(people.collect())?,
        })
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

    fn recipients(routes: &Routes, interests: &[Interest], language: Language) -> Vec<String> {
        routes.recipients(interests, language).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn leads_go_to_all_matching_routes_or_the_default() {
        use Interest::{Brochure, Purchase, Showflat};
        use Language::{Chinese, English};
        let routes: Routes = FILE.parse().unwrap();
        assert_eq!(recipients(&routes, &[Brochure], English), ["sales@x.co"]);
        assert_eq!(recipients(&routes, &[Brochure, Showflat], English), ["buyers@x.co", "desk@x.co"]);
        assert_eq!(recipients(&routes, &[Purchase], Chinese), ["buyers@x.co", "desk@x.co", "mei@x.co"]);
        assert_eq!(recipients(&routes, &[Brochure], Chinese), ["Desk@x.co", "mei@x.co"]);
    }

    #[test]
    fn errors_name_the_line_and_the_cause() {
        const DEFAULT: &str = "default = [\"a@x.co\"]\n";
        for (text, line, cause) in [
            ("", 1, "missing field `default`"),
            ("default = []", 1, "must have at least one email address"),
            ("default = [\"a@x.co\", \"nobody\"]", 1, "\"nobody\" is not an ASCII email address"),
            ("default = [\"销售@x.co\"]", 1, "is not an ASCII email address"),
            ("default = \"a@x.co\"", 1, "expected a sequence"),
            ("DEFAULT defaults = []", 2, "unknown field `defaults`"),
            ("DEFAULT canary = []", 2, "must have at least one email address"),
            ("DEFAULT route = [[\n", 2, "unclosed array"),
            ("DEFAULT [[route]]\ninterests = [\"buy\"]", 3, "unknown variant `buy`"),
            ("DEFAULT [[route]]\nlanguages = \"zh\"", 3, "expected a sequence"),
            ("DEFAULT [[route]]\nlanguages = [\"zh\"]", 2, "missing field `recipients`"),
            ("DEFAULT [[route]]\nrecipients = [\"a@x.co\"]\ncolour = 1", 4, "unknown field `colour`"),
            ("DEFAULT webhook = 7", 2, "expected a sequence"),
            ("DEFAULT [[webhook]]\nname = \"crm\"", 2, "missing field `url`"),
            ("DEFAULT [[webhook]]\nname = \"crm\"\nurl = \"http://x.co\"", 4, "must begin with https://"),
            ("DEFAULT [[person]]\nname = \"Mei\"", 2, "missing field `email`"),
            ("DEFAULT [[person]]\nname = \"#1\"\nemail = \"m@x.co\"", 2, "must have 1 to 80 characters"),
            ("DEFAULT [[person]]\nmay_send_brochures = \"yes\"", 3, "expected a boolean"),
        ] {
            let error = text.replace("DEFAULT ", DEFAULT).parse::<Routes>().err().unwrap().to_string();
            assert!(
                error.contains(&format!("line {line}, column ")) && error.contains(cause),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn people_may_send_brochures_and_are_unique() {
        let person = "name = \"Mei\", email = \"m@x.co\", may_send_brochures = true";
        let with = |people: &str| format!("default = [\"a@x.co\"]\nperson = [{people}]").parse::<Routes>();
        assert!(with(&format!("{{ {person} }}")).is_ok());
        let error = with(&format!("{{ {person} }}, {{ name = \"mei\", email = \"n@x.co\" }}")).err().unwrap();
        assert_eq!(error.to_string(), "two people have the same `name` or `email`");
    }
}
