//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};

use crate::error::{Error, Result};
use crate::help::Topic;
use crate::ports::{Ports, Role};
use crate::stack::rabbitmq::Source;

const MOST_ROUNDS: usize = 99;

/// What to do.
#[derive(Debug, PartialEq)]
pub enum Command {
    /// Print a help text.
    Help(Topic),
    /// Run the whole system.
    Up(UpOptions),
    /// Run every check.
    Test(TestOptions),
    /// Run the backends of the tests.
    Backends(BackendsOptions),
    /// Break the whole system on purpose.
    Chaos(ChaosOptions),
    /// Measure how fast and how small the system is.
    Bench(BenchOptions),
}

/// Options of `bench`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchOptions {
    /// Only the figures of these names; all when empty.
    pub only: Vec<String>,
    /// How often each figure is measured.
    pub rounds: usize,
    /// Tiny numbers and debug builds, to see that every figure still comes out.
    pub small: bool,
    /// Also each ratio of the same build against itself.
    pub same: bool,
    /// The site in its place, against a copy that is rendered in the browser only.
    pub site: bool,
}

/// Options of `chaos`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChaosOptions {
    /// How long faults are made.
    pub minutes: f64,
    /// What the script of faults is made from; a random one when not given.
    pub seed: Option<u64>,
    /// Leads per second.
    pub rate: f64,
    /// How long the broker is away before the script begins.
    pub broker_away: Duration,
    /// Only faults whose names begin with one of these; all when empty.
    pub faults: Vec<String>,
    /// Optimised builds.
    pub release: bool,
    /// The directory of services that are built already.
    pub programs: Option<PathBuf>,
    /// Which RabbitMQ runs.
    pub rabbitmq: Source,
}

/// Options of `up`.
#[derive(Debug, PartialEq, Eq)]
pub struct UpOptions {
    /// Where everything listens.
    pub ports: Ports,
    /// A private PostgreSQL instead of SQLite.
    pub postgres: bool,
    /// Optimised builds.
    pub release: bool,
    /// nginx's rate for leads per address, as in `10r/m`.
    pub lead_rate: String,
    /// How many leads of an address nginx lets through at once.
    pub lead_burst: u32,
    /// Another broker, from `AMQP_URL`.
    pub amqp_url: Option<String>,
    /// A collector of spans and metrics, from `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub collector: Option<String>,
    /// Another database, from `DATABASE_URL`.
    pub database_url: Option<String>,
}

/// Options of `test`.
#[derive(Debug, PartialEq, Eq)]
pub struct TestOptions {
    /// The parts to run, in order.
    pub parts: Vec<Part>,
    /// How often.
    pub repeat: usize,
    /// Which RabbitMQ runs.
    pub rabbitmq: Source,
}

/// A part of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Formatting, lints, unit and integration tests of the services.
    Rust,
    /// Types, style, unit tests, build and budgets of the site.
    Site,
    /// Browser tests against the whole system.
    Browser,
    /// The whole system under load, broken on purpose.
    Chaos,
    /// That every figure of `bench` still comes out.
    Bench,
}

impl Part {
    /// Every part, in the order in which they run.
    pub const ALL: [Self; 5] = [Self::Rust, Self::Site, Self::Browser, Self::Chaos, Self::Bench];

    /// The parts that prove something; what only measures runs when it is asked for.
    pub const PROOFS: [Self; 4] = [Self::Rust, Self::Site, Self::Browser, Self::Chaos];

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Site => "site",
            Self::Browser => "browser",
            Self::Chaos => "chaos",
            Self::Bench => "bench",
        }
    }
}

/// Options of `backends`.
#[derive(Debug, PartialEq, Eq)]
pub struct BackendsOptions {
    /// Ports asked for; the others are free ones.
    pub ports: ChosenPorts,
    /// Which RabbitMQ runs.
    pub rabbitmq: Source,
}

/// The ports that the command line names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ChosenPorts(Vec<(Role, u16)>);

impl ChosenPorts {
    /// These ports, and those of `base` where none was chosen.
    pub fn over(&self, mut base: Ports) -> Ports {
        for (role, port) in &self.0 {
            base.set(*role, *port);
        }
        base
    }
}

/// Reads the arguments after the program's name, and variables through `variable`.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Command> {
    let mut parser = Parser::from_args(arguments);
    match parser.next().map_err(|error| usage(&error, ""))? {
        None | Some(Arg::Short('h') | Arg::Long("help")) => Ok(Command::Help(Topic::Overview)),
        Some(Arg::Value(name)) => match name.to_str() {
            Some("up") => up(&mut parser, variable),
            Some("test") => test(&mut parser),
            Some("backends") => backends(&mut parser),
            Some("chaos") => chaos(&mut parser),
            Some("bench") => bench(&mut parser),
            Some("help") => Ok(Command::Help(Topic::Overview)),
            Some(_) | None => Err(usage(&format!("there is no command {}", name.display()), "")),
        },
        Some(other @ (Arg::Short(_) | Arg::Long(_))) => Err(usage(&other.unexpected(), "")),
    }
}

