//! From the contracts' messages to what they mean, and back. Shared by the two roads in: queue and gRPC.

mod decode;
mod encode;
mod person;
mod progress;
mod statistics;
mod task;
mod timeline;

pub use decode::{Invalid, filter, submission};
pub(crate) use decode::{filled, limited, optional_time, required_time, storable, uuid};
pub use encode::{lead, progress, submitted};
pub(crate) use encode::{other_lead, time};
pub use person::{Erasure, erasure, person};
pub use progress::change;
pub use statistics::{spans, statistics};
pub use task::{claim_task, finish_task};
pub(crate) use timeline::reason;
pub use timeline::{lead_with_history, lead_with_others};

#[cfg(test)]
mod tests {
    use contracts::leads::v1::{Campaign, Interest, Language, LeadSubmitted, Session, Sign};
    use proptest::{option, prelude::*, sample};
    use prost_types::Timestamp;
    use uuid::Uuid;

    use super::*;

    /// Up to so many UTF-16 code units.
    fn text(shortest: usize, longest: usize) -> impl Strategy<Value = String> {
        let letter = prop_oneof![8 => proptest::char::range(' ', '~'), 2 => any::<char>()];
        let letter = letter.prop_filter("a database that holds no NUL", |letter| *letter != '\0');
        proptest::collection::vec(letter, shortest..=longest / 2).prop_map(|it| it.into_iter().collect())
    }

    fn id() -> impl Strategy<Value = String> {
        (1..u128::MAX).prop_map(|number| Uuid::from_u128(number).to_string())
    }

    fn time() -> impl Strategy<Value = Option<Timestamp>> {
        let microseconds = 0..1_000_000;
        (0..253_402_300_799_i64, microseconds)
            .prop_map(|(seconds, micros)| Some(Timestamp { seconds, nanos: micros * 1000 }))
    }

    fn interests() -> impl Strategy<Value = Vec<i32>> {
        let all = [Interest::Brochure, Interest::Purchase, Interest::Showflat].map(i32::from);
        sample::subsequence(all.to_vec(), 1..=all.len())
    }

    prop_compose! {
        fn session()(
            session_id in id(),
            started_at in time(),
            (landing_path, referrer_host) in (text(0, 80), text(0, 80)),
            (source, medium, name, term, content) in (text(0, 9), text(0, 9), text(0, 9), text(0, 9), text(0, 9)),
        ) -> Session {
            let campaign = Some(Campaign { source, medium, name, term, content });
            Session { session_id, started_at, landing_path, referrer_host, campaign }
        }
    }

    prop_compose! {
        fn lead()(
            lead_id in id(),
            reference in "ZG-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{2}",
            submitted_at in time(),
            interests in interests(),
            (name, mobile, email, questions) in (text(1, 100), text(1, 19), text(1, 255), text(0, 1000)),
            language in sample::select(vec![Language::En, Language::Zh]),
            privacy_policy_version in text(0, 32),
            session in option::of(session()),
            signs in sample::subsequence([Sign::Haste, Sign::Links, Sign::Canary].map(i32::from).to_vec(), 0..=3),
        ) -> LeadSubmitted {
            let language = language.into();
            LeadSubmitted {
                lead_id, reference, submitted_at, interests, name, mobile, email, questions, language,
                privacy_policy_version, session, signs,
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_comes_in_goes_out_as_it_was(lead in lead()) {
            let known = submission(lead.clone()).map(submitted);
            prop_assert!(known == Ok(lead));
        }
    }
}
