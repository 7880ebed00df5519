//! The manifests and scripts of `k8s/`, with the real kubectl as far as it goes without a cluster.

mod cluster;
mod copy;
mod install;
mod manifests;
mod secrets;
mod settings;
