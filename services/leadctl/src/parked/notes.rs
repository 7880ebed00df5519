//! What an operator did, written into the leads' timelines.

use contracts::crm::v1::Action;
use uuid::Uuid;

use crate::{client::Client, config::Config, error::Error};

/// Connects to the CRM when there is something to note.
pub(super) struct Notes<'a> {
    config: &'a Config,
    client: Option<Client>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(config: &'a Config) -> Self {
        Self { config, client: None }
    }

    /// Adds to the timeline of a lead, stored or not.
    pub(super) async fn add(&mut self, lead_id: Uuid, action: Action, why: &str) -> Result<(), Error> {
        let client = match &mut self.client {
            Some(client) => client,
            none => none.insert(Client::connect(self.config).await?),
        };
        client.note(lead_id, action, why).await
    }
}
