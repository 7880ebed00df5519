//! A stand-in for a cluster: a copy of `k8s/`, and a kubectl that stores Secrets as files and records changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;
use xtask::files::root;
use xtask::packages;
use xtask::process::output;

use super::OVERLAYS;
use crate::install_stand_in;

const KUBECTL: &str = r#"
set -eu
[ "$1" != --namespace ] || shift 2
for last; do :; done
objects() {
    awk '/^kind: / { kind = $2 } /^[^ ]/ { top = $1 } top == "metadata:" && /^  name: / { print kind "/" $2 }' "$1"
}
setting() { cat "$cluster/$1"; }
case "$*" in
kustomize*) exec "$kubectl" "$@" ;;
"create secret generic "*) printf 'kind: Secret\nmetadata:\n  name: %s\nfiles: %s\n' "$4" "${5#--from-file=}" ;;
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
        find "$(sed -n 's/^files: //p' "$last")" -maxdepth 1 -type f -exec cp --target-directory "$secret" {} + ;;
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

pub(crate) struct Cluster(tempfile::TempDir);

impl Cluster {
    /// An empty cluster, and a copy of the files with all required settings.
    pub(crate) fn new() -> Self {
        let cluster = Self(tempfile::tempdir().unwrap());
        let mut copy = Command::new("cp");
        copy.args([
            "-r",
            "--parents",
            "k8s",
            "deploy/secrets",
            "deploy/rabbitmq",
            "deploy/prometheus",
        ]);
        copy.arg("--target-directory")
            .arg(cluster.0.path())
            .current_dir(root());
        output(&mut copy).expect("a copy");
        let proxies = [
            "\nREAL_IP_FROM=\n",
            "\nREAL_IP_FROM=set_real_ip_from 10.244.0.0/16;\n",
        ];
        // `plain` has all components, and the object storage of `production` has an unusual port.
        let webhooks = [
            "components:\n",
            "components:\n  - ../../components/webhooks\n",
        ];
        for (file, [from, to]) in [
            ("overlays/plain/kustomization.yaml", webhooks),
            ("overlays/production/cluster.env", ["PORT=443", "PORT=9000"]),
            ("overlays/plain/site.env", proxies),
            ("overlays/production/site.env", proxies),
            ("overlays/plain/notifier.env", [".example", ".test"]),
            ("overlays/production/notifier.env", [".example", ".test"]),
            ("base/notifier/settings.env", [".example", ".test"]),
            ("base/notifier/routes.toml", [".example", ".test"]),
            ("leadctl.env", ["LEADCTL_USERS=", "LEADCTL_USERS=mei"]),
        ] {
            cluster.edit(file, from, to);
        }
        fs::create_dir_all(cluster.secret("")).unwrap();
        let (state, kubectl) = (
            cluster.path("cluster"),
            packages::find("kubectl").expect("kubectl"),
        );
        let script = format!(
            "#!/bin/sh\ncluster='{}'\nkubectl='{}'\n{KUBECTL}",
            state.display(),
            kubectl.display()
        );
        install_stand_in(&state, "kubectl", &script);
        for (name, value) in [
            ("kinds", ""),
            ("minor", "30"),
            ("changed", "none"),
            ("failed", "none"),
            ("absent", ""),
        ] {
            cluster.set(name, value);
        }
        cluster
    }

    /// Sets a response: `kinds`, `minor` version, `absent` objects, the `changed` object, the `failed` Job.
    pub(crate) fn set(&self, name: &str, value: &str) {
        fs::write(self.path("cluster").join(name), value).unwrap();
    }

    /// Replaces text in a file of `k8s/`.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let file = self.path("k8s").join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from} is not in {}", file.display());
        fs::write(file, text.replace(from, to)).unwrap();
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub(crate) fn run(&self, script: &str) -> Output {
        self.shell(script).output().expect("sh starts")
    }

    /// The output of a script that must succeed.
    pub(crate) fn output(&self, script: &str) -> String {
        output(&mut self.shell(script)).expect(script)
    }

    fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            &format!(
                "PATH={}:$PATH; export PATH; {script}",
                self.path("cluster").display()
            ),
        ]);
        shell.current_dir(self.0.path());
        shell
    }

    /// The changes since the last call.
    pub(crate) fn calls(&self) -> Vec<String> {
        let file = self.path("cluster/calls");
        let calls = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, "").unwrap();
        calls.lines().map(str::to_owned).collect()
    }

    pub(crate) fn secret(&self, name: &str) -> PathBuf {
        self.path("cluster/secrets").join(name)
    }

    pub(crate) fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::new();
        for secret in fs::read_dir(self.secret("")).unwrap().flatten() {
            let values = secrets
                .entry(secret.file_name().display().to_string())
                .or_default();
            for key in fs::read_dir(secret.path()).unwrap().flatten() {
                values.insert(
                    key.file_name().display().to_string(),
                    fs::read_to_string(key.path()).unwrap(),
                );
            }
        }
        secrets
    }

    pub(crate) fn render(&self, overlay: &str) -> Vec<Value> {
        serde_saphyr::from_multiple(&self.output(&format!("k8s/render {overlay}"))).unwrap()
    }
}

/// The values of each Secret by key.
pub(crate) type Secrets = BTreeMap<String, BTreeMap<String, String>>;

/// All objects of an overlay, with the Secrets of `k8s/create-secrets`.
pub(crate) struct Overlay {
    pub(crate) name: &'static str,
    pub(crate) objects: Vec<Value>,
    pub(crate) secrets: Secrets,
}

/// The overlays without the changes of tests.
pub(crate) static RENDERED: LazyLock<[Overlay; 3]> = LazyLock::new(|| {
    OVERLAYS.map(|name| {
        let cluster = Cluster::new();
        cluster.output(&format!("k8s/create-secrets {name}"));
        Overlay {
            name,
            objects: cluster.render(name),
            secrets: cluster.secrets(),
        }
    })
});
