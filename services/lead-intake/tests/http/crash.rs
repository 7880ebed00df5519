//! Tests crashes between two steps. The visitor repeats the request, and the system stores the lead once.

use std::{
    io::{BufRead, BufReader},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use testkit::{
    broker::Vhost,
    crm::{INTAKE, WITHDRAWAL_KEYS},
};
use tokio::task::spawn_blocking;

use crate::support::{
    IDEMPOTENCY_KEY, Intake, NO_BROKER, NO_CRM, RunningCrm, SESSION_KEY, Setup, Visitor, accepted,
    published, registration,
};

const SIGABRT: i32 = 6;

/// A lead-intake process that crashes at a given point.
struct Process {
    visitor: Visitor,
    child: Child,
}

impl Process {
    async fn start(broker: &str, crm: &str, crash_at: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lead-intake"))
            .arg("serve")
            .env_clear()
            .envs([
                ("AMQP_URL", broker),
                ("CRM_URL", crm),
                ("CRM_TOKEN", INTAKE),
                ("CRASH_AT", crash_at),
            ])
            .envs([
                ("ANON_KEY", "anon"),
                ("SESSION_KEYS", SESSION_KEY),
                ("WITHDRAWAL_KEYS", WITHDRAWAL_KEYS),
            ])
            .envs([("HTTP_ADDR", "127.0.0.1:0"), ("ADMIN_ADDR", "127.0.0.1:0")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stdout.take().unwrap());
        let address = spawn_blocking(|| {
            let mut lines = log
                .lines()
                .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
            let serving = lines
                .find(|line| line["message"] == "serving HTTP")
                .unwrap();
            // Reads the output, because a full pipe would block the process.
            std::thread::spawn(|| lines.for_each(drop));
            serving["address"].as_str().unwrap().parse().unwrap()
        });
        Self {
            visitor: Visitor::new(address.await.unwrap()),
            child,
        }
    }

    /// Sends a lead and waits for the crash without a response.
    async fn crash(&mut self) {
        let lead = self
            .visitor
            .form()
            .await
            .header("Idempotency-Key", IDEMPOTENCY_KEY)
            .json(&registration());
        assert!(lead.send().await.is_err());
        assert_eq!(self.child.wait().unwrap().signal(), Some(SIGABRT));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process has already exited unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn crash_before_the_publish_stores_nothing_and_the_next_submit_is_accepted() {
    let vhost = Vhost::create().await;
    let next = Intake::start(&vhost.url_of("lead-intake")).await;
    Process::start(
        &vhost.url_of("lead-intake"),
        NO_CRM,
        "lead-intake-validated",
    )
    .await
    .crash()
    .await;
    let lead = accepted(next.submit_as(IDEMPOTENCY_KEY, &registration()).await).await;
    let kept = published(&vhost, 1).await;
    assert_eq!(lead["id"], kept[0].1.lead_id.as_str());
}

#[tokio::test]
async fn submit_after_a_crash_after_the_confirm_is_the_same_lead() {
    let vhost = Vhost::create().await;
    Process::start(
        &vhost.url_of("lead-intake"),
        NO_CRM,
        "lead-intake-confirmed",
    )
    .await
    .crash()
    .await;
    let kept = published(&vhost, 1).await;
    let next = Intake::start(&vhost.url_of("lead-intake")).await;
    let lead = accepted(next.submit_as(IDEMPOTENCY_KEY, &registration()).await).await;
    assert_eq!(lead["id"], kept[0].1.lead_id.as_str());
}

#[tokio::test]
async fn submit_after_a_crash_after_record_lead_is_the_same_lead() {
    let crm = RunningCrm::start(NO_BROKER).await;
    Process::start(NO_BROKER, &crm.url(), "lead-intake-recorded")
        .await
        .crash()
        .await;
    assert_eq!(crm.leads().await, 1);
    let next = Intake::start_with(Setup {
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    let lead = accepted(next.submit_as(IDEMPOTENCY_KEY, &registration()).await).await;
    assert!(crm.lead(&lead).await.is_some());
    assert_eq!(crm.leads().await, 1);
}
