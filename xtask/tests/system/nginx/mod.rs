//! The real nginx with the production configuration, in front of a stand-in for lead-intake.

mod api;
mod documents;
mod server;

use std::time::Duration;

/// What a request may take at the worst, over everything.
const WORST: Duration = Duration::from_secs(5);
