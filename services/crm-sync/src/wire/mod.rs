//! From the contracts' messages to what they mean, and back. Shared by the two roads in: queue and gRPC.

mod decode;
mod encode;
mod ledger;
mod timeline;

pub use decode::{Invalid, filter, submission, told};
pub use encode::{lead, submitted};
pub use ledger::{Report, answer, claim, lease, note, report};
pub use timeline::lead_with_history;
