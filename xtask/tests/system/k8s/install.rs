//! `k8s/install` and `k8s/uninstall` with a stand-in for a cluster.

use std::fs;
use std::process::Output;

use super::cluster::Cluster;

/// The exit status and the whole output.
fn result(output: &Output) -> (Option<i32>, String) {
    let printed = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (output.status.code(), printed.concat())
}

#[test]
fn installs_step_by_step_and_lists_jobs() {
    let cluster = Cluster::new();
    let (status, printed) = result(&cluster.run("NAMESPACE=staging k8s/install plain --yes"));
    assert_eq!(status, Some(0), "{printed}");
    assert!(
        printed.contains("in the namespace staging of the context stand-in:\n"),
        "{printed}"
    );
    assert!(printed.contains("job.batch/canary-once-"), "{printed}");
    let calls = cluster.calls();
    let position = |call: &str| calls.find(call).expect(call);
    let steps = [
        "apply --server-side --force-conflicts --filename settings",
        "apply --server-side --force-conflicts --filename backends",
        "delete jobs --selector app.kubernetes.io/part-of=zyon-grand",
        "apply --server-side --force-conflicts --filename jobs",
        "apply --server-side --force-conflicts --filename readers",
        "rollout status deployment.apps/crm-sync",
        "rollout status deployment.apps/notifier",
        "rollout status deployment.apps/desk",
        "apply --server-side --force-conflicts --filename intake",
        "rollout status deployment.apps/lead-intake",
        "apply --server-side --force-conflicts --filename services",
        "apply --server-side --force-conflicts --filename test",
        "logs --selector batch.kubernetes.io/job-name=canary-once-",
    ];
    assert!(steps.map(position).is_sorted(), "{calls}");
    let applied = fs::read_to_string(cluster.path("applied/services")).unwrap();
    assert!(
        applied.contains("  namespace: staging\n") && !applied.contains("namespace: zyon-grand"),
        "{applied}"
    );
}

#[test]
fn list_of_objects_ends_with_a_line_break() {
    let cluster = Cluster::new();
    cluster.answer("'apply --server-side --dry-run=server'*", "exit 1");
    let (_, printed) = result(&cluster.run("k8s/install dev --yes"));
    assert!(
        printed.contains("\nReverts changes that others made:\n"),
        "{printed}"
    );
}

#[test]
fn install_ends_when_an_image_cannot_be_pulled() {
    let cluster = Cluster::new();
    cluster.answer(
        "'rollout status deployment.apps/site '*",
        "echo 'error: timed out waiting for the condition' >&2; exit 1",
    );
    cluster.answer(
        "'get pods'*",
        "echo 'site-5c9-x   ImagePullBackOff   <none>'",
    );
    let (status, printed) = result(&cluster.run("k8s/install dev --yes"));
    assert_eq!(status, Some(1), "{printed}");
    assert!(
        printed.contains("Waits for deployment.apps/site:\n")
            && printed.contains("site-5c9-x   ImagePullBackOff"),
        "{printed}"
    );
    assert_eq!(
        cluster.count_calls("rollout status deployment.apps/site "),
        3,
        "{printed}"
    );
}

#[test]
fn install_waits_for_an_image_that_arrives() {
    let cluster = Cluster::new();
    let pulled = cluster.path("pulled").display().to_string();
    cluster.answer(
        "'rollout status deployment.apps/site '*",
        &format!("[ -e '{pulled}' ] || {{ : >'{pulled}'; exit 1; }}"),
    );
    cluster.answer("'get pods'*", "echo 'site-5c9-x   ErrImagePull   <none>'");
    let (status, printed) = result(&cluster.run("k8s/install dev --yes"));
    assert_eq!(status, Some(0), "{printed}");
}

#[test]
fn install_ends_when_a_job_failed() {
    let cluster = Cluster::new();
    cluster.answer("'get job.batch/crm-sync-migrate-'*", "echo Failed");
    cluster.answer("'logs --selector '*", "echo 'database unavailable'");
    let (status, printed) = result(&cluster.run("k8s/install plain --yes"));
    assert_eq!(status, Some(1), "{printed}");
    assert!(
        printed.contains("\ndatabase unavailable\n")
            && printed.contains(
                "A Job failed: kubectl --namespace zyon-grand logs job.batch/crm-sync-migrate-"
            ),
        "{printed}"
    );
    assert!(!cluster.path("applied/services").exists());
}

