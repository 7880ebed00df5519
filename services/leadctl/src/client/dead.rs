//! Calls about dead deliveries.

use contracts::crm::v1::{DeadFilter, DiscardDeadRequest, ListDeadRequest, ReplayDeadRequest};

use super::Client;
use crate::{dead::DeadList, error::Error};

impl Client {
    /// The oldest of those that pass, at most 1000, and how many there are.
    pub(crate) async fn list_dead(&mut self, filter: DeadFilter) -> Result<DeadList, Error> {
        let request = ListDeadRequest { filter: Some(filter) };
        let answer = self.crm.list_dead(request).await.map_err(|status| self.error(&status))?;
        DeadList::from_wire(answer.into_inner())
    }

    /// Has them tried again; returns how many.
    pub(crate) async fn replay_dead(&mut self, filter: DeadFilter) -> Result<u64, Error> {
        let request = ReplayDeadRequest { filter: Some(filter) };
        let answer = self.crm.replay_dead(request).await.map_err(|status| self.error(&status))?;
        Ok(answer.into_inner().deliveries)
    }

    /// Settles them undelivered; returns how many.
    pub(crate) async fn discard_dead(&mut self, filter: DeadFilter, why: String) -> Result<u64, Error> {
        let request = DiscardDeadRequest { filter: Some(filter), why };
        let answer = self.crm.discard_dead(request).await.map_err(|status| self.error(&status))?;
        Ok(answer.into_inner().deliveries)
    }
}
