use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::SigningKeys;

/// Long enough for a call, and for clocks of two machines that differ.
const LIFETIME: TimeDelta = TimeDelta::minutes(2);

/// The token by which the desk tells crm-sync who makes a call. Not `Debug`, because it is personal.
#[derive(Serialize, Deserialize)]
pub struct PersonToken {
    purpose: Purpose,
    /// The person's name, as in the routes file.
    pub name: String,
    #[serde(with = "chrono::serde::ts_seconds")]
    exp: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
enum Purpose {
    #[serde(rename = "desk-call")]
    DeskCall,
}

impl PersonToken {
    /// A token for one call of `name`, valid for two minutes.
    #[must_use]
    pub fn sign(name: &str, keys: &SigningKeys, now: DateTime<Utc>) -> String {
        keys.sign(&Self { purpose: Purpose::DeskCall, name: name.to_owned(), exp: now + LIFETIME })
    }

    /// Reads a token; `None` when it is forged, for another purpose or expired.
    #[must_use]
    pub fn verify(text: &str, keys: &SigningKeys, now: DateTime<Utc>) -> Option<Self> {
        keys.verify(text).filter(|token: &Self| now < token.exp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_person_of_a_call_for_two_minutes() {
        let keys = |key: &str| key.repeat(40).parse::<SigningKeys>().unwrap();
        let now = DateTime::from_timestamp(1_772_337_906, 0).unwrap();
        let text = PersonToken::sign("美", &keys("a"), now);
        let name = |key, at| PersonToken::verify(&text, &keys(key), at).map(|token| token.name);
        assert_eq!(name("a", now + LIFETIME - TimeDelta::seconds(1)).as_deref(), Some("美"));
        assert_eq!(name("a", now + LIFETIME), None);
        assert_eq!(name("b", now), None);
        let session = keys("a").sign(&[("purpose", "desk-session"), ("name", "Mei")]);
        assert!(PersonToken::verify(&session, &keys("a"), now).is_none());
    }
}