fn up(parser: &mut Parser, variable: impl Fn(&str) -> Option<String>) -> Result<Command> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let mut ports = ChosenPorts::default();
    let mut options = UpOptions {
        ports: Ports::default(),
        postgres: false,
        release: false,
        lead_rate: "10r/m".to_owned(),
        lead_burst: 20,
        amqp_url: set("AMQP_URL"),
        collector: set("OTEL_EXPORTER_OTLP_ENDPOINT"),
        database_url: set("DATABASE_URL"),
    };
    let wrong = |error: &dyn std::fmt::Display| usage(error, " up");
    while let Some(argument) = parser.next().map_err(|error| wrong(&error))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help(Topic::Up)),
            Arg::Long("postgres") => options.postgres = true,
            Arg::Long("release") => options.release = true,
            Arg::Long("lead-rate") => {
                options.lead_rate = text(parser).and_then(rate).map_err(|error| wrong(&error))?;
            }
            Arg::Long("lead-burst") => {
                let value = text(parser).map_err(|error| wrong(&error))?;
                options.lead_burst =
                    value.parse().ok().filter(|burst| *burst > 0).ok_or_else(|| {
                        wrong(&format!("--lead-burst takes a number from 1 on, not {value}"))
                    })?;
            }
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => {
                let role = port_role(argument, &Role::ALL, " up")?;
                ports.0.push((role, port(role, parser, " up")?));
            }
        }
    }
    if options.postgres && options.database_url.is_some() {
        return Err(wrong(&"--postgres and DATABASE_URL ask for two databases: leave one out"));
    }
    options.ports = ports.over(options.ports);
    Ok(Command::Up(options))
}

fn test(parser: &mut Parser) -> Result<Command> {
    let wrong = |error: &dyn std::fmt::Display| usage(error, " test");
    let mut chosen = Vec::new();
    let mut repeat = 1;
    let mut source = Source::default();
    while let Some(argument) = parser.next().map_err(|error| wrong(&error))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help(Topic::Test)),
            Arg::Long("only") => {
                let name = text(parser).map_err(|error| wrong(&error))?;
                let part = Part::ALL.into_iter().find(|part| part.name() == name);
                chosen.push(part.ok_or_else(|| {
                    wrong(&format!("--only takes {}, not {name}", Part::ALL.map(Part::name).join(", ")))
                })?);
            }
            Arg::Long("rabbitmq") => source = rabbitmq(parser, " test")?,
            Arg::Long("repeat") => {
                let value = text(parser).map_err(|error| wrong(&error))?;
                repeat = value.parse().ok().filter(|rounds| (1..=MOST_ROUNDS).contains(rounds)).ok_or_else(
                    || wrong(&format!("--repeat takes a number from 1 to {MOST_ROUNDS}, not {value}")),
                )?;
            }
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => return Err(wrong(&argument.unexpected())),
        }
    }
    if chosen.is_empty() {
        chosen.extend(Part::PROOFS);
    }
    let parts = Part::ALL.into_iter().filter(|part| chosen.contains(part)).collect();
    Ok(Command::Test(TestOptions { parts, repeat, rabbitmq: source }))
}

fn backends(parser: &mut Parser) -> Result<Command> {
    const ROLES: [Role; 3] = [Role::Amqp, Role::AmqpManagement, Role::Postgres];
    let mut ports = ChosenPorts::default();
    let mut source = Source::default();
    while let Some(argument) = parser.next().map_err(|error| usage(&error, " backends"))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help(Topic::Backends)),
            Arg::Long("rabbitmq") => source = rabbitmq(parser, " backends")?,
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => {
                let role = port_role(argument, &ROLES, " backends")?;
                ports.0.push((role, port(role, parser, " backends")?));
            }
        }
    }
    Ok(Command::Backends(BackendsOptions { ports, rabbitmq: source }))
}

