//! Calls about one person.

use std::collections::BTreeSet;

use contracts::crm::v1::{ErasePersonRequest, ExportPersonRequest};
use uuid::Uuid;

use super::Client;
use crate::{error::Error, lead::FullLead, person::Person};

impl Client {
    /// All leads of a person, oldest first, with all that is known of them.
    pub(crate) async fn export_person(&mut self, person: &Person) -> Result<Vec<FullLead>, Error> {
        let request = ExportPersonRequest { person: person.as_str().to_owned() };
        let answer = self.crm.export_person(request).await.map_err(|status| self.error(&status))?;
        answer.into_inner().leads.into_iter().map(FullLead::from_wire).collect()
    }

    /// Forgets a person, and these leads whether they are stored or not; returns the ids of all that are erased now.
    pub(crate) async fn erase_person(
        &mut self,
        person: &Person,
        leads: impl IntoIterator<Item = Uuid>,
    ) -> Result<BTreeSet<Uuid>, Error> {
        let lead_ids = leads.into_iter().map(|id| id.to_string()).collect();
        let request = ErasePersonRequest { person: person.as_str().to_owned(), lead_ids };
        let answer = self.crm.erase_person(request).await.map_err(|status| self.error(&status))?;
        let ids = answer.into_inner().lead_ids.into_iter();
        ids.map(|id| id.parse().map_err(|_| Error::Failed("its answer holds an id that is none".to_owned())))
            .collect()
    }
}
