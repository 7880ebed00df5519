//! The services read the settings of every deployment with `check-config`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use xtask::files::root;
use xtask::process::output;
use xtask::stack;

use super::cluster::{Overlay, RENDERED, Secrets};
use super::secrets::mount;
use super::{each, name, of_kind, secrets_in, text};
use crate::{PROGRAMS, create_certificate};

const SERVICES: [&str; 4] = ["lead-intake", "notifier", "crm-sync", "desk"];

/// Variables of libraries.
const NO_SETTINGS: [&str; 4] = ["PGSSLMODE", "PGSSLROOTCERT", "SSL_CERT_DIR", "SSL_CERT_FILE"];

type Variables = BTreeMap<String, String>;

#[test]
fn services_read_the_settings_of_every_overlay() {
    for Overlay { name: overlay, objects, secrets } in RENDERED.iter() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut all = secrets_of_others(directory.path());
        all.extend(secrets.clone());
        for service in SERVICES {
            let mut workloads = of_kind(objects, &["Deployment", "StatefulSet"]);
            let workload = workloads.find(|workload| name(workload) == service).expect(service);
            let pod = Pod { spec: &workload["spec"]["template"]["spec"], objects, secrets: &all };
            let root = directory.path().join(service);
            pod.mount(&root);
            check(overlay, service, pod.variables(), &root);
        }
    }
}

/// Secrets of the mail server, cert-manager and the database operator.
fn secrets_of_others(directory: &Path) -> Secrets {
    create_certificate(directory, "crm-sync");
    let file = |name: &str| fs::read_to_string(directory.join(name)).expect("a file");
    let uri = "postgres://crm:password@database/crm".to_owned();
    let secret = |key: &str, value: String| BTreeMap::from([(key.to_owned(), value)]);
    let mut tls = secret("tls.key", file("tls.key"));
    tls.extend(["tls.crt", "ca.crt"].map(|key| (key.to_owned(), file("tls.crt"))));
    let secrets = [
        ("crm-sync-tls", tls),
        ("smtp", secret("password", "a password".to_owned())),
        ("crm-sync-database", secret("uri", uri)),
        ("crm-ca", secret("ca.crt", String::new())),
    ];
    secrets.map(|(name, values)| (name.to_owned(), values)).into()
}

#[test]
fn services_read_the_settings_of_compose() {
    let directory = tempfile::tempdir().expect("a directory");
    stack::services::Secrets::create_in(directory.path()).expect("the secrets");
    let compose = fs::read_to_string(root().join("docker-compose.yml")).expect("its text");
    let compose: Value = serde_saphyr::from_str(&compose).expect("YAML");
    for service in SERVICES {
        let container = directory.path().join(service);
        for (from, to) in [
            (directory.path().join("secrets").join(service), "run/secrets"),
            (root().join("deploy/notifier"), "etc/notifier"),
        ] {
            fs::create_dir_all(container.join(to)).expect("a folder");
            output(Command::new("cp").arg("-rT").args([from, container.join(to)])).expect("a copy");
        }
        fs::write(container.join("run/smtp-password"), "").expect("a file");
        let environment = compose["services"][service]["environment"].as_object().expect("an environment");
        let variables = environment
            .iter()
            .map(|(name, value)| (name.clone(), with_defaults(value.as_str().unwrap_or_default())));
        check("Compose", service, variables.collect(), &container);
    }
}

/// Runs `check-config` of a service, with `root` as the root of its file system. Each variable must be a known setting,
/// to detect a renamed one.
fn check(deployment: &str, service: &str, variables: Variables, root: &Path) {
    let here = |value: &str| {
        let path = value.strip_prefix('/').map(|path| root.join(path)).filter(|path| path.exists());
        path.map_or_else(|| value.to_owned(), |path| path.display().to_string())
    };
    let mut command = Command::new(PROGRAMS.join(service));
    command.arg("check-config").env_clear();
    command.envs(variables.iter().map(|(name, value)| (name, here(value))));
    let output = command.output().expect("the service starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{deployment}, {service}: {error}");
    let settings = String::from_utf8(output.stdout).expect("UTF-8");
    let settings: BTreeSet<&str> =
        settings.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for variable in variables.keys().filter(|name| !NO_SETTINGS.contains(&name.as_str())) {
        let is_setting = |name: &str| settings.contains(name);
        let is_known = is_setting(variable) || variable.strip_suffix("_FILE").is_some_and(is_setting);
        assert!(is_known, "{deployment}: {variable} is not a setting of {service}");
    }
}

struct Pod<'a> {
    spec: &'a Value,
    objects: &'a [Value],
    secrets: &'a Secrets,
}

impl Pod<'_> {
    fn variables(&self) -> Variables {
        let container = &self.spec["containers"][0];
        let mut variables = Variables::new();
        for source in each(&container["envFrom"]) {
            let data = self.config_map(&source["configMapRef"]["name"]);
            variables.extend(data.iter().map(|(name, value)| (name.clone(), text(value).to_owned())));
        }
        for variable in each(&container["env"]) {
            let reference = &variable["valueFrom"]["configMapKeyRef"];
            let value = match reference["key"].as_str() {
                Some(key) => &self.config_map(&reference["name"])[key],
                None => &variable["value"],
            };
            variables.insert(text(&variable["name"]).to_owned(), text(value).to_owned());
        }
        variables
    }

    /// Writes the files of the volumes below `root`.
    fn mount(&self, root: &Path) {
        for mounted in each(&self.spec["containers"][0]["volumeMounts"]) {
            let target = root.join(text(&mounted["mountPath"]).trim_start_matches('/'));
            fs::create_dir_all(&target).expect("a folder");
            let mut volumes = each(&self.spec["volumes"]);
            let volume = volumes.find(|volume| volume["name"] == mounted["name"]).expect("its volume");
            for (secret, items) in secrets_in(volume) {
                let values = &self.secrets[secret];
                if items.is_empty() {
                    mount(values, &target);
                }
                for (key, path) in items {
                    fs::write(target.join(path), &values[key]).expect("a file");
                }
            }
            let sources = each(&volume["projected"]["sources"]).chain([volume]);
            for source in sources.filter(|source| source["configMap"]["name"].is_string()) {
                for (file, value) in self.config_map(&source["configMap"]["name"]) {
                    fs::write(target.join(file), text(value)).expect("a file");
                }
            }
        }
    }

    fn config_map(&self, wanted: &Value) -> &serde_json::Map<String, Value> {
        let mut maps = of_kind(self.objects, &["ConfigMap"]);
        let found = maps.find(|map| map["metadata"]["name"] == *wanted);
        found.and_then(|map| map["data"].as_object()).expect("the ConfigMap")
    }
}

/// Replaces `${NAME:-default}` in a value of Compose by its default, which may contain another variable.
fn with_defaults(value: &str) -> String {
    let Some((before, rest)) = value.split_once("${") else { return value.to_owned() };
    let mut depth = 1;
    let end = rest.find(|character| {
        depth += match character {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    let (variable, after) = rest.split_at(end.expect("a closing brace"));
    let default = variable.split_once(":-").map_or(String::new(), |(_, default)| with_defaults(default));
    format!("{before}{default}{}", with_defaults(&after[1..]))
}