fn chaos(parser: &mut Parser) -> Result<Command> {
    let mut options = ChaosOptions {
        minutes: 2.0,
        seed: None,
        rate: 25.0,
        broker_away: Duration::from_secs(20),
        faults: Vec::new(),
        release: false,
        programs: None,
        rabbitmq: Source::default(),
    };
    let wrong = |error: &dyn std::fmt::Display| usage(error, " chaos");
    while let Some(argument) = parser.next().map_err(|error| wrong(&error))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help(Topic::Chaos)),
            Arg::Long("minutes") => options.minutes = number("--minutes", 1440.0, parser)?,
            Arg::Long("rate") => options.rate = number("--rate", 1000.0, parser)?,
            Arg::Long("broker-away") => {
                options.broker_away = Duration::from_secs_f64(number("--broker-away", 86400.0, parser)?);
            }
            Arg::Long("seed") => {
                let value = text(parser).map_err(|error| wrong(&error))?;
                let seed =
                    value.parse().map_err(|_| wrong(&format!("--seed takes a whole number, not {value}")));
                options.seed = Some(seed?);
            }
            Arg::Long("fault") => options.faults.push(text(parser).map_err(|error| wrong(&error))?),
            Arg::Long("release") => options.release = true,
            Arg::Long("rabbitmq") => options.rabbitmq = rabbitmq(parser, " chaos")?,
            Arg::Long("programs") => {
                options.programs = Some(parser.value().map_err(|error| wrong(&error))?.into());
            }
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => return Err(wrong(&argument.unexpected())),
        }
    }
    Ok(Command::Chaos(options))
}

fn bench(parser: &mut Parser) -> Result<Command> {
    let mut options = BenchOptions { only: Vec::new(), rounds: 3, small: false, same: false, site: false };
    let wrong = |error: &dyn std::fmt::Display| usage(error, " bench");
    while let Some(argument) = parser.next().map_err(|error| wrong(&error))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help(Topic::Bench)),
            Arg::Long("only") => {
                let names = text(parser).map_err(|error| wrong(&error))?;
                options.only.extend(names.split(',').map(str::to_owned));
            }
            Arg::Long("rounds") => {
                let value = text(parser).map_err(|error| wrong(&error))?;
                let rounds = value.parse().ok().filter(|rounds| (1..=MOST_ROUNDS).contains(rounds));
                options.rounds = rounds.ok_or_else(|| {
                    wrong(&format!("--rounds takes a number from 1 to {MOST_ROUNDS}, not {value}"))
                })?;
            }
            Arg::Long("small") => options.small = true,
            Arg::Long("same") => options.same = true,
            Arg::Long("site") => options.site = true,
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => return Err(wrong(&argument.unexpected())),
        }
    }
    if options.site && (options.same || !options.only.is_empty()) {
        return Err(wrong(&"--site is measured alone: neither --only nor --same goes with it"));
    }
    Ok(Command::Bench(options))
}

fn rabbitmq(parser: &mut Parser, command: &str) -> Result<Source> {
    match text(parser).map_err(|error| usage(&error, command))?.as_str() {
        "package" => Ok(Source::Package),
        "docker" => Ok(Source::Docker),
        other => Err(usage(&format!("--rabbitmq takes package or docker, not {other}"), command)),
    }
}

/// A number from nothing to `most`.
fn number(flag: &str, most: f64, parser: &mut Parser) -> Result<f64> {
    let value = text(parser).map_err(|error| usage(&error, " chaos"))?;
    value
        .parse()
        .ok()
        .filter(|number| (0.0..=most).contains(number))
        .ok_or_else(|| usage(&format!("{flag} takes a number from 0 to {most}, not {value}"), " chaos"))
}

/// The role whose port flag this is.
fn port_role(argument: Arg<'_>, roles: &[Role], command: &str) -> Result<Role> {
    let role = match &argument {
        Arg::Long(name) => roles.iter().find(|role| role.flag() == *name),
        Arg::Short(_) | Arg::Value(_) => None,
    };
    role.copied().ok_or_else(|| usage(&argument.unexpected(), command))
}

fn port(role: Role, parser: &mut Parser, command: &str) -> Result<u16> {
    let value = text(parser).map_err(|error| usage(&error, command))?;
    value.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        usage(&format!("--{} takes a port from 1 to 65535, not {value}", role.flag()), command)
    })
}

fn text(parser: &mut Parser) -> std::result::Result<String, lexopt::Error> {
    parser.value()?.string()
}

/// A rate as nginx writes it: requests per second or minute.
fn rate(value: String) -> std::result::Result<String, lexopt::Error> {
    let number = value.strip_suffix("r/s").or_else(|| value.strip_suffix("r/m"));
    if number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number > 0) {
        Ok(value)
    } else {
        Err(format!("--lead-rate takes a rate such as 10r/m or 2r/s, not {value}").into())
    }
}

