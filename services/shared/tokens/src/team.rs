use std::{collections::HashSet, fs, io, path::Path};

use chrono::{DateTime, TimeDelta, Utc};
use lead::Language;
use serde::{Deserialize, Serialize};
use uuid::{Uuid, uuid};

use crate::SigningKeys;

/// The namespace of people's ids.
const PERSON_NAMESPACE: Uuid = uuid!("5c3f0a7e-8a55-4f0c-9d63-2f6f0e6f4b1d");

/// Maximum length of a name, in characters.
const MAX_NAME_CHARACTERS: usize = 80;

/// A member of the sales team in the routes file, validated by [`Team`]. Not `Debug`, because it is personal data.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    name: String,
    email: String,
    #[serde(default)]
    language: Language,
    #[serde(default)]
    may_send_brochures: bool,
    #[serde(default)]
    may_see_report: bool,
}

/// A name or address that is invalid or belongs to another person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPerson {
    #[error("a person's `name` must have 1 to {MAX_NAME_CHARACTERS} characters and no #")]
    Name,
    #[error("a person's `email` must be an email address")]
    Email,
    #[error("two people have the same `name` or `email`")]
    Twice,
}

impl Person {
    /// Creates a person with the language English and without permissions.
    pub fn new(name: &str, email: &str) -> Self {
        Self {
            name: name.to_owned(),
            email: email.to_owned(),
            ..Self::default()
        }
    }

    fn check(&self) -> Result<(), InvalidPerson> {
        let name = self.name();
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARACTERS || name.contains('#') {
            return Err(InvalidPerson::Name);
        }
        if self.email.contains('@') {
            Ok(())
        } else {
            Err(InvalidPerson::Email)
        }
    }

    /// Identifies the person in links and sessions. Derived from the email address, ignoring case.
    pub fn id(&self) -> Uuid {
        Self::id_of(&self.email)
    }

    pub fn id_of(email: &str) -> Uuid {
        Uuid::new_v5(&PERSON_NAMESPACE, fold_case(email).as_bytes())
    }

    /// The name for colleagues and the timeline, trimmed.
    pub fn name(&self) -> &str {
        self.name.trim()
    }

    pub fn email(&self) -> &str {
        &self.email
    }

    /// The language of the person's emails.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether the person may send the brochure to all visitors who asked for it.
    pub fn may_send_brochures(&self) -> bool {
        self.may_send_brochures
    }

    /// Whether the person may see the report on the launch, which names all owners of leads.
    pub fn may_see_report(&self) -> bool {
        self.may_see_report
    }
}

/// Names the person behind a call of the desk to crm-sync. Not `Debug`, because the name is personal data.
#[derive(Serialize, Deserialize)]
pub struct PersonToken {
    pub name: String,
}

impl PersonToken {
    const PURPOSE: &str = "desk-call";

    /// Allows for the duration of a call and for clock skew between two machines.
    const LIFETIME: TimeDelta = TimeDelta::minutes(2);

    /// Signs a token for one call, valid for two minutes.
    pub fn sign(name: &str, keys: &SigningKeys, now: DateTime<Utc>) -> String {
        keys.sign(
            Self::PURPOSE,
            &Self {
                name: name.to_owned(),
            },
            Some(now + Self::LIFETIME),
        )
    }

    /// Returns `None` if the token is forged, for another purpose or expired.
    pub fn verify(text: &str, keys: &SigningKeys, now: DateTime<Utc>) -> Option<Self> {
        keys.verify(Self::PURPOSE, text, now).ok()
    }
}

/// The wait for the first contact before a reminder, in minutes. 0: no reminders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub struct ReminderMinutes(u32);

const MINUTES_OF_DAY: u32 = 24 * 60;

impl ReminderMinutes {
    /// The wait. `None`: no reminders.
    pub fn wait(self) -> Option<TimeDelta> {
        (self.0 > 0).then(|| TimeDelta::minutes(self.0.into()))
    }

    /// The number of minutes; 0: no reminders.
    pub fn minutes(self) -> u32 {
        self.0
    }
}

impl Default for ReminderMinutes {
    fn default() -> Self {
        Self(15)
    }
}

impl TryFrom<u32> for ReminderMinutes {
    type Error = &'static str;

    fn try_from(minutes: u32) -> Result<Self, Self::Error> {
        if minutes <= MINUTES_OF_DAY {
            Ok(Self(minutes))
        } else {
            Err("must be 0 to 1440 minutes; 0 sends no reminders")
        }
    }
}

/// The people in the routes file, with valid and unique names and addresses, and when they are reminded. May be empty.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<Person>")]
pub struct Team {
    people: Vec<Person>,
    /// The default if the people were read without the rest of the file.
    reminder_minutes: ReminderMinutes,
}

/// The routes file is unusable. The error contains no text from the file.
#[derive(Debug, thiserror::Error)]
pub enum LoadTeamError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is not TOML of the expected shape, or contains an invalid person.
    #[error("not a valid routes file: run `notifier check-config` for the errors")]
    Toml,
}

impl TryFrom<Vec<Person>> for Team {
    type Error = InvalidPerson;

    /// Compares names and addresses ignoring case.
    fn try_from(people: Vec<Person>) -> Result<Self, InvalidPerson> {
        people.iter().try_for_each(Person::check)?;
        let (mut names, mut emails) = (HashSet::new(), HashSet::new());
        let are_unique = people
            .iter()
            .all(|it| names.insert(fold_case(&it.name)) && emails.insert(fold_case(&it.email)));
        if are_unique {
            Ok(Self {
                people,
                reminder_minutes: ReminderMinutes::default(),
            })
        } else {
            Err(InvalidPerson::Twice)
        }
    }
}

