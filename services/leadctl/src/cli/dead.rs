//! Which dead deliveries or dead letters are meant, and what becomes of them.

use clap::{Arg, Args, Subcommand, ValueEnum};

use super::{examples, leads::bounded};
use crate::when::When;

/// How long an address may be, in characters: longer is no address.
const LONGEST_ADDRESS: usize = 320;

/// How long a reason may be, in UTF-16 code units: as the CRM takes it.
const LONGEST_REASON: usize = 500;

/// What a message may be called.
const MESSAGE: &str = "The lead's id or reference, or what `dead messages list` calls the message";

#[derive(Subcommand)]
pub(crate) enum DeadCommand {
    #[command(flatten)]
    Deliveries(DeliveriesCommand),
    /// Dead letters: messages that a service could not decode or store, in the broker's dead-letter queues.
    Messages {
        #[command(subcommand)]
        command: MessagesCommand,

        /// Only the dead letters of this service.
        #[arg(long, global = true, value_name = "SERVICE")]
        queue: Option<Queue>,
    },
}

#[derive(Subcommand)]
pub(crate) enum DeliveriesCommand {
    /// Dead deliveries, the oldest first, and why they are dead.
    #[command(after_help = examples::DEAD_LIST)]
    List {
        /// Of this lead: its id or reference.
        #[arg(long, value_name = "ID-or-reference")]
        lead: Option<String>,
        #[command(flatten)]
        recipient: Recipient,
        /// Dead since then: 30m, 2h or 1d ago, today, a date, or a time.
        #[arg(long, value_name = "T")]
        since: Option<When>,
    },
    /// All dead deliveries of one lead.
    Show {
        /// The lead's id or reference.
        #[arg(value_name = "ID-or-reference")]
        lead: String,
    },
    /// Have mails tried again, from the first attempt.
    #[command(after_help = examples::DEAD_REPLAY)]
    Replay {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        recipient: Recipient,
    },
    /// Settle deliveries without a mail, with a reason that stays in the lead's timeline.
    #[command(after_help = examples::DEAD_DISCARD)]
    Discard {
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        recipient: Recipient,
        /// The reason.
        #[arg(long, value_name = "TEXT", value_parser = reason)]
        why: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum MessagesCommand {
    /// Dead letters, and why they are dead.
    List,
    /// All about the messages of one name.
    Show {
        #[arg(value_name = "ID", help = MESSAGE)]
        name: String,
    },
    /// Give messages back to their service, to be dealt with from the start.
    #[command(after_help = examples::MESSAGES_REPLAY, mut_arg("name", named))]
    Replay(Selection),
    /// Delete messages. Nothing is noted anywhere.
    #[command(after_help = examples::MESSAGES_DISCARD, mut_arg("name", named))]
    Discard(Selection),
}

/// Which are meant, and whether the person at the terminal is asked.
#[derive(Args)]
pub(crate) struct Selection {
    #[command(flatten)]
    which: Which,
    /// Do not ask before dealing with --all.
    #[arg(long)]
    yes: bool,
}

/// Which are meant.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// The lead's id or reference.
    #[arg(value_name = "ID")]
    name: Option<String>,
    /// All of them.
    #[arg(long)]
    all: bool,
    /// Dead since then: 30m, 2h or 1d ago, today, a date, or a time.
    #[arg(long, value_name = "T")]
    since: Option<When>,
}

/// Whose mails are meant.
#[derive(Args)]
pub(crate) struct Recipient {
    /// Of these only what goes to this address, as it stands in the routes, or to `visitor`.
    #[arg(long = "recipient", value_name = "ADDRESS", value_parser = address)]
    pub(crate) address: Option<String>,
}

/// A service with a dead-letter queue.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Queue {
    /// Leads that could not be decoded or dealt with.
    Notifier,
    /// Leads, and reports of mails, that could not be decoded or stored.
    CrmSync,
}

impl Selection {
    /// What the one lead or message is called.
    pub(crate) fn name(&self) -> Option<&str> {
        self.which.name.as_deref()
    }

    /// From when on.
    pub(crate) fn since(&self) -> Option<When> {
        self.which.since
    }

    /// Whether the person at the terminal has to agree first.
    pub(crate) fn is_to_be_confirmed(&self) -> bool {
        self.which.all && !self.yes
    }
}

fn named(message: Arg) -> Arg {
    message.help(MESSAGE)
}

fn address(text: &str) -> Result<String, String> {
    bounded(text, LONGEST_ADDRESS)
}

fn reason(text: &str) -> Result<String, String> {
    bounded(text, LONGEST_REASON)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(subcommand)]
        command: DeadCommand,
    }

    fn is_accepted(arguments: &[&str]) -> bool {
        Only::try_parse_from(["dead"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn which_are_meant_is_said_in_one_way() {
        for command in [&["replay"][..], &["discard", "--why", "gone"], &["messages", "replay"]] {
            for which in [&["ZG-7F3K-2Q"][..], &["--all"], &["--since", "2h"]] {
                assert!(is_accepted(&[command, which].concat()), "{command:?} {which:?}");
            }
            for which in
                [&[][..], &["--all", "ZG-7F3K-2Q"], &["--all", "--since", "2h"], &["--since", "soon"]]
            {
                assert!(!is_accepted(&[command, which].concat()), "{command:?} {which:?}");
            }
        }
    }

    #[test]
    fn a_recipient_is_one_condition_more_and_never_empty() {
        for command in [&["list"][..], &["replay", "--all"], &["discard", "ZG-7F3K-2Q", "--why", "gone"]] {
            assert!(is_accepted(&[command, &["--recipient", "visitor"]].concat()), "{command:?}");
            // An empty one would mean everybody: `--recipient "$UNSET"`.
            assert!(!is_accepted(&[command, &["--recipient", " "]].concat()), "{command:?}");
        }
        assert!(!is_accepted(&["replay", "--recipient", "visitor"]));
        assert!(!is_accepted(&["messages", "replay", "--all", "--recipient", "visitor"]));
    }

    #[test]
    fn only_all_of_them_are_asked_about() {
        for (arguments, asked) in [
            (&["replay", "--all"][..], true),
            (&["replay", "--all", "--yes"], false),
            (&["replay", "--since", "2h"], false),
            (&["replay", "ZG-7F3K-2Q"], false),
        ] {
            let command = Only::parse_from(["dead"].iter().chain(arguments)).command;
            let DeadCommand::Deliveries(DeliveriesCommand::Replay { selection, .. }) = command else {
                panic!("another command")
            };
            assert_eq!(selection.is_to_be_confirmed(), asked, "{arguments:?}");
        }
    }

    #[test]
    fn no_delivery_is_discarded_without_a_reason() {
        let long = "陈".repeat(LONGEST_REASON + 1);
        for why in [&[][..], &["--why"], &["--why", " "], &["--why", &long]] {
            assert!(!is_accepted(&[&["discard", "--all"], why].concat()), "{why:?}");
        }
        assert!(is_accepted(&["discard", "--all", "--why", &long[3..]]));
        assert!(is_accepted(&["messages", "discard", "--all"]));
    }
}
