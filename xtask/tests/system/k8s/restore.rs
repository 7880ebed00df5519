//! `k8s/restore` with a stand-in for a cluster, and the real PostgreSQL for `plain`.

use std::fs;

use serde_json::Value;

use super::cluster::Cluster;
use super::find;
use crate::compose::SERVER;

/// Prints the manifest of a Job, like `kubectl create job --from`.
const JOB: &str = r"printf '%s\n' 'apiVersion: batch/v1' 'kind: Job' 'metadata: {name: crm-restore}' \
    'spec: {activeDeadlineSeconds: 1, template: {spec: {restartPolicy: Never, containers: [{name: x, args: [y]}]}}}'";

#[test]
fn plain_restores_a_dump_and_repeats_erasures() {
    let server = SERVER.lock();
    server.create_leads();
    server.mount_backups();
    let cluster = Cluster::new();
    cluster.answer("'create job '*", JOB);
    // Runs the command of `kubectl exec` here, with the directories of the test.
    let run = format!(
        "shift; while [ $1 != -- ]; do shift; done; shift
        for argument; do
            shift
            set -- \"$@\" \"$(printf %s \"$argument\" | sed 's#/scripts/#{}/#g; s#/backups#{}#g')\"
        done
        PATH='{}' exec \"$@\"",
        server.file("scripts"),
        server.file("backups"),
        server.path()
    );
    cluster.answer("'exec '*", &run);
    let backup = server.file("scripts/backup");
    cluster.output(&format!("PATH='{}' bash {backup}", server.path()));
    let dump = fs::read_dir(server.file("backups"))
        .unwrap()
        .flatten()
        .next()
        .expect("a dump")
        .file_name()
        .into_string()
        .unwrap();
    server.sql(
        "UPDATE lead SET email_key = '', digits = '', number_key = '', name = '', contact_id = NULL,
            erased_at = '2026-02-01' WHERE digits = '6592';
        UPDATE lead SET name = 'after the backup' WHERE digits = '6594';
        INSERT INTO suppression (hash, mailbox_hash, since) VALUES ('after', 'after', '2026-02-01')",
    );

    // The migration fails after the database was replaced, so crm-sync must not start.
    cluster.answer(
        "'get job.batch/crm-sync-migrate-'*",
        &format!(
            "[ -e '{0}' ] && echo Complete || {{ : >'{0}'; echo Failed; }}",
            cluster.path("failed").display()
        ),
    );
    let restore = format!("k8s/restore plain {dump} --yes");
    let failed = cluster.run(&restore);
    let error = String::from_utf8_lossy(&failed.stderr);
    assert!(!failed.status.success());
    assert!(
        error.contains("crm-sync is stopped") && error.contains("Run the same command again."),
        "{error}"
    );
    assert_eq!(
        cluster.count_calls("apply --server-side --force-conflicts --filename services"),
        0
    );

    // The second run has the changes of the first, which the restored database no longer has.
    let printed = cluster.output(&restore);
    assert!(
        printed.contains("Repeated since the backup: erasure of 1 leads\n"),
        "{printed}"
    );
    assert_eq!(
        server.sql(
            "SELECT count(*) FROM lead WHERE erased_at IS NOT NULL OR name = 'after the backup'"
        ),
        "1\n"
    );
    assert_eq!(
        server.sql("SELECT hash FROM suppression ORDER BY since"),
        "before\nafter\n"
    );
    let calls = cluster.calls();
    let position = |call: &str| calls.rfind(call).expect(call);
    let steps = [
        "scale deployment/crm-sync --replicas=0",
        "bash /scripts/connect pg_restore --clean",
        "get job.batch/crm-sync-migrate-",
        "logs --selector batch.kubernetes.io/job-name=canary-once-",
        "delete job crm-restore",
    ];
    assert!(steps.map(position).is_sorted(), "{calls}");
    let left: Vec<_> = fs::read_dir(server.file("backups"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn production_restores_the_archive_into_a_new_one() {
    let cluster = Cluster::new();
    cluster.answer("'get objectstore'*crm.first*", "echo 2026-11-01T02:15:00Z");
    cluster.answer("'get cluster'*serverName*", "echo crm");
    cluster.answer("'get cluster'*currentPrimary*", "echo crm-2");
    cluster.answer("'exec crm-2 '*archiver", "echo t");
    cluster.answer("'exec --stdin crm-2 '*", "cat >\"$cluster/repeated\"");
    cluster.answer("'exec crm-2 '*to_regclass*", "echo suppression");
    let printed = cluster.output("k8s/restore production 2026-11-28T10:15:00Z --yes");
    let calls = cluster.calls();
    let position = |call: &str| calls.find(call).expect(call);
    let steps = [
        "annotate scaledobject crm-sync autoscaling.keda.sh/paused-replicas=0",
        "scale deployment/crm-sync --replicas=0",
        "exec crm-2 -c postgres -- psql crm --quiet --no-psqlrc --set ON_ERROR_STOP=1 --command COPY (SELECT * FROM audit",
        "pg_switch_wal",
        "delete cluster.postgresql.cnpg.io crm",
        "apply --server-side --force-conflicts --filename /",
        "get job.batch/crm-sync-migrate-",
        "exec --stdin crm-2 -c postgres -- psql crm",
        "logs --selector batch.kubernetes.io/job-name=canary-once-",
    ];
    assert!(steps.map(position).is_sorted(), "{calls}");

    let manifest = fs::read_to_string(cluster.path("applied/cluster")).unwrap();
    let objects: Vec<Value> = serde_saphyr::from_multiple(&manifest).unwrap();
    let spec = &find(&objects, "Cluster", "crm")["spec"];
    let recovery = &spec["bootstrap"]["recovery"];
    assert_eq!(
        recovery["recoveryTarget"]["targetTime"],
        "2026-11-28T10:15:00Z"
    );
    assert!(spec["bootstrap"]["initdb"].is_null(), "{spec}");
    let before = &spec["externalClusters"][0]["plugin"]["parameters"]["serverName"];
    let archive = spec["plugins"][0]["parameters"]["serverName"]
        .as_str()
        .unwrap();
    assert_eq!(before, "crm");
    assert!(archive.starts_with("crm-2"), "{archive}");
    let repeated = fs::read_to_string(cluster.path("repeated")).unwrap();
    assert!(repeated.contains("BEGIN;"), "{repeated}");

    // Later installations use the new archive.
    assert!(
        printed.contains(&format!("The new archive is {archive}.")),
        "{printed}"
    );
    let rendered = cluster.render("production");
    let spec = &find(&rendered, "Cluster", "crm")["spec"];
    assert_eq!(spec["plugins"][0]["parameters"]["serverName"], archive);
}

#[test]
fn production_needs_a_backup_before_it_deletes_the_database() {
    let cluster = Cluster::new();
    let refused = cluster.run("k8s/restore production --yes");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("has no backup"), "{error}");
    let calls = cluster.calls();
    assert!(
        !calls.contains("delete") && !calls.contains("scale"),
        "{calls}"
    );
}
