//! `k8s/install` and `k8s/uninstall` with a stand-in for kubectl.

use std::fs;

use super::cluster::Cluster;
use super::copy::{OVERLAYS, repository, text};

fn steps(calls: &[String]) -> Vec<&str> {
    // One object or word identifies each step.
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
    let applied = calls.iter().filter(|call| !call.starts_with("delete "));
    applied.filter_map(|call| marks.into_iter().find(|mark| call.contains(mark))).collect()
}

#[test]
fn install_reports_everything_missing_first() {
    let cluster = Cluster::new();
    fs::copy(
        repository().join("k8s/overlays/production/site.env"),
        cluster.copy().path("k8s/overlays/production/site.env"),
    )
    .expect("the settings");
    fs::write(
        cluster.copy().path("k8s/overlays/production/cluster.env"),
        "OBJECT_STORAGE_PORT=443\nX=a.example\n",
    )
    .expect("the settings");
    cluster.set("kinds", "pods v1 true Pod\n");
    cluster.set("minor", "29");
    cluster.set("absent", "secret/smtp\nclusterissuer.cert-manager.io/letsencrypt\n");
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
    let cluster = Cluster::new();
    let services = ["Deployment/lead-intake", "rollout status deployment"];
    let scaled =
        ["Deployment/lead-intake", "HorizontalPodAutoscaler/lead-intake", "rollout status deployment"];
    let small = ["StatefulSet/rabbitmq", "rollout status statefulset"].as_slice();
    let operators = [
        "RabbitmqCluster/rabbitmq",
        "rollout status statefulset",
        "wait rabbitmqcluster/rabbitmq",
        "wait cluster.postgresql.cnpg.io/crm",
    ]
    .as_slice();
    for (overlay, backends, services) in [
        ("dev", small, services.as_slice()),
        ("plain", small, scaled.as_slice()),
        ("production", operators, scaled.as_slice()),
    ] {
        let expected = [
            &["Secret/generated", "ConfigMap/"],
            backends,
            &["Job/rabbitmq-topology"],
            services,
            &["Job/canary-once"],
        ]
        .concat();
        // The second run is an upgrade.
        for _ in 0..2 {
            let said = text(cluster.run(&format!("k8s/install {overlay} --yes")));
            assert!(said.ends_with("ZG-7F3K-2Q  accepted after 0.03 s\n"), "{said}");
            assert!(!said.contains("Reverts"), "{said}");
            let calls = cluster.calls();
            assert_eq!(steps(&calls), expected, "{overlay}: {calls:#?}");
        }
    }
}

#[test]
fn test_lead_decides_the_exit_status() {
    let cluster = Cluster::new();
    cluster.set("failed", "canary-once");
    let output = cluster.run("k8s/install dev --yes");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("ZG-7F3K-2Q"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("The test lead did not arrive"));

    cluster.calls();
    cluster.set("failed", "rabbitmq-topology");
    let output = cluster.run("k8s/install dev --yes");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("A Job failed: kubectl"));
    assert!(!cluster.calls().concat().contains("Deployment/"), "no service starts without the queues");
}

#[test]
fn manual_changes_are_listed_and_reverted() {
    let cluster = Cluster::new();
    cluster.set("changed", "StatefulSet/rabbitmq");
    let said = text(cluster.run("k8s/install dev --yes"));
    let listed = "Reverts changes that others made:\n  StatefulSet/rabbitmq\n  conflict with \"kubectl-set\" using apps/v1: .spec.replicas\n";
    assert!(said.contains(listed), "{said}");
}

#[test]
fn no_confirmation_changes_nothing() {
    let cluster = Cluster::new();
    for script in ["k8s/install dev </dev/null", "k8s/uninstall dev </dev/null"] {
        let output = cluster.run(script);
        assert_eq!(output.status.code(), Some(1), "{script}");
        assert!(String::from_utf8_lossy(&output.stdout).ends_with("Nothing was changed.\n"), "{script}");
    }
    assert_eq!(cluster.calls(), Vec::<String>::new());
}

#[test]
fn uninstall_leaves_volumes_and_secrets() {
    let cluster = Cluster::new();
    for overlay in OVERLAYS {
        let said = text(cluster.run(&format!("k8s/uninstall {overlay} --yes")));
        let calls = cluster.calls();
        let removed = calls.iter().find_map(|call| call.strip_prefix("delete ")).expect("a deletion");
        assert!(removed.contains("Deployment/lead-intake"), "{removed}");
        for kept in ["Namespace/", "PersistentVolumeClaim/", "RabbitmqCluster/", " Cluster/", "Secret/"] {
            assert!(!removed.contains(kept), "{overlay}: {removed}");
        }
        assert!(said.contains("These stay."), "{said}");
        assert!(said.lines().last().is_some_and(|last| last.starts_with("persistentvolumeclaim,secret")));
    }
}
