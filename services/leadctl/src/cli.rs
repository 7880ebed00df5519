//! Parses the command line and runs the command.

use std::{
    env,
    io::{self, Write},
    path::PathBuf,
};

use anyhow::Result;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use contracts::crm::v1::LeadFilter;
use lead::field::timestamp;
use prost_types::Timestamp;
use runtime::clock::{Clock, SystemClock};

use crate::{
    arguments::Filter,
    commands::{
        canary::Canary, dead_letters::DeadLetters, deliveries::Deliveries, export::Export, list::List,
        person::Person, send::Send, show::Show, stats::Stats, update::Update,
    },
    config::Config,
    crm::Crm,
    error::Error,
    output::Output,
    time::TimePoint,
};

/// Read and update the leads of the CRM
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Configuration:
  leadctl reads addresses and secrets from the file given by --config. By default it looks for
  .local/leadctl.toml in the current directory and its parents; `cargo xtask up` writes that file.

    address = \"http://127.0.0.1:50051\"
    token = \"...\"
    amqp = \"amqp://operator:...@127.0.0.1:5672/%2f\"   (for `leadctl dead-letters`)
    time_zone = \"Asia/Singapore\"                      (the default)

    [canary]                                          (for `leadctl canary`)
    site = \"http://localhost:8080\"
    anon_key = \"zg-anon-local\"
    key = \"...\"

JSON:
  Fields have the names of proto/crm/v1/crm.proto, states are written like visit_booked, times are in UTC.
  What is absent is null.

Exit status:
    0  success
    1  not found, ambiguous, or not confirmed
   64  invalid arguments or configuration
   69  the CRM, the broker or the site is unreachable
   70  the CRM failed
   74  output could not be written
   75  the canary did not arrive in time
   77  permission denied
  130  interrupted

Examples:
  leadctl list --since today
  leadctl show zg-7f3k-2q
  leadctl update zg-7f3k-2q --state contacted --owner Mei
  leadctl stats --days 7
  leadctl export --output leads.xlsx
  leadctl person export wei@example.com
  leadctl deliveries list --failed"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Read addresses and secrets from this file
    #[arg(long, global = true, value_name = "PATH")]
    config: Option<PathBuf>,

    /// Time zone for input and output, for example Asia/Singapore
    #[arg(long, global = true, value_name = "ZONE", value_parser = parse_zone)]
    time_zone: Option<Tz>,

    /// Print JSON: one object a line, or one indented object for `show`, `stats` and `person`
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Update(Update),
    Stats(Stats),
    Export(Export),
    #[command(subcommand)]
    Person(Person),
    #[command(subcommand)]
    Send(Send),
    #[command(subcommand)]
    Deliveries(Deliveries),
    DeadLetters(DeadLetters),
    Canary(Canary),
    /// Print a shell completion script
    #[command(after_help = "\
Examples:
  leadctl completions bash > ~/.local/share/bash-completion/completions/leadctl
  leadctl completions zsh > ~/.zfunc/_leadctl
  leadctl completions fish > ~/.config/fish/completions/leadctl.fish")]
    Completions {
        /// Shell to complete for
        shell: Shell,
    },
}

/// What every command uses.
pub(crate) struct Context {
    pub(crate) config: Config,
    pub(crate) output: Output,
    /// The time at the start of the command.
    pub(crate) now: DateTime<Utc>,
}

impl Context {
    fn load(config: Option<PathBuf>, time_zone: Option<Tz>, is_json: bool) -> Result<Self, Error> {
        let mut config =
            match config {
                Some(path) => Config::read(path)?,
                None => Config::find(&env::current_dir().map_err(|error| {
                    Error::Usage(format!("the current directory does not exist: {error}"))
                })?)?,
            };
        config.time_zone = time_zone.unwrap_or(config.time_zone);
        let output = Output::new(is_json, config.time_zone);
        Ok(Self { config, output, now: SystemClock.now() })
    }

    pub(crate) async fn crm(&self) -> Result<Crm, Error> {
        Crm::connect(&self.config).await
    }

    /// The start of a time as typed.
    pub(crate) fn start(&self, time: TimePoint) -> DateTime<Utc> {
        time.start(self.now, self.config.time_zone)
    }

