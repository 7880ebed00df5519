//! Properties of the rendered overlays that the schemas do not check.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use xtask::files::root;

use super::cluster::{Cluster, Overlay, RENDERED};
use super::{each, name, of_kind, secrets_in, text};

const WITH_REPLICAS: [&str; 2] = ["Deployment", "StatefulSet"];
const WITH_PODS: [&str; 4] = ["Deployment", "StatefulSet", "Job", "CronJob"];

/// Secrets of users and operators as `secret/key`, by overlay.
const SECRETS_OF_OTHERS: [&[&str]; 3] = [
    &[],
    &["crm-app/uri", "crm-ca/ca.crt", "crm-sync-database/uri", "site-tls/tls.crt", "smtp/*"],
    &[
        "crm-app/uri",
        "crm-ca/ca.crt",
        "crm-sync-tls/ca.crt",
        "crm-sync-tls/tls.crt",
        "crm-sync-tls/tls.key",
        "rabbitmq-default-user/*",
        "smtp/*",
    ],
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
    for Overlay { name: overlay, objects, .. } in RENDERED.iter() {
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

/// Secret and key of every value that the pods or the entry of an overlay use.
fn used_secrets(objects: &[Value]) -> BTreeSet<(&str, &str)> {
    let mut used = BTreeSet::new();
    for object in of_kind(objects, &WITH_PODS) {
        let variables = containers(object).flat_map(|container| each(&container["env"]));
        let keys = variables.map(|variable| &variable["valueFrom"]["secretKeyRef"]);
        used.extend(keys.filter(|key| !key.is_null()).map(|key| (text(&key["name"]), text(&key["key"]))));
        for (secret, items) in each(&pod(object)["volumes"]).flat_map(secrets_in) {
            let whole = if secret.ends_with("-tls") { "tls.crt" } else { "*" };
            used.extend(items.is_empty().then_some((secret, whole)));
            used.extend(items.into_iter().map(|(key, _)| (secret, key)));
        }
    }
    let entries = of_kind(objects, &["Ingress"]).flat_map(|ingress| each(&ingress["spec"]["tls"]));
    used.extend(entries.map(|tls| (text(&tls["secretName"]), "tls.crt")));
    used
}

#[test]
fn every_mounted_secret_is_generated_or_listed() {
    let readme = fs::read_to_string(root().join("k8s/README.md")).expect("the README");
    for (Overlay { name: overlay, objects, secrets }, of_others) in RENDERED.iter().zip(SECRETS_OF_OTHERS) {
        let is_made = |secret: &str, key: &str| {
            secrets.get(secret).is_some_and(|values| key == "*" || values.contains_key(key))
        };
        let others = used_secrets(objects).into_iter().filter(|(secret, key)| !is_made(secret, key));
        let others: Vec<_> = others.map(|(secret, key)| format!("{secret}/{key}")).collect();
        assert_eq!(others, of_others, "{overlay}");
        let example = root().join(format!("k8s/examples/{overlay}.yaml"));
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
    for Overlay { name: overlay, objects, .. } in &RENDERED[..2] {
        for object in of_kind(objects, &WITH_PODS) {
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
    for Overlay { name: overlay, objects, .. } in RENDERED.iter() {
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
    let cluster = Cluster::new();
    let read = |path: &str| fs::read_to_string(root().join(path)).expect(path);
    let (dockerfile, readme) = (read("deploy/Dockerfile"), read("k8s/README.md"));
    let images = |objects: &[Value]| -> BTreeSet<String> {
        let containers = of_kind(objects, &WITH_PODS).flat_map(containers);
        containers.map(|container| text(&container["image"]).to_owned()).collect()
    };
    let ours = |image: &str| Some(image.strip_prefix("zyon-grand/")?.split(':').next()?.to_owned());
    for Overlay { name: overlay, objects, .. } in RENDERED.iter() {
        let named = images(objects);
        assert!(named.iter().all(|image| image.contains(':')), "{named:?}");
        let built: Vec<String> = named.iter().filter_map(|image| ours(image)).collect();
        assert!(built.len() >= 4, "{named:?}");
        for image in built {
            let is_built = image == "site" || dockerfile.contains(&format!(" AS {image}\n"));
            assert!(is_built, "deploy/Dockerfile does not build {image}");
            assert!(readme.contains(&image), "k8s/README.md does not mention {image}");
        }
        let moved = cluster.output(&format!("IMAGES=registry.example:5000/zg:1.4.0 k8s/render {overlay}"));
        let expected = named.into_iter().map(|image| match ours(&image) {
            Some(ours) => format!("registry.example:5000/zg/{ours}:1.4.0"),
            None => image,
        });
        assert_eq!(images(&super::objects(&moved)), expected.collect::<BTreeSet<_>>());
    }
}

#[test]
fn render_rejects_invalid_settings() {
    let cluster = Cluster::new();
    cluster.edit("overlays/plain/site.env", "REAL_IP_FROM=set_real_ip_from", "REAL_IP_FROM=");
    for (script, said) in [
        ("k8s/render", "Name an overlay"),
        ("k8s/install", "usage: k8s/install"),
        ("k8s/uninstall staging", "usage: k8s/uninstall"),
        ("k8s/create-secrets", "Name an overlay"),
        ("IMAGES=registry.example:5000/zg k8s/render dev", "has no tag"),
        ("IMAGES=zg: k8s/render dev", "has no tag"),
        ("k8s/render plain", "REAL_IP_FROM in k8s/overlays/plain/site.env is not set"),
    ] {
        let output = cluster.run(script);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), error.contains(said)), (Some(64), true), "{script}: {error}");
    }
}

#[test]
fn components_and_settings_change_policies() {
    let cluster = Cluster::new();
    cluster.edit(
        "overlays/plain/kustomization.yaml",
        "components:\n",
        "components:\n  - ../../components/webhooks\n",
    );
    let objects = cluster.render("plain");
    assert!(used_secrets(&objects).contains(&("webhooks", "*")));
    assert!(of_kind(&objects, &["NetworkPolicy"]).any(|policy| name(policy) == "notifier-to-webhooks"));

    fs::write(cluster.path("k8s/overlays/production/cluster.env"), "OBJECT_STORAGE_PORT=9000\n").expect("it");
    let objects = cluster.render("production");
    let policy = of_kind(&objects, &["NetworkPolicy"]).find(|policy| name(policy) == "postgresql");
    let rules = each(&policy.expect("a policy")["spec"]["egress"]).flat_map(|rule| each(&rule["ports"]));
    assert_eq!(rules.map(|port| &port["port"]).collect::<Vec<_>>(), [5432, 8000, 9000, 443, 6443]);
}

#[test]
fn pods_run_without_root_and_writable_files() {
    for Overlay { name: overlay, objects, .. } in RENDERED.iter() {
        for object in of_kind(objects, &WITH_PODS) {
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
    for Overlay { name: overlay, objects, .. } in RENDERED.iter() {
        for settings in of_kind(objects, &["ConfigMap"]) {
            assert!(settings["data"]["GRPC_PLAINTEXT"].is_null(), "{overlay}: {}", name(settings));
            let address = settings["data"]["CRM_URL"].as_str().unwrap_or("https://");
            assert!(address.starts_with("https://"), "{overlay}: {}", name(settings));
        }
    }
}
