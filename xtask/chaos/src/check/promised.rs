//! Checks what goes to others than the sales team: webhooks, and the brochure.

use xtask::error::Result;

use super::Row;
use crate::reconciliation::Reconciliation;
use crate::run::Run;
use crate::stack::{BROCHURE, WEBHOOK};

/// The first visitors of a session look automatic.
const ASKED: &str =
    "SELECT count(DISTINCT email_key) FROM lead WHERE interests LIKE '%\"brochure\"%' AND signals = '[]'";
const DELIVERED: &str = "SELECT count(*), count(DISTINCT email_key) FROM lead JOIN delivery ON lead_id = id \
                         WHERE recipient = 'brochure' AND delivery.state = 'delivered'";

pub(super) fn rows(run: &Run, reconciliation: &Reconciliation) -> Result<Vec<Row>> {
    let unposted =
        reconciliation.acknowledged().filter(|(id, _)| reconciliation.mailed(*id, WEBHOOK).is_empty());
    let unposted = unposted.count();
    let asked = run.stack.sql.number(ASKED)?;
    let delivered = run.stack.sql.run(DELIVERED)?;
    let mailed = reconciliation.leads.keys().filter(|id| !reconciliation.mailed(**id, BROCHURE).is_empty());
    let mailed = mailed.count();
    Ok(vec![
        Row::new(
            "every acknowledged lead reaches the webhook, which fails every second call",
            unposted == 0,
            format!("{unposted} missing of {}", reconciliation.acknowledged().count()),
        ),
        Row::new(
            "every address that requests the brochure receives it once",
            delivered.trim() == format!("{asked}\t{asked}") && mailed as u64 == asked,
            format!(
                "{asked} requested, {mailed} sent, {} addresses in the database",
                delivered.trim().replace('\t', " deliveries to ")
            ),
        ),
    ])
}
