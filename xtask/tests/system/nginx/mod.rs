//! nginx with the production configuration, in front of a stand-in for lead-intake.

mod api;
mod documents;
mod server;

use std::time::Duration;

/// The longest duration of a request.
const WORST: Duration = Duration::from_secs(5);
