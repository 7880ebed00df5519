//! The command line.

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

/// Start, test, break and measure the whole system on this machine.
#[derive(Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
#[command(after_help = include_str!("help/xtask.txt"))]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Build and start the system, print its addresses, run until Ctrl-C.
    #[command(after_help = include_str!("help/up.txt"))]
    Up(UpOptions),
    /// Run every check: unit, integration, browser and fault-injection tests.
    #[command(after_help = include_str!("help/test.txt"))]
    Test(TestOptions),
    /// Inject faults under load and check that no lead is lost.
    #[command(after_help = include_str!("help/chaos.txt"))]
    Chaos(ChaosOptions),
    /// Measure speed and size beside an axum handler and an Express app.
    #[command(after_help = include_str!("help/bench.txt"))]
    Bench(BenchOptions),
    /// Fill the database of a running `up` with a generated launch, without sending an email.
    #[command(after_help = include_str!("help/demo-data.txt"))]
    DemoData(DemoDataOptions),
    /// Start a disposable RabbitMQ and PostgreSQL for integration tests.
    #[command(after_help = include_str!("help/backends.txt"))]
    Backends(InstallOptions),
}

/// Options of every command that needs packages of the system.
#[derive(Args)]
pub struct InstallOptions {
    /// Install missing packages without asking.
    #[arg(long)]
    pub yes: bool,
}

#[derive(Args)]
pub struct UpOptions {
    /// Store leads in a private PostgreSQL instead of SQLite.
    #[arg(long)]
    pub postgres: bool,
    /// Build the services in release mode.
    #[arg(long)]
    pub release: bool,
    /// Add N to each port.
    #[arg(long, value_name = "N", default_value = "0", value_parser = value_parser!(u16).range(..=10_000))]
    pub port_offset: u16,
    #[command(flatten)]
    pub install: InstallOptions,
}

#[derive(Args)]
pub struct TestOptions {
    /// Run only PART; repeat the flag for several parts.
    #[arg(long, value_name = "PART", value_enum, default_values_t = [Part::Rust, Part::Site, Part::Deploy, Part::Browser, Part::Chaos])]
    pub only: Vec<Part>,
    #[command(flatten)]
    pub install: InstallOptions,
}

/// A part of the checks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Part {
    /// Formatting, lints, unit and integration tests in Rust.
    Rust,
    /// Drawings, types, style, unit tests, build and size budgets of the site.
    Site,
    /// Alert rules, shell scripts, Dockerfiles, manifests and workflows.
    Deploy,
    /// Browser tests of the whole system.
    Browser,
    /// Fault injection under load.
    Chaos,
    /// A check that every figure of `bench` can be measured; only with `--only bench`.
    Bench,
    /// A canary through the services as they are released; only with `--only release`.
    Release,
    /// Browser tests in the engines of Safari and Firefox; only with `--only engines`.
    Engines,
}

#[derive(Parser)]
pub struct ChaosOptions {
    /// Run three nodes of RabbitMQ, and inject faults that a quorum survives, for 4 minutes by default.
    #[arg(long)]
    pub cluster: bool,
    /// Inject faults for N minutes.
    #[arg(long, value_name = "N", default_value = "1", default_value_if("cluster", "true", "4"), value_parser = value_parser!(u32).range(1..=1440))]
    pub minutes: u32,
    /// Generate the script of faults from seed N; random by default.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Send N leads per second.
    #[arg(long, value_name = "N", default_value = "25", value_parser = value_parser!(u32).range(1..=1000))]
    pub rate: u32,
    /// Start with the services of COMMIT; deploy the services of this checkout under load, roll back, and deploy again.
    #[arg(long, value_name = "COMMIT")]
    pub from: Option<String>,
    /// Apply each defect of xtask/chaos/mutants in a scratch checkout, and expect a `MISS`.
    #[arg(long, exclusive = true)]
    pub mutants: bool,
    #[command(flatten)]
    pub install: InstallOptions,
}

#[derive(Parser)]
pub struct BenchOptions {
    /// Measure only these figures.
    #[arg(long, value_name = "FIGURE,...", value_delimiter = ',', value_enum, default_values_t = Figure::value_variants().to_vec())]
    pub only: Vec<Figure>,
    /// Measure each figure N times and report the median.
    #[arg(long, value_name = "N", default_value = "3", value_parser = RangedU64ValueParser::<usize>::new().range(1..=99))]
    pub rounds: usize,
    /// Check that every figure can be measured: one short round of debug builds.
    #[arg(long)]
    pub small: bool,
    #[command(flatten)]
    pub install: InstallOptions,
}

#[derive(Parser)]
pub struct DemoDataOptions {
    /// Generate N leads.
    #[arg(long, value_name = "N", default_value = "5000", value_parser = value_parser!(u32).range(1..=100_000))]
    pub leads: u32,
    /// Spread the leads over N days up to now.
    #[arg(long, value_name = "N", default_value = "60", value_parser = value_parser!(u16).range(1..=365))]
    pub days: u16,
    /// Generate the leads from seed N.
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u32,
}

/// A figure of the bench, in the order of the table.
#[derive(Clone, Copy, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Figure {
    /// Leads accepted per second, response times at full load, CPU time and memory.
    Accepted,
    /// Time from submission to response, database row and email, one lead at a time.
    Latency,
    /// Leads stored per second in PostgreSQL from a backlog.
    Stored,
    /// Emails sent per second from a backlog.
    Emailed,
    /// Resident memory of each service, idle and at full load.
    Memory,
    /// Time from the start of each service until it is ready, and the size of each binary.
    Start,
}

/// The value of an environment variable, unless it is empty.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where xtask reads its variables"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
