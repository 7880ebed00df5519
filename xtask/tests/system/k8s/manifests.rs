//! Properties of the rendered overlays that the schemas do not check.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};
use xtask::files::root;

use super::cluster::{Cluster, Overlay, RENDERED};
use super::{OVERLAYS, each, find, name, of_kind, secrets_in, text};

const WITH_PODS: [&str; 4] = ["Deployment", "StatefulSet", "Job", "CronJob"];

/// Ports of pods that operators create, by label.
const PORTS_OF_OPERATORS: [(&str, &str, &[u64]); 3] = [
    (
        "app.kubernetes.io/name",
        "rabbitmq",
        &[4369, 5671, 5672, 15671, 15672, 15692, 25672, 35672],
    ),
    ("cnpg.io/cluster", "crm", &[5432, 8000, 9187]),
    ("acme.cert-manager.io/http01-solver", "true", &[8089]),
];

fn template(object: &Value) -> &Value {
    let spec = &object["spec"];
    if object["kind"] == "CronJob" {
        &spec["jobTemplate"]["spec"]["template"]
    } else {
        &spec["template"]
    }
}

fn pod(object: &Value) -> &Value {
    &template(object)["spec"]
}

fn containers(object: &Value) -> impl Iterator<Item = &Value> {
    ["initContainers", "containers"]
        .into_iter()
        .flat_map(|kind| each(&pod(object)[kind]))
}

/// Whether a selector with `matchLabels` and `In` expressions selects these labels.
fn selects(selector: &Value, labels: &Value) -> bool {
    let all = selector["matchLabels"].as_object();
    all.into_iter()
        .flatten()
        .all(|(key, value)| labels[key] == *value)
        && each(&selector["matchExpressions"]).all(|expression| {
            assert_eq!(expression["operator"], "In");
            let label = &labels[expression["key"].as_str().expect("a key")];
            each(&expression["values"]).any(|value| value == label)
        })
}

/// The labels of every pod of an overlay, with the ports it listens on.
fn listeners(objects: &[Value]) -> Vec<(Value, BTreeMap<String, u64>)> {
    let ours = of_kind(objects, &WITH_PODS).map(|object| {
        let ports = containers(object)
            .flat_map(|container| each(&container["ports"]))
            .map(|port| {
                let number = port["containerPort"].as_u64().expect("a port");
                (port["name"].as_str().unwrap_or_default().to_owned(), number)
            });
        (
            template(object)["metadata"]["labels"].clone(),
            ports.collect(),
        )
    });
    let of_operators = PORTS_OF_OPERATORS.iter().map(|(label, value, ports)| {
        (
            json!({*label: value}),
            ports.iter().map(|port| (port.to_string(), *port)).collect(),
        )
    });
    ours.chain(of_operators).collect()
}

#[test]
fn policies_name_the_ports_behind_services() {
    for Overlay {
        name: overlay,
        objects,
        ..
    } in RENDERED.iter()
    {
        let listeners = listeners(objects);
        let assert_listens = |object: &Value, selector: &Value, port: &Value| {
            let mut selected = listeners
                .iter()
                .filter(|(labels, _)| selects(selector, labels));
            let is_port = |(name, number): (&String, &u64)| *port == *name || *port == *number;
            let listens = selected.any(|(_, ports)| ports.iter().any(is_port));
            assert!(
                listens,
                "{overlay}: no pod of {} has the port {port}",
                name(object)
            );
        };
        for policy in of_kind(objects, &["NetworkPolicy"]) {
            let spec = &policy["spec"];
            for port in each(&spec["ingress"]).flat_map(|rule| each(&rule["ports"])) {
                assert_listens(policy, &spec["podSelector"], &port["port"]);
            }
            for rule in each(&spec["egress"]) {
                for to in each(&rule["to"]).filter(|to| to["namespaceSelector"].is_null()) {
                    each(&rule["ports"])
                        .for_each(|port| assert_listens(policy, &to["podSelector"], &port["port"]));
                }
            }
        }
        for service in of_kind(objects, &["Service"]) {
            let selector = json!({"matchLabels": service["spec"]["selector"]});
            let ports = each(&service["spec"]["ports"]);
            ports.for_each(|port| assert_listens(service, &selector, &port["targetPort"]));
        }
    }
}

