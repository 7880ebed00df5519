//! `k8s/install` and `k8s/uninstall` with a stand-in for kubectl.

use std::collections::BTreeSet;
use std::fs;

use xtask::files::root;

use super::cluster::{Cluster, RENDERED};
use super::{OVERLAYS, text};

/// The step of the installation that a call belongs to, by an object or words in it.
fn step(call: &str) -> Option<&'static str> {
    let marks = [
        "Secret/generated",
        "ConfigMap/",
        "StatefulSet/rabbitmq",
        "RabbitmqCluster/rabbitmq",
        "rollout status statefulset",
        "wait rabbitmqcluster/rabbitmq",
        "wait cluster.postgresql.cnpg.io/crm",
        "Job/rabbitmq-topology",
        "Deployment/lead-intake",
        "HorizontalPodAutoscaler/lead-intake",
        "rollout status deployment",
        "Job/canary-once",
    ];
    marks
        .into_iter()
        .find(|mark| !call.starts_with("delete ") && call.contains(mark))
}

/// A cluster with all kinds and objects that `install` requires.
fn ready_cluster() -> Cluster {
    let cluster = Cluster::new();
    let mut kinds = BTreeSet::from([
        ("metrics.k8s.io/v1beta1", "PodMetrics"),
        ("barmancloud.cnpg.io/v1", "ObjectStore"),
    ]);
    let objects = RENDERED.iter().flat_map(|overlay| &overlay.objects);
    kinds.extend(objects.map(|object| (text(&object["apiVersion"]), text(&object["kind"]))));
    let kinds = kinds
        .into_iter()
        .map(|(version, kind)| format!("x {version} true {kind}\n"));
    cluster.set("kinds", &kinds.collect::<String>());
    cluster
}

#[test]
fn install_reports_everything_missing_first() {
    let cluster = Cluster::new();
    let settings = cluster.path("k8s/overlays/production");
    fs::copy(
        root().join("k8s/overlays/production/site.env"),
        settings.join("site.env"),
    )
    .unwrap();
    fs::write(
        settings.join("cluster.env"),
        "OBJECT_STORAGE_PORT=443\nX=a.example\n",
    )
    .unwrap();
    cluster.set("kinds", "pods v1 true Pod\n");
    cluster.set("minor", "29");
    cluster.set(
        "absent",
        "secret/smtp\nclusterissuer.cert-manager.io/letsencrypt\n",
    );
    let output = cluster.run("k8s/install production --yes");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    for line in [
        "Nothing was changed. k8s/install production needs:",
        "REAL_IP_FROM in k8s/overlays/production/site.env is not set",
        "k8s/overlays/production/cluster.env has an example: X=a.example",
        "Kubernetes 1.30 or newer. This is 1.29.",
        "Certificate, from cert-manager v1.20.2: kubectl apply -f https://",
        "RabbitmqCluster, from RabbitMQ cluster operator v2.22.5: ",
        "ObjectStore, from plugin-barman-cloud v0.12.0: ",
        "PodMetrics, from metrics-server v0.8.0: ",
        "secret/smtp. See k8s/README.md.",
        "clusterissuer.cert-manager.io/letsencrypt. See k8s/README.md.",
    ] {
        assert!(error.contains(line), "{line}: {error}");
    }
    assert_eq!(cluster.calls(), Vec::<String>::new());
}

#[test]
fn install_steps_wait_for_each_other() {
    let cluster = ready_cluster();
    let small = ["StatefulSet/rabbitmq", "rollout status statefulset"].as_slice();
    let operated = [
        "RabbitmqCluster/rabbitmq",
        "rollout status statefulset",
        "wait rabbitmqcluster/rabbitmq",
        "wait cluster.postgresql.cnpg.io/crm",
    ];
    let scaling = ["HorizontalPodAutoscaler/lead-intake"].as_slice();
    for (overlay, backends, scaling) in [
        ("dev", small, [].as_slice()),
        ("plain", small, scaling),
        ("production", &operated, scaling),
    ] {
        let output = cluster.output(&format!("k8s/install {overlay} --yes"));
        let reference = "ZG-7F3K-2Q  accepted after 0.03 s\n";
        assert!(
            output.ends_with(reference) && !output.contains("Reverts"),
            "{output}"
        );
        let expected = [
            &["Secret/generated", "ConfigMap/"],
            backends,
            &["Job/rabbitmq-topology", "Deployment/lead-intake"],
            scaling,
            &["rollout status deployment", "Job/canary-once"],
        ];
        let calls = cluster.calls();
        let steps: Vec<_> = calls.iter().filter_map(|call| step(call)).collect();
        assert_eq!(steps, expected.concat(), "{overlay}: {calls:#?}");
    }
}

#[test]
fn install_reverts_changes_and_fails_with_a_job() {
    let cluster = ready_cluster();
    cluster.set("changed", "StatefulSet/rabbitmq");
    for (job, error, is_service_started) in [
        ("canary-once", "The test lead did not arrive", true),
        ("rabbitmq-topology", "A Job failed: kubectl", false),
    ] {
        cluster.set("failed", job);
        let output = cluster.run("k8s/install dev --yes");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let reverted = "Reverts changes that others made:\n  StatefulSet/rabbitmq\n  \
                        conflict with \"kubectl-set\" using apps/v1: .spec.replicas\n";
        assert!(stdout.contains(reverted), "{stdout}");
        assert_eq!(output.status.code(), Some(1), "{job}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(error),
            "{job}"
        );
        assert_eq!(
            cluster.calls().concat().contains("Deployment/"),
            is_service_started,
            "{job}"
        );
    }
}

#[test]
fn uninstall_leaves_volumes_and_secrets() {
    let cluster = ready_cluster();
    for script in ["k8s/install dev </dev/null", "k8s/uninstall dev </dev/null"] {
        let output = cluster.run(script);
        assert_eq!(output.status.code(), Some(1), "{script}");
        assert!(
            String::from_utf8_lossy(&output.stdout).ends_with("Nothing was changed.\n"),
            "{script}"
        );
    }
    assert_eq!(
        cluster.calls(),
        Vec::<String>::new(),
        "without confirmation"
    );
    for overlay in OVERLAYS {
        let output = cluster.output(&format!("k8s/uninstall {overlay} --yes"));
        let calls = cluster.calls();
        let removed = calls
            .iter()
            .find_map(|call| call.strip_prefix("delete "))
            .expect("a deletion");
        assert!(removed.contains("Deployment/lead-intake"), "{removed}");
        for kept in [
            "Namespace/",
            "PersistentVolumeClaim/",
            "RabbitmqCluster/",
            " Cluster/",
            "Secret/",
        ] {
            assert!(!removed.contains(kept), "{overlay}: {removed}");
        }
        assert!(
            output.contains("These stay.") && output.contains("\npersistentvolumeclaim,secret"),
            "{output}"
        );
    }
}
