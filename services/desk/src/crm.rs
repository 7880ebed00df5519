//! Calls to the CRM for a person, whom it notes.

use std::{future::Future, time::Duration};

use crm_client::{Crm, CrmClient};
use tonic::{Request, Response, Status, metadata::MetadataValue};

/// A person waits for the answer, and nginx for at most 3.8 s, in which there may be three calls.
const DEADLINE: Duration = Duration::from_millis(1200);

#[derive(Clone)]
pub(crate) struct PersonsCrm(CrmClient);

impl PersonsCrm {
    pub(crate) fn new(settings: crm_client::Settings) -> Self {
        Self(CrmClient::new(settings))
    }

    /// Makes a call in the name of `person`.
    pub(crate) async fn call<R: Clone, T, Answer>(
        &self,
        person: &str,
        message: R,
        call: impl Fn(Crm, Request<R>) -> Answer,
    ) -> Result<T, Status>
    where
        Answer: Future<Output = Result<Response<T>, Status>>,
    {
        let call = |crm| {
            let mut request = Request::new(message.clone());
            let name = MetadataValue::from_bytes(person.as_bytes());
            request.metadata_mut().insert_bin("person-bin", name);
            call(crm, request)
        };
        self.0.call(DEADLINE, call).await
    }
}