#[test]
fn every_mounted_secret_is_generated_or_listed() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap_or_default();
    let readme = read("k8s/README.md");
    for Overlay {
        name: overlay,
        objects,
        secrets,
    } in RENDERED.iter()
    {
        let example = read(&format!("k8s/examples/{overlay}.yaml"));
        let volumes = of_kind(objects, &WITH_PODS).flat_map(|object| each(&pod(object)["volumes"]));
        for (secret, items) in volumes.flat_map(secrets_in) {
            let generated = secrets.get(secret);
            let is_generated = generated
                .is_some_and(|values| items.iter().all(|(key, _)| values.contains_key(*key)));
            let is_listed = example.contains(&format!("{{name: {secret}}}"))
                || readme.contains(&format!("`{secret}`"));
            assert!(
                is_generated || is_listed,
                "{overlay}: {secret} with {items:?}"
            );
        }
    }
}

#[test]
fn replica_count_has_one_owner() {
    for Overlay {
        name: overlay,
        objects,
        ..
    } in RENDERED.iter()
    {
        for scaled in of_kind(objects, &["Deployment", "StatefulSet"]) {
            let scalers =
                of_kind(objects, &["HorizontalPodAutoscaler", "ScaledObject"]).filter(|scaler| {
                    scaler["spec"]["scaleTargetRef"]["name"] == scaled["metadata"]["name"]
                });
            let is_fixed = !scaled["spec"]["replicas"].is_null();
            assert_eq!(
                scalers.count() + usize::from(is_fixed),
                1,
                "{overlay}: {}",
                name(scaled)
            );
        }
    }
}

#[test]
fn every_image_has_a_version_and_ours_are_built() {
    let cluster = Cluster::new();
    let dockerfile = fs::read_to_string(root().join("deploy/Dockerfile")).unwrap();
    let moved = cluster.output("IMAGES=registry.example:5000/zg:1.4.0 k8s/render production");
    let moved: Vec<Value> = serde_saphyr::from_multiple(&moved).unwrap();
    let moved = of_kind(&moved, &WITH_PODS).flat_map(containers);
    let images: BTreeSet<&str> = moved.map(|container| text(&container["image"])).collect();
    let ours = images
        .iter()
        .filter_map(|image| image.strip_prefix("registry.example:5000/zg/"));
    let ours: Vec<&str> = ours
        .filter_map(|image| image.strip_suffix(":1.4.0"))
        .collect();
    assert_eq!(
        ours,
        [
            "crm-sync",
            "desk",
            "lead-intake",
            "leadctl",
            "notifier",
            "site"
        ]
    );
    for image in &ours[..5] {
        assert!(
            dockerfile.contains(&format!(" AS {image}\n")),
            "deploy/Dockerfile does not build {image}"
        );
    }
    assert!(
        !images.iter().any(|image| image.contains("zyon-grand")),
        "{images:?}"
    );
    for object in RENDERED
        .iter()
        .flat_map(|overlay| of_kind(&overlay.objects, &WITH_PODS))
    {
        assert!(
            containers(object).all(|container| text(&container["image"]).contains(':')),
            "{object}"
        );
    }
}

#[test]
fn changed_jobs_have_new_names_and_failed_pods_stay() {
    let cluster = Cluster::new();
    let names = |variables: &str| -> BTreeSet<String> {
        let rendered = cluster.output(&format!("{variables} k8s/render plain"));
        let objects: Vec<Value> = serde_saphyr::from_multiple(&rendered).unwrap();
        let jobs = of_kind(&objects, &["Job"]);
        jobs.map(|job| name(job).to_owned()).collect()
    };
    let first = names("");
    assert_eq!(first.len(), 3, "{first:?}");
    assert_eq!(names(""), first);
    let newer = names("IMAGES=registry.example/zg:1.4.0");
    assert!(newer.is_disjoint(&first), "{newer:?}");
    // The topology Job reads them from a Secret.
    let definitions = cluster.path("deploy/rabbitmq/definitions.json");
    let text = fs::read_to_string(&definitions).unwrap();
    fs::write(definitions, text.replace("delivery-limit", "other-limit")).unwrap();
    let other_queues = names("");
    assert!(other_queues.is_disjoint(&first), "{other_queues:?}");

    for job in RENDERED
        .iter()
        .flat_map(|overlay| of_kind(&overlay.objects, &["Job"]))
    {
        assert_eq!(pod(job)["restartPolicy"], "Never", "{}", name(job));
        assert_eq!(
            job["spec"]["ttlSecondsAfterFinished"],
            604_800,
            "{}",
            name(job)
        );
    }
}

