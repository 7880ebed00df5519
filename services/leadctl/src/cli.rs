//! Parses the command line and runs the command.

use std::{env, path::PathBuf};

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use runtime::clock::{Clock, SystemClock};

use crate::{
    commands::{
        canary::Canary, dead_letters::DeadLetters, deliveries::Deliveries, export::Export,
        list::List, person::Person, send::Send, show::Show, stats::Stats, update::Update,
    },
    config::Config,
    context::Context,
    crm,
    output::Output,
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
    key = \"...\"

Output:
  Fields have the names of proto/crm/v1/crm.proto. Text shows times in the time zone of the configuration, and
  omits empty fields. JSON has one object a line, with times in UTC, and null for what is absent.

Exit status:
    0  success
    1  not found, ambiguous, or not confirmed
   64  invalid arguments or configuration
   69  the CRM, the broker or the site is unreachable
   70  the CRM failed
   74  output could not be written
   75  the canary did not arrive in time
   77  permission denied
  130  interrupted"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Read addresses and secrets from this file
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        help_heading = "Global options"
    )]
    config: Option<PathBuf>,

    /// Print JSON: one object a line
    #[arg(long, global = true, help_heading = "Global options")]
    json: bool,

    /// Do not ask for confirmation
    #[arg(long, global = true, help_heading = "Global options")]
    yes: bool,
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
    Deliveries(Deliveries),
    DeadLetters(DeadLetters),
    Canary(Canary),
}

impl Command {
    async fn run(self, context: &Context) -> Result<()> {
        match self {
            Self::List(list) => list.run(context).await,
            Self::Show(show) => show.run(context).await,
            Self::Update(update) => update.run(context).await,
            Self::Stats(stats) => stats.run(context).await,
            Self::Export(export) => export.run(context).await,
            Self::Person(Person::Export(export)) => export.run(context).await,
            Self::Person(Person::Erase(erase)) => erase.run(context).await,
            Self::Person(Person::Merge(merge)) => merge.run(context).await,
            Self::Person(Person::Split(split)) => split.run(context).await,
            Self::Send(Send::Brochure(brochure)) => brochure.run(context).await,
            Self::Deliveries(deliveries) => deliveries.run(context).await,
            Self::DeadLetters(dead_letters) => dead_letters.run(context).await,
            Self::Canary(canary) => canary.run(context).await,
        }
    }
}

impl Cli {
    pub(crate) async fn run(self) -> Result<()> {
        let config = match (self.config, env::current_dir()) {
            (Some(path), _) => Config::from_file(path)?,
            (None, Ok(directory)) => Config::find(&directory)?,
            (None, Err(error)) => bail!("the current directory does not exist: {error}"),
        };
        let output = Output::new(self.json, config.time_zone, SystemClock.now());
        let context = Context {
            config,
            output,
            is_confirmed: self.yes,
        };
        self.command
            .run(&context)
            .await
            .map_err(|error| crm::explain(error, &context.config))
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    fn is_accepted(arguments: &[&str]) -> bool {
        Cli::try_parse_from(["leadctl"].iter().chain(arguments)).is_ok()
    }

    #[test]
    fn command_line_is_consistent() {
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
            "1d",
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
            "--reason",
            "bought",
            "--visit-time",
            "weekday-evenings",
            "--visitor-email",
            "brochure-failed",
            "--contacted=no",
            "--visit-booked",
            "--spam=no",
            "--delivered",
            "chen",
        ];
        for command in [&["list"][..], &["export", "--format", "csv"]] {
            assert!(is_accepted(&[command, &filter].concat()), "{command:?}");
            assert!(
                is_accepted(&[command, &["--spam", "chen"]].concat()),
                "{command:?}"
            );
            for wrong in [
                ["--language", "fr"],
                ["--reason", "moved"],
                ["--visit-time", "sundays"],
                ["--visitor-email", "letter"],
            ] {
                assert!(!is_accepted(&[command, &wrong].concat()), "{wrong:?}");
            }
        }
    }

