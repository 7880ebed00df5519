//! What is published: a contract's message, by its route.

use contracts::leads::v1::{LeadNotified, LeadSubmitted};
use prost::Message;
use prost_types::Timestamp;

use crate::topology::Route;

/// An event as both ends see it.
#[expect(clippy::large_enum_variant, reason = "the large one is the usual one")]
#[derive(Clone, PartialEq)]
pub enum Event {
    /// A visitor registered interest.
    LeadSubmitted(LeadSubmitted),
    /// A recipient was told.
    LeadNotified(LeadNotified),
}

/// A message is not an event we know.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Its type is none of ours, or of a version to come.
    #[error("unknown message type")]
    UnknownType,
    /// Its body is not what its type says.
    #[error("undecodable body")]
    Undecodable(#[source] prost::DecodeError),
}

impl Event {
    /// Where it goes.
    #[must_use]
    pub fn route(&self) -> Route {
        match self {
            Self::LeadSubmitted(_) => Route::LeadSubmittedV1,
            Self::LeadNotified(_) => Route::LeadNotifiedV1,
        }
    }

    /// The lead it is about, and the message's id.
    #[must_use]
    pub fn lead_id(&self) -> &str {
        match self {
            Self::LeadSubmitted(event) => &event.lead_id,
            Self::LeadNotified(event) => &event.lead_id,
        }
    }

    /// When what it tells of happened.
    pub(crate) fn happened_at(&self) -> Option<&Timestamp> {
        match self {
            Self::LeadSubmitted(event) => event.submitted_at.as_ref(),
            Self::LeadNotified(event) => event.notified_at.as_ref(),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::LeadSubmitted(event) => event.encode_to_vec(),
            Self::LeadNotified(event) => event.encode_to_vec(),
        }
    }

    /// The event of this type with this body.
    ///
    /// # Errors
    /// [`DecodeError`] when it is none of ours.
    pub fn decode(kind: &str, body: &[u8]) -> Result<Self, DecodeError> {
        match Route::from_key(kind) {
            Some(Route::LeadSubmittedV1) => LeadSubmitted::decode(body).map(Self::LeadSubmitted),
            Some(Route::LeadNotifiedV1) => LeadNotified::decode(body).map(Self::LeadNotified),
            None => return Err(DecodeError::UnknownType),
        }
        .map_err(DecodeError::Undecodable)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn submitted([lead_id, reference, name, email, questions]: [String; 5], interests: Vec<i32>) -> Event {
        let event =
            LeadSubmitted { lead_id, reference, name, email, questions, interests, ..Default::default() };
        Event::LeadSubmitted(event)
    }

    fn notified([lead_id, reference, recipient, mail_message_id, server_reply]: [String; 5]) -> Event {
        let event = LeadNotified {
            lead_id,
            reference,
            recipient,
            mail_message_id,
            server_reply,
            ..Default::default()
        };
        Event::LeadNotified(event)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_encoded_is_decoded_as_it_was(
            texts in any::<[String; 5]>(),
            numbers in any::<Vec<i32>>(),
        ) {
            for event in [submitted(texts.clone(), numbers), notified(texts)] {
                let decoded = Event::decode(event.route().key(), &event.encode());
                prop_assert!(decoded.is_ok_and(|decoded| decoded == event));
            }
        }

        #[test]
        fn what_was_cut_or_is_no_event_is_an_error_or_an_event_and_never_a_panic(bytes in any::<Vec<u8>>()) {
            for route in Route::ALL {
                let _ = Event::decode(route.key(), &bytes);
            }
        }
    }
}
