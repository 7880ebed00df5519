//! A stand-in for a cluster: a copy of `k8s/`, and a kubectl that stores Secrets as files and reports that everything works.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use xtask::files::root;
use xtask::packages;
use xtask::process::output;

use super::OVERLAYS;
use crate::install_stand_in;

/// Stores the manifest of each Secret in a file of its name, and other applied manifests in the directory `applied`. The file
/// `answers` contains the answers of a test.
const KUBECTL: &str = r#"
set -eu
[ "$1" != --namespace ] || shift 2
echo "$*" >>"$cluster/calls"
for last; do :; done
[ ! -e "$cluster/answers" ] || . "$cluster/answers"
names() { awk '/^kind: / { kind = tolower($2) } /^  name: / { print kind "/" $2 }' "$1"; }
case "$*" in
version*) printf 'clientVersion:\n  minor: "32"\nserverVersion:\n  minor: "32"\n' ;;
"config current-context") echo stand-in ;;
"api-resources --no-headers")
    awk '/^apiVersion: / { version = $2 } /^kind: / { print version, "true", $2 }' all
    printf '%s\n' 'metrics.k8s.io/v1beta1 true PodMetrics' 'barmancloud.cnpg.io/v1 true ObjectStore' ;;
kustomize* | create\ secret* | patch*) exec "$kubectl" "$@" ;;
*--dry-run=server*) names "$last" ;;
*/namespace.yaml) ;;
apply*create-secrets*) cp "$last" "$secrets/$(sed -n 's/^  name: //p' "$last")" ;;
apply*) cat "$last" >"$cluster/applied/$(basename "$last")" ;;
"get --filename"*) names "$3" | sed 's#^job/#job.batch/#' ;;
"get statefulset --output name") echo statefulset.apps/rabbitmq ;;
"get deployment --output name") printf 'deployment.apps/%s\n' site crm-sync ;;
"get deployment/"*" --output name") echo "deployment.apps/${2#*/}" ;;
"get job"*jsonpath*) echo Complete ;;
"get secret generated "*go-template*)
    [ ! -e "$secrets/generated" ] || sed -n '/^data:/,/^kind:/ s/^  \(.*\): /\1 /p' "$secrets/generated" ;;
"get secret ${UNAVAILABLE:-none} "*) echo "Unable to connect to the server" >&2; exit 1 ;;
"get secret "*) [ ! -e "$secrets/$3" ] || echo "secret/$3" ;;
"get "*" --ignore-not-found --output name") echo "$2" ;;
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
            "deploy/grafana",
            "deploy/changes-since-backup",
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
            (
                "base/lead-intake/settings.env",
                ["=zg-anon-local", "=zg-anon-tests"],
            ),
        ] {
            cluster.edit(file, from, to);
        }
        for directory in ["bin", "secrets", "applied"] {
            fs::create_dir_all(cluster.path(directory)).unwrap();
        }
        let kubectl = packages::find("kubectl").expect("kubectl");
        let script = format!(
            "#!/bin/sh\ncluster='{}'\nsecrets=$cluster/secrets\nkubectl='{}'\n{KUBECTL}",
            cluster.path("").display(),
            kubectl.display()
        );
        install_stand_in(&cluster.path("bin"), "kubectl", &script);
        install_stand_in(&cluster.path("bin"), "sleep", "#!/bin/sh\n");
        cluster
    }

    /// Runs a script for calls of kubectl that match a pattern of the shell.
    pub(crate) fn answer(&self, pattern: &str, script: &str) {
        let file = self.path("answers");
        let answers = fs::read_to_string(&file).unwrap_or_default();
        let answer = format!("case \"$*\" in\n{pattern}) {script}\nexit ;;\nesac\n");
        fs::write(file, answers + &answer).unwrap();
    }

    /// The calls of kubectl, one in each line.
    pub(crate) fn calls(&self) -> String {
        fs::read_to_string(self.path("calls")).unwrap_or_default()
    }

    /// The number of calls of kubectl that start with these arguments.
    pub(crate) fn count_calls(&self, arguments: &str) -> usize {
        self.calls()
            .lines()
            .filter(|call| call.starts_with(arguments))
            .count()
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
                self.path("bin").display()
            ),
        ]);
        shell.current_dir(self.0.path());
        shell
    }

    /// The file with the manifest of a Secret.
    pub(crate) fn secret(&self, name: &str) -> PathBuf {
        self.path("secrets").join(name)
    }

    pub(crate) fn secrets(&self) -> Secrets {
        let manifests = fs::read_dir(self.secret("")).unwrap().flatten();
        manifests
            .map(|manifest| {
                let text = fs::read_to_string(manifest.path()).unwrap();
                let manifest: Value = serde_saphyr::from_str(&text).unwrap();
                let values = manifest["data"].as_object().into_iter().flatten();
                let values = values.map(|(key, value)| (key.clone(), decode(value)));
                let name = manifest["metadata"]["name"].as_str().unwrap();
                (name.to_owned(), values.collect())
            })
            .collect()
    }

    pub(crate) fn render(&self, overlay: &str) -> Vec<Value> {
        serde_saphyr::from_multiple(&self.output(&format!("k8s/render {overlay}"))).unwrap()
    }
}

fn decode(value: &Value) -> String {
    let bytes = BASE64_STANDARD.decode(value.as_str().unwrap()).unwrap();
    String::from_utf8(bytes).unwrap()
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
