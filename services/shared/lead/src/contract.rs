//! Converts leads to and from their protobuf contract.

use contracts::leads::v1;

use crate::{
    contact::is_email_address,
    enquiry::{HomePreference, Plan, VisitTime},
    enums::{Channel, Interest, Language, SpamSignal},
    field::{FieldError, optional_text, required_text, required_time, timestamp, uuid},
    lead::{Attribution, Campaign, Lead, Visit},
    text::length,
};

impl TryFrom<v1::LeadSubmitted> for Lead {
    type Error = FieldError;

    /// Rejects lengths that lead-intake never accepts. crm-sync also checks that `email` is an address and `submitted_at`
    /// is not in the future.
    fn try_from(message: v1::LeadSubmitted) -> Result<Self, FieldError> {
        let interests = interests(&message.interests)?;
        let language = Language::from_contract(message.language)?
            .ok_or(FieldError::UnknownValue("language"))?;
        Self::parse(message, interests, language)
    }
}

impl Lead {
    /// Converts a lead that the CRM has stored, to display it. Drops interests that only a newer version defines, so
    /// `interests` may be empty, and replaces such a language by the default: one lead must not prevent the display of
    /// others.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn from_stored(message: v1::LeadSubmitted) -> Result<Self, FieldError> {
        let interests = Interest::known_from_contract(&message.interests);
        let language = Language::from_contract(message.language)
            .ok()
            .flatten()
            .unwrap_or_default();
        Self::parse(message, interests, language)
    }

    fn parse(
        message: v1::LeadSubmitted,
        interests: Vec<Interest>,
        language: Language,
    ) -> Result<Self, FieldError> {
        Ok(Self {
            id: uuid("lead_id", &message.lead_id)?,
            reference: message.reference.parse()?,
            submitted_at: required_time("submitted_at", message.submitted_at)?,
            interests,
            name: required_text("name", &message.name, Self::MAX_NAME_LENGTH)?.into(),
            mobile: parse_mobile(&message.mobile)?.into(),
            email: required_text("email", &message.email, Self::MAX_EMAIL_LENGTH)?.into(),
            questions: optional_text("questions", &message.questions, Self::MAX_QUESTIONS_LENGTH)?
                .into(),
            // Drops ids that only newer versions define, instead of rejecting the lead.
            plan: Plan::find(&message.plan),
            visit_times: VisitTime::known_from_contract(&message.visit_times),
            home_preferences: HomePreference::known_from_contract(&message.home_preferences),
            language,
            privacy_policy_version: optional_text(
                "privacy_policy_version",
                &message.privacy_policy_version,
                Self::PRIVACY_POLICY_VERSION,
            )?
            .into(),
            // Drops channels that only newer versions define. A missing channel means no consent.
            channels: Channel::known_from_contract(&message.channels),
            // Drops signals that only newer versions define, instead of rejecting the lead.
            signals: SpamSignal::known_from_contract(&message.signals),
            visit: message.session.map(Visit::try_from).transpose()?,
        })
    }
}

impl From<Lead> for v1::LeadSubmitted {
    fn from(lead: Lead) -> Self {
        Self {
            lead_id: lead.id.to_string(),
            reference: lead.reference.to_string(),
            submitted_at: Some(timestamp(lead.submitted_at)),
            interests: lead.interests.into_iter().map(Interest::number).collect(),
            name: lead.name.into(),
            mobile: lead.mobile.into(),
            email: lead.email.into(),
            questions: lead.questions.into(),
            plan: lead.plan.map(|plan| plan.id.clone()).unwrap_or_default(),
            visit_times: lead
                .visit_times
                .iter()
                .map(|time| time.id.clone())
                .collect(),
            home_preferences: lead
                .home_preferences
                .iter()
                .map(|preference| preference.id.clone())
                .collect(),
            language: Language::number(lead.language),
            privacy_policy_version: lead.privacy_policy_version.into(),
            channels: lead.channels.into_iter().map(Channel::number).collect(),
            session: lead.visit.map(v1::Session::from),
            signals: lead.signals.into_iter().map(SpamSignal::number).collect(),
        }
    }
}

impl TryFrom<v1::Session> for Visit {
    type Error = FieldError;

