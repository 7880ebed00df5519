//! Where the CRM first received a lead from.

use contracts::crm::v1 as crm;
use strum::{EnumString, IntoStaticStr};

/// Stored and counted under its snake_case name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Source {
    Broker,
    /// The fallback path: a call of RecordLead.
    Grpc,
    /// A notifier's claim that arrived before the message.
    Claim,
    /// An erasure: the row is a tombstone that blocks copies of the erased lead.
    Erasure,
}

impl From<Source> for crm::Source {
    fn from(source: Source) -> Self {
        match source {
            Source::Erasure => Self::Unspecified,
            Source::Broker => Self::Broker,
            Source::Grpc => Self::Grpc,
            Source::Claim => Self::Claim,
        }
    }
}
