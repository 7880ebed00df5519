//! `k8s/status` with the real kubectl against a stand-in of the API server, which answers with objects as they are listed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use crate::copy::{Copy, real_kubectl, text};

/// Bodies of JSON, or of metrics, by path.
type Pages = BTreeMap<String, String>;

fn serve(pages: Pages) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("its number").port();
    let pages = Arc::new(pages);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let pages = Arc::clone(&pages);
            thread::spawn(move || answer(stream, &pages));
        }
    });
    port
}

fn answer(stream: TcpStream, pages: &Pages) {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = request.split(['?', ' ']).nth(1).unwrap_or_default();
    let (status, body) = pages.get(path).map_or(("404 Not Found", "{}"), |body| ("200 OK", body.as_str()));
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // A client that went away needs no answer.
    let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
}

/// What there is of each kind in a cluster.
struct Cluster {
    lists: BTreeMap<&'static str, Vec<Value>>,
    crm_sync: String,
    notifier: String,
}

/// `resource`, its group and version, its kind.
const RESOURCES: [(&str, &str, &str); 8] = [
    ("deployments", "apps/v1", "Deployment"),
    ("statefulsets", "apps/v1", "StatefulSet"),
    ("jobs", "batch/v1", "Job"),
    ("horizontalpodautoscalers", "autoscaling/v2", "HorizontalPodAutoscaler"),
    ("backups", "postgresql.cnpg.io/v1", "Backup"),
    ("pods", "v1", "Pod"),
    ("secrets", "v1", "Secret"),
    ("nodes", "v1", "Node"),
];