impl Team {
    /// Reads only `reminder_minutes` and the `[[person]]` tables of a routes file.
    pub fn load(path: &Path) -> Result<Self, LoadTeamError> {
        #[derive(Deserialize)]
        struct File {
            #[serde(default)]
            person: Team,
            #[serde(default)]
            reminder_minutes: ReminderMinutes,
        }
        let file: File =
            toml::from_str(&fs::read_to_string(path)?).map_err(|_| LoadTeamError::Toml)?;
        Ok(Self {
            reminder_minutes: file.reminder_minutes,
            ..file.person
        })
    }

    /// How long the team may leave a visitor without a first contact.
    pub fn reminder_minutes(&self) -> ReminderMinutes {
        self.reminder_minutes
    }

    pub fn find_by_id(&self, id: Uuid) -> Option<&Person> {
        self.people.iter().find(|person| person.id() == id)
    }

    /// Ignores case.
    pub fn find_by_email(&self, email: &str) -> Option<&Person> {
        self.people
            .iter()
            .find(|person| fold_case(&person.email) == fold_case(email))
    }

    /// Ignores case.
    pub fn find_by_name(&self, name: &str) -> Option<&Person> {
        self.people
            .iter()
            .find(|person| fold_case(&person.name) == fold_case(name))
    }

    /// The names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.people.iter().map(Person::name)
    }
}

fn fold_case(text: &str) -> String {
    text.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(people: &[(&str, &str)]) -> Result<Team, InvalidPerson> {
        people
            .iter()
            .map(|(name, email)| Person::new(name, email))
            .collect::<Vec<_>>()
            .try_into()
    }

    #[test]
    fn people_are_found_by_id_name_and_address() {
        let team = team(&[("Mei Tan", "Mei@x.co"), ("陈伟", "wei@x.co")]).unwrap();
        let mei = team.find_by_email(" mei@X.co").unwrap();
        assert_eq!(mei.name(), "Mei Tan");
        assert_eq!(team.find_by_name("mei tan").map(Person::id), Some(mei.id()));
        assert_eq!(
            team.find_by_id(mei.id()).map(Person::email),
            Some("Mei@x.co")
        );
        assert_ne!(team.find_by_name("陈伟").map(Person::id), Some(mei.id()));
        assert!(team.find_by_email("eve@x.co").is_none() && team.find_by_id(Uuid::nil()).is_none());
    }

    #[test]
    fn rejects_duplicate_people() {
        let twice = Some(InvalidPerson::Twice);
        assert_eq!(team(&[("Mei", "a@x.co"), ("mei ", "b@x.co")]).err(), twice);
        assert_eq!(team(&[("Mei", "a@x.co"), ("Wei", "A@x.co")]).err(), twice);
        assert_eq!(team(&[(" ", "a@x.co")]).err(), Some(InvalidPerson::Name));
        assert_eq!(
            team(&[("Mei#1", "a@x.co")]).err(),
            Some(InvalidPerson::Name)
        );
        assert_eq!(team(&[("Mei", "a")]).err(), Some(InvalidPerson::Email));
    }

    #[test]
    fn reminder_minutes_are_at_most_a_day() {
        assert!(ReminderMinutes::try_from(1440).is_ok());
        assert!(ReminderMinutes::try_from(1441).is_err());
        let wait = |minutes| ReminderMinutes::try_from(minutes).unwrap().wait();
        assert_eq!((wait(0), wait(60)), (None, Some(TimeDelta::hours(1))));
    }

    #[test]
    fn file_names_languages_and_permissions() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |text: &str| {
            fs::write(file.path(), text).unwrap();
            Team::load(file.path())
        };
        let people = "default = []\n[[person]]\nname = \" Mei \"\nemail = \"mei@x.co\"\nmay_send_brochures = true\nmay_see_report = true\n\
                      [[person]]\nname = \"Wei\"\nemail = \"wei@x.co\"\nlanguage = \"zh\"\n";
        let team = read(people).unwrap();
        let may = |name| team.find_by_name(name).map(Person::may_send_brochures);
        assert_eq!((may("Mei"), may("Wei")), (Some(true), Some(false)));
        let may_see = |name| team.find_by_name(name).map(Person::may_see_report);
        assert_eq!((may_see("Mei"), may_see("Wei")), (Some(true), Some(false)));
        let language = |name| team.find_by_name(name).map(Person::language);
        assert_eq!(
            (language("Mei"), language("Wei")),
            (Some(Language::English), Some(Language::Chinese))
        );
        let minutes = |team: &Team| team.reminder_minutes().minutes();
        assert_eq!(minutes(&team), 15);
        let hourly = read(&format!("reminder_minutes = 60\n{people}")).unwrap();
        assert_eq!(minutes(&hourly), 60);
        let yearly = format!("reminder_minutes = 525600\n{people}");
        assert!(matches!(read(&yearly), Err(LoadTeamError::Toml)));
        let unclear = people.replace("true", "\"yes\"");
        assert!(
            matches!(read(&unclear), Err(LoadTeamError::Toml)),
            "a text is not a boolean"
        );
    }

    #[test]
    fn names_the_person_of_a_call_for_two_minutes() {
        let keys = |key: &str| key.repeat(40).parse::<SigningKeys>().unwrap();
        let now = DateTime::from_timestamp(1_772_337_906, 0).unwrap();
        let text = PersonToken::sign("美", &keys("a"), now);
        let name = |key, at| PersonToken::verify(&text, &keys(key), at).map(|token| token.name);
        assert_eq!(
            name("a", now + PersonToken::LIFETIME - TimeDelta::seconds(1)).as_deref(),
            Some("美")
        );
        assert_eq!(name("a", now + PersonToken::LIFETIME), None);
        assert_eq!(name("b", now), None);
    }
}