#[test]
fn install_rejects_placeholders_of_examples() {
    let cluster = Cluster::new();
    cluster.answer(
        "'get secret/crm-app --output '*",
        "echo postgres://crm:PASSWORD@HOST:5432/crm",
    );
    cluster.answer("'get secret/site-tls --output '*", "echo CERTIFICATE");
    cluster.answer(
        "'get secret/crm-ca --output '*",
        "echo '-----BEGIN CERTIFICATE-----'",
    );
    let (status, printed) = result(&cluster.run("k8s/install plain --yes"));
    assert_eq!(status, Some(1), "{printed}");
    for secret in ["crm-app", "site-tls"] {
        let problem = format!("secret/{secret} with your values");
        assert!(printed.contains(&problem), "{printed}");
    }
    assert!(!printed.contains("secret/crm-ca"), "{printed}");
    assert_eq!(cluster.count_calls("create secret"), 0);
}

#[test]
fn install_starts_deployments_without_pods() {
    let cluster = Cluster::new();
    cluster.answer("'get deployments '*'replicas==0'*", "printf crm-sync");
    cluster.output("k8s/install production --yes");
    let calls = cluster.calls();
    assert!(
        calls.contains("scale deployment/crm-sync --replicas=1\n"),
        "{calls}"
    );
    assert!(
        calls.contains("annotate scaledobject crm-sync autoscaling.keda.sh/paused-replicas-\n"),
        "{calls}"
    );
}

/// Objects of `production` that protect the data.
const KEPT: [&str; 10] = [
    "persistentvolumeclaim/crm-backups",
    "rabbitmqcluster.rabbitmq.com/rabbitmq",
    "cluster.postgresql.cnpg.io/crm",
    "scheduledbackup.postgresql.cnpg.io/crm",
    "poddisruptionbudget.policy/rabbitmq",
    "networkpolicy.networking.k8s.io/default-deny",
    "networkpolicy.networking.k8s.io/dns",
    "networkpolicy.networking.k8s.io/postgresql",
    "networkpolicy.networking.k8s.io/rabbitmq",
    "networkpolicy.networking.k8s.io/rabbitmq-nodes",
];

const DELETED: [&str; 5] = [
    "configmap/crm-sync-247f2gkc8c",
    "deployment.apps/crm-sync",
    "networkpolicy.networking.k8s.io/crm-sync",
    "poddisruptionbudget.policy/site",
    "serviceaccount/site",
];

/// Objects without our label.
const OTHERS: [&str; 4] = [
    "configmap/kube-root-ca.crt",
    "serviceaccount/default",
    "secret/generated",
    "objectstore.barmancloud.cnpg.io/crm-backups",
];

/// The deleted objects, and the output.
fn uninstall(overlay: &str) -> (String, String) {
    let cluster = Cluster::new();
    let [kept, deleted, others] = [&KEPT[..], &DELETED, &OTHERS].map(|names| names.join(" "));
    let list = "get configmaps,secrets,networkpolicies.networking.k8s.io";
    cluster.answer(
        "'api-resources --namespaced'*",
        r"printf '%s\n' configmaps pods events secrets networkpolicies.networking.k8s.io",
    );
    cluster.answer(
        &format!("'{list} --selector '*"),
        &format!(r"printf '%s\n' {kept} {deleted}"),
    );
    cluster.answer(
        &format!("'{list} '*"),
        &format!(r"printf '%s\n' {kept} {others}"),
    );
    let printed = cluster.output(&format!("k8s/uninstall {overlay} --yes"));
    let calls = cluster.calls();
    let mut deletions = calls
        .lines()
        .filter_map(|call| call.strip_prefix("delete --ignore-not-found "));
    (deletions.next().expect("a call").to_owned(), printed)
}

#[test]
fn uninstall_keeps_what_protects_the_data() {
    let (deleted, printed) = uninstall("production");
    assert_eq!(deleted, DELETED.join(" "));
    let (_, listed) = printed.split_once("These stay.").expect("a list");
    for kept in [
        "\nobjectstore.barmancloud.cnpg.io/crm-backups\n",
        "\nnetworkpolicy.networking.k8s.io/default-deny\n",
        "\nscheduledbackup.postgresql.cnpg.io/crm\n",
    ] {
        assert!(listed.contains(kept), "{listed}");
    }
    assert!(!listed.contains("kube-root-ca"), "{listed}");

    // The broker of `plain` does not stay.
    let (deleted, _) = uninstall("plain");
    assert!(deleted.contains("networkpolicy.networking.k8s.io/rabbitmq "));
    assert!(!deleted.contains("secret/") && !deleted.contains("persistentvolumeclaim/"));
}

#[test]
fn scripts_without_api_print_one_line() {
    let cluster = Cluster::new();
    cluster.answer(
        "version*",
        "printf 'E1128 memcache.go\\nE1128 memcache.go\\nThe connection was refused\\n' >&2; exit 1",
    );
    for script in [
        "uninstall dev --yes",
        "restore plain list",
        "restore production --yes",
        "create-secrets dev",
    ] {
        let (status, printed) = result(&cluster.run(&format!("k8s/{script}")));
        assert_eq!(
            (status, printed.as_str()),
            (Some(1), "Nothing was changed. The connection was refused\n"),
            "{script}"
        );
    }
}