#[test]
fn namespace_and_pull_secret_are_settings() {
    let cluster = Cluster::new();
    let settings = "NAMESPACE=staging IMAGE_PULL_SECRET=registry";
    for overlay in OVERLAYS {
        let rendered = cluster.output(&format!("{settings} k8s/render {overlay}"));
        for part in [
            "namespace: zyon-grand",
            "namespace=\"zyon-grand\"",
            ".zyon-grand.svc",
        ] {
            assert!(!rendered.contains(part), "{overlay}: {part}");
        }
        let objects: Vec<Value> = serde_saphyr::from_multiple(&rendered).unwrap();
        find(&objects, "Namespace", "staging");
        for object in &objects {
            let namespace = &object["metadata"]["namespace"];
            assert!(
                object["kind"] == "Namespace" || namespace == "staging",
                "{overlay}: {}",
                name(object)
            );
        }
        let operators = of_kind(&objects, &["RabbitmqCluster", "Cluster"]);
        let specs = of_kind(&objects, &WITH_PODS).map(pod);
        for spec in specs.chain(operators.map(|object| &object["spec"])) {
            assert_eq!(
                spec["imagePullSecrets"],
                json!([{"name": "registry"}]),
                "{overlay}: {spec}"
            );
        }
    }
    cluster.output("NAMESPACE=staging k8s/create-secrets production");
    let secrets = cluster.secrets();
    assert!(secrets["leadctl"]["leadctl.toml"].contains("@rabbitmq.staging.svc:"));
    assert!(secrets["crm-sync-database"]["uri"].contains("@crm-rw.staging:"));
    let namespaces = cluster.path("k8s/examples");
    for example in fs::read_dir(namespaces).unwrap().flatten() {
        let text = fs::read_to_string(example.path()).unwrap();
        assert!(!text.contains("namespace:"), "{}", example.path().display());
    }
}

