//! The manifests and scripts of `k8s/`, with the real kubectl where it works without a cluster.

mod cluster;
mod install;
mod manifests;
mod restore;
mod secrets;
mod settings;

use serde_json::Value;

const OVERLAYS: [&str; 3] = ["dev", "plain", "production"];

fn name(object: &Value) -> &str {
    text(&object["metadata"]["name"])
}

fn of_kind<'a>(objects: &'a [Value], kinds: &'a [&'a str]) -> impl Iterator<Item = &'a Value> + 'a {
    objects
        .iter()
        .filter(|object| kinds.iter().any(|kind| object["kind"] == *kind))
}

/// The object of this kind and name.
fn find<'a>(objects: &'a [Value], kind: &str, wanted: &str) -> &'a Value {
    let mut objects = objects.iter();
    objects
        .find(|object| object["kind"] == kind && name(object) == wanted)
        .expect(wanted)
}

/// The Job with this name before the checksum.
fn find_job<'a>(objects: &'a [Value], wanted: &str) -> &'a Value {
    let is_wanted = |job: &&Value| {
        name(job)
            .rsplit_once('-')
            .is_some_and(|(name, _)| name == wanted)
    };
    of_kind(objects, &["Job"]).find(is_wanted).expect(wanted)
}

/// The elements of an array, none if there is no array.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The Secrets that a volume contains, with the selected keys and their paths, or none of them for the whole Secret.
fn secrets_in(volume: &Value) -> impl Iterator<Item = (&str, Vec<(&str, &str)>)> {
    let sources = each(&volume["projected"]["sources"])
        .chain([volume])
        .map(|source| &source["secret"]);
    sources.filter_map(|secret| {
        let name = secret["name"].as_str().or(secret["secretName"].as_str())?;
        Some((
            name,
            each(&secret["items"])
                .map(|item| (text(&item["key"]), text(&item["path"])))
                .collect(),
        ))
    })
}
