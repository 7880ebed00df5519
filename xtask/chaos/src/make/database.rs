//! Faults of the database: read-only, no connections, locked tables, deadlock.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use xtask::error::Result;

use crate::fault::Made;
use crate::run::{Run, last};
use crate::stack::ROLE;
use crate::stack::sql::DATABASE;

pub(super) async fn read_only(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<Made> {
    let reload = "SELECT pg_reload_conf()".to_owned();
    administer(run, ["ALTER SYSTEM SET default_transaction_read_only = on".to_owned(), reload.clone()])?;
    last(lasts, over).await;
    heal(run, ["ALTER SYSTEM RESET default_transaction_read_only".to_owned(), reload]).await
}

pub(super) async fn out_of_connections(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<Made> {
    let leave = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{DATABASE}' AND usename = '{ROLE}'"
    );
    administer(run, [format!("ALTER ROLE {ROLE} CONNECTION LIMIT 0"), leave])?;
    last(lasts, over).await;
    heal(run, [format!("ALTER ROLE {ROLE} CONNECTION LIMIT -1"), "SELECT 1".to_owned()]).await
}

pub(super) async fn lock(run: &Run, lasts: Duration) -> Result<Made> {
    let tables = tables(run)?.join(", ");
    let statements = format!(
        "BEGIN; LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({}); COMMIT",
        lasts.as_secs_f64()
    );
    // Losing the session, for example with its server, also releases the lock.
    let _ended = tokio::task::block_in_place(|| run.stack.sql.run(&statements));
    Ok(Made::Done)
}

/// Locks one table after the other, from last to first. Writers use the opposite order, so a deadlock arises and the
/// server aborts one transaction.
pub(super) async fn deadlock(run: &Run, lasts: Duration) -> Result<Made> {
    let mut statements = "BEGIN".to_owned();
    let tables = tables(run)?;
    let pause = lasts.as_secs_f64() / (tables.len().max(1) as f64);
    for table in tables.iter().rev() {
        statements
            .push_str(&format!("; LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE; SELECT pg_sleep({pause})"));
    }
    statements.push_str("; COMMIT");
    let _victim = tokio::task::block_in_place(|| run.stack.sql.run(&statements));
    Ok(Made::Done)
}

/// In order of creation.
fn tables(run: &Run) -> Result<Vec<String>> {
    let query = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace \
                 AND relname <> 'seaql_migrations' ORDER BY oid";
    let text = tokio::task::block_in_place(|| run.stack.sql.run(query))?;
    Ok(text.lines().map(|name| format!("\"{}\"", name.trim())).collect())
}

fn administer(run: &Run, statements: [String; 2]) -> Result<()> {
    tokio::task::block_in_place(|| run.stack.sql.administer(&statements))
}

/// Retries until healed, as a remaining fault would spoil the rest of the run.
async fn heal(run: &Run, statements: [String; 2]) -> Result<Made> {
    run.until("the database did not recover", || administer(run, statements.clone()).is_ok()).await?;
    Ok(Made::Done)
}
