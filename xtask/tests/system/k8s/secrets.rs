//! The programs read the Secrets of `k8s/create-secrets`.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use xtask::ports::free_ports;
use xtask::process::{command, output};
use xtask::session::Interrupt;
use xtask::stack::plan::Storage;
use xtask::stack::rabbitmq::RabbitMq;
use xtask::supervisor::{Service, Supervisor};

use super::cluster::{Cluster, RENDERED};
use super::{name, of_kind};
use crate::PROGRAMS;

const BROKER_USERS: [&str; 5] = ["lead-intake", "notifier", "crm-sync", "operator", "keda"];

#[test]
fn secrets_survive_a_second_run_and_a_loss() {
    let (cluster, create) = (Cluster::new(), "k8s/create-secrets production");
    cluster.output(create);
    let before = cluster.secrets();
    cluster.output(create);
    assert_eq!(cluster.secrets(), before);
    fs::remove_dir_all(cluster.secret("crm-sync")).expect("a Secret");
    cluster.output(create);
    assert_eq!(cluster.secrets(), before);

    fs::remove_dir_all(cluster.secret("generated")).expect("a Secret");
    let output = cluster.run(create);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("generated is missing. Restore it"));
}

#[test]
fn rotation_keeps_what_is_in_use_valid() {
    let cluster = Cluster::new();
    cluster.output("k8s/create-secrets plain");
    let before = cluster.secrets();
    cluster.output("k8s/create-secrets plain rotate");
    let after = cluster.secrets();
    for client in ["lead-intake", "notifier", "desk"] {
        let [old, new] = [&before, &after].map(|secrets| secrets[client]["crm-token"].trim());
        let accepted = &after["crm-sync"]["crm-tokens"];
        assert!(old != new && accepted.contains(old) && accepted.contains(new), "{client}");
    }
    for (secret, kept) in [
        ("crm-sync", "suppression-key"),
        ("notifier", "withdrawal-keys"),
        ("rabbitmq-default-user", "password"),
    ] {
        assert_eq!(before[secret][kept], after[secret][kept]);
    }
    let (tokens, file) = (&after["crm-sync"]["crm-tokens"], &after["leadctl"]["mei.toml"]);
    let token = tokens.lines().find_map(|line| line.strip_prefix("sales:mei=")).expect("an entry");
    assert!(file.contains(token), "a person of leadctl.env");
}

/// Writes the values of a Secret to files.
pub(crate) fn mount(secret: &BTreeMap<String, String>, directory: &Path) {
    fs::create_dir_all(directory).expect("a folder");
    for (key, value) in secret {
        fs::write(directory.join(key), value).expect("a file");
    }
}

#[test]
fn each_service_has_its_own_broker_user() {
    let [_, plain, production] = &*RENDERED;
    let mut jobs = of_kind(&plain.objects, &["Job"]);
    let job = jobs.find(|job| name(job) == "rabbitmq-topology").expect("the Job");
    let script = job["spec"]["template"]["spec"]["containers"][0]["args"][0].as_str().expect("its script");

    let directory = tempfile::tempdir().expect("a directory");
    let (supervisor, ports) = (Supervisor::new(Interrupt::default()), free_ports(2).expect("ports"));
    let broker = RabbitMq::new(directory.path().join("broker"), ports[0], ports[1], Storage::Fast);
    let broker = broker.expect("free ports");
    broker.start(&supervisor, directory.path()).expect("RabbitMQ");
    mount(&production.secrets["rabbitmq"], directory.path());
    for file in ["username", "password"] {
        fs::write(directory.path().join(file), "guest").expect("a file");
    }
    let here = directory.path().display();
    let script = script
        .replace("/run/secrets/administrator", &here.to_string())
        .replace("/definitions/", &format!("{here}/"))
        .replace("http://rabbitmq:15672", &format!("http://127.0.0.1:{}", ports[1]));
    output(Command::new("sh").args(["-ec", &script])).expect("the Job succeeds");

    let secrets = &production.secrets;
    for user in BROKER_USERS {
        let password = secrets["generated"][&format!("{user}-amqp")].trim();
        broker.evaluate(&format!(
            "{{ok, _}} = rabbit_access_control:check_user_login(<<\"{user}\">>, [{{password, <<\"{password}\">>}}])."
        ))
        .expect(user);
        let url = format!("amqp://{user}:{password}@");
        let others = secrets.iter().filter(|(secret, _)| *secret != "generated");
        let mut values = others.flat_map(|(_, values)| values.values());
        assert!(values.any(|value| value.contains(&url)), "{user}");
    }
}

#[test]
fn crm_sync_and_leadctl_read_tokens_and_certificate() {
    let [_, plain, _] = &*RENDERED;
    let directory = tempfile::tempdir().expect("a directory");
    let ports = free_ports(2).expect("ports");
    for secret in ["crm-sync", "crm-sync-tls", "leadctl", "canary"] {
        mount(&plain.secrets[secret], &directory.path().join(secret));
    }
    let file = |secret: &str, key: &str| directory.path().join(secret).join(key);
    let mut crm_sync = command(PROGRAMS.join("crm-sync"));
    crm_sync.arg("serve").envs([
        ("AMQP_URL_FILE", file("crm-sync", "amqp-url")),
        ("CRM_TOKENS_FILE", file("crm-sync", "crm-tokens")),
        ("SUPPRESSION_KEY_FILE", file("crm-sync", "suppression-key")),
        ("DESK_SESSION_KEYS_FILE", file("crm-sync", "desk-session-keys")),
        ("GRPC_CERTIFICATE_FILE", file("crm-sync-tls", "tls.crt")),
        ("GRPC_KEY_FILE", file("crm-sync-tls", "tls.key")),
    ]);
    crm_sync
        .env("DATABASE_URL", format!("sqlite://{}", directory.path().join("crm.sqlite").display()))
        .env("GRPC_ADDR", format!("127.0.0.1:{}", ports[0]))
        .env("ADMIN_ADDR", format!("127.0.0.1:{}", ports[1]));
    let supervisor = Supervisor::new(Interrupt::default());
    let is_up = || TcpStream::connect(("127.0.0.1", ports[0])).is_ok();
    let service = Service::new("crm-sync", crm_sync, directory.path());
    supervisor.start(service, Duration::from_secs(30), is_up).expect("crm-sync");

    // The canary may read only canaries.
    for (secret, expected) in [("leadctl", 0), ("canary", 77)] {
        let path = file(secret, "leadctl.toml");
        let config = fs::read_to_string(&path).expect("the file");
        let config = config
            .replace("crm-sync:50051", &format!("localhost:{}", ports[0]))
            .replace("/run/secrets/canary/crm-ca.crt", &file("crm-sync-tls", "ca.crt").display().to_string());
        fs::write(&path, config).expect("the file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its mode");
        let leadctl = Command::new(PROGRAMS.join("leadctl")).args(["list", "--config"]).arg(path).output();
        let leadctl = leadctl.expect("leadctl starts");
        let error = String::from_utf8_lossy(&leadctl.stderr);
        assert_eq!(leadctl.status.code(), Some(expected), "{secret}: {error}");
    }
}