    /// Likewise, for the contract.
    pub(crate) fn timestamp(&self, time: Option<TimePoint>) -> Option<Timestamp> {
        time.map(|time| timestamp(self.start(time)))
    }

    pub(crate) fn filter(&self, filter: Filter) -> LeadFilter {
        filter.into_contract(self.now, self.config.time_zone)
    }
}

impl Cli {
    pub(crate) async fn run(self) -> Result<()> {
        let load = || Context::load(self.config, self.time_zone, self.json);
        match self.command {
            Command::List(list) => list.run(&load()?).await,
            Command::Show(show) => show.run(&load()?).await,
            Command::Update(update) => update.run(&load()?).await,
            Command::Stats(stats) => stats.run(&load()?).await,
            Command::Export(export) => export.run(&load()?).await,
            Command::Person(person) => person.run(&load()?).await,
            Command::Send(Send::Brochure(brochure)) => brochure.run(&load()?).await,
            Command::Deliveries(deliveries) => deliveries.run(&load()?).await,
            Command::DeadLetters(dead_letters) => dead_letters.run(&load()?).await,
            Command::Canary(canary) => canary.run(&load()?).await,
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Self::command(), "leadctl", &mut script);
                Ok(io::stdout().write_all(&script)?)
            }
        }
    }
}

fn parse_zone(text: &str) -> Result<Tz, String> {
    text.parse().map_err(|_| "expected a zone such as Asia/Singapore, Europe/Berlin or UTC".to_owned())
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
    fn list_rejects_a_limit_of_zero() {
        assert!(!is_accepted(&["list", "--limit", "0"]));
        assert!(is_accepted(&["list", "--limit", "1", "--json"]));
    }

    #[test]
    fn list_and_export_accept_the_same_filters() {
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
            "invalid",
            "--owner",
            "Mei",
            "--spam=no",
            "--delivered",
            "chen",
        ];
        for command in [&["list"][..], &["export", "--csv"]] {
            assert!(is_accepted(&[command, &filter].concat()), "{command:?}");
            assert!(is_accepted(&[command, &["--spam", "chen"]].concat()), "{command:?}");
            assert!(!is_accepted(&[command, &["chen", "--search", "chen"]].concat()), "{command:?}");
            assert!(!is_accepted(&[command, &["--language", "fr"]].concat()), "{command:?}");
        }
    }

    #[test]
    fn update_requires_a_change() {
        for change in [
            &["--state", "contacted"][..],
            &["--owner", "Mei"],
            &["--state", "closed", "--owner", "Mei"],
            &["--no-owner"],
        ] {
            assert!(is_accepted(&[&["update", "7F3K2Q"], change].concat()), "{change:?}");
        }
        let long = "陈".repeat(101);
        for change in [
            &[][..],
            &["--owner", "Mei", "--no-owner"],
            &["--state", "sold"],
            &["--owner", ""],
            &["--owner", &long],
        ] {
            assert!(!is_accepted(&[&["update", "7F3K2Q"], change].concat()), "{change:?}");
        }
    }

    #[test]
    fn export_has_one_format() {
        for format in
            [&["--csv"][..], &["--xlsx"], &["--json"], &["--output", "leads.xlsx"], &["-o", "a.CSV"]]
        {
            assert!(is_accepted(&[&["export"], format].concat()), "{format:?}");
        }
        assert!(!is_accepted(&["export", "--csv", "--xlsx"]));
    }

    #[test]
    fn canary_durations_are_positive() {
        for span in ["30s", "5m", "1h 30m"] {
            assert!(is_accepted(&["canary", "--interval", span, "--timeout", span]), "{span}");
        }
        for span in ["", "0s", "5", "often"] {
            assert!(!is_accepted(&["canary", "--interval", span]), "{span}");
        }
    }

    #[test]
    fn days_and_since_are_exclusive() {
        assert!(!is_accepted(&["stats", "--days", "7", "--since", "2026-03-01"]));
        assert!(!is_accepted(&["stats", "--days", "0"]));
    }

    #[test]
    fn help_of_every_command() {
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
