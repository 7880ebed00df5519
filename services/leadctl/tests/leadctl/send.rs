//! `leadctl send brochure`.

use contracts::crm::v1::SendBrochureResponse;
use serde_json::{Value, json};

use crate::{fake::Fake, support::Client};

async fn start_with_requests(asked: u64) -> (Fake, Client) {
    let crm = Fake::start().await;
    let left = asked - 2;
    crm.state.lock().unwrap().brochure =
        SendBrochureResponse { asked, do_not_contact: 2, left, ..SendBrochureResponse::default() };
    let client = Client::new(crm.address);
    (crm, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn brochure_is_requested_in_batches() {
    let (_crm, client) = start_with_requests(1202).await;
    let sent = client.run(&["send", "brochure", "--yes", "--json"]).await;
    assert_eq!((sent.code, sent.stderr.as_str()), (Some(0), ""));
    let sent: Value = serde_json::from_str(&sent.stdout).unwrap();
    let expected = json!({
        "asked": 1202, "requested": 1200, "waiting": 1200, "delivered": 0, "failed": 0, "do_not_contact": 2, "left": 0,
    });
    assert_eq!(sent, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn brochure_asks_for_confirmation() {
    let (crm, client) = start_with_requests(5).await;
    let asked = client.run(&["send", "brochure"]).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(64), ""));
    assert!(asked.stderr.starts_with("asked           5\n"), "{}", asked.stderr);
    assert_eq!(crm.state.lock().unwrap().brochure.left, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn brochure_run_again_shows_progress() {
    let (_crm, client) = start_with_requests(5).await;
    client.run(&["send", "brochure", "--yes"]).await;
    let again = client.run(&["send", "brochure"]).await;
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
    for part in ["delivered       3\n", "do_not_contact  2\n"] {
        assert!(again.stdout.contains(part), "{part}: {}", again.stdout);
    }
}
