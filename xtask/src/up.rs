//! `cargo xtask up`: the whole system, until Ctrl-C.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::cli::{UpOptions, variable};
use crate::ports::Ports;
use crate::session::{Session, elapsed, line, print, step};
use crate::stack::Stack;
use crate::stack::plan::{Broker, Database, Plan};
use crate::{builds, files, packages};

/// Starts everything, prints the addresses and waits for Ctrl-C.
pub fn run(options: &UpOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin("up")?;
    let mut plan = plan(options)?;
    files::empty_directory(&plan.logs())?;
    packages::ensure(&plan.packages(), &options.install, &session)?;
    let directory = files::shown(&plan.directory);
    line(format!(
        "Building and starting the system in {directory}/. The first run takes a few minutes."
    ));
    session.side_by_side(vec![
        Box::new(|| {
            plan.programs = builds::services(options.release, &session)?;
            Ok(())
        }),
        Box::new(|| {
            plan.site = Some(builds::site(&session)?);
            Ok(())
        }),
    ])?;
    let stack = Stack::start(&plan, &session)?;
    print(&table(&plan, started.elapsed()))?;
    session.wait_for_interrupt();
    step("stop the system", || {
        stack.supervisor.stop_all();
        Ok(())
    })
}

/// The plan without programs and site.
fn plan(options: &UpOptions) -> Result<Plan> {
    let ports = Ports::standard(options.port_offset)?;
    let mut plan = Plan::new(files::path(".local"), ports, PathBuf::new());
    plan.database = match (variable("DATABASE_URL"), options.postgres) {
        (Some(_), true) => {
            bail!("--postgres and DATABASE_URL select two databases: remove one of them")
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
    Ok(plan)
}

fn table(plan: &Plan, took: Duration) -> String {
    let Plan { ports, limits, .. } = plan;
    let database = match &plan.database {
        Database::Sqlite => files::shown(&plan.directory.join("crm.sqlite")),
        Database::Postgres => format!("PostgreSQL on localhost:{}, database crm", ports.postgres),
        Database::Url(_) => "from DATABASE_URL".to_owned(),
    };
    let (broker, management) = match plan.broker {
        Broker::Private => (
            format!("amqp://guest:guest@localhost:{}", ports.amqp[0]),
            format!("http://localhost:{} (guest, guest)", ports.management[0]),
        ),
        Broker::Url(_) => ("from AMQP_URL".to_owned(), "unknown".to_owned()),
    };
    let leadctl = files::shown(&plan.directory.join("leadctl.toml"));
    let admin = ports
        .admin
        .iter()
        .map(|(service, ports)| format!("{service} {}", ports[0]));
    let rows = [
        ("site", format!("http://localhost:{}", ports.site)),
        (
            "mail catcher",
            format!("http://localhost:{} (SMTP on {})", ports.mail, ports.smtp),
        ),
        (
            "desk",
            format!(
                "http://localhost:{}/desk (log in from the page of a sales email)",
                ports.site
            ),
        ),
        ("list of leads", "cargo leadctl list".to_owned()),
        ("example leads", "cargo xtask demo-data".to_owned()),
        (
            "CRM gRPC",
            format!("localhost:{} (token in {leadctl})", ports.grpc[0]),
        ),
        ("database", database),
        ("RabbitMQ", broker),
        ("RabbitMQ page", management),
        ("admin ports", admin.collect::<Vec<_>>().join(", ")),
        (
            "rate limit",
            format!(
                "{} per address, with bursts of {}",
                limits.lead_rate, limits.lead_burst
            ),
        ),
        ("logs", format!("{}/", files::shown(&plan.logs()))),
    ];
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("  {name:<18}{value}\n"))
        .collect();
    format!(
        "\nZyon Grand is ready after {}.\n\n{rows}\nPress Ctrl-C to stop.\n",
        elapsed(took)
    )
}
