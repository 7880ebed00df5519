//! What brought a lead to the CRM first.

use contracts::crm::v1 as crm;
use strum::{EnumString, IntoStaticStr};

/// Its snake_case name stands in the database and in metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Source {
    Broker,
    /// A call of RecordLead.
    Grpc,
    /// A notifier's claim, which came before the message.
    Claim,
    /// An erasure: the row is a tombstone that keeps copies of an erased lead out.
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
