//! Properties of the rendered overlays that the schemas do not check.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::cluster::Cluster;
use super::copy::{Copy, OVERLAYS, each, name, objects, of_kind, rendered, repository, text};

const WITH_REPLICAS: [&str; 2] = ["Deployment", "StatefulSet"];
const WITH_PODS: [&str; 4] = ["Deployment", "StatefulSet", "Job", "CronJob"];

/// Secrets of users and operators as `secret/key`, by overlay.
const SECRETS_OF_OTHERS: [(&str, &[&str]); 3] = [
    ("dev", &[]),
    ("plain", &["crm-app/uri", "crm-ca/ca.crt", "crm-sync-database/uri", "site-tls/tls.crt", "smtp/*"]),
    (
        "production",
        &[
            "crm-app/uri",
            "crm-ca/ca.crt",
            "crm-sync-tls/ca.crt",
            "crm-sync-tls/tls.crt",
            "crm-sync-tls/tls.key",
            "rabbitmq-default-user/*",
            "smtp/*",
        ],
    ),
];

/// Ports of pods that operators create, by label.
const PORTS_OF_OPERATORS: [(&str, &str, &[u64]); 3] = [
    ("app.kubernetes.io/name", "rabbitmq", &[4369, 5671, 5672, 15671, 15672, 15692, 25672, 35672]),
    ("cnpg.io/cluster", "crm", &[5432, 8000, 9187]),
    ("acme.cert-manager.io/http01-solver", "true", &[8089]),
];

fn template(object: &Value) -> &Value {
    let spec = &object["spec"];
    if object["kind"] == "CronJob" { &spec["jobTemplate"]["spec"]["template"] } else { &spec["template"] }
}

fn pod(object: &Value) -> &Value {
    &template(object)["spec"]
}

fn containers(object: &Value) -> impl Iterator<Item = &Value> {
    ["initContainers", "containers"].into_iter().flat_map(|kind| each(&pod(object)[kind]))
}

/// Whether a selector with `matchLabels` and `In` expressions selects these labels.
fn selects(selector: &Value, labels: &Value) -> bool {
    let all = selector["matchLabels"].as_object();
    all.into_iter().flatten().all(|(key, value)| labels[key] == *value)
        && each(&selector["matchExpressions"]).all(|expression| {
            assert_eq!(expression["operator"], "In");
            let label = &labels[expression["key"].as_str().expect("a key")];
            each(&expression["values"]).any(|value| value == label)
        })
}

/// The labels of every pod of an overlay, with the ports it listens on.
fn listeners(objects: &[Value]) -> Vec<(Value, BTreeMap<String, u64>)> {
    let ours = of_kind(objects, &WITH_PODS).map(|object| {
        let ports = containers(object).flat_map(|container| each(&container["ports"])).map(|port| {
            let number = port["containerPort"].as_u64().expect("a port");
            (port["name"].as_str().unwrap_or_default().to_owned(), number)
        });
        (template(object)["metadata"]["labels"].clone(), ports.collect())
    });
    let of_operators = PORTS_OF_OPERATORS.iter().map(|(label, value, ports)| {
        (serde_json::json!({*label: value}), ports.iter().map(|port| (port.to_string(), *port)).collect())
    });
    ours.chain(of_operators).collect()
}

#[test]
fn policies_name_the_ports_behind_services() {
    for overlay in OVERLAYS {
        let objects = rendered(overlay);
        let listeners = listeners(objects);
        let listens = |selector: &Value, port: &Value| {
            listeners.iter().any(|(labels, ports)| {
                selects(selector, labels) && ports.values().any(|listening| port["port"] == *listening)
            })
        };
        for policy in of_kind(objects, &["NetworkPolicy"]) {
            let (spec, name) = (&policy["spec"], name(policy));
            for port in each(&spec["ingress"]).flat_map(|rule| each(&rule["ports"])) {
                assert!(
                    listens(&spec["podSelector"], port),
                    "{overlay}: no pod that {name} selects has port {port}"
                );
            }
            for rule in each(&spec["egress"]) {
                let in_cluster = each(&rule["to"]).filter(|to| to["namespaceSelector"].is_null());
                for to in in_cluster {
                    for port in each(&rule["ports"]) {
                        assert!(
                            listens(&to["podSelector"], port),
                            "{overlay}: no pod behind {name} has port {port}"
                        );
                    }
                }
            }
        }
        for service in of_kind(objects, &["Service"]) {
            let selector = serde_json::json!({"matchLabels": service["spec"]["selector"]});
            for port in each(&service["spec"]["ports"]) {
                let target = &port["targetPort"];
                let found = listeners.iter().any(|(labels, ports)| {
                    selects(&selector, labels)
                        && ports.iter().any(|(name, number)| target == name || *target == *number)
                });
                assert!(found, "{overlay}: no pod of {} has {target}", name(service));
            }
        }
    }
}

