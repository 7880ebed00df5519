//! Generated leads of equal size, each of a different person.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::lead::{Reference, field::timestamp, id_of};
use chrono::{DateTime, Utc};
use contracts::leads::v1::{Campaign, Interest, Language, LeadSubmitted, Session};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::{Uuid, uuid};

/// The visit of all leads.
const SESSION: Uuid = uuid!("0f4c1e52-93a7-4a0e-8f5d-6b1f0a4be2c7");
/// The idempotency keys' prefix; the lead's number is added.
const KEYS: u128 = 0x9d3c_51f2_7a60_4b8e_b1c4 << 48;
const NUMBERS: u64 = 20_000_000;

/// The accepted privacy policy.
pub(crate) const POLICY_VERSION: &str = "2026-11-01";
pub(crate) const LANDING_PATH: &str = "/floor-plans";
pub(crate) const REFERRER_HOST: &str = "news.example";

/// A source of distinct leads, shared by all clones.
#[derive(Clone, Default)]
pub(crate) struct Leads(Arc<AtomicU64>);

#[derive(Clone, Copy)]
pub(crate) struct Lead(u64);

#[derive(Serialize, Deserialize)]
pub(crate) struct Form {
    interests: Vec<String>,
    name: String,
    mobile: String,
    email: String,
    questions: String,
}

impl Leads {
    pub(crate) fn next(&self) -> Lead {
        Lead(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

impl Lead {
    pub(crate) fn key(self) -> Uuid {
        Uuid::from_u128(KEYS | u128::from(self.0))
    }

    pub(crate) fn form(self) -> Form {
        Form {
            interests: vec!["showflat".to_owned()],
            name: "Mary-Ann O'Neil".to_owned(),
            mobile: format!("+65 {:08}", 80_000_000 + self.0 % NUMBERS),
            email: format!("visitor.{:010}@example.com", self.0),
            questions: "Is there a flat with a view of the river? Thanks & regards".to_owned(),
        }
    }

    /// The trace that the browser starts.
    pub(crate) fn trace(self) -> String {
        format!("00-{:032x}-{:016x}-01", self.key().as_u128(), self.0 + 1)
    }

    /// The visitor's address, of a range that is for benchmarks.
    pub(crate) fn address(self) -> Ipv4Addr {
        let [.., high, low] = self.0.to_be_bytes();
        Ipv4Addr::from([198, 18, high, low])
    }

    /// What the peer publishes for the lead.
    pub(crate) fn event_of_peer(self, now: DateTime<Utc>) -> Vec<u8> {
        let mut event = json!(self.form());
        event["id"] = json!(self.key());
        event["submitted_at"] = json!(now);
        event["language"] = json!("en");
        event["privacy_policy_version"] = json!(POLICY_VERSION);
        event.to_string().into_bytes()
    }

    /// The event published for the lead.
    pub(crate) fn event(self, now: DateTime<Utc>) -> LeadSubmitted {
        event(self.key(), self.form(), now)
    }
}

/// The event published for a form with this idempotency key.
pub(crate) fn event(key: Uuid, form: Form, now: DateTime<Utc>) -> LeadSubmitted {
    let id = id_of(key);
    let Form { interests, name, mobile, email, questions } = form;
    LeadSubmitted {
        lead_id: id.to_string(),
        reference: Reference::of(id).to_string(),
        submitted_at: Some(timestamp(now)),
        interests: interests.iter().map(|choice| interest(choice).into()).collect(),
        name,
        mobile,
        email,
        questions,
        language: Language::En.into(),
        privacy_policy_version: POLICY_VERSION.to_owned(),
        session: Some(Session {
            session_id: SESSION.to_string(),
            started_at: Some(timestamp(now)),
            landing_path: LANDING_PATH.to_owned(),
            referrer_host: REFERRER_HOST.to_owned(),
            campaign: Some(Campaign::default()),
        }),
        ..LeadSubmitted::default()
    }
}

fn interest(choice: &str) -> Interest {
    match choice {
        "brochure" => Interest::Brochure,
        "purchase" => Interest::Purchase,
        _ => Interest::Showflat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_leads_are_the_same_and_all_are_of_one_size() {
        let leads = Leads::default();
        let (one, other) = (leads.next(), leads.next());
        assert_ne!(one.key(), other.key());
        let size = |lead: Lead| serde_json::to_string(&lead.form()).unwrap().len();
        assert_eq!(size(one), size(other));
    }
}
