//! `cargo xtask up`: the whole system, until Ctrl-C.

use std::time::{Duration, Instant};

use crate::checkout::{Checkout, Lock};
use crate::cli::UpOptions;
use crate::error::Result;
use crate::files;
use crate::output;
use crate::ports::{self, Ports, Role};
use crate::progress::elapsed;
use crate::session::Session;
use crate::stack::nginx::Limits;
use crate::stack::{Broker, Database, Plan, Programs, Stack};
use crate::system::packages;

/// Starts everything, prints the addresses and waits for Ctrl-C.
pub fn run(options: &UpOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let directory = session.checkout.local();
    let plan = plan(options, &session.checkout);
    let _lock = Lock::take(&directory.join("up"), "cargo xtask up")?;
    files::empty_directory(&plan.logs())?;
    ports::check(&plan.ports, &plan.roles())?;
    packages::ensure(
        &plan.packages(),
        &plan.logs().join("packages.log"),
        &session.progress,
        &session.interrupt,
    )?;

    session.progress.line(&format!(
        "Building and starting the system in {}/. The first run takes a few minutes.",
        session.checkout.shown(&directory)
    ));
    let stack = Stack::start(&plan, &session)?;
    output::print(&table(&plan, &session.checkout, started.elapsed()))?;

    while !session.interrupt.wait_timeout(Duration::from_secs(3600)) {}
    session.progress.run("stop the system", |_| {
        stack.stop();
        Ok(())
    })
}

fn plan(options: &UpOptions, checkout: &Checkout) -> Plan {
    Plan {
        directory: checkout.local(),
        ports: Ports::standard(options.port_offset),
        database: match &options.database_url {
            Some(url) => Database::Url(url.clone()),
            None if options.postgres => Database::Postgres,
            None => Database::Sqlite,
        },
        broker: options.amqp_url.clone().map_or(Broker::Private, Broker::Url),
        programs: if options.release { Programs::Release } else { Programs::Debug },
        limits: Limits {
            lead_rate: options.lead_rate.clone(),
            lead_burst: options.lead_burst,
            ..Limits::default()
        },
        throw_away: false,
        collector: options.collector.clone(),
    }
}

fn table(plan: &Plan, checkout: &Checkout, took: Duration) -> String {
    let port = |role| plan.ports.get(role);
    let database = match &plan.database {
        Database::Sqlite => checkout.shown(&plan.directory.join("crm.sqlite")),
        Database::Postgres => format!("PostgreSQL on localhost:{}, database crm", port(Role::Postgres)),
        Database::Url(_) => "from DATABASE_URL".to_owned(),
    };
    let (broker, management) = match plan.broker {
        Broker::Private => (
            format!("amqp://guest:guest@localhost:{}", port(Role::Amqp)),
            format!("http://localhost:{} (guest, guest)", port(Role::AmqpManagement)),
        ),
        Broker::Url(_) => ("from AMQP_URL".to_owned(), "unknown".to_owned()),
    };
    let rows = [
        ("site", format!("http://localhost:{}", port(Role::Site))),
        ("mail catcher", format!("http://localhost:{} (SMTP on {})", port(Role::Mail), port(Role::Smtp))),
        ("list of leads", "cargo leadctl list".to_owned()),
        (
            "CRM gRPC",
            format!(
                "localhost:{} (token in {})",
                port(Role::Grpc),
                checkout.shown(&plan.directory.join("leadctl.toml"))
            ),
        ),
        ("database", database),
        ("RabbitMQ", broker),
        ("RabbitMQ page", management),
        (
            "admin ports",
            format!(
                "lead-intake {}, notifier {}, crm-sync {}, desk {}",
                port(Role::IntakeAdmin),
                port(Role::NotifierAdmin),
                port(Role::CrmSyncAdmin),
                port(Role::DeskAdmin)
            ),
        ),
        (
            "rate limit",
            format!(
                "{} per client address, with bursts of {}",
                plan.limits.lead_rate, plan.limits.lead_burst
            ),
        ),
        ("logs", format!("{}/", checkout.shown(&plan.logs()))),
    ];
    let mut text = format!("\nZyon Grand is ready after {}.\n\n", elapsed(took));
    for (what, place) in rows {
        text.push_str(&format!("  {what:<18}{place}\n"));
    }
    text.push_str("\nPress Ctrl-C to stop.\n");
    text
}
