//! Injects and heals the faults.

use std::ops::Range;
use std::time::Duration;

use anyhow::{Result, ensure};
use lead::id_of;
use rustix::process::Signal;
use serde_json::json;
use testkit::proxy::{Direction, Mode};
use xtask::session::Interrupt;

use crate::fault::{CONSUMERS, Fault, NodeFault};
use crate::mailbox::MailFault;
use crate::run::Run;
use crate::system::{NODES, Process, RECIPIENTS, System};
use crate::visitor::{Millis, now};

/// Injects a fault, waits for `lasts` or until the phase of faults is over, and heals the fault.
pub(crate) fn inject(fault: Fault, run: &Run, lasts: Duration, over: &Interrupt) -> Result<()> {
    let system = &run.system;
    let wait = || over.wait_timeout(lasts);
    let disturb = |link, mode| {
        system.set(link, mode);
        wait();
        system.set(link, Mode::Pass);
    };
    match fault {
        Fault::Kill(process) => {
            let before = system.supervisor().pid(process);
            system.supervisor().signal(process, Signal::KILL);
            run.poll(&format!("{process} was not restarted"), || {
                let now = system.supervisor().pid(process);
                now.is_some() && now != before
            })?;
            run.wait_until_ready(process)?;
        }
        Fault::Freeze(process) => {
            system.supervisor().signal(process, Signal::STOP);
            wait();
            system.supervisor().signal(process, Signal::CONT);
            run.wait_until_ready(process)?;
        }
        Fault::Stall(link) => disturb(link, Mode::Stall(Direction::Both)),
        Fault::Reset(link) => disturb(link, Mode::Reset),
        Fault::HalfOpen(link) => disturb(link, Mode::HalfOpen),
        Fault::Alarm => {
            // The broker clears the alarm itself, so that it ends even if the broker becomes unreachable.
            let limit = "{resource_limit, disk, node()}";
            let expression = format!(
                "spawn(fun() -> rabbit_alarm:set_alarm({{{limit}, []}}), timer:sleep({}), rabbit_alarm:clear_alarm({limit}) end), ok.",
                lasts.as_millis()
            );
            system.rabbitmq().evaluate(&expression)?;
            wait();
        }
        Fault::Mail(fault) => {
            system.mailbox.inject(fault);
            wait();
            system.mailbox.heal();
        }
        Fault::RecipientRefused => {
            // One delivery of this lead must become failed, the other delivered.
            let key = run.next_key();
            system.mailbox.refuse(id_of(key), RECIPIENTS[1]);
            run.findings().refused.push(id_of(key));
            run.visitors.send_one(key);
        }
        Fault::ReadOnly => {
            system.set_read_only("on")?;
            wait();
            // Retried, because a read-only database would make all later checks fail.
            run.poll("the database did not recover", || {
                system.set_read_only("off").is_ok()
            })?;
        }
        Fault::Deadlock => deadlock(system, lasts)?,
        Fault::Poison(service) => publish_poison(service, run)?,
        Fault::FullDeadLetters(service) => {
            let queue = format!("{service}.dead-letters");
            let limit = |length| system.block_on(system.management.limit(&queue, length));
            limit(Some(0))?;
            // The queue accepts the first, which exceeds the limit. The second waits in the service.
            let published = (0..2).try_for_each(|_| publish_poison(service, run));
            wait();
            run.poll(&format!("{queue} remained full"), || limit(None).is_ok())?;
            published?;
        }
        Fault::MailDuringCrmOutage => {
            let link = ("notifier", "crm-sync");
            system.set(link, Mode::Reset);
            for fault in [MailFault::Busy, MailFault::Refusing] {
                system.mailbox.inject(fault);
                over.wait_timeout(lasts / 2);
            }
            system.mailbox.heal();
            system.set(link, Mode::Pass);
        }
        Fault::Leader(fault, consumer) => {
            disturb_leader(fault, &format!("{consumer}.leads"), run, lasts)?;
        }
    }
    Ok(())
}

/// Publishes a message that is no valid protobuf to the queue of a consumer.
fn publish_poison(service: &'static str, run: &Run) -> Result<()> {
    let id = run.next_key().to_string();
    let properties = json!({ "message_id": id, "type": "lead.submitted.v1", "delivery_mode": 2 });
    let queue = format!("{service}.leads");
    let payload = json!("\u{1}\u{2}no protobuf");
    let system = &run.system;
    system.block_on(
        system
            .management
            .publish(&queue, &properties, &payload, "string"),
    )?;
    run.findings().poison.push((service, id));
    Ok(())
}

/// Separates the leader of a queue from the other nodes, and waits until the leader has joined the cluster again.
fn disturb_leader(fault: NodeFault, queue: &str, run: &Run, lasts: Duration) -> Result<()> {
    let system = &run.system;
    let leader = system.find_leader(NODES[0], queue)?;
    match fault {
        NodeFault::Kill => {
            system.supervisor().signal(leader, Signal::KILL);
            system.supervisor().hold(leader);
        }
        NodeFault::CutOff => system.set_peers(leader, Mode::Reset),
        NodeFault::Silence => system.set_peers(leader, Mode::Stall(Direction::Both)),
    }
    let outcome = observe_majority(leader, queue, run, lasts);
    system.set_peers(leader, Mode::Pass);
    system.supervisor().release(leader);
    run.wait_until_ready(leader)?;
    run.poll(&format!("{leader} did not rejoin its queues"), || {
        let queues = CONSUMERS.map(|consumer| format!("{consumer}.leads"));
        let is_member = |queue: &String| system.find_leader(leader, queue).is_ok();
        queues.iter().all(is_member)
    })?;
    let separated = outcome?;
    let fault = format!("{fault:?} of {leader}, which led {queue}");
    run.findings().separated.push((fault, separated));
    Ok(())
}

/// Waits until the other nodes have elected a leader, checks that the former leader has no majority, and returns the
/// following time.
fn observe_majority(
    leader: Process,
    queue: &str,
    run: &Run,
    lasts: Duration,
) -> Result<Range<Millis>> {
    let system = &run.system;
    let others = NODES.into_iter().filter(|node| *node != leader);
    for other in others {
        run.poll(&format!("{other} has no leader of {queue}"), || {
            system
                .find_leader(other, queue)
                .is_ok_and(|new| new != leader)
        })?;
    }
    ensure!(
        system.find_leader(leader, queue).is_err(),
        "{leader} still has a majority of {queue}"
    );
    let from = now();
    // Also in full if the phase of faults is over.
    run.interrupt.wait_timeout(lasts);
    Ok(from..now())
}

/// Locks one table after the other, from last to first. Writers use the opposite order, so a deadlock arises and the
/// server aborts one transaction.
fn deadlock(system: &System, lasts: Duration) -> Result<()> {
    let query = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace \
                 AND relname <> 'seaql_migrations' ORDER BY oid DESC";
    let text = system.sql(query)?;
    let tables: Vec<&str> = text.lines().map(str::trim).collect();
    let pause = lasts.as_secs_f64() / (tables.len().max(1) as f64);
    let lock = |table: &&str| {
        format!("LOCK TABLE \"{table}\" IN SHARE ROW EXCLUSIVE MODE; SELECT pg_sleep({pause}); ")
    };
    let locks: String = tables.iter().map(lock).collect();
    // Fails when the server aborts this transaction.
    let _victim = system.sql(&format!("BEGIN; {locks}COMMIT"));
    Ok(())
}
