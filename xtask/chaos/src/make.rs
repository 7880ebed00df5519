//! Makes the faults.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use testkit::proxy::{Direction, Mode};
use tokio_util::sync::CancellationToken;
use xtask::error::{Error, Result};

use crate::fault::{Fault, Queue};
use crate::lead;
use crate::mailbox::Trouble;
use crate::run::{Run, last};
use crate::stack::RECIPIENTS;
use crate::stack::parts::{Link, Process};

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
        Fault::Poison(queue) => poison(run, queue).await,
    }
}

async fn kill(run: &Run, process: Process) -> Result<()> {
    let before = run.stack.supervisor.pid(process.name());
    run.stack.supervisor.signal(process.name(), Signal::KILL);
    run.until(&format!("{} was not restarted", process.name()), || {
        let now = run.stack.supervisor.pid(process.name());
        now.is_some() && now != before
    })
    .await?;
    run.ready(process).await
}

async fn freeze(run: &Run, process: Process, lasts: Duration, over: &CancellationToken) -> Result<()> {
    run.stack.supervisor.signal(process.name(), Signal::STOP);
    last(lasts, over).await;
    run.stack.supervisor.signal(process.name(), Signal::CONT);
    run.ready(process).await
}

async fn disturb(run: &Run, link: Link, mode: Mode, lasts: Duration, over: &CancellationToken) -> Result<()> {
    run.stack.links.set(link, mode);
    last(lasts, over).await;
    run.stack.links.set(link, Mode::Pass);
    Ok(())
}

/// The broker clears the alarm itself, so that it ends even if the broker becomes unreachable.
async fn alarm(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<()> {
    let limit = "{resource_limit, disk, node()}";
    let expression = format!(
        "spawn(fun() -> rabbit_alarm:set_alarm({{{limit}, []}}), timer:sleep({}), rabbit_alarm:clear_alarm({limit}) end), ok.",
        lasts.as_millis()
    );
    tokio::task::block_in_place(|| run.stack.node.evaluate(&expression))?;
    last(lasts, over).await;
    Ok(())
}

async fn trouble_mail(run: &Run, trouble: Trouble, lasts: Duration, over: &CancellationToken) -> Result<()> {
    run.stack.mailbox.make(trouble);
    last(lasts, over).await;
    run.stack.mailbox.heal();
    Ok(())
}

/// Sends a lead with one refused recipient: that delivery must become failed, the other delivered.
fn refuse_recipient(run: &Run) {
    let key = run.next_key();
    run.stack.mailbox.refuse(lead::id(key), RECIPIENTS[1]);
    run.findings().refused.push(lead::id(key));
    run.visitors.send_one(key);
}

async fn read_only(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<()> {
    let reload = "SELECT pg_reload_conf()".to_owned();
    let sql = &run.stack.sql;
    let set = ["ALTER SYSTEM SET default_transaction_read_only = on".to_owned(), reload.clone()];
    tokio::task::block_in_place(|| sql.administer(&set))?;
    last(lasts, over).await;
    let reset = ["ALTER SYSTEM RESET default_transaction_read_only".to_owned(), reload];
    // Retried, as a remaining fault would spoil the rest of the run.
    run.until("the database did not recover", || sql.administer(&reset).is_ok()).await
}

/// Locks one table after the other, from last to first. Writers use the opposite order, so a deadlock arises and the
/// server aborts one transaction.
fn deadlock(run: &Run, lasts: Duration) -> Result<()> {
    let query = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace \
                 AND relname <> 'seaql_migrations' ORDER BY oid DESC";
    tokio::task::block_in_place(|| {
        let text = run.stack.sql.run(query)?;
        let tables: Vec<&str> = text.lines().map(str::trim).collect();
        let pause = lasts.as_secs_f64() / (tables.len().max(1) as f64);
        let locks: String = tables
            .iter()
            .map(|table| {
                format!("LOCK TABLE \"{table}\" IN SHARE ROW EXCLUSIVE MODE; SELECT pg_sleep({pause}); ")
            })
            .collect();
        // Fails when the server aborts this transaction.
        let _victim = run.stack.sql.run(&format!("BEGIN; {locks}COMMIT"));
        Ok(())
    })
}

async fn poison(run: &Run, queue: Queue) -> Result<()> {
    let id = run.next_key().to_string();
    let properties = json!({ "message_id": id, "type": "lead.submitted.v1", "delivery_mode": 2 });
    let (name, payload) = (format!("{}.leads", queue.service()), json!("\u{1}\u{2}no protobuf"));
    run.stack.management.publish(&name, &properties, &payload, "string").await.map_err(Error::of)?;
    run.findings().poison.push((queue, id));
    Ok(())
}
