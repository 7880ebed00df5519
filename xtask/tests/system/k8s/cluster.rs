//! A stand-in for kubectl that stores Secrets as files, records changes, and passes other commands to the real kubectl.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

use super::copy::{Copy, OVERLAYS, rendered, stand_in, text};

const KUBECTL: &str = r#"
set -eu
[ "$1" != --namespace ] || shift 2
for last; do :; done
objects() {
    awk '/^kind: / { kind = $2 } /^[^ ]/ { top = $1 } top == "metadata:" && /^  name: / { print kind "/" $2 }' "$1"
}
setting() { cat "$cluster/$1"; }
case "$*" in
"create secret "* | kustomize*) exec "$kubectl" "$@" ;;
"config current-context") echo lab ;;
"version "*)
    printf 'clientVersion:\n  minor: "32"\nkustomizeVersion: v5.5.0\nserverVersion:\n  minor: %s+\n' "$(setting minor)" ;;
api-resources*) setting kinds ;;
*--force-conflicts*--dry-run=server*) objects "$last" ;;
*--dry-run=server*)
    objects "$last" | grep -v "^$(setting changed)$"
    [ "$(setting changed)" = none ] || {
        echo 'error: Apply failed with 1 conflict: conflict with "kubectl-set" using apps/v1: .spec.replicas' >&2
        exit 1
    } ;;
apply* | delete*)
    echo "$1" $(objects "$last") >>"$cluster/calls"
    case $(objects "$last") in Secret/*)
        secret=$cluster/secrets/$(sed -n 's/^  name: //p' "$last")
        rm -rf "$secret"
        mkdir -p "$secret"
        awk '/^data:/ { data = 1; next } /^[^ ]/ { data = 0 } data { sub(/:$/, "", $1); print $1, $2 }' "$last" |
            while read -r key value; do printf %s "$value" | openssl base64 -d -A >"$secret/$key"; done ;;
    esac ;;
"get secret generated --ignore-not-found --output go-template"*)
    [ ! -d "$cluster/secrets/generated" ] || for key in "$cluster"/secrets/generated/*; do
        echo "${key##*/} $(openssl base64 -A <"$key")"
    done ;;
"get secret "*) [ ! -d "$cluster/secrets/$3" ] || echo "secret/$3" ;;
"get --filename "*) objects "$3" | sed 's/^Job/job.batch/' ;;
"get job.batch/"*) [ "$2" = "job.batch/$(setting failed)" ] && echo Failed || echo Complete ;;
*"--ignore-not-found --output name") setting absent | grep -qFx "$2" || echo "$2" ;;
"get deployment "* | "get statefulset "*) echo "$2/all" ;;
"get "*) echo "$2" ;;
logs*) echo "ZG-7F3K-2Q  accepted after 0.03 s" ;;
*) echo "$*" >>"$cluster/calls" ;;
esac
"#;

static KINDS: OnceLock<String> = OnceLock::new();

/// Values by `secret/key`.
pub(crate) type Secrets = BTreeMap<String, String>;

pub(crate) struct Cluster {
    directory: tempfile::TempDir,
    copy: Copy,
}

impl Cluster {
    /// An empty cluster with all kinds and objects that `install` requires.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let real = text(Command::new("sh").args(["-c", "command -v kubectl"]).output().expect("sh"));
        let script = format!(
            "#!/bin/sh\ncluster='{}'\nkubectl='{}'\n{KUBECTL}",
            directory.path().display(),
            real.trim()
        );
        stand_in(directory.path(), "kubectl", &script);
        fs::create_dir(directory.path().join("secrets")).expect("its folder");
        let cluster = Self { directory, copy: Copy::new() };
        cluster.set("kinds", KINDS.get_or_init(kinds));
        for (name, value) in [("minor", "30"), ("changed", "none"), ("failed", "none"), ("absent", "")] {
            cluster.set(name, value);
        }
        cluster
    }

    /// Sets a response: `kinds`, `minor` version, `absent` objects, the `changed` object, the `failed` Job.
    pub(crate) fn set(&self, name: &str, value: &str) {
        fs::write(self.directory.path().join(name), value).expect("a file");
    }

    pub(crate) fn copy(&self) -> &Copy {
        &self.copy
    }

    pub(crate) fn run(&self, script: &str) -> Output {
        let path = format!("PATH={}:$PATH; export PATH; {script}", self.directory.path().display());
        self.copy.shell(&path).output().expect("sh starts")
    }

    /// The changes since the last call.
    pub(crate) fn calls(&self) -> Vec<String> {
        let file = self.directory.path().join("calls");
        let calls = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, "").expect("a file");
        calls.lines().map(str::to_owned).collect()
    }

    pub(crate) fn create_secrets(&self, arguments: &str) {
        text(self.run(&format!("k8s/create-secrets {arguments}")));
    }

    pub(crate) fn secret(&self, name: &str) -> PathBuf {
        self.directory.path().join("secrets").join(name)
    }

    pub(crate) fn secrets(&self) -> Secrets {
        let files = |folder: &Path| fs::read_dir(folder).expect("a folder").flatten().map(|file| file.path());
        let name = |path: &Path| path.file_name().expect("a name").display().to_string();
        files(&self.secret(""))
            .flat_map(|secret| files(&secret))
            .map(|key| {
                let secret = name(key.parent().expect("its Secret"));
                (format!("{secret}/{}", name(&key)), fs::read_to_string(&key).expect("a value"))
            })
            .collect()
    }
}

/// What `kubectl api-resources` prints when every operator is installed.
fn kinds() -> String {
    let kinds: BTreeSet<String> = OVERLAYS
        .iter()
        .flat_map(|overlay| rendered(overlay))
        .map(|object| format!("x {} true {}\n", text_of(&object["apiVersion"]), text_of(&object["kind"])))
        .collect();
    let others = "x metrics.k8s.io/v1beta1 true PodMetrics\nx barmancloud.cnpg.io/v1 true ObjectStore\n";
    kinds.into_iter().collect::<String>() + others
}

fn text_of(value: &Value) -> &str {
    value.as_str().expect("a text")
}
