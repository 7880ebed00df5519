//! Errors with the exit code of the program.

/// Exit codes: those of sysexits.h, 1 without a match or confirmation, and 130 after Ctrl-C, as in shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// No lead, person, delivery or message matches, or several do, or the user declined.
    NoMatch = 1,
    /// Invalid arguments, or an entry of the configuration is missing or invalid.
    Usage = 64,
    Unreachable = 69,
    /// The CRM, the broker or the site fails or violates its contract.
    Failed = 70,
    Output = 74,
    /// The canary did not arrive in time.
    Late = 75,
    Denied = 77,
    Interrupted = 130,
}

/// An error with an exit status. The message ends with instructions, and `anyhow` adds the failed step.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Error {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Exit {
    pub(crate) fn error(self, message: impl Into<String>) -> Error {
        Error {
            exit: self,
            message: message.into(),
        }
    }
}
