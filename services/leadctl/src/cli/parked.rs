//! Which parked messages are meant, and what becomes of them.

use clap::{Args, Subcommand, ValueEnum};

use super::examples;
use crate::when::When;

/// How long a reason may be, in UTF-16 code units: as the CRM takes it.
const LONGEST_REASON: usize = 500;

#[derive(Subcommand)]
pub(crate) enum ParkedCommand {
    /// What is parked, and why.
    List,
    /// All about the parked messages of one name.
    Show {
        /// The lead's id or reference, or what `parked list` calls the message.
        #[arg(value_name = "ID")]
        name: String,
    },
    /// Give messages back to the service that parked them, to be dealt with from the start.
    #[command(after_help = examples::PARKED_REPLAY)]
    Replay {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        confirmation: Confirmation,
    },
    /// Throw messages away, with a reason that stays in the lead's timeline.
    #[command(after_help = examples::PARKED_DISCARD)]
    Discard {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        confirmation: Confirmation,
        /// The reason.
        #[arg(long, value_name = "TEXT", value_parser = reason)]
        why: String,
    },
}

/// Which messages are meant.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Selection {
    /// The lead's id or reference, or what `parked list` calls the message.
    #[arg(value_name = "ID")]
    pub(crate) name: Option<String>,
    /// All of them.
    #[arg(long)]
    pub(crate) all: bool,
    /// What was parked since then: 30m, 2h or 1d ago, today, a date, or a time.
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<When>,
}

/// Whether the person at the terminal is asked.
#[derive(Args)]
pub(crate) struct Confirmation {
    /// Do not ask before dealing with --all.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// A service that parks messages.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Queue {
    /// Leads that could not be mailed.
    Notifier,
    /// Leads, and reports of mails, that could not be stored.
    CrmSync,
}

fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("say why".to_owned());
    }
    if text.encode_utf16().count() > LONGEST_REASON {
        return Err(format!("longer than {LONGEST_REASON} characters"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(subcommand)]
        _command: ParkedCommand,
    }

    fn is_accepted(arguments: &[&str]) -> bool {
        Only::try_parse_from(["parked"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn which_messages_are_meant_is_said_in_one_way() {
        for selection in [&["ZG-7F3K-2Q"][..], &["--all"], &["--since", "2h"]] {
            assert!(is_accepted(&[&["replay"], selection].concat()), "{selection:?}");
        }
        for selection in
            [&[][..], &["--all", "ZG-7F3K-2Q"], &["--all", "--since", "2h"], &["--since", "soon"]]
        {
            assert!(!is_accepted(&[&["replay"], selection].concat()), "{selection:?}");
        }
    }

    #[test]
    fn nothing_is_thrown_away_without_a_reason() {
        let long = "陈".repeat(LONGEST_REASON + 1);
        for why in [&[][..], &["--why"], &["--why", " "], &["--why", &long]] {
            assert!(!is_accepted(&[&["discard", "--all"], why].concat()), "{why:?}");
        }
        assert!(is_accepted(&["discard", "--all", "--why", &long[3..]]));
    }
}
