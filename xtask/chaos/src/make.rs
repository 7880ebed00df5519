//! Makes the faults.

use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;
use serde_json::json;
use testkit::proxy::{Direction, Mode};
use tokio::task::block_in_place;
use tokio_util::sync::CancellationToken;
use xtask::stack::plan::Link;

use crate::fault::Fault;
use crate::mailbox::{Trouble, lead_id};
use crate::run::Run;
use crate::system::{Process, RECIPIENTS};

/// Makes a fault, waits for `lasts` and heals it. Fails if it cannot be made or healed.
pub(crate) async fn make(fault: Fault, run: &Run, lasts: Duration, over: &CancellationToken) -> Result<()> {
    match fault {
        Fault::Kill(process) => kill(run, process).await,
        Fault::Freeze(process) => freeze(run, process, lasts, over).await,
        Fault::Stall(link) => disturb(run, link, Mode::Stall(Direction::Both), lasts, over).await,
        Fault::Reset(link) => disturb(run, link, Mode::Reset, lasts, over).await,
        Fault::HalfOpen(link) => disturb(run, link, Mode::HalfOpen, lasts, over).await,
        Fault::Alarm => alarm(run, lasts, over).await,
        Fault::Mail(trouble) => trouble_mail(run, trouble, lasts, over).await,
        Fault::RecipientRefused => {
            refuse_recipient(run);
            Ok(())
        }
        Fault::ReadOnly => read_only(run, lasts, over).await,
        Fault::Deadlock => deadlock(run, lasts),
        Fault::Poison(service) => poison(run, service).await,
    }
}

async fn kill(run: &Run, process: Process) -> Result<()> {
    let before = run.system.supervisor().pid(process);
    run.system.supervisor().signal(process, Signal::KILL);
    run.poll(&format!("{process} was not restarted"), || {
        let now = run.system.supervisor().pid(process);
        now.is_some() && now != before
    })
    .await?;
    run.wait_until_ready(process).await
}

async fn freeze(run: &Run, process: Process, lasts: Duration, over: &CancellationToken) -> Result<()> {
    run.system.supervisor().signal(process, Signal::STOP);
    wait(lasts, over).await;
    run.system.supervisor().signal(process, Signal::CONT);
    run.wait_until_ready(process).await
}

async fn disturb(run: &Run, link: Link, mode: Mode, lasts: Duration, over: &CancellationToken) -> Result<()> {
    run.system.set(link, mode);
    wait(lasts, over).await;
    run.system.set(link, Mode::Pass);
    Ok(())
}

/// The broker clears the alarm itself, so that it ends even if the broker becomes unreachable.
async fn alarm(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<()> {
    let limit = "{resource_limit, disk, node()}";
    let expression = format!(
        "spawn(fun() -> rabbit_alarm:set_alarm({{{limit}, []}}), timer:sleep({}), rabbit_alarm:clear_alarm({limit}) end), ok.",
        lasts.as_millis()
    );
    block_in_place(|| run.system.rabbitmq().evaluate(&expression))?;
    wait(lasts, over).await;
    Ok(())
}

async fn trouble_mail(run: &Run, trouble: Trouble, lasts: Duration, over: &CancellationToken) -> Result<()> {
    run.system.mailbox.make(trouble);
    wait(lasts, over).await;
    run.system.mailbox.heal();
    Ok(())
}

/// Sends a lead with one refused recipient: that delivery must become failed, the other delivered.
fn refuse_recipient(run: &Run) {
    let key = run.next_key();
    run.system.mailbox.refuse(lead_id(key), RECIPIENTS[1]);
    run.findings().refused.push(lead_id(key));
    run.visitors.send_one(key);
}

async fn read_only(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<()> {
    block_in_place(|| run.system.set_read_only(true))?;
    wait(lasts, over).await;
    // Retried, as a remaining fault would spoil the rest of the run.
    run.poll("the database did not recover", || run.system.set_read_only(false).is_ok()).await
}

/// Locks one table after the other, from last to first. Writers use the opposite order, so a deadlock arises and the
/// server aborts one transaction.
fn deadlock(run: &Run, lasts: Duration) -> Result<()> {
    let query = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace \
                 AND relname <> 'seaql_migrations' ORDER BY oid DESC";
    block_in_place(|| {
        let text = run.system.sql(query)?;
        let tables: Vec<&str> = text.lines().map(str::trim).collect();
        let pause = lasts.as_secs_f64() / (tables.len().max(1) as f64);
        let locks: String = tables
            .iter()
            .map(|table| {
                format!("LOCK TABLE \"{table}\" IN SHARE ROW EXCLUSIVE MODE; SELECT pg_sleep({pause}); ")
            })
            .collect();
        // Fails when the server aborts this transaction.
        let _victim = run.system.sql(&format!("BEGIN; {locks}COMMIT"));
        Ok(())
    })
}

async fn poison(run: &Run, service: &'static str) -> Result<()> {
    let id = run.next_key().to_string();
    let properties = json!({ "message_id": id, "type": "lead.submitted.v1", "delivery_mode": 2 });
    let (name, payload) = (format!("{service}.leads"), json!("\u{1}\u{2}no protobuf"));
    run.system.management.publish(&name, &properties, &payload, "string").await?;
    run.findings().poison.push((service, id));
    Ok(())
}

/// Waits for `lasts`, or until the phase of faults is over.
async fn wait(lasts: Duration, over: &CancellationToken) {
    tokio::select! {
        () = tokio::time::sleep(lasts) => {}
        () = over.cancelled() => {}
    }
}
