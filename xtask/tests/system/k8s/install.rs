//! `k8s/install` with a stand-in for a cluster.

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
