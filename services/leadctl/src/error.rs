//! Errors with advice, and their exit statuses.

use std::{io, path::PathBuf, time::Duration};

/// Wrong usage or configuration (`EX_USAGE` of sysexits.h).
pub(crate) const USAGE: u8 = 64;

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
    #[error("cannot read {}: {source}", path.display())]
    ConfigUnreadable { path: PathBuf, source: io::Error },
    #[error("{0} contains a token and is readable by other users: run chmod 600 {0}", path.display())]
    ConfigExposed { path: PathBuf },
    #[error("{} is invalid: {reason}", path.display())]
    ConfigWrong { path: PathBuf, reason: String },
    #[error("the current directory does not exist: {0}")]
    CurrentDirectory(io::Error),
    #[error(
        "{service} at {address} is unreachable: {cause}.\n\
         `cargo xtask up` starts it. The address comes from {}.",
        path.display()
    )]
    Away { service: &'static str, address: String, cause: String, path: PathBuf },
    #[error(
        "permission denied: the CRM at {address} rejected this call for the token in {}.\n\
         Ask an operator of the CRM for a token with the required role.",
        path.display()
    )]
    TokenRefused { address: String, path: PathBuf },
    #[error("{0}: run `leadctl list` to find it")]
    NotFound(String),
    #[error("{0}")]
    Ambiguous(String),
    #[error("the CRM rejected the request: {0}")]
    Asked(String),
    #[error("the CRM failed: {0}")]
    Failed(String),
    #[error(
        "{} has no `amqp` entry, which dead letters require.\n\
         Add amqp = \"amqp://operator:PASSWORD@HOST:PORT/%2f\" with the password of the operator user.",
        path.display()
    )]
    NoBroker { path: PathBuf },
    #[error("{} is invalid: `amqp` must be amqp://USER:PASSWORD@HOST:PORT/VHOST", path.display())]
    BrokerAddress { path: PathBuf },
    #[error(
        "permission denied: the broker at {address} rejected the user in {}: {cause}.\n\
         The user needs read access to the dead-letter queues and, to replay, write access to the default exchange.",
        path.display()
    )]
    BrokerRefused { address: String, cause: String, path: PathBuf },
    #[error("the broker failed: {0}")]
    BrokerFailed(String),
    #[error(
        "{} has no [canary] section: add it as `leadctl --help` shows.\n\
         Its key is the CANARY_KEY of lead-intake.",
        path.display()
    )]
    NoCanary { path: PathBuf },
    #[error("the site at {site} is unreachable: {cause}. Visitors may be affected too.")]
    SiteAway { site: String, cause: String },
    #[error("the site at {site} rejected the canary: {said}")]
    SiteRefused { site: String, said: String },
    #[error(
        "canary {reference} was accepted but not {missing} within {within:?}.\n\
         Run `leadctl show {id}` for its timeline."
    )]
    CanaryLate { id: String, reference: String, missing: &'static str, within: Duration },
    #[error("cannot install the signal handlers: {0}")]
    Signals(io::Error),
    #[error("{0} has no failed delivery: run `leadctl deliveries list --failed`")]
    NoFailedDelivery(String),
    #[error("{0} has no unfinished delivery: run `leadctl show {0}` for its timeline")]
    NoUnfinishedDelivery(String),
    #[error("dead letter {0} does not exist: run `leadctl dead-letters list`")]
    NoDeadLetter(String),
    #[error("nothing changed: pass --yes to confirm without a terminal")]
    NotConfirmed,
    #[error("nothing changed")]
    Declined,
    #[error("{0} is neither an email address nor a phone number: write wei@example.com or +65 9123 4567")]
    NoPerson(String),
    #[error("several people share this phone number: select with --email ADDRESS or --all\n{0}")]
    SeveralPeople(String),
    #[error("no data about this person")]
    NobodyKnown,
    #[error(
        "nothing was erased: the CRM has no lead of this person, so --do-not-contact has nothing to remember"
    )]
    NobodyToSuppress,
    #[error(
        "{cause}\n\
         Nothing was erased, because dead letters would remain. --without-queues erases the CRM data only."
    )]
    QueuesUnreachable { cause: Box<Error> },
    #[error(
        "erased in the CRM, but not in all dead-letter queues: {cause}\n\
         Run the same command again. The CRM does not store these leads again meanwhile."
    )]
    HalfErased { cause: Box<Error> },
    #[error("choose a format: --csv, --xlsx, --json, or an --output name with that extension")]
    NoFormat,
    #[error("cannot print a spreadsheet to a terminal: name a file with --output")]
    Terminal,
    #[error("a spreadsheet is limited to 1,048,575 leads: narrow the export with --since, or use --csv")]
    TooManyRows,
    #[error("statistics are limited to 1000 days: use a later --since")]
    TooManyDays,
    #[error("--since is in the future")]
    Future,
    #[error("--reason requires --state closed")]
    ReasonWithoutClosed,
    #[error("interrupted: no file was written")]
    Interrupted,
    #[error("cannot write {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

impl Error {
    /// The codes of sysexits.h. 1 when no lead, person, delivery or message matches, or several do, or the user
    /// declines; 130 after Ctrl-C, as in shells.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::NotFound(_)
            | Self::Ambiguous(_)
            | Self::NoFailedDelivery(_)
            | Self::NoUnfinishedDelivery(_)
            | Self::NoDeadLetter(_)
            | Self::SeveralPeople(_)
            | Self::NobodyKnown
            | Self::NobodyToSuppress
            | Self::Declined => 1,
            Self::NoConfig { .. }
            | Self::ConfigMissing { .. }
            | Self::ConfigUnreadable { .. }
            | Self::ConfigExposed { .. }
            | Self::ConfigWrong { .. }
            | Self::CurrentDirectory(_)
            | Self::NoBroker { .. }
            | Self::NoCanary { .. }
            | Self::BrokerAddress { .. }
            | Self::NotConfirmed
            | Self::NoPerson(_)
            | Self::NoFormat
            | Self::Terminal
            | Self::TooManyRows
            | Self::TooManyDays
            | Self::Future
            | Self::ReasonWithoutClosed
            | Self::Asked(_) => USAGE,
            Self::Away { .. } | Self::SiteAway { .. } => 69,
            Self::Failed(_) | Self::BrokerFailed(_) | Self::SiteRefused { .. } | Self::Signals(_) => 70,
            Self::Output(_) | Self::File { .. } => 74,
            Self::CanaryLate { .. } => 75,
            Self::Interrupted => 130,
            Self::TokenRefused { .. } | Self::BrokerRefused { .. } => 77,
            Self::QueuesUnreachable { cause } | Self::HalfErased { cause } => cause.exit_code(),
        }
    }
}
