//! The lead of the tests. Each crate changes only the fields that its tests are about.

use contracts::leads::v1::{Campaign, ContactChannel, Interest, Language, LeadSubmitted, Session};
use prost_types::Timestamp;

use crate::start_of_time;

fn start() -> Timestamp {
    Timestamp {
        seconds: start_of_time().timestamp(),
        nanos: 0,
    }
}

/// A lead with a value in every field except `signals`, submitted at [`start_of_time`]. A new field of the contract gets
/// its value here, for the tests of all crates.
pub fn full() -> LeadSubmitted {
    LeadSubmitted {
        lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
        reference: "ZG-7F3K-2Q".to_owned(),
        submitted_at: Some(start()),
        interests: vec![Interest::Brochure.into(), Interest::Showflat.into()],
        name: "陈伟".to_owned(),
        mobile: "+65 9123 4567".to_owned(),
        email: "wei@example.com".to_owned(),
        questions: "几时开放? 🏙\nAnd how do we get there?".to_owned(),
        plan: "C2N".to_owned(),
        visit_times: ["weekday-evenings", "weekend-mornings"]
            .map(str::to_owned)
            .into(),
        home_preferences: ["3-bedroom", "4-bedroom", "own-use"]
            .map(str::to_owned)
            .into(),
        language: Language::Zh.into(),
        privacy_policy_version: "2025-07".to_owned(),
        channels: vec![ContactChannel::Phone.into(), ContactChannel::Message.into()],
        session: Some(Session {
            session_id: "0b5e9f2e-0000-4000-8000-000000000001".to_owned(),
            is_network_busy: false,
            started_at: Some(start()),
            landing_path: "/floor-plans".to_owned(),
            referrer_host: "news.example".to_owned(),
            campaign: Some(Campaign {
                source: "news".to_owned(),
                medium: "banner".to_owned(),
                name: "launch".to_owned(),
                term: "condo".to_owned(),
                content: "blue".to_owned(),
            }),
        }),
        signals: Vec::new(),
    }
}

/// Replaces every text that a visitor or a visitor's browser chooses without a format. Adds no session. Tests pass up to 100
/// characters; shorten them for a field with a smaller limit.
pub fn fill_free_texts(lead: &mut LeadSubmitted, text: &str) {
    // Without `..`, the compiler reports each new field that this function does not handle.
    let LeadSubmitted {
        name,
        questions,
        session,
        lead_id: _,
        reference: _,
        submitted_at: _,
        interests: _,
        mobile: _,
        email: _,
        plan: _,
        visit_times: _,
        home_preferences: _,
        language: _,
        privacy_policy_version: _,
        channels: _,
        signals: _,
    } = lead;
    let mut texts = vec![name, questions];
    if let Some(session) = session {
        let Session {
            landing_path,
            referrer_host,
            campaign,
            session_id: _,
            is_network_busy: _,
            started_at: _,
        } = session;
        texts.extend([landing_path, referrer_host]);
        let Campaign {
            source,
            medium,
            name,
            term,
            content,
        } = campaign.get_or_insert_default();
        texts.extend([source, medium, name, term, content]);
    }
    for field in texts {
        text.clone_into(field);
    }
}
