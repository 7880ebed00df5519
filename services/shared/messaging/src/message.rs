//! A received message and its headers.

use chrono::{DateTime, SecondsFormat, Utc};
use lapin::{
    Acker,
    types::{AMQPValue, FieldTable, ShortString},
};
use opentelemetry::Context;
use runtime::trace;

use crate::{
    confirm_channels::OutgoingMessage,
    event::{DecodeError, Event},
    handler::Reason,
    topology::DEAD_LETTER_EXCHANGE,
};

pub(crate) const ERROR_CLASS: &str = "x-error-class";
pub(crate) const ERROR_DETAIL: &str = "x-error-detail";
pub(crate) const DEAD_LETTERED_AT: &str = "x-dead-lettered-at";
pub(crate) const REPLAYED: &str = "x-replayed";
const DEATHS: &str = "x-death";

/// Maximum length of an error's detail, because all headers must fit into one frame.
const MAX_DETAIL_BYTES: usize = 4096;

/// Prefixes of headers with which the broker records deliveries. A copy must not contain them.
const BROKER_HEADERS: [&str; 5] = [
    "x-death",
    "x-first-death-",
    "x-last-death-",
    "x-delivery-count",
    "x-acquired-count",
];

/// A delivered message that is not acknowledged yet.
pub(crate) struct ReceivedMessage {
    pub(crate) acker: Acker,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) headers: FieldTable,
    pub(crate) body: Vec<u8>,
    /// The context of the producer's span.
    pub(crate) context: Context,
}

impl ReceivedMessage {
    pub(crate) fn event(&self) -> Result<Event, DecodeError> {
        Event::decode(&self.kind, &self.body)
    }

    pub(crate) fn text_header(&self, header: &str) -> Option<&str> {
        text(&self.headers, header)
    }

    pub(crate) fn number_header(&self, header: &str) -> Option<u32> {
        self.headers.inner().get(header)?.as_long_uint()
    }

    /// The time at which the broker dead-lettered the message because of the delivery limit.
    pub(crate) fn broker_dead_lettered_at(&self) -> Option<DateTime<Utc>> {
        let deaths = self.headers.inner().get(DEATHS)?.as_array()?;
        let deaths = deaths
            .as_slice()
            .iter()
            .filter_map(AMQPValue::as_field_table);
        deaths.map(FieldTable::inner).find_map(|death| {
            let reason = death.get("reason")?.as_long_string()?.as_bytes();
            let seconds = i64::try_from(death.get("time")?.as_timestamp()?).ok()?;
            (reason == b"delivery_limit")
                .then(|| DateTime::from_timestamp(seconds, 0))
                .flatten()
        })
    }

    /// The same message for `queue`, with other headers.
    pub(crate) fn copy(&self, queue: &'static str, headers: FieldTable) -> OutgoingMessage {
        OutgoingMessage {
            exchange: DEAD_LETTER_EXCHANGE,
            routing_key: queue,
            message_id: self.id.clone(),
            kind: self.kind.clone(),
            headers,
            body: self.body.clone(),
        }
    }

    /// The headers without the broker's and without `others`.
    pub(crate) fn headers_without(&self, others: &[&str]) -> FieldTable {
        let mut kept = FieldTable::default();
        for (name, value) in self.headers.inner() {
            let text = name.as_str();
            let is_from_broker = BROKER_HEADERS.iter().any(|prefix| text.starts_with(prefix));
            if !is_from_broker && !others.contains(&text) {
                kept.insert(name.clone(), value.clone());
            }
        }
        kept
    }

    pub(crate) fn dead_letter_headers(&self, reason: &Reason, now: DateTime<Utc>) -> FieldTable {
        let mut headers = self.headers_without(&[]);
        let at = now.to_rfc3339_opts(SecondsFormat::Millis, true);
        headers.insert(DEAD_LETTERED_AT.into(), AMQPValue::LongString(at.into()));
        headers.insert(
            ERROR_CLASS.into(),
            AMQPValue::LongString(reason.class.into()),
        );
        let detail = &reason.detail[..reason.detail.floor_char_boundary(MAX_DETAIL_BYTES)];
        headers.insert(ERROR_DETAIL.into(), AMQPValue::LongString(detail.into()));
        headers
    }
}

fn text<'a>(headers: &'a FieldTable, name: &str) -> Option<&'a str> {
    std::str::from_utf8(headers.inner().get(name)?.as_long_string()?.as_bytes()).ok()
}

impl From<lapin::message::Delivery> for ReceivedMessage {
    fn from(delivery: lapin::message::Delivery) -> Self {
        let property = |value: &Option<ShortString>| value.as_ref().map(ToString::to_string);
        let headers = delivery.properties.headers().clone().unwrap_or_default();
        Self {
            id: property(delivery.properties.message_id()).unwrap_or_default(),
            kind: property(delivery.properties.kind()).unwrap_or_default(),
            context: trace::from_traceparent(text(&headers, trace::HEADER)),
            headers,
            acker: delivery.acker,
            body: delivery.data,
        }
    }
}

#[cfg(test)]
mod tests {
    use lapin::message::Delivery;

    use super::*;

    const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn message(headers: FieldTable) -> ReceivedMessage {
        let mut delivery = Delivery::mock(1, "".into(), "".into(), false, b"body".to_vec());
        delivery.properties = delivery
            .properties
            .with_message_id("id".into())
            .with_headers(headers);
        delivery.into()
    }

    fn traced() -> FieldTable {
        let mut headers = FieldTable::default();
        headers.insert(
            trace::HEADER.into(),
            AMQPValue::LongString(TRACEPARENT.into()),
        );
        headers
    }

    #[test]
    fn truncates_detail_to_a_frame() {
        let reason = Reason::new("smtp", "那".repeat(MAX_DETAIL_BYTES));
        let headers = message(traced()).dead_letter_headers(&reason, DateTime::UNIX_EPOCH);
        let Some(AMQPValue::LongString(detail)) = headers.inner().get(ERROR_DETAIL) else {
            panic!("no detail");
        };
        assert_eq!(detail.to_string(), "那".repeat(MAX_DETAIL_BYTES / 3));
    }

    #[test]
    fn copy_drops_delivery_headers() {
        let mut headers = traced();
        for name in [
            "x-death",
            "x-first-death-queue",
            "x-last-death-reason",
            "x-delivery-count",
        ] {
            headers.insert(name.into(), AMQPValue::LongLongInt(7));
        }
        assert_eq!(message(headers).headers_without(&[]), traced());
    }
}
