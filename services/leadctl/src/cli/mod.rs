//! The command line.

mod dead;
mod examples;
mod leads;

pub(crate) use dead::{DeadCommand, DeliveriesCommand, MessagesCommand, Queue, Recipient, Selection};
pub(crate) use leads::{ExportFormat, Filter, Owner, State};

use std::path::PathBuf;

use chrono_tz::Tz;
use clap::{Parser, Subcommand};
use clap_complete::Shell;

use crate::when::When;

/// How many days are counted unless one says.
const DAYS: u32 = 30;

/// Leads at the command line, for sales and operations.
#[derive(Parser)]
#[command(version, after_help = examples::LEADCTL)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Read addresses and secrets from this file.
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,

    /// Show and read times as clocks have them there, e.g. Asia/Singapore.
    #[arg(long, global = true, value_name = "ZONE", value_parser = zone)]
    pub(crate) time_zone: Option<Tz>,

    /// Write JSON, with times in UTC: an object per line, or for `show`, `stats` and `person` one over several lines.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The latest leads, newest first.
    #[command(after_help = examples::LIST)]
    List {
        #[command(flatten)]
        filter: Filter,
        /// At most this many.
        #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// All about one lead, the person it is from, and what happened to it.
    Show {
        /// Its id, or its reference as you would type it: zg-7f3k-2q, 7F3K2Q, ...
        #[arg(value_name = "ID-or-reference")]
        lead: String,
    },
    /// Leads as they come in, until Ctrl-C.
    #[command(after_help = examples::WATCH)]
    Watch {
        #[command(flatten)]
        filter: Filter,
    },
    /// Say how far you have come with a lead, or whose it is.
    #[command(after_help = examples::SET_STATE)]
    SetState {
        /// The lead's id or reference.
        #[arg(value_name = "ID-or-reference")]
        lead: String,
        /// How far. May be left out when only the owner changes.
        #[arg(value_name = "STATE", required_unless_present_any = ["name", "no_owner"])]
        state: Option<State>,
        #[command(flatten)]
        owner: Owner,
    },
    /// How many leads there were: by day, interest, language and state, and how soon they were contacted.
    #[command(after_help = examples::STATS)]
    Stats {
        /// The last so many days, today included; 30 unless one says.
        #[arg(long, value_name = "N", conflicts_with = "since", value_parser = clap::value_parser!(u32).range(1..=1000))]
        days: Option<u32>,
        /// From the day of this time on: a date, a time, or 30m, 2h, 1d ago.
        #[arg(long, value_name = "T")]
        since: Option<When>,
    },
    /// Leads as a table or as JSON, to a file or standard output.
    #[command(after_help = examples::EXPORT)]
    Export {
        #[command(flatten)]
        format: ExportFormat,
        /// Write this file, which then only you may read. It is there once it is whole.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        filter: Filter,
    },
    /// What is held about one person.
    Person {
        #[command(subcommand)]
        command: PersonCommand,
    },
    /// Mails that could not be delivered, and messages that could not be dealt with: an operator has to decide.
    Dead {
        #[command(subcommand)]
        command: DeadCommand,
    },
    /// Send a lead of ours through the site and see that it arrives. Sales gets no mail about it and does not see it.
    #[command(after_help = examples::CANARY)]
    Canary {
        /// Send one so often, until Ctrl-C or a signal to end: 5m, 90s.
        #[arg(long, value_name = "T", value_parser = span)]
        every: Option<humantime::Duration>,
        /// How long it may take until it is mailed.
        #[arg(long, value_name = "T", default_value = "30s", value_parser = span)]
        within: humantime::Duration,
    },
    /// What a shell needs to complete this command when Tab is pressed.
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

#[derive(Subcommand)]
pub(crate) enum PersonCommand {
    /// Everything that is held about a person, as JSON, for the one who asked for it.
    #[command(after_help = examples::PERSON_EXPORT)]
    Export {
        /// The e-mail address or telephone number.
        #[arg(value_name = "EMAIL-or-NUMBER")]
        person: String,
        /// Write this file, which then only you may read.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Forget a person, for good: in the CRM and in the dead-letter queues.
    #[command(after_help = examples::PERSON_ERASE)]
    Erase {
        /// The e-mail address or telephone number.
        #[arg(value_name = "EMAIL-or-NUMBER")]
        person: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
        /// Erase in the CRM alone. Dead letters stay where they are; those of leads that the CRM knows are not stored again.
        #[arg(long)]
        without_queues: bool,
    },
}

/// From where `stats` counts.
pub(crate) fn first_day(days: Option<u32>, since: Option<When>) -> When {
    since.unwrap_or(When::DaysAgo(days.unwrap_or(DAYS) - 1))
}

fn span(text: &str) -> Result<humantime::Duration, String> {
    let span: humantime::Duration = text.parse().map_err(|_| "write one like 30s or 5m".to_owned())?;
    if span.is_zero() { Err("nothing happens in no time".to_owned()) } else { Ok(span) }
}

fn zone(text: &str) -> Result<Tz, String> {
    text.parse().map_err(|_| "write one like Asia/Singapore, Europe/Berlin or UTC".to_owned())
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
    fn filters_are_the_same_for_lists_watches_and_exports() {
        let filter = [
            "--since",
            "1d ago",
            "--until",
            "2026-03-01",
            "--interest",
            "showflat",
            "--language",
            "zh",
            "--state",
            "not-a-lead",
            "--owner",
            "Mei",
            "--suspicious=no",
            "--delivered",
            "chen",
        ];
        for command in [&["list"][..], &["watch"], &["export", "--csv"]] {
            assert!(is_accepted(&[command, &filter].concat()), "{command:?}");
            assert!(is_accepted(&[command, &["--suspicious", "chen"]].concat()), "{command:?}");
            assert!(!is_accepted(&[command, &["chen", "--search", "chen"]].concat()), "{command:?}");
            assert!(!is_accepted(&[command, &["--language", "fr"]].concat()), "{command:?}");
        }
    }

    #[test]
    fn a_state_an_owner_or_both_are_set() {
        for change in
            [&["contacted"][..], &["--owner", "Mei"], &["closed", "--owner", "Mei"], &["--no-owner"]]
        {
            assert!(is_accepted(&[&["set-state", "7F3K2Q"], change].concat()), "{change:?}");
        }
        let long = "陈".repeat(101);
        for change in
            [&[][..], &["--owner", "Mei", "--no-owner"], &["sold"], &["--owner", ""], &["--owner", &long]]
        {
            assert!(!is_accepted(&[&["set-state", "7F3K2Q"], change].concat()), "{change:?}");
        }
    }

    #[test]
    fn an_export_has_one_format() {
        for format in
            [&["--csv"][..], &["--xlsx"], &["--json"], &["--output", "leads.xlsx"], &["-o", "a.CSV"]]
        {
            assert!(is_accepted(&[&["export"], format].concat()), "{format:?}");
        }
        assert!(!is_accepted(&["export", "--csv", "--xlsx"]));
    }

    #[test]
    fn canaries_take_their_time() {
        for span in ["30s", "5m", "1h 30m"] {
            assert!(is_accepted(&["canary", "--every", span, "--within", span]), "{span}");
        }
        for span in ["", "0s", "5", "often"] {
            assert!(!is_accepted(&["canary", "--every", span]), "{span}");
        }
    }

    #[test]
    fn days_are_counted_from_one_side() {
        assert!(!is_accepted(&["stats", "--days", "7", "--since", "2026-03-01"]));
        assert!(!is_accepted(&["stats", "--days", "0"]));
        assert_eq!(first_day(None, None), When::DaysAgo(29));
        assert_eq!(first_day(Some(1), None), When::DaysAgo(0));
    }

    #[test]
    fn every_command_explains_itself() {
        fn explained(command: &mut clap::Command, path: &str, all: &mut String) {
            let help = command.render_long_help().to_string();
            all.push_str(&format!("===== {path}\n{help}\n"));
            for sub in command.get_subcommands_mut().filter(|sub| sub.get_name() != "help") {
                let path = format!("{path} {}", sub.get_name());
                explained(sub, &path, all);
            }
        }
        let mut command = Cli::command().version("0");
        command.build();
        let mut all = String::new();
        explained(&mut command, "leadctl", &mut all);
        insta::assert_snapshot!("help", all);
    }
}
