//! The checks after quiescence, one file per group of promises; each promise is a row of the table.

mod answers;
mod broker;
pub(crate) mod ledger;
mod mails;
mod memory;
mod processes;
mod promised;
mod rows;
mod script;

use xtask::error::Result;

use crate::reconciliation::Reconciliation;
use crate::run::Run;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) kept: bool,
    pub(crate) what: &'static str,
    pub(crate) numbers: String,
}

impl Row {
    fn new(what: &'static str, kept: bool, numbers: impl Into<String>) -> Self {
        Self { kept, what, numbers: numbers.into() }
    }
}

pub(crate) async fn all(run: &Run) -> Result<Vec<Row>> {
    let reconciliation =
        tokio::task::block_in_place(|| Reconciliation::read(&run.visits, &run.stack.mail_journal))?;
    let mut table = vec![script::faults(run), script::quiescence(run)];
    table.extend(answers::rows(run, &reconciliation));
    table.extend(tokio::task::block_in_place(|| rows::rows(run, &reconciliation))?);
    table.extend(mails::rows(run, &reconciliation)?);
    table.extend(tokio::task::block_in_place(|| promised::rows(run, &reconciliation))?);
    table.extend(broker::rows(run).await?);
    table.extend(tokio::task::block_in_place(|| ledger::rows(run))?);
    table.push(processes::row(run));
    table.push(memory::row(run));
    Ok(table)
}