/// `secret/key` of every Secret that the pods or the entry of an overlay use.
fn secrets_of(objects: &[Value]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |secret: &Value, keys: Vec<&Value>| {
        let secret = secret.as_str().expect("a Secret's name");
        found.extend(keys.into_iter().map(|key| format!("{secret}/{}", key.as_str().expect("a key"))));
    };
    let items =
        |source: &'_ Value| each(&source["items"]).map(|item| item["key"].clone()).collect::<Vec<_>>();
    for object in of_kind(objects, &WITH_PODS) {
        for container in containers(object) {
            for variable in each(&container["env"]) {
                let key = &variable["valueFrom"]["secretKeyRef"];
                if !key.is_null() {
                    add(&key["name"], vec![&key["key"]]);
                }
            }
        }
        for volume in each(&pod(object)["volumes"]) {
            let whole = std::iter::once((&volume["secret"]["secretName"], &volume["secret"]));
            let parts = each(&volume["projected"]["sources"])
                .map(|source| (&source["secret"]["name"], &source["secret"]));
            for (secret, source) in whole.chain(parts).filter(|(secret, _)| !secret.is_null()) {
                let keys = items(source);
                match (keys.is_empty(), secret.as_str().is_some_and(|name| name.ends_with("-tls"))) {
                    (true, true) => add(secret, vec![&"tls.crt".into()]),
                    (true, false) => add(secret, vec![&"*".into()]),
                    (false, _) => add(secret, keys.iter().collect()),
                }
            }
        }
    }
    for tls in of_kind(objects, &["Ingress"]).flat_map(|ingress| each(&ingress["spec"]["tls"])) {
        add(&tls["secretName"], vec![&"tls.crt".into()]);
    }
    found
}

#[test]
fn every_mounted_secret_is_generated_or_listed() {
    let readme = fs::read_to_string(repository().join("k8s/README.md")).expect("the README");
    for (overlay, of_others) in SECRETS_OF_OTHERS {
        let cluster = Cluster::new();
        cluster.create_secrets(overlay);
        let made = cluster.secrets();
        let is_made = |wanted: &String| match wanted.strip_suffix('*') {
            Some(whole) => made.keys().any(|key| key.starts_with(whole)),
            None => made.contains_key(wanted),
        };
        let others: Vec<String> =
            secrets_of(rendered(overlay)).into_iter().filter(|wanted| !is_made(wanted)).collect();
        assert_eq!(others, of_others, "{overlay}");
        let example = repository().join(format!("k8s/examples/{overlay}.yaml"));
        let example = fs::read_to_string(example).unwrap_or_default();
        for secret in of_others.iter().filter_map(|key| key.split('/').next()) {
            let is_named =
                example.contains(&format!("{{name: {secret}, ")) || readme.contains(&format!("`{secret}`"));
            assert!(is_named, "{overlay}: {secret} is in no example");
        }
    }
}

#[test]
fn volumes_with_a_cookie_keep_their_modes() {
    let mut checked = 0;
    for overlay in ["dev", "plain"] {
        for object in of_kind(rendered(overlay), &WITH_PODS) {
            let mut mounts = containers(object).flat_map(|container| each(&container["volumeMounts"]));
            if mounts.any(|mount| mount["mountPath"] == "/var/lib/rabbitmq") {
                checked += 1;
                let context = &pod(object)["securityContext"];
                let is_kept =
                    context["fsGroup"].is_null() || context["fsGroupChangePolicy"] == "OnRootMismatch";
                assert!(is_kept, "{overlay}: the kubelet changes the mode of .erlang.cookie at each start");
            }
        }
    }
    assert_eq!(checked, 2);
}

#[test]
fn replica_count_has_one_owner() {
    for overlay in OVERLAYS {
        let objects = rendered(overlay);
        for scaled in of_kind(objects, &WITH_REPLICAS) {
            let scalers: Vec<&str> = of_kind(objects, &["HorizontalPodAutoscaler", "ScaledObject"])
                .filter(|scaler| scaler["spec"]["scaleTargetRef"]["name"] == scaled["metadata"]["name"])
                .filter_map(|scaler| scaler["kind"].as_str())
                .collect();
            let is_fixed = !scaled["spec"]["replicas"].is_null();
            assert_eq!(
                scalers.len() + usize::from(is_fixed),
                1,
                "{overlay}: {} has {scalers:?} and replicas {}",
                name(scaled),
                scaled["spec"]["replicas"]
            );
        }
    }
}

