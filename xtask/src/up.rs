//! `cargo xtask up`: the whole system, until Ctrl-C.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::cli::{UpOptions, variable};
use crate::files::{self, Lock};
use crate::packages;
use crate::ports::Ports;
use crate::session::{Session, elapsed, line, print, step};
use crate::stack::Stack;
use crate::stack::nginx::Limits;
use crate::stack::plan::{Broker, Database, Plan, Programs};

/// Starts everything, prints the addresses and waits for Ctrl-C.
pub fn run(options: &UpOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let _lock = Lock::acquire(&files::path(".local/up"), "cargo xtask up")?;
    let plan = plan(options)?;
    files::empty_directory(&plan.logs())?;
    packages::ensure(&plan.packages(), &session)?;
    let directory = files::shown(&plan.directory);
    line(format!("Building and starting the system in {directory}/. The first run takes a few minutes."));
    let stack = Stack::start(&plan, &session)?;
    print(&table(&plan, started.elapsed()))?;
    session.wait_for_interrupt();
    step("stop the system", || {
        stack.supervisor.stop_all();
        Ok(())
    })
}

fn plan(options: &UpOptions) -> Result<Plan> {
    let mut plan = Plan::new(files::path(".local"), Ports::standard(options.port_offset)?);
    plan.database = match (variable("DATABASE_URL"), options.postgres) {
        (Some(_), true) => {
            bail!("--postgres and DATABASE_URL select two databases: remove one of them");
        }
        (Some(url), false) => Database::Url(url),
        (None, true) => Database::Postgres,
        (None, false) => Database::Sqlite,
    };
    if let Some(url) = variable("AMQP_URL") {
        plan.broker = Broker::Url(Box::new(move |_| url.clone()));
    }
    if let Some(endpoint) = variable("OTEL_EXPORTER_OTLP_ENDPOINT") {
        plan.collect(&endpoint);
    }
    plan.programs = Programs::Build { release: options.release };
    let (lead_rate, lead_burst) = (options.lead_rate.clone(), options.lead_burst);
    plan.limits = Limits { lead_rate, lead_burst, ..Limits::default() };
    Ok(plan)
}

fn table(plan: &Plan, took: Duration) -> String {
    let Plan { ports, limits, .. } = plan;
    let replica = &ports.replicas[0];
    let database = match &plan.database {
        Database::Sqlite => files::shown(&plan.directory.join("crm.sqlite")),
        Database::Postgres => format!("PostgreSQL on localhost:{}, database crm", ports.postgres),
        Database::Url(_) => "from DATABASE_URL".to_owned(),
    };
    let (broker, management) = match plan.broker {
        Broker::Private => (
            format!("amqp://guest:guest@localhost:{}", ports.amqp),
            format!("http://localhost:{} (guest, guest)", ports.management),
        ),
        Broker::Url(_) => ("from AMQP_URL".to_owned(), "unknown".to_owned()),
    };
    let leadctl = files::shown(&plan.directory.join("leadctl.toml"));
    let rows = [
        ("site", format!("http://localhost:{}", ports.site)),
        ("mail catcher", format!("http://localhost:{} (SMTP on {})", ports.mail, ports.smtp)),
        ("list of leads", "cargo leadctl list".to_owned()),
        ("CRM gRPC", format!("localhost:{} (token in {leadctl})", replica.grpc)),
        ("database", database),
        ("RabbitMQ", broker),
        ("RabbitMQ page", management),
        (
            "admin ports",
            format!(
                "lead-intake {}, notifier {}, crm-sync {}, desk {}",
                replica.intake_admin, replica.notifier_admin, replica.crm_sync_admin, replica.desk_admin
            ),
        ),
        (
            "rate limit",
            format!("{} per client address, with bursts of {}", limits.lead_rate, limits.lead_burst),
        ),
        ("logs", format!("{}/", files::shown(&plan.logs()))),
    ];
    let mut text = format!("\nZyon Grand is ready after {}.\n\n", elapsed(took));
    for (what, place) in rows {
        text.push_str(&format!("  {what:<18}{place}\n"));
    }
    text.push_str("\nPress Ctrl-C to stop.\n");
    text
}
