//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::parked::since::Since;

const AFTER_HELP: &str = "\
Addresses and secrets are read from .local/leadctl.toml, looked for in the current directory and
those above it (`cargo xtask up` writes one), or from the file of --config:

  address = \"http://127.0.0.1:50051\"
  token = \"...\"
  amqp = \"amqp://operator:...@127.0.0.1:5672/%2f\"   (only for parked messages)

Exit status: 0 done, 1 no such lead or message (or several), or not confirmed, 64 wrong usage or
configuration, 69 the CRM or the broker cannot be reached, 70 it failed, 74 output failed,
77 it does not accept who asks.

Examples:
  leadctl list --limit 20
  leadctl show zg-7f3k-2q
  leadctl list --limit 5000 --json | jq -r .email
  leadctl watch
  leadctl parked list
  leadctl parked replay --since 2h
  leadctl parked discard zg-7f3k-2q --why \"a test of ours\"";

/// How long a reason may be, in UTF-16 code units: as the CRM takes it.
const LONGEST_REASON: usize = 500;

/// Leads at the command line, for sales and operations.
#[derive(Parser)]
#[command(version, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Read addresses and secrets from this file.
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,

    /// Write JSON: an object per line, or for `show` one over several lines.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The latest leads, newest first.
    List {
        /// At most this many.
        #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// All about one lead, and what happened to it.
    Show {
        /// Its id, or its reference as you would type it: zg-7f3k-2q, 7F3K2Q, ...
        #[arg(value_name = "ID-or-reference")]
        lead: String,
    },
    /// Leads as they come in, until Ctrl-C.
    Watch,
    /// Messages that a service could not deal with, and that wait for a person.
    Parked {
        #[command(subcommand)]
        command: ParkedCommand,

        /// Only what this service parked.
        #[arg(long, global = true, value_name = "SERVICE")]
        queue: Option<Queue>,
    },
}

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
    Replay {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        confirmation: Confirmation,
    },
    /// Throw messages away, with a reason that stays in the lead's timeline.
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
    /// What was parked since then: 30m, 2h or 1d ago, or a time like 2026-03-01T04:05:06Z.
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<Since>,
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
    use clap::CommandFactory;

    use super::*;

    fn is_accepted(arguments: &[&str]) -> bool {
        Cli::try_parse_from(["leadctl"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_list_of_nothing_cannot_be_asked_for() {
        assert!(!is_accepted(&["list", "--limit", "0"]));
        assert!(is_accepted(&["list", "--limit", "1", "--json"]));
    }

    #[test]
    fn which_messages_are_meant_is_said_in_one_way() {
        for selection in [&["ZG-7F3K-2Q"][..], &["--all"], &["--since", "2h"]] {
            assert!(is_accepted(&[&["parked", "replay"], selection].concat()), "{selection:?}");
        }
        for selection in [&[][..], &["--all", "ZG-7F3K-2Q"], &["--all", "--since", "2h"], &["--since", "now"]]
        {
            assert!(!is_accepted(&[&["parked", "replay"], selection].concat()), "{selection:?}");
        }
    }

    #[test]
    fn nothing_is_thrown_away_without_a_reason() {
        let long = "陈".repeat(LONGEST_REASON + 1);
        for why in [&[][..], &["--why"], &["--why", " "], &["--why", &long]] {
            assert!(!is_accepted(&[&["parked", "discard", "--all"], why].concat()), "{why:?}");
        }
        assert!(is_accepted(&["parked", "discard", "--all", "--why", &long[3..], "--queue", "crm-sync"]));
    }
}
