//! The recipients of each lead, read from a TOML file.
//!
//! ```toml
//! default = ["sales@example.com"]
//! canary = ["canary@example.com"]
//! reminder_minutes = 15
//! hours = "09:00-21:00"
//!
//! [[route]]
//! interests = ["purchase"]
//! languages = ["zh"]
//! recipients = ["mei@example.com"]
//!
//! [[person]]
//! name = "Mei Tan"
//! email = "mei@example.com"
//! language = "zh"
//!
//! [[webhook]]
//! name = "crm"
//! url = "https://crm.example.com/leads"
//! secret_file = "/run/secrets/webhooks/crm"
//! ```

use std::{collections::BTreeSet, fmt, fs, path::Path, sync::Arc};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Interest, Language, Lead, Recipient, SpamSignal};
use lettre::Address;
use runtime::reload::Reloaded;
use serde::{Deserialize, Deserializer, de::Error};
use tokens::{ReminderMinutes, Team};
use uuid::Uuid;

use crate::{
    reminder_times::{self, Hours, Waiting},
    webhook::Webhook,
};

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routes {
    /// Recipients of the daily summary and of leads that match no route.
    #[serde(deserialize_with = "deserialize_addresses")]
    pub default: Vec<Address>,
    /// Recipients of canaries; may be empty.
    #[serde(default, deserialize_with = "deserialize_addresses")]
    pub canary: Vec<Address>,
    #[serde(default)]
    reminder_minutes: ReminderMinutes,
    /// When the sales team gets reminders.
    #[serde(default)]
    pub(crate) hours: Hours,
    #[serde(default)]
    route: Vec<Route>,
    #[serde(default)]
    webhook: Vec<Webhook>,
    /// Members of the sales team, whose emails link to the desk.
    #[serde(default, rename = "person")]
    pub people: Team,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Route {
    #[serde(default)]
    interests: Vec<Interest>,
    #[serde(default)]
    languages: Vec<Language>,
    #[serde(deserialize_with = "deserialize_addresses")]
    recipients: Vec<Address>,
}

/// The routes file, reloaded when it changes. The desk reads only the people, so it accepts a file whose other tables are
/// invalid. notifier then keeps its last valid routes but takes the people from that file too: otherwise the desk would let
/// a person log in and own leads whom notifier does not know.
pub struct RoutesFile {
    routes: Reloaded<Routes>,
    people: Reloaded<Team>,
}

impl RoutesFile {
    /// # Errors
    /// As for [`Routes::load`].
    pub fn load(path: &Path) -> Result<Self, String> {
        Ok(Self {
            routes: Reloaded::load(path, Routes::load)?,
            people: Reloaded::load(path, Team::load).map_err(|error| error.to_string())?,
        })
    }

    pub fn current(&self) -> Arc<Routes> {
        let routes = self.routes.current();
        let people = self.people.current();
        if routes.people == *people {
            return routes;
        }
        Arc::new(Routes {
            people: Team::clone(&people),
            ..Routes::clone(&routes)
        })
    }
}

/// Where to send a delivery: a [`Recipient`] with its address or webhook. Its snake_case name is in logs.
#[derive(Clone, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Destination {
    /// An address of the sales team in the routes.
    Sales(Address),
    Webhook(Webhook),
    /// The recipient of an email that a request or a visitor's decision added. Without an address, the person is no
    /// longer in the routes.
    Requested {
        recipient: Recipient,
        address: Option<Address>,
    },
    /// The visitor, for the confirmation.
    #[strum(serialize = "confirmation")]
    Visitor,
    /// The visitor, for the brochure.
    Brochure,
}

impl Destination {
    /// The destination of a delivery that the routes do not name.
    pub fn from_request(recipient: Recipient, routes: &Routes) -> Self {
        let address = match &recipient {
            Recipient::Brochure => return Self::Brochure,
            Recipient::Requested { person, .. } => routes.find_person(person),
            // If the owner has left the team, a default recipient receives the withdrawal or the erasure request.
            Recipient::SalesNotice { to, .. } => routes
                .find_person(to)
                .or_else(|| to.parse().ok())
                .or_else(|| routes.default.first().cloned()),
            Recipient::Reminder(to) => routes.find_reminded(to),
            Recipient::Sales(_)
            | Recipient::Visitor
            | Recipient::Webhook(_)
            | Recipient::UpdateNotice { .. }
            | Recipient::ErasureNotice(_)
            | Recipient::Unknown(_) => None,
        };
        Self::Requested { recipient, address }
    }

