//! How crm-sync received a lead.

use contracts::crm::v1 as crm;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// The path on which crm-sync first received a lead. Its snake_case name is stored and used as a metric label. The
/// numbers match the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Source {
    /// An erasure: the row is a tombstone that blocks copies of the erased lead.
    Erasure = crm::Source::Unspecified as isize,
    Broker = crm::Source::Broker as isize,
    /// The fallback path: a call of RecordLead.
    Grpc = crm::Source::Grpc as isize,
    /// A notifier's claim that arrived before the message.
    Claim = crm::Source::Claim as isize,
    /// A person of the sales team, who entered the lead by hand at the desk.
    Desk = crm::Source::Desk as isize,
}
