//! The configuration, terminal, clock and ids of every command.

use chrono::{DateTime, Utc};
use contracts::crm::v1::LeadFilter;
use prost_types::Timestamp;
use runtime::{
    clock::{Clock, SystemClock},
    random::RandomIds,
};

use crate::{arguments::Filter, config::Config, crm::Crm, error::Error, terminal::Terminal, when::When};

pub(crate) struct Context {
    pub(crate) config: Config,
    pub(crate) terminal: Terminal,
    pub(crate) clock: SystemClock,
    pub(crate) ids: RandomIds,
}

impl Context {
    pub(crate) async fn crm(&self) -> Result<Crm, Error> {
        Crm::connect(&self.config).await
    }

    /// The beginning of a point in time as typed.
    pub(crate) fn begin(&self, when: When) -> DateTime<Utc> {
        when.begins(self.clock.now(), self.config.time_zone)
    }

    /// As [`Context::begin`], for the contract.
    pub(crate) fn since(&self, when: Option<When>) -> Option<Timestamp> {
        when.map(|when| lead::field::timestamp(self.begin(when)))
    }

    pub(crate) fn filter(&self, filter: Filter) -> LeadFilter {
        filter.read(self.clock.now(), self.config.time_zone)
    }
}