impl Cluster {
    fn well() -> Self {
        let scaled = |name: &str, pods: u32| {
            json!({"metadata": {"name": name}, "spec": {"replicas": pods},
                "status": {"updatedReplicas": pods, "availableReplicas": pods}})
        };
        let pod = |name: &str, number: u32| {
            json!({"metadata": {"name": format!("{name}-{number}"), "labels": {"app.kubernetes.io/name": name}},
                "spec": {"nodeName": format!("node-{number}")},
                "status": {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]}})
        };
        let lists = [
            ("deployments", vec![scaled("canary", 1), scaled("crm-sync", 2)]),
            ("statefulsets", vec![scaled("rabbitmq-server", 3)]),
            ("jobs", vec![json!({"metadata": {"name": "crm-sync-migrate"}, "status": {"succeeded": 1}})]),
            (
                "horizontalpodautoscalers",
                vec![json!({"metadata": {"name": "lead-intake"}, "spec": {"maxReplicas": 12},
                    "status": {"currentReplicas": 3, "conditions": [{"type": "ScalingActive", "status": "True"}]}})],
            ),
            (
                "backups",
                vec![
                    json!({"metadata": {"name": "new"}, "status": {"phase": "completed", "stoppedAt": "9999-01-01T00:00:00Z"}}),
                    json!({"metadata": {"name": "old"}, "status": {"phase": "completed", "stoppedAt": "2020-01-01T00:00:00Z"}}),
                ],
            ),
            ("pods", vec![pod("crm-sync", 1), pod("crm-sync", 2)]),
            ("secrets", Vec::new()),
            (
                "nodes",
                (1..=3).map(|number| json!({"metadata": {"name": format!("node-{number}")}})).collect(),
            ),
        ];
        Self {
            lists: lists.into(),
            crm_sync: METRICS_OF_CRM_SYNC.to_owned(),
            notifier: METRICS_OF_NOTIFIER.to_owned(),
        }
    }

    fn of(&mut self, resource: &str) -> &mut Vec<Value> {
        self.lists.get_mut(resource).expect("a resource of the cluster")
    }

    fn pages(&self) -> Pages {
        let mut pages = Pages::new();
        let mut groups: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for (resource, version, kind) in RESOURCES {
            let Some(items) = self.lists.get(resource) else { continue };
            let is_namespaced = resource != "nodes";
            groups.entry(version).or_default().push(
                json!({"name": resource, "kind": kind, "namespaced": is_namespaced, "verbs": ["get", "list"]}),
            );
            let root = if version == "v1" { "/api/v1".to_owned() } else { format!("/apis/{version}") };
            let root = if is_namespaced { format!("{root}/namespaces/zyon-grand") } else { root };
            let items: Vec<Value> = items
                .iter()
                .map(|item| {
                    let mut item = item.clone();
                    item["kind"] = kind.into();
                    item["apiVersion"] = version.into();
                    pages.insert(
                        format!("{root}/{resource}/{}", item["metadata"]["name"].as_str().expect("a name")),
                        item.to_string(),
                    );
                    item
                })
                .collect();
            let list =
                json!({"kind": format!("{kind}List"), "apiVersion": version, "metadata": {}, "items": items});
            pages.insert(format!("{root}/{resource}"), list.to_string());
        }
        pages.insert("/api".into(), json!({"kind": "APIVersions", "versions": ["v1"]}).to_string());
        let mut described = Vec::new();
        for (version, resources) in groups {
            let list = json!({"kind": "APIResourceList", "groupVersion": version, "resources": resources});
            let path = if version == "v1" { "/api/v1".to_owned() } else { format!("/apis/{version}") };
            pages.insert(path, list.to_string());
            if let Some((group, number)) = version.split_once('/') {
                let version = json!({"groupVersion": version, "version": number});
                described.push(json!({"name": group, "versions": [version], "preferredVersion": version}));
            }
        }
        pages.insert("/apis".into(), json!({"kind": "APIGroupList", "groups": described}).to_string());
        pages
    }

    /// What the script says, and whether it says that all is well.
    fn status(&self) -> (String, bool) {
        let copy = Copy::new();
        let metrics = |text: &String| serve(Pages::from([("/metrics".to_owned(), text.clone())]));
        let kubectl = format!(
            "#!/bin/sh\ncase \"$*\" in\n\
            *port-forward*crm-sync*) echo 'Forwarding from 127.0.0.1:{} -> 9103'; exec sleep 60 ;;\n\
            *port-forward*) echo 'Forwarding from 127.0.0.1:{} -> 9102'; exec sleep 60 ;;\n\
            esac\nexec {} --server http://127.0.0.1:{} \"$@\"\n",
            metrics(&self.crm_sync),
            metrics(&self.notifier),
            real_kubectl().display(),
            serve(self.pages())
        );
        copy.stand_in("kubectl", &kubectl);
        let ran = copy.shell("k8s/status").env("HOME", copy.path("")).output().expect("the script starts");
        assert_eq!(String::from_utf8_lossy(&ran.stderr), "");
        let said = String::from_utf8(ran.stdout).expect("UTF-8");
        assert_eq!(said.lines().count(), 10, "{said}");
        (said, ran.status.success())
    }

    /// These lines, and no others, must start with CHECK.
    fn assert_says(&self, expected: &[&str]) {
        let (said, is_well) = self.status();
        assert!(!is_well, "{said}");
        for line in expected {
            assert!(said.contains(&format!("CHECK {line}")), "{line:?} is not in\n{said}");
        }
        assert_eq!(said.matches("CHECK").count(), expected.len(), "{said}");
    }
}

