//! What one process is to do, once.

use std::time::Duration;

/// Somebody asks for the right to do it.
#[derive(Clone)]
pub struct TaskClaim {
    /// What is to be done.
    pub name: String,
    /// Who asks.
    pub holder: String,
    /// How long it may take.
    pub lease: Duration,
}
