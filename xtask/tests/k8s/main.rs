//! The manifests and scripts of `k8s/`, with the real kubectl as far as it goes without a cluster.

mod copy;
mod create_secrets;
mod manifests;
