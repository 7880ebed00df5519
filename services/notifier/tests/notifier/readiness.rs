//! `/readyz` with a wrong password or token, and with unavailable dependencies.

use std::fs;

use messaging::Settings;
use notifier::config::Config;
use tempfile::NamedTempFile;
use testkit::{
    broker::through,
    proxy::{Direction, Mode},
    wait,
};

use crate::system::{BY_QUEUE, Notifier, System, crm_settings, routes};

fn start(system: &System, change: impl FnOnce(&mut Config)) -> Notifier {
    let file = NamedTempFile::new().expect("a file");
    fs::write(file.path(), routes()).expect("room for a file");
    let mut config = system.config(&file);
    change(&mut config);
    Notifier::start(config, file)
}

async fn wait_for_readyz(notifier: &Notifier, status: u16, body: &str) {
    wait::until(&format!("{status} {body}"), async || {
        let (found, text) = notifier.context.readiness.status();
        (found.as_u16(), text.as_str()) == (status, body)
    })
    .await;
}

#[tokio::test]
async fn wrong_amqp_password_is_not_ready() {
    let system = System::start(BY_QUEUE).await;
    let notifier = start(&system, |config| {
        let url = through(&system.vhost.url_of("notifier"), system.broker.address());
        let wrong = url.replace("notifier:notifier@", "notifier:wrong@");
        assert_ne!(wrong, url);
        config.broker = Settings::new(wrong.into());
    });
    let reason = "the broker rejects the user, the password or the virtual host in AMQP_URL\n";
    wait_for_readyz(&notifier, 503, reason).await;
}

#[tokio::test]
async fn wrong_crm_token_is_not_ready() {
    let system = System::start(BY_QUEUE).await;
    let notifier = start(&system, |config| {
        config.crm = crm_settings(
            &system.crm.address().to_string(),
            "wrong-wrong-wrong-wrong-wrong-wrong",
        );
    });
    wait_for_readyz(&notifier, 503, "the CRM rejects the token in CRM_TOKEN\n").await;
}

#[tokio::test]
async fn notifier_is_ready_while_the_broker_and_the_crm_do_not_answer() {
    let system = System::start(BY_QUEUE).await;
    for proxy in [&system.broker, &system.crm] {
        proxy.set(Mode::Stall(Direction::Both));
    }
    let notifier = start(&system, |_| {});
    for proxy in [&system.broker, &system.crm] {
        wait::until("a connection", async || proxy.connections() > 0).await;
    }
    wait_for_readyz(&notifier, 200, "ready\n").await;
    system.broker.restore();
    system.crm.restore();
    notifier
        .wait_for_metric("messaging_connected{role=\"publish\"}", 1)
        .await;
    wait_for_readyz(&notifier, 200, "ready\n").await;
}
