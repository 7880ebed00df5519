//! `leadctl send brochure`.

use contracts::leads::v1::{Interest, LeadSubmitted};
use serde_json::{Value, json};

use crate::support::{Crm, lead};

/// A CRM with this number of visitors who requested the brochure, one of whom must not be contacted.
async fn start_with_requests(asked: u32) -> Crm {
    let crm = Crm::start().await;
    let request = |number: u32| LeadSubmitted {
        interests: vec![Interest::Brochure.into()],
        email: format!("visitor{number}@example.org"),
        mobile: format!("+65 9123 {number:04}"),
        ..lead(number)
    };
    crm.record(request(1)).await;
    crm.copy_lead(asked - 2).await;
    crm.record(request(2)).await;
    assert_eq!(
        crm.run(&["update", "ZG-0000-02", "--do-not-contact"])
            .await
            .code,
        Some(0)
    );
    crm
}

#[tokio::test(flavor = "multi_thread")]
async fn brochure_is_requested_in_batches_and_only_once() {
    let crm = start_with_requests(1201).await;
    let sent = crm.run(&["send", "brochure", "--yes", "--json"]).await;
    assert_eq!((sent.code, sent.stderr.as_str()), (Some(0), ""));
    let sent: Value = serde_json::from_str(&sent.stdout).unwrap();
    let expected = json!({
        "asked": 1201, "requested": 1200, "waiting": 1200, "delivered": 0, "failed": 0, "do_not_contact": 1, "left": 0,
    });
    assert_eq!(sent, expected);

    let again = crm.run(&["send", "brochure"]).await;
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
    for part in ["waiting         1200\n", "do_not_contact  1\n"] {
        assert!(again.stdout.contains(part), "{part}: {}", again.stdout);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn brochure_asks_for_confirmation() {
    let crm = start_with_requests(5).await;
    let asked = crm.run(&["send", "brochure"]).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(64), ""));
    assert!(
        asked.stderr.starts_with("asked           5\n"),
        "{}",
        asked.stderr
    );
    assert_eq!(
        crm.run(&["deliveries", "list"]).await.stdout,
        "No unfinished deliveries.\n"
    );
}
