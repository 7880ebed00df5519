//! Checks that the database has the outcome of every delivery.

use std::collections::BTreeSet;

use xtask::error::Result;

use super::Row;
use crate::run::Run;
use crate::stack::RECIPIENTS;
use crate::stack::sql::Sql;

/// Leads with due or later deliveries, as seen by leases.
const OPEN: &str = "SELECT count(*) FROM lead WHERE open";
/// Excludes `cancelled`: routes do not change in a run and nothing is discarded.
const UNFINISHED: &str = "SELECT count(*) FROM delivery WHERE state NOT IN ('delivered', 'failed')";
const FAILED: &str = "SELECT lead_id, recipient FROM delivery WHERE state = 'failed'";

/// Number of leads and deliveries with work left.
pub(crate) fn open(sql: &Sql) -> Result<u64> {
    Ok(sql.number(OPEN)? + sql.number(UNFINISHED)?)
}

pub(super) fn rows(run: &Run) -> Result<Vec<Row>> {
    let sql = &run.stack.sql;
    let (open, unfinished) = (sql.number(OPEN)?, sql.number(UNFINISHED)?);
    // The webhook is one more, and the brochure is not everybody's.
    let everybody = RECIPIENTS.len() + 1;
    let incomplete = sql.number(&format!(
        "SELECT count(*) FROM lead WHERE {everybody} <> \
         (SELECT count(*) FROM delivery WHERE lead_id = lead.id AND recipient <> 'brochure' AND state IN ('delivered', 'failed'))"
    ))?;
    let found = sql.run(FAILED)?;
    let failed: BTreeSet<String> = found.lines().map(str::to_owned).collect();
    let refused: BTreeSet<String> =
        run.findings().refused.iter().map(|id| format!("{id}\t{}", RECIPIENTS[1])).collect();
    let missing = refused.difference(&failed).count();
    let unexpected = failed.difference(&refused).count();
    Ok(vec![
        Row::new(
            "every delivery is delivered or failed",
            open == 0 && unfinished == 0 && incomplete == 0,
            format!(
                "{open} leads open, {unfinished} deliveries unfinished, {incomplete} leads lack deliveries"
            ),
        ),
        Row::new(
            "the failed deliveries are exactly the rejected emails",
            missing == 0 && unexpected == 0,
            format!("{} failed, {missing} missing, {unexpected} unexpected", failed.len()),
        ),
    ])
}
