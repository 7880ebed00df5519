//! The services read the settings of every deployment with `check-config`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;
use xtask::files::root;
use xtask::process::{command, output};
use xtask::stack;

use super::cluster::{Overlay, RENDERED, Secrets};
use super::{each, find, secrets_in, text};
use crate::{PROGRAMS, create_certificate};

const SERVICES: [&str; 4] = ["lead-intake", "notifier", "crm-sync", "desk"];

/// Variables of libraries.
const NO_SETTINGS: [&str; 4] = [
    "PGSSLMODE",
    "PGSSLROOTCERT",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

type Variables = BTreeMap<String, String>;

#[test]
fn services_read_the_settings_of_every_overlay() {
    for Overlay {
        name: overlay,
        objects,
        secrets,
    } in RENDERED.iter()
    {
        let directory = tempfile::tempdir().unwrap();
        let mut all = secrets_of_others(directory.path());
        all.extend(secrets.clone());
        for service in SERVICES {
            let root = directory.path().join(service);
            check(
                overlay,
                service,
                &mount(service, objects, &all, &root),
                &root,
            );
        }
    }
}

/// Secrets of users, of cert-manager and of the database operator.
fn secrets_of_others(directory: &Path) -> Secrets {
    create_certificate(directory, "crm-sync");
    let [certificate, key] =
        ["tls.crt", "tls.key"].map(|name| fs::read_to_string(directory.join(name)).unwrap());
    let secrets: [(&str, &[(&str, &str)]); 5] = [
        (
            "crm-sync-tls",
            &[
                ("tls.crt", &certificate),
                ("ca.crt", &certificate),
                ("tls.key", &key),
            ],
        ),
        ("smtp", &[("password", "a password")]),
        (
            "crm-sync-database",
            &[("uri", "postgres://crm:password@database/crm")],
        ),
        ("crm-ca", &[("ca.crt", "")]),
        ("webhooks", &[]),
    ];
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    secrets
        .map(|(name, values)| (name.to_owned(), values.iter().map(owned).collect()))
        .into()
}

#[test]
fn services_read_the_settings_of_compose() {
    let directory = tempfile::tempdir().unwrap();
    stack::services::Secrets::create_in(directory.path()).expect("the secrets");
    let compose = fs::read_to_string(root().join("docker-compose.yml")).unwrap();
    let compose: Value = serde_saphyr::from_str(&compose).unwrap();
    for service in SERVICES {
        let container = directory.path().join(service);
        for (from, to) in [
            (
                directory.path().join("secrets").join(service),
                "run/secrets",
            ),
            (root().join("deploy/notifier"), "etc/notifier"),
        ] {
            fs::create_dir_all(container.join(to)).unwrap();
            output(command("cp").arg("-rT").args([from, container.join(to)])).expect("a copy");
        }
        fs::write(container.join("run/smtp-password"), "").unwrap();
        let environment = compose["services"][service]["environment"]
            .as_object()
            .expect("an environment");
        let variables = environment
            .iter()
            .map(|(name, value)| (name.clone(), with_defaults(value)));
        check("Compose", service, &variables.collect(), &container);
    }
}

/// Expands variables in a value of Compose to their defaults. The shell has the same syntax.
fn with_defaults(value: &Value) -> String {
    let script = format!("printf %s \"{}\"", value.as_str().unwrap_or_default());
    output(Command::new("sh").args(["-uc", &script]).env_clear()).unwrap()
}

/// A command of a service that sees the files below `root` as its file system.
pub(crate) fn service_command(service: &str, variables: &Variables, root: &Path) -> Command {
    let here = |value: &String| {
        let path = value
            .strip_prefix('/')
            .map(|path| root.join(path))
            .filter(|path| path.exists());
        path.map_or_else(|| value.clone(), |path| path.display().to_string())
    };
    let mut command = command(PROGRAMS.join(service));
    command
        .env_clear()
        .envs(variables.iter().map(|(name, value)| (name, here(value))));
    command
}

/// Runs `check-config` of a service. Each variable must be a known setting, to detect a renamed one.
fn check(deployment: &str, service: &str, variables: &Variables, root: &Path) {
    let settings = output(service_command(service, variables, root).arg("check-config"));
    let settings = settings
        .with_context(|| format!("{service} in {deployment}"))
        .unwrap();
    let settings: BTreeSet<&str> = settings
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for variable in variables
        .keys()
        .filter(|name| !NO_SETTINGS.contains(&name.as_str()))
    {
        let is_known = [variable, variable.trim_end_matches("_FILE")]
            .iter()
            .any(|name| settings.contains(name));
        assert!(
            is_known,
            "{deployment}: {variable} is not a setting of {service}"
        );
    }
}

/// Writes the files of a service's pod below `root`. Returns its variables.
pub(crate) fn mount(service: &str, objects: &[Value], secrets: &Secrets, root: &Path) -> Variables {
    let pod = &find(objects, "Deployment", service)["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let config_map = |name: &Value| {
        find(objects, "ConfigMap", text(name))["data"]
            .as_object()
            .expect("data")
    };
    for mounted in each(&container["volumeMounts"]) {
        let target = root.join(text(&mounted["mountPath"]).trim_start_matches('/'));
        fs::create_dir_all(&target).unwrap();
        let mut volumes = each(&pod["volumes"]);
        let volume = volumes
            .find(|volume| volume["name"] == mounted["name"])
            .expect("its volume");
        for (secret, items) in secrets_in(volume) {
            let values = &secrets[secret];
            if items.is_empty() {
                write(values, &target);
            }
            for (key, path) in items {
                fs::write(target.join(path), &values[key]).unwrap();
            }
        }
        let sources = each(&volume["projected"]["sources"]).chain([volume]);
        for source in sources.filter(|source| source["configMap"]["name"].is_string()) {
            for (file, value) in config_map(&source["configMap"]["name"]) {
                fs::write(target.join(file), text(value)).unwrap();
            }
        }
    }

    let mut variables = Variables::new();
    for source in each(&container["envFrom"]) {
        let data = config_map(&source["configMapRef"]["name"]);
        variables.extend(
            data.iter()
                .map(|(name, value)| (name.clone(), text(value).to_owned())),
        );
    }
    for variable in each(&container["env"]) {
        let reference = &variable["valueFrom"]["configMapKeyRef"];
        let value = match reference["key"].as_str() {
            Some(key) => &config_map(&reference["name"])[key],
            None => &variable["value"],
        };
        variables.insert(text(&variable["name"]).to_owned(), text(value).to_owned());
    }
    variables
}

/// Writes the values of a Secret to files.
pub(crate) fn write(secret: &BTreeMap<String, String>, directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    for (key, value) in secret {
        fs::write(directory.join(key), value).unwrap();
    }
}
