//! The programs read the Secrets of `k8s/create-secrets`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use xtask::http;
use xtask::ports::free_ports;
use xtask::process::output;
use xtask::session::Interrupt;
use xtask::stack::plan::Storage;
use xtask::stack::rabbitmq::RabbitMq;
use xtask::supervisor::{Service, Supervisor};

use super::cluster::{Cluster, RENDERED};
use super::settings::{mount, service_command, write};
use super::{find_job, text};
use crate::PROGRAMS;

const BROKER_USERS: [&str; 5] = ["lead-intake", "notifier", "crm-sync", "operator", "keda"];

#[test]
fn secrets_survive_a_loss_and_a_rotation() {
    let (cluster, create) = (Cluster::new(), "k8s/create-secrets plain");
    cluster.output(create);
    let before = cluster.secrets();
    fs::remove_file(cluster.secret("crm-sync")).unwrap();
    cluster.output(create);
    assert_eq!(cluster.secrets(), before);

    cluster.output(&format!("{create} rotate"));
    let after = cluster.secrets();
    for client in ["lead-intake", "notifier", "desk"] {
        let [old, new] = [&before, &after].map(|secrets| secrets[client]["crm-token"].trim());
        let accepted = &after["crm-sync"]["crm-tokens"];
        assert!(
            old != new && accepted.contains(old) && accepted.contains(new),
            "{client}"
        );
    }
    for (secret, kept) in [
        ("crm-sync", "suppression-key"),
        ("notifier", "withdrawal-keys"),
        ("rabbitmq-default-user", "password"),
    ] {
        assert_eq!(before[secret][kept], after[secret][kept]);
    }

    fs::remove_file(cluster.secret("generated")).unwrap();
    let output = cluster.run(create);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("generated is missing. Restore it"));
}

#[test]
fn each_service_has_its_own_broker_user() {
    let [_, plain, production] = &*RENDERED;
    let job = find_job(&plain.objects, "rabbitmq-topology");
    let script = text(&job["spec"]["template"]["spec"]["containers"][0]["args"][0]);

    let directory = tempfile::tempdir().unwrap();
    let (supervisor, ports) = (
        Supervisor::new(Interrupt::default()),
        free_ports(2).unwrap(),
    );
    let broker = RabbitMq::new(
        directory.path().join("broker"),
        ports[0],
        ports[1],
        Storage::Fast,
    )
    .unwrap();
    broker
        .start(&supervisor, directory.path())
        .expect("RabbitMQ");
    write(&production.secrets["rabbitmq"], directory.path());
    for file in ["username", "password"] {
        fs::write(directory.path().join(file), "guest").unwrap();
    }
    let here = directory.path().display();
    let script = script
        .replace("/run/secrets/administrator", &here.to_string())
        .replace("/definitions/", &format!("{here}/"))
        .replace(
            "http://rabbitmq:15672",
            &format!("http://127.0.0.1:{}", ports[1]),
        );
    output(Command::new("sh").args(["-ec", &script])).expect("the Job succeeds");

    let secrets = &production.secrets;
    for user in BROKER_USERS {
        let password = secrets["generated"][&format!("{user}-amqp")].trim();
        let login = format!("<<\"{user}\">>, [{{password, <<\"{password}\">>}}]");
        broker
            .evaluate(&format!(
                "{{ok, _}} = rabbit_access_control:check_user_login({login})."
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
    let [dev, ..] = &*RENDERED;
    let (directory, ports) = (tempfile::tempdir().unwrap(), free_ports(2).unwrap());
    let variables = mount("crm-sync", &dev.objects, &dev.secrets, directory.path());
    let mut crm_sync = service_command("crm-sync", &variables, directory.path());
    crm_sync
        .arg("serve")
        .env(
            "DATABASE_URL",
            format!("sqlite://{}", directory.path().join("crm.sqlite").display()),
        )
        .env("GRPC_ADDR", format!("127.0.0.1:{}", ports[0]))
        .env("ADMIN_ADDR", format!("127.0.0.1:{}", ports[1]));
    let supervisor = Supervisor::new(Interrupt::default());
    let service = Service::new("crm-sync", crm_sync, directory.path());
    supervisor
        .start(service, Duration::from_secs(30), || {
            http::connects(ports[0])
        })
        .expect("crm-sync");

    write(&dev.secrets["crm-sync-tls"], directory.path());
    let authority = directory.path().join("ca.crt").display().to_string();
    // The canary may read only canaries.
    for (secret, file, expected) in [
        ("leadctl", "leadctl.toml", 0),
        ("leadctl", "mei.toml", 0),
        ("canary", "leadctl.toml", 77),
    ] {
        let config = dev.secrets[secret][file]
            .replace("crm-sync:50051", &format!("localhost:{}", ports[0]))
            .replace("/run/secrets/canary/crm-ca.crt", &authority);
        let path = directory.path().join(file);
        fs::write(&path, config).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let leadctl = Command::new(PROGRAMS.join("leadctl"))
            .args(["list", "--config"])
            .arg(path)
            .output();
        let leadctl = leadctl.expect("leadctl starts");
        let error = String::from_utf8_lossy(&leadctl.stderr);
        assert_eq!(
            leadctl.status.code(),
            Some(expected),
            "{file} of {secret}: {error}"
        );
    }
}

#[test]
fn unavailable_cluster_keeps_the_password_of_the_broker() {
    let cluster = Cluster::new();
    cluster.output("k8s/create-secrets dev");
    let before = fs::read_to_string(cluster.secret("rabbitmq-default-user")).unwrap();
    let failed = cluster.run("UNAVAILABLE=rabbitmq-default-user k8s/create-secrets dev");
    assert!(!failed.status.success(), "{failed:?}");
    let after = fs::read_to_string(cluster.secret("rabbitmq-default-user")).unwrap();
    assert_eq!(before, after);
}
