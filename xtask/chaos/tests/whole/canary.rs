//! A canary passes through the whole system on the fallback path, without an email to sales. A browser test sends one on the
//! primary path.

use serde_json::{Value, json};

use crate::system::{CANARIES, Scenario, System};

#[tokio::test(flavor = "multi_thread")]
async fn canary_arrives_without_broker() {
    let system = System::start(Scenario { confirm: true, without_broker: true, ..Scenario::default() }).await;
    let arrival: Value = serde_json::from_str(&system.leadctl(&["--json", "canary"]).await).unwrap();
    let seconds = |stage: &str| arrival[format!("{stage}_seconds")].as_f64().unwrap();
    assert!(0.0 < seconds("accepted") && seconds("accepted") <= seconds("stored"), "{arrival}");
    assert!(seconds("stored") <= seconds("emailed"), "{arrival}");
    assert_eq!(system.mailed(), [CANARIES], "the only email goes to the canary mailbox");

    let id = arrival["id"].as_str().unwrap();
    let shown: Value = serde_json::from_str(&system.leadctl(&["--json", "show", id]).await).unwrap();
    assert_eq!(shown["signals"], json!(["canary"]));
    assert_eq!(system.leadctl(&["--json", "list"]).await, "");
    let stats: Value = serde_json::from_str(&system.leadctl(&["--json", "stats"]).await).unwrap();
    assert_eq!(stats["leads"], 0);
}
