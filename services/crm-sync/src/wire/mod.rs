//! From the contracts' messages to what they mean, and back. Shared by the two roads in: queue and gRPC.

mod decode;
mod encode;

pub use decode::{Invalid, filter, notification, submission};
pub use encode::lead;
