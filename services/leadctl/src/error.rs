//! Errors with advice, and their exit statuses.

use std::{io, path::PathBuf, time::Duration};

/// Wrong usage or configuration (`EX_USAGE` of sysexits.h).
pub(crate) const USAGE: u8 = 64;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "no .local/leadctl.toml in {} or above it, so it is not known where the CRM is.\n\
         Start the system with `cargo xtask up`, which writes one, or name a file with --config PATH.",
        from.display()
    )]
    NoConfig { from: PathBuf },
    #[error("there is no file {}: --config wants the path of one with addresses and secrets.", path.display())]
    ConfigMissing { path: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    ConfigUnreadable { path: PathBuf, source: io::Error },
    #[error("others can read {0}, which holds a token: chmod 600 {0}", path.display())]
    ConfigExposed { path: PathBuf },
    #[error("{} is wrong: {reason}", path.display())]
    ConfigWrong { path: PathBuf, reason: String },
    #[error("the current directory is not there any more: {0}")]
    CurrentDirectory(io::Error),
    #[error(
        "{service} at {address} cannot be reached: {cause}.\n\
         Is it running? `cargo xtask up` starts it. The address is from {}.",
        path.display()
    )]
    Away { service: &'static str, address: String, cause: String, path: PathBuf },
    #[error(
        "the CRM at {address} does not accept the token of {}.\n\
         Ask those who run the CRM for one; each client has its own.",
        path.display()
    )]
    TokenRefused { address: String, path: PathBuf },
    #[error("{0}. `leadctl list` shows what there is.")]
    NotFound(String),
    #[error("{0}")]
    Ambiguous(String),
    #[error("the CRM does not understand the question: {0}.")]
    Asked(String),
    #[error("the CRM failed: {0}.")]
    Failed(String),
    #[error(
        "no `amqp` in {}, so it is not known where the broker is, which has the dead letters.\n\
         Add a line: amqp = \"amqp://operator:PASSWORD@HOST:PORT/%2f\". Those who run the broker know the rest.",
        path.display()
    )]
    NoBroker { path: PathBuf },
    #[error("{} is wrong: `amqp` is no address: write amqp://USER:PASSWORD@HOST:PORT/VHOST", path.display())]
    BrokerAddress { path: PathBuf },
    #[error(
        "the broker at {address} does not accept the user of {}: {cause}.\n\
         It must be one who may read the dead-letter queues; to replay, also write to the default exchange.",
        path.display()
    )]
    BrokerRefused { address: String, cause: String, path: PathBuf },
    #[error("the broker failed: {0}.")]
    BrokerFailed(String),
    #[error(
        "no [canary] in {}, so it is not known where the site is and what marks a canary.\n\
         Add it, as `leadctl --help` shows; the key is lead-intake's CANARY_KEY.",
        path.display()
    )]
    NoCanary { path: PathBuf },
    #[error("the site at {site} cannot be reached: {cause}. Visitors may not reach it either.")]
    SiteAway { site: String, cause: String },
    #[error("the site at {site} did not take the canary: {said}.")]
    SiteRefused { site: String, said: String },
    #[error(
        "the canary {reference} was accepted, and not {missing} within {within:?}.\n\
         How far it came: leadctl show {id}"
    )]
    CanaryLate { id: String, reference: String, missing: &'static str, within: Duration },
    #[error("it cannot be heard when somebody ends this: {0}")]
    Signals(io::Error),
    #[error("{0} has no failed delivery: run `leadctl deliveries list --failed`")]
    NoFailedDelivery(String),
    #[error("{0} has no unfinished delivery: run `leadctl show {0}` for its timeline")]
    NoUnfinishedDelivery(String),
    #[error("no dead letter is called {0}. `leadctl dead-letters list` shows what there is.")]
    NoDeadLetter(String),
    #[error("nothing was done: without a terminal to ask at this needs --yes.")]
    NotConfirmed,
    #[error("nothing was done.")]
    Declined,
    #[error(
        "{0} is neither an e-mail address nor a telephone number: write wei@example.com or +65 9123 4567."
    )]
    NoPerson(String),
    #[error("several people have this number: choose with --email ADDRESS, or --all.\n{0}")]
    SeveralPeople(String),
    #[error("nothing is held about this person.")]
    NobodyKnown,
    #[error(
        "{cause}\n\
         Nothing was erased, since dead letters would be left: --without-queues erases in the CRM alone."
    )]
    QueuesUnreachable { cause: Box<Error> },
    #[error(
        "erased in the CRM, but not all dead letters: {cause}\n\
         Run the same command again; what lies there is not stored again meanwhile."
    )]
    HalfErased { cause: Box<Error> },
    #[error("say what the export is to be: --csv, --xlsx, --json, or a name for --output that ends so.")]
    NoFormat,
    #[error("a spreadsheet is nothing for a terminal: name a file with --output.")]
    Terminal,
    #[error("a sheet holds no more rows than 1,048,575 leads: narrow it down with --since, or write --csv.")]
    TooManyRows,
    #[error("more than 1000 days cannot be counted at once: begin later.")]
    TooManyDays,
    #[error("`--since` is in the future.")]
    Future,
    #[error("--reason requires --state closed")]
    ReasonWithoutClosed,
    #[error("interrupted; nothing was written.")]
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
