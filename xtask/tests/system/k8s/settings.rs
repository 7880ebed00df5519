//! The services read the settings of every deployment with `check-config`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::cluster::Cluster;
use super::copy::{OVERLAYS, each, name, of_kind, rendered, repository, text};
use super::secrets::PROGRAMS;

const SERVICES: [&str; 4] = ["lead-intake", "notifier", "crm-sync", "desk"];

/// Variables of libraries.
const NO_SETTINGS: [&str; 4] = ["PGSSLMODE", "PGSSLROOTCERT", "SSL_CERT_DIR", "SSL_CERT_FILE"];

type Variables = BTreeMap<String, String>;

#[test]
fn services_read_the_settings_of_every_overlay() {
    for overlay in OVERLAYS {
        let cluster = Cluster::new();
        cluster.create_secrets(overlay);
        // Secrets of the mail server, cert-manager and the database operator.
        certificate(&cluster.secret("crm-sync-tls"));
        for (secret, key, value) in [
            ("smtp", "password", "a password"),
            ("crm-sync-database", "uri", "postgres://crm:password@database/crm"),
        ] {
            let secret = cluster.secret(secret);
            fs::create_dir_all(&secret).expect("a folder");
            fs::write(secret.join(key), value).expect("a file");
        }
        let objects = rendered(overlay);
        let directory = tempfile::tempdir().expect("a directory");
        for service in SERVICES {
            let workload = of_kind(objects, &["Deployment", "StatefulSet"]).find(|it| name(it) == service);
            let pod = Pod { spec: &workload.expect(service)["spec"]["template"]["spec"], objects };
            let root = directory.path().join(service);
            pod.mount(&cluster, &root);
            check(overlay, service, pod.variables(), &root);
        }
    }
}

#[test]
fn services_read_the_settings_of_compose() {
    let directory = tempfile::tempdir().expect("a directory");
    let secrets = directory.path().join("secrets");
    fs::create_dir(&secrets).expect("a folder");
    let generator = Command::new(repository().join("deploy/secrets"))
        .env("SECRETS", &secrets)
        .env("DEFINITIONS", repository().join("deploy/rabbitmq/definitions.json"))
        .env("ANON_KEY", "x")
        .env("LEADCTL_USERS", "")
        .output();
    text(generator.expect("bash starts"));
    let compose = fs::read_to_string(repository().join("docker-compose.yml")).expect("its text");
    let compose: Value = serde_saphyr::from_str(&compose).expect("YAML");
    for service in SERVICES {
        let root = directory.path().join(service);
        for (from, to) in
            [(secrets.join(service), "run/secrets"), (repository().join("deploy/notifier"), "etc/notifier")]
        {
            copy(&from, &root.join(to));
        }
        fs::write(root.join("run/smtp-password"), "").expect("a file");
        let environment = compose["services"][service]["environment"].as_object().expect("an environment");
        let variables = environment
            .iter()
            .map(|(name, value)| (name.clone(), with_defaults(value.as_str().unwrap_or_default())));
        check("Compose", service, variables.collect(), &root);
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
}

impl Pod<'_> {
    fn variables(&self) -> Variables {
        let container = &self.spec["containers"][0];
        let text = |value: &Value| value.as_str().map(str::to_owned).expect("a text");
        let mut variables = Variables::new();
        for source in each(&container["envFrom"]) {
            let data = &self.config_map(&source["configMapRef"]["name"])["data"];
            variables.extend(
                data.as_object().expect("data").iter().map(|(name, value)| (name.clone(), text(value))),
            );
        }
        for variable in each(&container["env"]) {
            let reference = &variable["valueFrom"]["configMapKeyRef"];
            let value = match reference["key"].as_str() {
                Some(key) => &self.config_map(&reference["name"])["data"][key],
                None => &variable["value"],
            };
            variables.insert(text(&variable["name"]), text(value));
        }
        variables
    }

    /// Writes the files of the volumes below `root`.
    fn mount(&self, cluster: &Cluster, root: &Path) {
        for mount in each(&self.spec["containers"][0]["volumeMounts"]) {
            let path = mount["mountPath"].as_str().expect("a path").trim_start_matches('/');
            let target = root.join(path);
            let volume = each(&self.spec["volumes"]).find(|volume| volume["name"] == mount["name"]);
            let volume = volume.expect("its volume");
            for source in each(&volume["projected"]["sources"]).chain([volume]) {
                let secret = &source["secret"];
                if let Some(name) = secret["name"].as_str().or(secret["secretName"].as_str()) {
                    mount_secret(&cluster.secret(name), each(&secret["items"]), &target);
                }
                if source["configMap"]["name"].is_string() {
                    let data = &self.config_map(&source["configMap"]["name"])["data"];
                    for (file, value) in data.as_object().expect("data") {
                        write(&target.join(file), value.as_str().expect("a text"));
                    }
                }
            }
        }
    }

    fn config_map(&self, wanted: &Value) -> &Value {
        let found = of_kind(self.objects, &["ConfigMap"]).find(|it| it["metadata"]["name"] == *wanted);
        found.expect("the ConfigMap")
    }
}

/// Creates a certificate with its key unless there is one.
fn certificate(secret: &Path) {
    if secret.exists() {
        return;
    }
    fs::create_dir_all(secret).expect("a folder");
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]);
    openssl.args(["-subj", "/CN=crm-sync", "-keyout", "tls.key", "-out", "tls.crt"]).current_dir(secret);
    text(openssl.output().expect("openssl starts"));
    fs::copy(secret.join("tls.crt"), secret.join("ca.crt")).expect("a file");
}

/// Mounts the selected keys of a Secret, or all of them.
fn mount_secret<'a>(secret: &Path, items: impl Iterator<Item = &'a Value>, target: &Path) {
    let text = |value: &Value| value.as_str().map(str::to_owned).expect("a text");
    let items: Vec<_> = items.map(|item| (text(&item["key"]), text(&item["path"]))).collect();
    if items.is_empty() {
        copy(secret, target);
    }
    for (key, path) in items {
        // The certificate authority of a database is not a setting.
        let value = fs::read_to_string(secret.join(&key)).unwrap_or_default();
        write(&target.join(path), &value);
    }
}

fn write(path: &PathBuf, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
    fs::write(path, text).expect("a file");
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) {
    for file in fs::read_dir(from).expect("a folder").flatten().filter(|file| file.path().is_file()) {
        write(&to.join(file.file_name()), &fs::read_to_string(file.path()).expect("a text"));
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
