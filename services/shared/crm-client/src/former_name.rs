//! Calls all methods under `crm.v1.CrmService`, the service that had them in the previous version.

use std::task::{Context, Poll};

use http::{Request, Uri, uri::PathAndQuery};
use tower::Service;

/// A connection that replicas of the previous version understand, too. To be removed one version later: by then, no replica
/// accepts only the former name.
#[derive(Clone)]
pub struct FormerName<C>(
    /// The connection to the replica.
    pub C,
);

impl<C: Service<Request<B>>, B> Service<Request<B>> for FormerName<C> {
    type Response = C::Response;
    type Error = C::Error;
    type Future = C::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        if let Some(uri) = to_former(request.uri()) {
            *request.uri_mut() = uri;
        }
        self.0.call(request)
    }
}

/// Returns `None` for a call to another service.
fn to_former(uri: &Uri) -> Option<Uri> {
    let (_service, method) = uri.path().strip_prefix("/crm.v1.")?.split_once('/')?;
    let path = PathAndQuery::try_from(format!("/crm.v1.CrmService/{method}")).ok()?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_former_name_for_calls_to_the_crm_only() {
        let former = |uri| to_former(&Uri::from_static(uri)).map(|uri| uri.to_string());
        assert_eq!(
            former("http://crm:50051/crm.v1.LeadService/GetLead").as_deref(),
            Some("http://crm:50051/crm.v1.CrmService/GetLead")
        );
        assert_eq!(former("http://crm:50051/grpc.health.v1.Health/Check"), None);
    }
}
