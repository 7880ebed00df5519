//! Tests reports of errors in visitors' browsers.

use serde_json::{Value, json};

use crate::support::{Intake, NO_BROKER, error};

async fn report(intake: &Intake, body: &Value) -> reqwest::Response {
    intake
        .post("/functions/v1/browser-error")
        .json(body)
        .send()
        .await
        .unwrap()
}

fn good() -> Value {
    json!({ "kind": "caught", "name": "TypeError", "place": "assets/app-1a_B.js:1:2345", "page": "floorPlans" })
}

#[tokio::test]
async fn counts_browser_errors_by_kind() {
    let intake = Intake::start(NO_BROKER).await;
    for _ in 0..2 {
        assert_eq!(report(&intake, &good()).await.status(), 204);
    }
    let text = String::from_utf8(intake.context.metrics.encode().unwrap()).unwrap();
    assert!(
        text.contains(r#"browser_errors_total{kind="caught"} 2"#),
        "{text}"
    );
}

#[tokio::test]
async fn rejects_malformed_browser_errors() {
    let intake = Intake::start(NO_BROKER).await;
    for (field, value) in [
        ("kind", "wei@example.com"),
        ("page", "admin"),
        ("message", "x"),
    ] {
        let mut body = good();
        body[field] = value.into();
        assert_eq!(error(report(&intake, &body).await).await.0, 400, "{field}");
    }
}
