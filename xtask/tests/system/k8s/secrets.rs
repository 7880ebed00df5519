//! The programs read the Secrets of `k8s/create-secrets`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use xtask::{
    builds,
    ports::free_ports,
    process::command,
    session::{Interrupt, Session},
    stack::{plan::Storage, rabbitmq::RabbitMq},
    supervisor::{Service, Supervisor},
};

use super::cluster::Cluster;
use super::copy::{name, of_kind, rendered, text};

/// The directory of the built programs.
pub(crate) static PROGRAMS: LazyLock<PathBuf> =
    LazyLock::new(|| builds::programs(&Session::in_test()).expect("the programs"));
const BROKER_USERS: [&str; 5] = ["lead-intake", "notifier", "crm-sync", "operator", "keda"];

#[test]
fn second_run_changes_nothing() {
    for overlay in ["dev", "plain", "production"] {
        let cluster = Cluster::new();
        cluster.create_secrets(overlay);
        let before = cluster.secrets();
        cluster.create_secrets(overlay);
        assert_eq!(cluster.secrets(), before, "{overlay}");
    }
}

#[test]
fn lost_values_are_not_replaced() {
    let cluster = Cluster::new();
    cluster.create_secrets("production");
    let before = cluster.secrets();
    fs::remove_dir_all(cluster.secret("crm-sync")).expect("a Secret");
    cluster.create_secrets("production");
    assert_eq!(cluster.secrets(), before);

    fs::remove_dir_all(cluster.secret("generated")).expect("a Secret");
    let output = cluster.run("k8s/create-secrets production");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("generated is missing. Restore it"));
}

#[test]
fn rotation_keeps_what_is_in_use_valid() {
    let cluster = Cluster::new();
    cluster.create_secrets("plain");
    let before = cluster.secrets();
    cluster.create_secrets("plain rotate");
    let after = cluster.secrets();
    for client in ["lead-intake", "notifier", "desk"] {
        let key = format!("{client}/crm-token");
        assert_ne!(before[&key], after[&key]);
        for token in [&before[&key], &after[&key]] {
            assert!(after["crm-sync/crm-tokens"].contains(token.trim()), "{client}");
        }
    }
    for kept in ["crm-sync/suppression-key", "notifier/withdrawal-keys", "rabbitmq-default-user/password"] {
        assert_eq!(before[kept], after[kept]);
    }
}

#[test]
fn each_person_gets_a_leadctl_token() {
    let cluster = Cluster::new();
    fs::write(cluster.copy().path("k8s/leadctl.env"), "LEADCTL_USERS=mei daniel\n").expect("the settings");
    cluster.create_secrets("production");
    let secrets = cluster.secrets();
    for user in ["mei", "daniel"] {
        let entries = &secrets["crm-sync/crm-tokens"];
        let entry = entries.lines().find_map(|line| line.strip_prefix(&format!("sales:{user}=")));
        assert!(secrets[&format!("leadctl/{user}.toml")].contains(entry.expect("an entry")), "{user}");
    }
}

#[test]
fn each_service_has_its_own_broker_user() {
    let cluster = Cluster::new();
    cluster.create_secrets("production");
    let job =
        of_kind(rendered("plain"), &["Job"]).find(|job| name(job) == "rabbitmq-topology").expect("the Job");
    let script = job["spec"]["template"]["spec"]["containers"][0]["args"][0].as_str().expect("its script");

    let directory = tempfile::tempdir().expect("a directory");
    let supervisor = Supervisor::new(Interrupt::default());
    let ports = free_ports(2).expect("ports");
    let broker = RabbitMq::new(directory.path().join("broker"), ports[0], ports[1], Storage::Fast);
    let broker = broker.expect("free ports");
    broker.start(&supervisor, directory.path()).expect("RabbitMQ");
    for (file, value) in [("username", "guest"), ("password", "guest")] {
        fs::write(directory.path().join(file), value).expect("a file");
    }
    let script = script
        .replace("/run/secrets/administrator", &directory.path().display().to_string())
        .replace("/definitions/", &format!("{}/", cluster.secret("rabbitmq").display()))
        .replace("http://rabbitmq:15672", &format!("http://127.0.0.1:{}", ports[1]));
    text(Command::new("sh").args(["-ec", &script]).output().expect("sh starts"));

    let secrets = cluster.secrets();
    for user in BROKER_USERS {
        let password = secrets[&format!("generated/{user}-amqp")].trim();
        broker.evaluate(&format!(
            "{{ok, _}} = rabbit_access_control:check_user_login(<<\"{user}\">>, [{{password, <<\"{password}\">>}}])."
        ))
        .expect(user);
        let is_used = secrets.iter().any(|(key, value)| {
            !key.starts_with("generated/") && value.contains(&format!("amqp://{user}:{password}@"))
        });
        assert!(is_used, "{user}");
    }
}

#[test]
fn crm_sync_and_leadctl_read_tokens_and_certificate() {
    let cluster = Cluster::new();
    cluster.create_secrets("plain");
    let directory = tempfile::tempdir().expect("a directory");
    let (grpc, admin) = (free_ports(2).expect("ports")[0], free_ports(1).expect("a port")[0]);
    let file = |secret: &str, key: &str| cluster.secret(secret).join(key);
    let mut crm_sync = command(PROGRAMS.join("crm-sync"));
    crm_sync.arg("serve").envs([
        ("AMQP_URL_FILE", file("crm-sync", "amqp-url")),
        ("CRM_TOKENS_FILE", file("crm-sync", "crm-tokens")),
        ("SUPPRESSION_KEY_FILE", file("crm-sync", "suppression-key")),
        ("DESK_SESSION_KEYS_FILE", file("crm-sync", "desk-session-keys")),
        ("GRPC_CERTIFICATE_FILE", file("crm-sync-tls", "tls.crt")),
        ("GRPC_KEY_FILE", file("crm-sync-tls", "tls.key")),
    ]);
    let database = directory.path().join("crm.sqlite");
    crm_sync
        .env("DATABASE_URL", format!("sqlite://{}", database.display()))
        .env("GRPC_ADDR", format!("127.0.0.1:{grpc}"))
        .env("ADMIN_ADDR", format!("127.0.0.1:{admin}"));
    let supervisor = Supervisor::new(Interrupt::default());
    let is_up = || std::net::TcpStream::connect(("127.0.0.1", grpc)).is_ok();
    let service = Service::new("crm-sync", crm_sync, directory.path());
    supervisor.start(service, Duration::from_secs(30), is_up).expect("crm-sync");

    // The canary may read only canaries.
    for (secret, expected) in [("leadctl", 0), ("canary", 77)] {
        let config = fs::read_to_string(file(secret, "leadctl.toml")).expect("the file");
        let config = config
            .replace("crm-sync:50051", &format!("localhost:{grpc}"))
            .replace("/run/secrets/canary/crm-ca.crt", &file("crm-sync-tls", "ca.crt").display().to_string());
        let path = directory.path().join(secret);
        fs::write(&path, config).expect("the file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its mode");
        let leadctl = Command::new(PROGRAMS.join("leadctl")).args(["list", "--config"]).arg(path).output();
        let leadctl = leadctl.expect("leadctl starts");
        let error = String::from_utf8_lossy(&leadctl.stderr);
        assert_eq!(leadctl.status.code(), Some(expected), "{secret}: {error}");
    }
}
