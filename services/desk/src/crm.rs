//! Calls to the CRM for a person, whom it notes.

use std::{future::Future, time::Duration};

use crm_client::{Crm, CrmClient};
use runtime::clock::SharedClock;
use tokens::{PersonToken, SigningKeys};
use tonic::{Request, Response, Status, metadata::MetadataValue};

/// A person waits for the answer, and nginx for at most 3.8 s, in which there may be three calls.
const DEADLINE: Duration = Duration::from_millis(1200);

#[derive(Clone)]
pub(crate) struct PersonsCrm {
    crm: CrmClient,
    keys: SigningKeys,
    clock: SharedClock,
}

impl PersonsCrm {
    pub(crate) fn new(settings: crm_client::Settings, keys: SigningKeys, clock: SharedClock) -> Self {
        Self { crm: CrmClient::new(settings), keys, clock }
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
        let token = PersonToken::sign(person, &self.keys, self.clock.now());
        let token = MetadataValue::try_from(token).map_err(|_| Status::internal("a token is not ASCII"))?;
        let call = |crm| {
            let mut request = Request::new(message.clone());
            request.metadata_mut().insert("person-token", token.clone());
            call(crm, request)
        };
        self.crm.call(DEADLINE, call).await
    }
}
