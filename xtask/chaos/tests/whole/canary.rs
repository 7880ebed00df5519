//! A lead of our own goes the whole way, on either source, and sales neither hears of it nor sees it.

use serde_json::Value;

use crate::system::{CANARIES, Manner, System};

#[tokio::test(flavor = "multi_thread")]
async fn a_canary_arrives_and_sales_does_not_hear_of_it() {
    arrives(Manner { confirm: true, ..Manner::default() }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canary_arrives_by_the_second_road() {
    arrives(Manner { confirm: true, without_broker: true, ..Manner::default() }).await;
}

async fn arrives(manner: Manner) {
    let system = System::start(manner).await;
    let arrival: Value = serde_json::from_str(&system.leadctl(&["--json", "canary"]).await).unwrap();
    let seconds = |stage: &str| arrival[format!("{stage}_seconds")].as_f64().unwrap();
    assert!(0.0 < seconds("accepted") && seconds("accepted") <= seconds("stored"), "{arrival}");
    assert!(seconds("stored") <= seconds("emailed"), "{arrival}");
    assert_eq!(system.mailed(), [CANARIES], "nobody else, and not the address in the form");

    let id = arrival["id"].as_str().unwrap();
    let shown: Value = serde_json::from_str(&system.leadctl(&["--json", "show", id]).await).unwrap();
    assert_eq!(shown["signals"], serde_json::json!(["canary"]));
    assert_eq!(system.leadctl(&["--json", "list"]).await, "");
    let stats: Value = serde_json::from_str(&system.leadctl(&["--json", "stats"]).await).unwrap();
    assert_eq!(stats["leads"], 0);
}
