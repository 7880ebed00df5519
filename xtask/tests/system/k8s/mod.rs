//! The manifests and scripts of `k8s/`, with the real kubectl where it works without a cluster.

mod cluster;
mod copy;
mod install;
mod manifests;
mod secrets;
mod settings;
