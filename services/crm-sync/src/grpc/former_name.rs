//! Serves calls to `crm.v1.CrmService`, which had all methods in the previous version. Clients of this version still use that
//! name, so they work with replicas of both versions. To be removed one version later, first in the clients.

use std::{collections::BTreeMap, sync::LazyLock};

use axum::http::{Request, Uri, uri::PathAndQuery};
use prost::Message;
use prost_types::FileDescriptorSet;

const FORMER: &str = "/crm.v1.CrmService/";

/// The path of each method by its name, which is unique among all services.
static PATHS: LazyLock<BTreeMap<String, PathAndQuery>> = LazyLock::new(|| {
    let contracts = FileDescriptorSet::decode(contracts::FILE_DESCRIPTOR_SET)
        .expect("the contracts are a descriptor set");
    let mut paths = BTreeMap::new();
    for file in &contracts.file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                let path = path.parse().expect("names are valid in paths");
                paths.insert(method.name().to_owned(), path);
            }
        }
    }
    paths
});

/// Replaces the former name by the name of the method's service.
pub(super) fn rename<B>(mut request: Request<B>) -> Request<B> {
    let method = request.uri().path().strip_prefix(FORMER);
    if let Some(path) = method.and_then(|method| PATHS.get(method)) {
        let mut parts = request.uri().clone().into_parts();
        parts.path_and_query = Some(path.clone());
        if let Ok(uri) = Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
    }
    request
}