fn usage(error: &dyn std::fmt::Display, command: &str) -> Error {
    Error::Usage(format!("{error}\nSee cargo xtask{command} --help."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command> {
        parse(line.split_whitespace().map(OsString::from), |_| None)
    }

    fn refused(line: &str) -> String {
        let error = parsed(line).expect_err("refused");
        assert_eq!(error.exit_code(), 64);
        error.to_string()
    }

    #[test]
    fn up_has_the_documented_defaults() {
        let Ok(Command::Up(options)) = parsed("up") else { unreachable!("up is a command") };
        assert_eq!(options.ports, Ports::default());
        assert_eq!((options.lead_rate.as_str(), options.lead_burst), ("10r/m", 20));
        assert!(!options.postgres && !options.release);
    }

    #[test]
    fn every_port_has_a_flag_and_a_line_of_help() {
        for role in Role::ALL {
            let Ok(Command::Up(options)) = parsed(&format!("up --{} 4321", role.flag())) else {
                unreachable!("--{} is a flag", role.flag())
            };
            assert_eq!(options.ports.get(role), 4321);
            let help = crate::help::text(Topic::Up);
            let line = help.lines().find(|line| line.contains(&format!("--{} PORT", role.flag())));
            assert!(
                line.is_some_and(|line| line.ends_with(&format!("[{}]", role.default_port()))),
                "{role:?}"
            );
        }
    }

    #[test]
    fn mistakes_are_named_and_point_to_the_help() {
        for (line, what) in [
            ("upp", "there is no command upp"),
            ("--fast", "invalid option '--fast'"),
            ("up --fast", "invalid option '--fast'"),
            ("up --site-port", "missing argument for option '--site-port'"),
            ("up --site-port 70000", "--site-port takes a port from 1 to 65535, not 70000"),
            ("up --site-port 0", "--site-port takes a port from 1 to 65535, not 0"),
            ("up --lead-rate fast", "--lead-rate takes a rate such as 10r/m or 2r/s, not fast"),
            ("up --lead-rate 0r/m", "--lead-rate takes a rate such as 10r/m or 2r/s, not 0r/m"),
            ("up --lead-burst 0", "--lead-burst takes a number from 1 on, not 0"),
            ("test --only go", "--only takes rust, site, browser, chaos, bench, not go"),
            ("test --repeat 0", "--repeat takes a number from 1 to 99, not 0"),
            ("chaos --rabbitmq 4", "--rabbitmq takes package or docker, not 4"),
            ("backends --site-port 1", "invalid option '--site-port'"),
            ("chaos --minutes soon", "--minutes takes a number from 0 to 1440, not soon"),
            ("chaos --rate -1", "--rate takes a number from 0 to 1000, not -1"),
            ("chaos --seed x", "--seed takes a whole number, not x"),
            ("bench --rounds 0", "--rounds takes a number from 1 to 99, not 0"),
            ("bench --site --same", "--site is measured alone: neither --only nor --same goes with it"),
        ] {
            let message = refused(line);
            assert!(message.starts_with(what), "{line}: {message}");
            assert!(message.contains("--help"), "{line}: {message}");
        }
    }

    #[test]
    fn chaos_has_the_documented_defaults() {
        let Ok(Command::Chaos(options)) = parsed("chaos") else { unreachable!("chaos is a command") };
        assert_eq!((options.minutes, options.rate, options.seed), (2.0, 25.0, None));
        assert_eq!(options.broker_away, Duration::from_secs(20));
        let help = crate::help::text(Topic::Chaos);
        for line in ["--minutes N", "[2]", "--rate N", "[25]", "--broker-away SECONDS", "[20]"] {
            assert!(help.contains(line), "{line}");
        }
    }

    #[test]
    fn bench_has_the_documented_defaults_and_takes_several_names_at_once() {
        let Ok(Command::Bench(options)) = parsed("bench") else { unreachable!("bench is a command") };
        let nothing = BenchOptions { only: Vec::new(), rounds: 3, small: false, same: false, site: false };
        assert_eq!(options, nothing);
        assert!(crate::help::text(Topic::Bench).contains("[3]"));
        let Ok(Command::Bench(options)) = parsed("bench --only store,mail --only size --small") else {
            unreachable!("bench is a command")
        };
        assert_eq!((options.only.join(" ").as_str(), options.small), ("store mail size", true));
    }

    #[test]
    fn two_databases_are_one_too_many() {
        let error = parse(["up", "--postgres"].map(OsString::from), |name| {
            (name == "DATABASE_URL").then(|| "postgres://db/crm".to_owned())
        });
        assert!(error.expect_err("refused").to_string().contains("two databases"));
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let Ok(Command::Up(options)) = parse([OsString::from("up")], |_| Some(String::new())) else {
            unreachable!("up is a command")
        };
        assert_eq!((options.amqp_url, options.database_url), (None, None));
    }

    #[test]
    fn parts_run_in_their_own_order() {
        assert_eq!(
            parsed("test --only browser --only rust").expect("parts"),
            Command::Test(TestOptions {
                parts: vec![Part::Rust, Part::Browser],
                repeat: 1,
                rabbitmq: Source::Package
            })
        );
        assert_eq!(
            parsed("test --repeat 5 --rabbitmq docker").expect("parts"),
            Command::Test(TestOptions { parts: Part::PROOFS.to_vec(), repeat: 5, rabbitmq: Source::Docker })
        );
    }
}
