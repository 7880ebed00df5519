//! Errors that decide the exit status. `anyhow` adds what was being done.

use std::{io, path::PathBuf};

/// Wrong usage or configuration (`EX_USAGE` of sysexits.h).
pub(crate) const USAGE: u8 = 64;

/// Messages end with what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "no .local/leadctl.toml in {} or its parent directories.\n\
         Start the system with `cargo xtask up`, which writes one, or name a file with --config FILE.",
        from.display()
    )]
    NoConfig { from: PathBuf },
    #[error("{} does not exist: --config requires the path of a configuration file.", path.display())]
    ConfigMissing { path: PathBuf },
    #[error("cannot read {}", path.display())]
    ConfigUnreadable { path: PathBuf, source: io::Error },
    #[error("{0} contains a token and is readable by other users: run chmod 600 {0}", path.display())]
    ConfigExposed { path: PathBuf },
    #[error("{} is invalid: {reason}", path.display())]
    ConfigWrong { path: PathBuf, reason: String },
    /// Invalid arguments, or an entry of the configuration that the command requires is missing or invalid.
    #[error("{0}")]
    Usage(String),
    /// No lead, person, delivery or message matches, or several do.
    #[error("{0}")]
    NoMatch(String),
    #[error("nothing changed")]
    Declined,
    #[error("{0}")]
    Unreachable(String),
    /// The CRM, the broker or the site fails or sends what its contract does not allow.
    #[error("{0}")]
    Failed(String),
    #[error("{0}")]
    Late(String),
    #[error("permission denied: {0}")]
    Denied(String),
    #[error("interrupted: no file was written")]
    Interrupted,
}

impl Error {
    /// The codes of sysexits.h; 1 without a match or a yes; 130 after Ctrl-C, as in shells.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::NoMatch(_) | Self::Declined => 1,
            Self::NoConfig { .. }
            | Self::ConfigMissing { .. }
            | Self::ConfigUnreadable { .. }
            | Self::ConfigExposed { .. }
            | Self::ConfigWrong { .. }
            | Self::Usage(_) => USAGE,
            Self::Unreachable(_) => 69,
            Self::Failed(_) => 70,
            Self::Late(_) => 75,
            Self::Denied(_) => 77,
            Self::Interrupted => 130,
        }
    }
}