    /// The recipient in the CRM and in events.
    pub fn recipient(&self) -> Recipient {
        match self {
            Self::Sales(address) => Recipient::Sales(address.to_string()),
            Self::Webhook(webhook) => Recipient::Webhook(webhook.name.clone()),
            Self::Requested { recipient, .. } => recipient.clone(),
            Self::Visitor => Recipient::Visitor,
            Self::Brochure => Recipient::Brochure,
        }
    }

    pub fn is_sales(&self) -> bool {
        matches!(self, Self::Sales(_) | Self::Requested { .. })
    }

    pub fn is_visitor(&self) -> bool {
        matches!(self, Self::Visitor | Self::Brochure)
    }

    /// Whether the delivery reminds the sales team of a lead.
    pub(crate) fn is_reminder(&self) -> bool {
        matches!(
            self,
            Self::Requested {
                recipient: Recipient::Reminder(_),
                ..
            }
        )
    }
}

impl Routes {
    /// Errors contain line and column.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot be read: {error}"))?;
        let routes: Self = toml::from_str(&text).map_err(|error| error.to_string())?;
        let mut names = BTreeSet::new();
        for webhook in &routes.webhook {
            let checked = match names.insert(&webhook.name) {
                true => webhook.validate(),
                false => Err("two webhooks have this `name`: rename one".to_owned()),
            };
            checked.map_err(|problem| format!("webhook {}: {problem}", webhook.name))?;
        }
        Ok(routes)
    }

    /// The sales addresses and webhooks of a lead.
    #[must_use]
    pub fn destinations(&self, lead: &Lead) -> Vec<Destination> {
        if lead.is_canary() {
            return self
                .canary
                .iter()
                .cloned()
                .map(Destination::Sales)
                .collect();
        }
        let routes = self
            .route
            .iter()
            .filter(|it| matches_lead(&it.interests, &it.languages, lead));
        let mut sales = deduplicate(routes.flat_map(|route| route.recipients.iter().cloned()));
        if sales.is_empty() {
            sales.clone_from(&self.default);
        }
        let webhooks = self
            .webhook
            .iter()
            .filter(|it| matches_lead(&it.interests, &it.languages, lead));
        let webhooks = webhooks.cloned().map(Destination::Webhook);
        sales
            .into_iter()
            .map(Destination::Sales)
            .chain(webhooks)
            .collect()
    }

    /// The leads that are due for a reminder at this time, if there are any.
    pub(crate) fn find_waiting(&self, now: DateTime<Utc>, zone: Tz) -> Option<Waiting> {
        reminder_times::find_waiting(self.reminder_minutes, self.hours, now, zone)
    }

    /// Who gets the reminder of a lead: the owner, a default recipient if the owner has left the team, or the named default
    /// recipient. The owner may be any text, and only people in the routes may get the lead.
    fn find_reminded(&self, to: &str) -> Option<Address> {
        let is_named = |address: &&Address| address.to_string().eq_ignore_ascii_case(to);
        let is_address = to.parse::<Address>().is_ok();
        let default = if is_address {
            self.default.iter().find(is_named)
        } else {
            self.default.first()
        };
        self.find_person(to).or_else(|| default.cloned())
    }

    /// The address of a person by name.
    fn find_person(&self, name: &str) -> Option<Address> {
        self.people.find_by_name(name)?.email().parse().ok()
    }

    pub(crate) fn webhook(&self, name: &str) -> Option<&Webhook> {
        self.webhook.iter().find(|webhook| webhook.name == name)
    }
}

/// Whether a lead has one of these interests and one of these languages. An empty list matches all.
fn matches_lead(interests: &[Interest], languages: &[Language], lead: &Lead) -> bool {
    (interests.is_empty()
        || lead
            .interests
            .iter()
            .any(|interest| interests.contains(interest)))
        && (languages.is_empty() || languages.contains(&lead.language))
}