#[test]
fn every_image_has_a_version_and_ours_are_built() {
    let copy = Copy::new();
    let read = |path: &str| fs::read_to_string(repository().join(path)).expect(path);
    let (dockerfile, readme) = (read("deploy/Dockerfile"), read("k8s/README.md"));
    let images = |objects: &[Value]| -> BTreeSet<String> {
        of_kind(objects, &WITH_PODS)
            .flat_map(containers)
            .map(|container| container["image"].as_str().expect("an image").to_owned())
            .collect()
    };
    for overlay in OVERLAYS {
        let named = images(rendered(overlay));
        assert!(named.iter().all(|image| image.contains(':')), "{named:?}");
        let ours = || named.iter().filter_map(|image| image.strip_prefix("zyon-grand/")?.split(':').next());
        assert!(ours().count() >= 4, "{named:?}");
        for image in ours() {
            let is_built = image == "site" || dockerfile.contains(&format!(" AS {image}\n"));
            assert!(is_built, "deploy/Dockerfile does not build {image}");
            assert!(readme.contains(image), "k8s/README.md does not mention {image}");
        }
        let script = format!("IMAGES=registry.example:5000/zg:1.4.0 k8s/render {overlay}");
        let moved = images(&objects(&text(copy.shell(&script).output().expect("the script starts"))));
        let expected: BTreeSet<String> = named
            .iter()
            .map(|image| match image.strip_prefix("zyon-grand/").and_then(|ours| ours.split(':').next()) {
                Some(ours) => format!("registry.example:5000/zg/{ours}:1.4.0"),
                None => image.clone(),
            })
            .collect();
        assert_eq!(moved, expected);
    }
}

#[test]
fn render_rejects_invalid_settings() {
    let copy = Copy::new();
    fs::write(copy.path("k8s/overlays/plain/site.env"), "REAL_IP_FROM=\n").expect("the settings");
    for (script, said) in [
        ("k8s/render", "Name an overlay"),
        ("k8s/install", "usage: k8s/install"),
        ("k8s/uninstall staging", "usage: k8s/uninstall"),
        ("k8s/create-secrets", "Name an overlay"),
        ("IMAGES=registry.example:5000/zg k8s/render dev", "has no tag"),
        ("IMAGES=zg: k8s/render dev", "has no tag"),
        ("k8s/render plain", "REAL_IP_FROM in k8s/overlays/plain/site.env is not set"),
    ] {
        let output = copy.shell(script).output().expect("the script starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), error.contains(said)), (Some(64), true), "{script}: {error}");
    }
}

#[test]
fn webhooks_component_allows_egress_and_signs() {
    let copy = Copy::new();
    let overlay = copy.path("k8s/overlays/plain/kustomization.yaml");
    let text = fs::read_to_string(&overlay).expect("the overlay");
    let with_them = text.replace("components:\n", "components:\n  - ../../components/webhooks\n");
    fs::write(&overlay, with_them).expect("the overlay");
    let objects = copy.render("plain");
    assert!(secrets_of(&objects).contains("webhooks/*"));
    assert!(of_kind(&objects, &["NetworkPolicy"]).any(|policy| name(policy) == "notifier-to-webhooks"));
}

#[test]
fn object_storage_may_use_any_port() {
    let copy = Copy::new();
    let settings = copy.path("k8s/overlays/production/cluster.env");
    fs::write(&settings, "OBJECT_STORAGE_PORT=9000\n").expect("the setting");
    let objects = copy.render("production");
    let policy =
        of_kind(&objects, &["NetworkPolicy"]).find(|policy| name(policy) == "postgresql").expect("it");
    let ports: Vec<&Value> = each(&policy["spec"]["egress"])
        .flat_map(|rule| each(&rule["ports"]))
        .map(|port| &port["port"])
        .collect();
    assert_eq!(ports, [5432, 8000, 9000, 443, 6443]);
}

#[test]
fn pods_run_without_root_and_writable_files() {
    for overlay in OVERLAYS {
        for object in of_kind(rendered(overlay), &WITH_PODS) {
            let (name, context) = (name(object), &pod(object)["securityContext"]);
            assert_eq!(context["runAsNonRoot"], true, "{overlay}: {name}");
            assert_eq!(context["seccompProfile"]["type"], "RuntimeDefault", "{overlay}: {name}");
            assert_eq!(pod(object)["automountServiceAccountToken"], false, "{overlay}: {name}");
            for container in containers(object) {
                let context = &container["securityContext"];
                assert_eq!(context["readOnlyRootFilesystem"], true, "{overlay}: {name}");
                assert_eq!(context["allowPrivilegeEscalation"], false, "{overlay}: {name}");
                assert_eq!(context["capabilities"]["drop"][0], "ALL", "{overlay}: {name}");
            }
        }
    }
}

#[test]
fn crm_calls_are_encrypted_in_every_overlay() {
    for overlay in OVERLAYS {
        for settings in of_kind(rendered(overlay), &["ConfigMap"]) {
            assert!(settings["data"]["GRPC_PLAINTEXT"].is_null(), "{overlay}: {}", name(settings));
            let address = settings["data"]["CRM_URL"].as_str().unwrap_or("https://");
            assert!(address.starts_with("https://"), "{overlay}: {}", name(settings));
        }
    }
}
