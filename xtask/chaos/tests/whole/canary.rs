//! A canary passes through the whole system on the fallback path, and only its mailbox gets an email. A browser test sends
//! one on the primary path.

use serde_json::Value;

use crate::system::{CANARIES, System};

#[tokio::test(flavor = "multi_thread")]
async fn canary_arrives_without_broker() {
    let system = System::start(&[("VISITOR_CONFIRMATION", "on")]).await;
    system.to_broker.cut();
    let arrival: Value =
        serde_json::from_str(&system.leadctl(&["--json", "canary"]).await).unwrap();
    let seconds = |stage: &str| arrival[format!("{stage}_seconds")].as_f64().unwrap();
    assert!(
        0.0 < seconds("accepted") && seconds("accepted") <= seconds("stored"),
        "{arrival}"
    );
    assert!(seconds("stored") <= seconds("emailed"), "{arrival}");
    assert_eq!(system.mailed(), [CANARIES]);
    assert_eq!(system.leadctl(&["--json", "list"]).await, "");
}