    #[test]
    fn update_requires_a_change() {
        for change in [
            &["--state", "contacted"][..],
            &["--owner", "Mei"],
            &["--state", "closed", "--owner", "Mei"],
            &["--owner", ""],
            &["--do-not-contact=no"],
        ] {
            assert!(
                is_accepted(&[&["update", "7F3K2Q"], change].concat()),
                "{change:?}"
            );
        }
        for change in [&[][..], &["--state", "sold"], &["--note", ""]] {
            assert!(
                !is_accepted(&[&["update", "7F3K2Q"], change].concat()),
                "{change:?}"
            );
        }
    }

    #[test]
    fn export_has_one_format() {
        for format in [
            &["--format", "csv"][..],
            &["--format", "xlsx"],
            &["--json"],
            &["-o", "a.CSV"],
        ] {
            assert!(is_accepted(&[&["export"], format].concat()), "{format:?}");
        }
        assert!(!is_accepted(&["export", "--format", "csv", "--json"]));
    }

    #[test]
    fn canary_durations_have_units() {
        for span in ["30s", "5m", "1h 30m"] {
            assert!(
                is_accepted(&["canary", "--interval", span, "--timeout", span]),
                "{span}"
            );
        }
        for span in ["", "5", "often"] {
            assert!(!is_accepted(&["canary", "--interval", span]), "{span}");
        }
    }

    #[test]
    fn stats_count_one_to_a_thousand_days() {
        for (days, accepted) in [("0", false), ("1", true), ("1000", true), ("1001", false)] {
            assert_eq!(is_accepted(&["stats", "--days", days]), accepted, "{days}");
        }
    }

    #[test]
    fn help_of_every_command() {
        fn explained(command: &mut clap::Command, path: &str, all: &mut String) {
            let help = command.render_long_help().to_string();
            all.push_str(&format!("===== {path}\n{help}\n"));
            for sub in command
                .get_subcommands_mut()
                .filter(|sub| sub.get_name() != "help")
            {
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

    /// The commands of leadctl in the code blocks and the code of sentences of a document, without what follows them.
    fn commands_in(document: &str) -> Vec<String> {
        let parts: Vec<_> = document.split("```").collect();
        let blocks = parts.iter().skip(1).step_by(2);
        let lines = blocks.flat_map(|block| block.lines().map(str::to_owned));
        let sentences = parts.iter().step_by(2);
        let spans = sentences.flat_map(|text| text.split('`').skip(1).step_by(2));
        lines
            .chain(spans.map(|span| span.replace('\n', " ")))
            // Diagrams and the name of a Secret are no commands.
            .filter(|code| code.is_ascii() && !code.contains("secret leadctl "))
            .filter_map(|code| {
                let (_, arguments) = code.split_once("leadctl ")?;
                let end = arguments.find(['#', '|', '>', ';', '&']);
                Some(arguments[..end.unwrap_or(arguments.len())].to_owned())
            })
            .collect()
    }

    /// Splits at spaces outside quotes.
    fn words_of(command: &str) -> Vec<&str> {
        let parts = command.split('"').enumerate();
        parts
            .flat_map(|(position, part)| match position % 2 {
                0 => part.split_whitespace().collect(),
                _ => vec![part],
            })
            .collect()
    }

    #[test]
    fn commands_in_documents_parse() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let documents = [
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "README.md",
            "SECURITY.md",
            "docs/email.md",
            "docs/operations.md",
            "docs/personal-data.md",
            "docs/runbook.md",
            "k8s/README.md",
            "deploy/prometheus/alerts.yml",
        ];
        let mut checked = 0;
        for path in documents {
            let document = std::fs::read_to_string(format!("{root}/{path}")).expect(path);
            for command in commands_in(&document) {
                let words = [&["leadctl"], words_of(&command).as_slice()].concat();
                let parsed = Cli::try_parse_from(words);
                // Sentences name some commands without their arguments.
                let is_known = parsed.err().is_none_or(|error| {
                    [
                        ErrorKind::MissingRequiredArgument,
                        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
                    ]
                    .contains(&error.kind())
                });
                assert!(is_known, "{path} names leadctl {command}");
                checked += 1;
            }
        }
        assert!(checked > 50, "{checked} commands");
    }
}