/// The recipients of a lead with a single interest, for each interest and language, and of canaries.
impl fmt::Display for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |lead: &Lead| {
            self.destinations(lead)
                .iter()
                .map(|it| it.recipient().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut lead = Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH);
        for interest in Interest::ALL {
            for language in Language::ALL {
                (lead.interests, lead.language) = (vec![*interest], *language);
                writeln!(
                    f,
                    "  {:<10}{:<4}{}",
                    interest.id(),
                    language.id(),
                    names(&lead)
                )?;
            }
        }
        lead.signals = vec![SpamSignal::Canary];
        writeln!(f, "  canaries      {}", names(&lead))
    }
}

/// At least one address, without duplicates.
fn deserialize_addresses<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Address>, D::Error> {
    let parse = |text: String| {
        let address = text.parse().ok().filter(|_| text.is_ascii());
        address.ok_or_else(|| D::Error::custom(format!("{text:?} is not an ASCII email address")))
    };
    let addresses = Vec::deserialize(deserializer)?
        .into_iter()
        .map(parse)
        .collect::<Result<Vec<_>, _>>()?;
    if addresses.is_empty() {
        return Err(D::Error::custom("must have at least one email address"));
    }
    Ok(deduplicate(addresses))
}

/// Compares addresses ignoring case, and keeps their order.
fn deduplicate(addresses: impl IntoIterator<Item = Address>) -> Vec<Address> {
    let mut seen = BTreeSet::new();
    addresses
        .into_iter()
        .filter(|address| seen.insert(address.to_string().to_ascii_lowercase()))
        .collect()
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
        let empty = Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH);
        let lead = Lead {
            interests: interests.to_vec(),
            language,
            ..empty
        };
        routes
            .destinations(&lead)
            .iter()
            .map(|it| it.recipient().to_string())
            .collect()
    }

    /// The owner of a lead may be any text, and only people in the routes may get the lead.
    #[test]
    fn only_people_in_the_routes_get_requested_emails() {
        let file = format!("{FILE}\n[[person]]\nname = \"Mei\"\nemail = \"mei@x.co\"");
        let routes: Routes = toml::from_str(&file).unwrap();
        for (recipient, expected) in [
            ("person:Mei#1", Some("mei@x.co")),
            ("login:Mei#2", Some("mei@x.co")),
            ("person:eve@other.example#1", None),
            ("person:Eve#1", None),
            ("withdrawal:Mei", Some("mei@x.co")),
            ("withdrawal:desk@x.co", Some("desk@x.co")),
            ("erasure:Eve", Some("sales@x.co")),
            ("survey:Mei#1", None),
            ("reminder:Mei", Some("mei@x.co")),
            ("reminder:Eve", Some("sales@x.co")),
            ("reminder:Sales@x.co", Some("sales@x.co")),
            ("reminder:desk@x.co", None),
            ("reminder:eve@other.example", None),
        ] {
            let destination = Destination::from_request(recipient.into(), &routes);
            let Destination::Requested { address, .. } = destination else {
                panic!("{recipient} is not requested");
            };
            assert_eq!(
                address.map(|it| it.to_string()).as_deref(),
                expected,
                "{recipient}"
            );
        }
    }

    #[test]
    fn leads_go_to_all_matching_routes_or_the_default() {
        use Interest::{Brochure, Purchase, Showflat};
        use Language::{Chinese, English};
        let routes: Routes = toml::from_str(FILE).unwrap();
        assert_eq!(recipients(&routes, &[Brochure], English), ["sales@x.co"]);
        assert_eq!(
            recipients(&routes, &[Brochure, Showflat], English),
            ["buyers@x.co", "desk@x.co"]
        );
        assert_eq!(
            recipients(&routes, &[Purchase], Chinese),
            ["buyers@x.co", "desk@x.co", "mei@x.co"]
        );
        assert_eq!(
            recipients(&routes, &[Brochure], Chinese),
            ["Desk@x.co", "mei@x.co"]
        );
    }

    /// The desk reads only the people, and accepts the file.
    #[test]
    fn new_person_is_known_although_a_webhook_is_invalid() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let write = |text: &str| fs::write(file.path(), format!("{FILE}\n{text}")).unwrap();
        let mei = "[[person]]\nname = \"Mei\"\nemail = \"mei@x.co\"";
        write(mei);
        let routes = RoutesFile::load(file.path()).unwrap();
        let daniel = "[[person]]\nname = \"Daniel\"\nemail = \"daniel@x.co\"";
        let webhook =
            "[[webhook]]\nname = \"crm\"\nurl = \"https://x.co\"\nsecret_file = \"/none\"";
        write(&format!("{mei}\n{daniel}\n{webhook}"));
        assert!(Team::load(file.path()).is_ok() && Routes::load(file.path()).is_err());
        let current = routes.current();
        let address = current.find_person("Daniel").map(|it| it.to_string());
        assert_eq!(address.as_deref(), Some("daniel@x.co"));
        assert!(current.webhook("crm").is_none(), "the last valid routes");
    }

    #[test]
    fn removes_duplicate_addresses_and_keeps_order() {
        let addresses =
            ["b@x.co", "a@x.co", "B@X.co", "a@x.co"].map(|address| address.parse().unwrap());
        let kept: Vec<_> = deduplicate(addresses)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(kept, ["b@x.co", "a@x.co"]);
    }

    #[test]
    fn errors_have_line_and_cause() {
        const DEFAULT: &str = "default = [\"a@x.co\"]\n";
        for (text, line, cause) in [
            ("", 1, "missing field `default`"),
            ("default = []", 1, "must have at least one email address"),
            (
                "default = [\"a@x.co\", \"nobody\"]",
                1,
                "\"nobody\" is not an ASCII email address",
            ),
            (
                "default = [\"销售@x.co\"]",
                1,
                "is not an ASCII email address",
            ),
            ("default = \"a@x.co\"", 1, "expected a sequence"),
            ("DEFAULT defaults = []", 2, "unknown field `defaults`"),
            (
                "DEFAULT canary = []",
                2,
                "must have at least one email address",
            ),
            ("DEFAULT route = [[\n", 2, "unclosed array"),
            (
                "DEFAULT [[route]]\ninterests = [\"buy\"]",
                3,
                "unknown variant `buy`",
            ),
            (
                "DEFAULT [[route]]\nlanguages = \"zh\"",
                3,
                "expected a sequence",
            ),
            (
                "DEFAULT [[route]]\nlanguages = [\"zh\"]",
                2,
                "missing field `recipients`",
            ),
            (
                "DEFAULT [[route]]\nrecipients = [\"a@x.co\"]\ncolour = 1",
                4,
                "unknown field `colour`",
            ),
            ("DEFAULT webhook = 7", 2, "expected a sequence"),
            ("DEFAULT reminder_minutes = 1441", 2, "0 to 1440 minutes"),
            ("DEFAULT reminder_minutes = -1", 2, "invalid value"),
            ("DEFAULT hours = \"9-21\"", 2, "two times of one day"),
            (
                "DEFAULT [[webhook]]\nname = \"crm\"",
                2,
                "missing field `url`",
            ),
            (
                "DEFAULT [[webhook]]\nname = \"crm\"\nurl = \"http://x.co\"",
                4,
                "must begin with https://",
            ),
            (
                "DEFAULT [[person]]\nname = \"Mei\"",
                2,
                "missing field `email`",
            ),
            (
                "DEFAULT [[person]]\nname = \"#1\"\nemail = \"m@x.co\"",
                2,
                "must have 1 to 80 characters",
            ),
            (
                "DEFAULT [[person]]\nlanguage = \"de\"",
                3,
                "unknown variant `de`",
            ),
            (
                "DEFAULT [[person]]\nmay_send_brochures = \"yes\"",
                3,
                "expected a boolean",
            ),
        ] {
            let error = toml::from_str::<Routes>(&text.replace("DEFAULT ", DEFAULT))
                .err()
                .unwrap()
                .to_string();
            assert!(
                error.contains(&format!("line {line}, column ")) && error.contains(cause),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn people_may_send_brochures_and_are_unique() {
        let person = "name = \"Mei\", email = \"m@x.co\", may_send_brochures = true";
        let with = |people: &str| {
            toml::from_str::<Routes>(&format!("default = [\"a@x.co\"]\nperson = [{people}]"))
        };
        assert!(with(&format!("{{ {person} }}")).is_ok());
        let error = with(&format!(
            "{{ {person} }}, {{ name = \"mei\", email = \"n@x.co\" }}"
        ))
        .err()
        .unwrap();
        assert!(
            error
                .to_string()
                .contains("two people have the same `name` or `email`"),
            "{error}"
        );
    }
}
