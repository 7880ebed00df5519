//! Whether the ledger knows everybody to be told.

use xtask::error::Result;

use super::Row;
use crate::run::Run;
use crate::stack::sql::Sql;

/// A lead with a parked recipient waits for a person, not for a notifier.
const OPEN: &str = "SELECT count(*) FROM lead WHERE open AND NOT EXISTS \
    (SELECT FROM recipient WHERE recipient.lead_id = lead.id AND state = 'parked')";
const UNSETTLED: &str = "SELECT count(*) FROM recipient WHERE state NOT IN ('told', 'parked')";
const PARKED: &str = "SELECT count(*) FROM recipient WHERE state = 'parked'";

/// Leads and recipients that somebody is still to be told about.
pub(crate) fn open(sql: &Sql) -> Result<u64> {
    Ok(sql.number(OPEN)? + sql.number(UNSETTLED)?)
}

pub(super) fn row(run: &Run) -> Result<Row> {
    let (open, unsettled) = (run.stack.sql.number(OPEN)?, run.stack.sql.number(UNSETTLED)?);
    let (parked, refused) = (run.stack.sql.number(PARKED)?, run.findings().refused.len());
    Ok(Row::new(
        "the ledger has no lead left to tell",
        open == 0 && unsettled == 0 && u64::try_from(refused).is_ok_and(|refused| parked <= refused),
        format!("{open} leads open, {unsettled} recipients; {parked} parked of {refused} refused"),
    ))
}