const METRICS_OF_CRM_SYNC: &str = "\
crm_pending_leads 1
crm_pending_oldest_age_seconds 12.5
crm_failed_deliveries 0
crm_canary_age_seconds{stage=\"stored\"} 61.2
crm_canary_age_seconds{stage=\"mailed\"} 130
messaging_connected{role=\"consume\"} 1
messaging_queue_messages{queue=\"crm-sync.dead-letters\"} 0
messaging_queue_messages{queue=\"crm-sync.leads\"} 3
";

const METRICS_OF_NOTIFIER: &str = "\
messaging_connected{role=\"consume\"} 1
messaging_queue_messages{queue=\"notifier.dead-letters\"} 0
messaging_queue_messages{queue=\"notifier.leads\"} 0
";

#[test]
fn all_is_well_in_ten_lines() {
    let (said, is_well) = Cluster::well().status();
    assert!(is_well, "{said}");
    let expected = "\
ok    rollouts      canary 1/1, crm-sync 2/2, rabbitmq-server 3/3
ok    pods          2 running or completed
ok    spread        on 2 of 3 nodes
ok    jobs          crm-sync-migrate completed
ok    queues        crm-sync.dead-letters 0, crm-sync.leads 3, notifier.dead-letters 0, notifier.leads 0
ok    deliveries    1 pending, 0 failed
ok    canary        stored 1 min ago, emailed 2 min ago
ok    certificates
ok    backups       last completed 9999-01-01T00:00:00Z
ok    autoscaling   lead-intake 3 of at most 12";
    let trimmed: Vec<&str> = said.lines().map(str::trim_end).collect();
    assert_eq!(trimmed.join("\n"), expected);
}

#[test]
fn each_line_says_what_is_wrong() {
    let mut cluster = Cluster::well();
    cluster.of("deployments")[1]["status"]["availableReplicas"] = 1.into();
    let waiting = json!([{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]);
    cluster.of("pods")[1]["status"]["containerStatuses"] = waiting;
    cluster.of("pods")[1]["spec"]["nodeName"] = "node-1".into();
    cluster.of("jobs")[0]["status"] = json!({"failed": 4});
    cluster.notifier = cluster.notifier.replace("dead-letters\"} 0", "dead-letters\"} 7");
    cluster.crm_sync = cluster.crm_sync.replace("deliveries 0", "deliveries 2").replace("130", "1800");
    cluster.of("backups").clear();
    cluster.of("horizontalpodautoscalers")[0]["status"]["currentReplicas"] = 12.into();
    cluster.assert_says(&[
        "rollouts      crm-sync 1/2",
        "pods          crm-sync-2: CrashLoopBackOff",
        "spread        all pods of crm-sync are on one node: run kubectl rollout restart deployment/crm-sync",
        "jobs          crm-sync-migrate not completed, 4 failures",
        "queues        notifier.dead-letters 7",
        "deliveries    2 failed: run leadctl deliveries list --failed",
        "canary        emailed 30 min ago",
        "backups       none completed",
        "autoscaling   lead-intake 12 of at most 12",
    ]);
}

#[test]
fn and_says_what_else_can_be_wrong() {
    let mut cluster = Cluster::well();
    cluster.of("deployments")[1]["status"]["updatedReplicas"] = 1.into();
    cluster
        .of("pods")
        .push(json!({"metadata": {"name": "site-1"}, "spec": {}, "status": {"phase": "Pending"}}));
    cluster.lists.remove("jobs");
    let lost = "messaging_connected{role=\"consume\"} 0";
    cluster.crm_sync = cluster.crm_sync.replace("messaging_connected{role=\"consume\"} 1", lost);
    cluster.crm_sync = cluster.crm_sync.replace("oldest_age_seconds 12.5", "oldest_age_seconds 3600");
    let unknown = json!([{"type": "ScalingActive", "status": "False", "reason": "FailedGetResourceMetric"}]);
    cluster.of("horizontalpodautoscalers")[0]["status"]["conditions"] = unknown;
    cluster.assert_says(&[
        "rollouts      crm-sync 2/2, 1 updated",
        "pods          site-1: Pending",
        "jobs          cannot list jobs",
        "queues        crm-sync or notifier is not connected to the broker",
        "deliveries    the oldest has been pending for 60 min",
        "autoscaling   lead-intake 3 of at most 12, FailedGetResourceMetric",
    ]);
}

#[test]
fn a_certificate_is_to_be_renewed_before_it_ends() {
    for (days, is_fine) in [("30", true), ("2", false)] {
        let made = Command::new("sh")
            .args(["-c", "openssl req -x509 -newkey ed25519 -nodes -keyout /dev/null -subj /CN=site -days $0 2>/dev/null | base64 | tr -d '\\n'", days])
            .output();
        let mut cluster = Cluster::well();
        let secret =
            json!({"metadata": {"name": "site-tls"}, "data": {"tls.crt": text(made.expect("openssl"))}});
        cluster.of("secrets").push(secret);
        if is_fine {
            let (said, is_well) = cluster.status();
            assert!(is_well && said.contains("ok    certificates  site-tls expires "), "{said}");
        } else {
            cluster.assert_says(&["certificates  site-tls expires "]);
        }
    }
}

#[test]
fn without_canary_and_operator_there_is_nothing_to_look_at() {
    let mut cluster = Cluster::well();
    cluster.of("deployments").remove(0);
    cluster.lists.remove("backups");
    let (said, is_well) = cluster.status();
    assert!(is_well && said.contains("not deployed") && said.contains("no CloudNativePG backups"), "{said}");
}