    fn try_from(message: v1::Session) -> Result<Self, FieldError> {
        let v1::Campaign {
            source,
            medium,
            name,
            term,
            content,
        } = message.campaign.unwrap_or_default();
        Ok(Self {
            id: uuid("session.session_id", &message.session_id)?,
            started_at: required_time("session.started_at", message.started_at)?,
            is_network_busy: message.is_network_busy,
            attribution: Attribution {
                landing_path: message.landing_path.into(),
                referrer_host: message.referrer_host.into(),
                campaign: Campaign {
                    source: source.into(),
                    medium: medium.into(),
                    name: name.into(),
                    term: term.into(),
                    content: content.into(),
                },
            },
        })
    }
}

impl From<Visit> for v1::Session {
    fn from(visit: Visit) -> Self {
        let Attribution {
            landing_path,
            referrer_host,
            campaign,
        } = visit.attribution;
        Self {
            session_id: visit.id.to_string(),
            started_at: Some(timestamp(visit.started_at)),
            is_network_busy: visit.is_network_busy,
            landing_path: landing_path.into(),
            referrer_host: referrer_host.into(),
            campaign: Some(v1::Campaign {
                source: campaign.source.into(),
                medium: campaign.medium.into(),
                name: campaign.name.into(),
                term: campaign.term.into(),
                content: campaign.content.into(),
            }),
        }
    }
}

/// Validates the length of a name, as the form does.
///
/// # Errors
/// [`FieldError::Empty`], [`FieldError::TooLong`]
pub fn parse_name(text: &str) -> Result<String, FieldError> {
    required_text("name", text, Lead::MAX_NAME_LENGTH)
}

/// Validates an email address, as the form does.
///
/// # Errors
/// [`FieldError::Empty`], [`FieldError::TooLong`], [`FieldError::NotEmail`]
pub fn parse_email(text: &str) -> Result<String, FieldError> {
    let email = required_text("email", text, Lead::MAX_EMAIL_LENGTH)?;
    if is_email_address(&email) {
        Ok(email)
    } else {
        Err(FieldError::NotEmail("email"))
    }
}

/// Validates the length of a phone number, as the form does. The text may contain any characters.
///
/// # Errors
/// [`FieldError::Empty`], [`FieldError::TooShort`], [`FieldError::TooLong`]
pub fn parse_mobile(text: &str) -> Result<String, FieldError> {
    let mobile = required_text("mobile", text, Lead::MAX_MOBILE_LENGTH)?;
    let is_too_short = length(&mobile) < Lead::MIN_MOBILE_LENGTH;
    if is_too_short {
        Err(FieldError::TooShort("mobile", Lead::MIN_MOBILE_LENGTH))
    } else {
        Ok(mobile)
    }
}

