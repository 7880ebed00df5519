//! The services of one replica of the CRM.

use contracts::crm::v1::{
    access_service_client::AccessServiceClient, delivery_service_client::DeliveryServiceClient,
    lead_service_client::LeadServiceClient, person_service_client::PersonServiceClient,
};
use tonic::{
    body::Body,
    client::GrpcService,
    codegen::{Bytes, StdError},
};

/// A client for each service of one replica. Clones share the connection `C`.
#[derive(Clone)]
pub struct Replica<C> {
    /// Stores, shows and changes leads.
    pub leads: LeadServiceClient<C>,
    /// Decides which emails and webhook calls are sent.
    pub deliveries: DeliveryServiceClient<C>,
    /// Exports, erases, merges and splits people.
    pub people: PersonServiceClient<C>,
    /// Checks tokens and claims tasks.
    pub access: AccessServiceClient<C>,
}

impl<C> Replica<C>
where
    C: GrpcService<Body> + Clone,
    C::Error: Into<StdError>,
    C::ResponseBody: tonic::codegen::Body<Data = Bytes> + Send + 'static,
    <C::ResponseBody as tonic::codegen::Body>::Error: Into<StdError> + Send,
{
    /// Calls the services over this connection.
    pub fn new(connection: C) -> Self {
        Self {
            leads: LeadServiceClient::new(connection.clone()),
            deliveries: DeliveryServiceClient::new(connection.clone()),
            people: PersonServiceClient::new(connection.clone()),
            access: AccessServiceClient::new(connection),
        }
    }

    /// Accepts responses of up to `bytes`. Without this limit, tonic accepts up to 4 MiB.
    #[must_use]
    pub fn max_response_size(self, bytes: usize) -> Self {
        Self {
            leads: self.leads.max_decoding_message_size(bytes),
            deliveries: self.deliveries.max_decoding_message_size(bytes),
            people: self.people.max_decoding_message_size(bytes),
            access: self.access.max_decoding_message_size(bytes),
        }
    }
}
