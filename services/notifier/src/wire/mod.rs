//! Questions to the CRM and its answers, outcomes into reports.

mod ledger;
mod morning;
mod report;

use std::time::Duration;

pub(crate) use self::{
    ledger::{Answer, Claimed, Ledger, Unanswered},
    morning::Backlog,
    report::Delivered,
};

fn duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: duration.subsec_nanos().cast_signed(),
    }
}