/// The settings of a configuration of RabbitMQ, without comments.
fn broker_settings(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

#[test]
fn brokers_have_the_configuration_of_compose() {
    let [dev, plain, production] = &*RENDERED;
    let read = |name: &str| fs::read_to_string(root().join("deploy/rabbitmq").join(name)).unwrap();
    let [configuration, advanced] = ["rabbitmq.conf", "advanced.config"].map(read);
    for overlay in [dev, plain] {
        let broker = find(&overlay.objects, "StatefulSet", "rabbitmq");
        let mut volumes = each(&pod(broker)["volumes"]);
        let mounted = volumes.find_map(|volume| volume["configMap"]["name"].as_str());
        let files = &find(&overlay.objects, "ConfigMap", mounted.unwrap())["data"];
        assert_eq!(files["rabbitmq.conf"], configuration, "{}", overlay.name);
        assert_eq!(files["advanced.config"], advanced, "{}", overlay.name);
    }
    let broker = &find(&production.objects, "RabbitmqCluster", "rabbitmq")["spec"]["rabbitmq"];
    let settings = broker_settings(text(&broker["additionalConfig"]));
    // The operator sets the memory limit.
    let missing: Vec<_> = broker_settings(&configuration)
        .into_iter()
        .filter(|setting| !settings.contains(setting) && !setting.starts_with("vm_memory"))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let last = advanced.lines().last().unwrap();
    assert_eq!(text(&broker["advancedConfig"]).trim(), last);
}

#[test]
fn deployments_select_only_their_pods() {
    for Overlay {
        name: overlay,
        objects,
        ..
    } in RENDERED.iter()
    {
        for deployment in of_kind(objects, &["Deployment"]) {
            let selector = &deployment["spec"]["selector"];
            let selected: Vec<_> = of_kind(objects, &WITH_PODS)
                .filter(|object| selects(selector, &template(object)["metadata"]["labels"]))
                .map(name)
                .collect();
            assert_eq!(selected, [name(deployment)], "{overlay}");
        }
    }
}

/// `k8s/uninstall` deletes objects by this label.
#[test]
fn every_object_has_the_label_of_the_system() {
    for overlay in RENDERED.iter() {
        for object in &overlay.objects {
            assert_eq!(
                object["metadata"]["labels"]["app.kubernetes.io/part-of"],
                "zyon-grand",
                "{}: {}",
                overlay.name,
                name(object)
            );
        }
    }
}

#[test]
fn render_rejects_invalid_settings() {
    let cluster = Cluster::new();
    cluster.edit(
        "overlays/plain/site.env",
        "REAL_IP_FROM=set_real_ip_from",
        "REAL_IP_FROM=",
    );
    cluster.edit(
        "base/lead-intake/settings.env",
        "=zg-anon-tests",
        "=zg-anon-local",
    );
    for (script, said) in [
        ("k8s/render", "Name an overlay"),
        ("k8s/install", "usage: k8s/install"),
        ("k8s/uninstall staging", "usage: k8s/uninstall"),
        ("k8s/create-secrets", "Name an overlay"),
        (
            "IMAGES=registry.example:5000/zg k8s/render dev",
            "has no tag",
        ),
        ("IMAGES=zg: k8s/render dev", "has no tag"),
        ("NAMESPACE=a/b k8s/render dev", "NAMESPACE=a/b is no name"),
        (
            "k8s/render plain",
            "REAL_IP_FROM in k8s/overlays/plain/site.env is not set",
        ),
        (
            "k8s/render production",
            "ANON_KEY in k8s/base/lead-intake/settings.env is the key of local builds",
        ),
    ] {
        let output = cluster.run(script);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), error.contains(said)),
            (Some(64), true),
            "{script}: {error}"
        );
    }
}

#[test]
fn components_and_settings_change_policies() {
    let [_, plain, production] = &*RENDERED;
    find(&plain.objects, "NetworkPolicy", "notifier-to-webhooks");
    let policy = find(&production.objects, "NetworkPolicy", "postgresql");
    let ports = each(&policy["spec"]["egress"]).flat_map(|rule| each(&rule["ports"]));
    assert_eq!(
        ports.map(|port| &port["port"]).collect::<Vec<_>>(),
        [5432, 8000, 9000, 443, 6443]
    );
}

#[test]
fn pods_run_without_root_and_writable_files() {
    for Overlay {
        name: overlay,
        objects,
        ..
    } in RENDERED.iter()
    {
        for object in of_kind(objects, &WITH_PODS) {
            let (name, context) = (name(object), &pod(object)["securityContext"]);
            assert_eq!(context["runAsNonRoot"], true, "{overlay}: {name}");
            assert_eq!(
                context["seccompProfile"]["type"], "RuntimeDefault",
                "{overlay}: {name}"
            );
            assert_eq!(
                pod(object)["automountServiceAccountToken"],
                false,
                "{overlay}: {name}"
            );
            for container in containers(object) {
                let context = &container["securityContext"];
                assert_eq!(context["readOnlyRootFilesystem"], true, "{overlay}: {name}");
                assert_eq!(
                    context["allowPrivilegeEscalation"], false,
                    "{overlay}: {name}"
                );
                assert_eq!(
                    context["capabilities"]["drop"][0], "ALL",
                    "{overlay}: {name}"
                );
            }
        }
    }
}

#[test]
fn crm_calls_are_encrypted_in_every_overlay() {
    for Overlay {
        name: overlay,
        objects,
        ..
    } in RENDERED.iter()
    {
        for settings in of_kind(objects, &["ConfigMap"]) {
            assert!(
                settings["data"]["GRPC_PLAINTEXT"].is_null(),
                "{overlay}: {}",
                name(settings)
            );
            let address = settings["data"]["CRM_URL"].as_str().unwrap_or("https://");
            assert!(
                address.starts_with("https://"),
                "{overlay}: {}",
                name(settings)
            );
        }
    }
}
