//! The contracts between processes: the broker's events ([`leads`]) and the CRM's gRPC service ([`crm`]).
//!
//! `src/gen` is generated from the `.proto` files and committed, so that no build needs a protobuf compiler. Regenerate
//! it with `UPDATE_CONTRACTS=1 cargo test -p contracts --features generator`.
//!
//! All messages but requests serialise to JSON for people and scripts, with the names of the contract:
//!
//! - an enum is its name without prefix, such as `visit_booked`; `null` when unspecified, `unknown` when a newer program
//!   sent it;
//! - a timestamp is RFC 3339 in UTC; a duration is a number in a field whose name ends with `_seconds`;
//! - a field that is absent is `null`; texts and lists may be empty;
//! - a oneof is a field with the name of its variant, beside the fields of the variant; a newer program's is left out;
//! - a lead has the fields of its `submission` beside its own.

#![warn(missing_docs)]

/// Events about leads sent through the broker.
pub mod leads {
    /// Version 1.
    pub mod v1 {
        include!("gen/leads.v1.rs");
    }
}

/// The CRM's gRPC service with client and server.
pub mod crm {
    /// Version 1.
    #[expect(
        clippy::allow_attributes,
        clippy::allow_attributes_without_reason,
        reason = "generated"
    )]
    pub mod v1 {
        include!("gen/crm.v1.rs");
    }
}

/// All contracts as a `google.protobuf.FileDescriptorSet`, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("gen/descriptors.bin");

/// JSON for fields whose Rust type is a plain number or a well-known message: names of enums, times and durations.
mod json {
    use prost_types::{Duration, Timestamp};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Serialize)]
    #[serde(untagged)]
    enum Name<E> {
        Known(E),
        Unknown(&'static str),
    }

    fn name_of<E: TryFrom<i32>>(number: i32) -> Option<Name<E>> {
        (number != 0).then(|| E::try_from(number).map_or(Name::Unknown("unknown"), Name::Known))
    }

    pub(crate) fn name<E, S>(number: &i32, serializer: S) -> Result<S::Ok, S::Error>
    where
        E: TryFrom<i32> + Serialize,
        S: Serializer,
    {
        name_of::<E>(*number).serialize(serializer)
    }

    pub(crate) fn names<E, S>(numbers: &[i32], serializer: S) -> Result<S::Ok, S::Error>
    where
        E: TryFrom<i32> + Serialize,
        S: Serializer,
    {
        serializer.collect_seq(numbers.iter().map(|number| name_of::<E>(*number)))
    }

    pub(crate) fn parse_name<'de, E, D>(deserializer: D) -> Result<i32, D::Error>
    where
        E: Deserialize<'de> + Into<i32>,
        D: Deserializer<'de>,
    {
        Ok(Option::<E>::deserialize(deserializer)?.map_or(0, Into::into))
    }

    pub(crate) fn parse_names<'de, E, D>(deserializer: D) -> Result<Vec<i32>, D::Error>
    where
        E: Deserialize<'de> + Into<i32>,
        D: Deserializer<'de>,
    {
        let values = Vec::<E>::deserialize(deserializer)?;
        Ok(values.into_iter().map(Into::into).collect())
    }

    pub(crate) fn parse_time<'de, D>(deserializer: D) -> Result<Option<Timestamp>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom))
            .transpose()
    }

    pub(crate) fn time<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(|time| time.to_string()).serialize(serializer)
    }

    pub(crate) fn seconds<S: Serializer>(
        span: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        span.map(|span| span.seconds).serialize(serializer)
    }
}
