//! Checks the leads stored in the database.

use std::collections::HashSet;

use uuid::Uuid;
use xtask::error::Result;

use super::Row;
use crate::reconciliation::Reconciliation;
use crate::run::Run;

pub(super) fn rows(run: &Run, reconciliation: &Reconciliation) -> Result<Vec<Row>> {
    let sql = &run.stack.sql;
    let mut stored = HashSet::new();
    let mut twice = 0_usize;
    for id in sql.run("SELECT id FROM lead")?.lines().filter_map(|line| line.parse::<Uuid>().ok()) {
        twice += usize::from(!stored.insert(id));
    }
    let missing = reconciliation.acknowledged().filter(|(id, _)| !stored.contains(id)).count();
    let strangers = stored.iter().filter(|id| !reconciliation.leads.contains_key(id)).count();
    let other_words: Vec<Uuid> =
        reconciliation.acknowledged().filter(|(_, sent)| sent.other_words).map(|(id, _)| id).collect();
    let kept: HashSet<Uuid> =
        sql.run("SELECT DISTINCT id FROM conflict")?.lines().filter_map(|line| line.parse().ok()).collect();
    let forgotten = other_words.iter().filter(|id| !kept.contains(id)).count();
    Ok(vec![
        Row::new(
            "every acknowledged lead is in the database",
            missing == 0,
            format!("{missing} missing of {}", reconciliation.acknowledged().count()),
        ),
        Row::new(
            "the database contains no duplicate and no unknown lead",
            twice == 0 && strangers == 0,
            format!("{twice} duplicates, {strangers} unknown, {} rows", stored.len()),
        ),
        Row::new(
            "different contents with the same key are kept as a conflict",
            forgotten == 0,
            format!("{forgotten} missing of {}", other_words.len()),
        ),
    ])
}