fn interests(numbers: &[i32]) -> Result<Vec<Interest>, FieldError> {
    let known = numbers.iter().map(|number| {
        Interest::from_contract(*number)?.ok_or(FieldError::UnknownValue("interest"))
    });
    let mut known: Vec<_> = known.collect::<Result<_, _>>()?;
    known.sort_unstable();
    known.dedup();
    if known.is_empty() {
        Err(FieldError::Empty("interests"))
    } else {
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use contracts::leads::v1::{Campaign, LeadSubmitted, Session};
    use proptest::{option, prelude::*, sample};
    use prost_types::Timestamp;
    use uuid::Uuid;

    use super::*;
    use crate::reference::InvalidReference;

    fn message() -> v1::LeadSubmitted {
        v1::LeadSubmitted {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            submitted_at: Some(Timestamp {
                seconds: 1_763_654_400,
                nanos: 123_456_789,
            }),
            interests: vec![3, 1, 3],
            name: "陈伟".to_owned(),
            mobile: "+65 9123 4567".to_owned(),
            email: "a..b@b.co".to_owned(),
            language: 2,
            ..v1::LeadSubmitted::default()
        }
    }

    fn refused(change: impl FnOnce(&mut v1::LeadSubmitted)) -> Option<FieldError> {
        let mut changed = message();
        change(&mut changed);
        Lead::try_from(changed).err()
    }

    #[test]
    fn accepts_a_valid_lead() {
        let taken = Lead::try_from(message()).unwrap();
        assert_eq!(taken.interests, [Interest::Brochure, Interest::Showflat]);
        assert_eq!(taken.language, Language::Chinese);
        assert_eq!(taken.submitted_at.timestamp_subsec_nanos(), 123_456_000);
        assert!(taken.name == "陈伟" && taken.email == "a..b@b.co" && taken.visit.is_none());
    }

    #[test]
    fn every_text_has_a_limit() {
        // Without `..`, the compiler reports each new field.
        fn texts(message: &mut v1::LeadSubmitted) -> [&mut String; 5] {
            let v1::LeadSubmitted {
                name,
                mobile,
                email,
                questions,
                privacy_policy_version,
                // Parsed.
                lead_id: _,
                reference: _,
                submitted_at: _,
                session: _,
                // Unknown values are dropped.
                interests: _,
                plan: _,
                visit_times: _,
                home_preferences: _,
                language: _,
                channels: _,
                signals: _,
            } = message;
            [name, mobile, email, questions, privacy_policy_version]
        }
        for index in 0..texts(&mut message()).len() {
            let mut long = message();
            *texts(&mut long)[index] = "1".repeat(100_000);
            let error = Lead::try_from(long).err();
            assert!(
                matches!(error, Some(FieldError::TooLong(..))),
                "{index}: {error:?}"
            );
        }
    }

    #[test]
    fn error_for_an_invalid_lead_names_the_field() {
        let cases = [
            (
                refused(|it| it.lead_id = "7".to_owned()),
                FieldError::NotUuid("lead_id"),
            ),
            (
                refused(|it| it.lead_id = Uuid::nil().to_string()),
                FieldError::NotUuid("lead_id"),
            ),
            (
                refused(|it| it.reference = "?".to_owned()),
                FieldError::Reference(InvalidReference),
            ),
            (
                refused(|it| it.submitted_at = None),
                FieldError::Missing("submitted_at"),
            ),
            (
                refused(|it| {
                    it.submitted_at = Some(Timestamp {
                        seconds: i64::MAX,
                        nanos: 0,
                    })
                }),
                FieldError::NotTimestamp("submitted_at"),
            ),
            (
                refused(|it| {
                    it.submitted_at = Some(Timestamp {
                        seconds: 0,
                        nanos: -1,
                    })
                }),
                FieldError::NotTimestamp("submitted_at"),
            ),
            (
                refused(|it| it.interests.clear()),
                FieldError::Empty("interests"),
            ),
            (
                refused(|it| it.interests.push(0)),
                FieldError::UnknownValue("interest"),
            ),
            (
                refused(|it| it.interests.push(9)),
                FieldError::UnknownValue("interest"),
            ),
            (refused(|it| it.name.clear()), FieldError::Empty("name")),
            (
                refused(|it| it.name = "x".repeat(101)),
                FieldError::TooLong("name", 100),
            ),
            (refused(|it| it.mobile.clear()), FieldError::Empty("mobile")),
            (
                refused(|it| it.mobile = "1".to_owned()),
                FieldError::TooShort("mobile", 8),
            ),
            (
                refused(|it| it.mobile = "x".repeat(20)),
                FieldError::TooLong("mobile", 19),
            ),
            (refused(|it| it.email.clear()), FieldError::Empty("email")),
            (
                refused(|it| it.privacy_policy_version = "x".repeat(33)),
                FieldError::TooLong("privacy_policy_version", 32),
            ),
            (
                refused(|it| it.questions = "😀".repeat(501)),
                FieldError::TooLong("questions", 1000),
            ),
            (
                refused(|it| it.language = 0),
                FieldError::UnknownValue("language"),
            ),
            (
                refused(|it| it.language = 3),
                FieldError::UnknownValue("language"),
            ),
            (
                refused(|it| it.session = Some(v1::Session::default())),
                FieldError::NotUuid("session.session_id"),
            ),
        ];
        for (refusal, expected) in cases {
            assert_eq!(refusal, Some(expected));
        }
    }

    #[test]
    fn drops_unknown_plan_times_and_homes() {
        let mut message = message();
        message.plan = "E9".to_owned();
        message.visit_times = ["weekend-nights", "weekend-mornings"]
            .map(str::to_owned)
            .into();
        message.home_preferences = ["villa", "investment"].map(str::to_owned).into();
        let lead = Lead::try_from(message).unwrap();
        assert_eq!(lead.plan, None);
        assert_eq!(
            lead.visit_times,
            VisitTime::known_from_contract(&["weekend-mornings"])
        );
        assert_eq!(
            lead.home_preferences,
            HomePreference::known_from_contract(&["investment"])
        );
    }

    #[test]
    fn lengths_are_in_utf16_code_units() {
        assert_eq!(refused(|it| it.questions = "😀".repeat(500)), None);
        assert_eq!(refused(|it| it.name = "陈".repeat(100)), None);
    }

    #[test]
    fn replaces_nul_characters() {
        let mut message = message();
        message.questions = "a\0b".to_owned();
        assert!(Lead::try_from(message).is_ok_and(|it| it.questions == "a\u{fffd}b"));
    }

    /// At least `shortest` characters and at most `longest` UTF-16 code units.
    fn text(shortest: usize, longest: usize) -> impl Strategy<Value = String> {
        let letter = prop_oneof![8 => proptest::char::range(' ', '~'), 2 => any::<char>()];
        let letter = letter.prop_filter("PostgreSQL cannot store NUL", |letter| *letter != '\0');
        proptest::collection::vec(letter, shortest..=longest / 2)
            .prop_map(|it| it.into_iter().collect())
    }

    fn id() -> impl Strategy<Value = String> {
        (1..u128::MAX).prop_map(|number| Uuid::from_u128(number).to_string())
    }

    fn time() -> impl Strategy<Value = Option<Timestamp>> {
        let microseconds = 0..1_000_000;
        (0..253_402_300_799_i64, microseconds).prop_map(|(seconds, micros)| {
            Some(Timestamp {
                seconds,
                nanos: micros * 1000,
            })
        })
    }

    fn interests() -> impl Strategy<Value = Vec<i32>> {
        let all = [
            v1::Interest::Brochure,
            v1::Interest::Purchase,
            v1::Interest::Showflat,
        ]
        .map(i32::from);
        sample::subsequence(all.to_vec(), 1..=all.len())
    }

    prop_compose! {
        fn session()(
            session_id in id(),
            started_at in time(),
            (landing_path, referrer_host) in (text(0, 80), text(0, 80)),
            (source, medium, name, term, content) in (text(0, 9), text(0, 9), text(0, 9), text(0, 9), text(0, 9)),
            is_network_busy in any::<bool>(),
        ) -> Session {
            let campaign = Some(Campaign { source, medium, name, term, content });
            Session { session_id, started_at, landing_path, referrer_host, campaign, is_network_busy }
        }
    }

    prop_compose! {
        fn lead()(
            lead_id in id(),
            reference in "ZG-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{2}",
            submitted_at in time(),
            interests in interests(),
            (name, mobile, email, questions) in (text(1, 100), text(8, 19), "[a-z.+]{1,60}@[a-z0-9]{1,60}\\.co", text(0, 1000)),
            plan in sample::select(vec!["", "A1", "C2N", "PH3"]),
            (visit_times, home_preferences) in (
                sample::subsequence(vec!["weekday-mornings", "weekday-evenings", "weekend-evenings"], 0..=3),
                sample::subsequence(vec!["1-bedroom", "5-bedroom", "own-use", "investment"], 0..=4),
            ),
            language in sample::select(vec![v1::Language::En, v1::Language::Zh]),
            privacy_policy_version in text(0, 32),
            session in option::of(session()),
            channels in sample::subsequence(vec![1, 2], 0..=2),
            signals in sample::subsequence(vec![1, 2, 3, 4, 5], 0..=5),
        ) -> LeadSubmitted {
            let language = language.into();
            let plan = plan.to_owned();
            let visit_times = visit_times.into_iter().map(str::to_owned).collect();
            let home_preferences = home_preferences.into_iter().map(str::to_owned).collect();
            LeadSubmitted {
                lead_id, reference, submitted_at, interests, name, mobile, email, questions, plan, visit_times, language,
                privacy_policy_version, session, signals, channels, home_preferences,
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn conversion_round_trips(lead in lead()) {
            let known = Lead::try_from(lead.clone()).map(LeadSubmitted::from);
            prop_assert!(known == Ok(lead));
        }
    }
}
