//! Fuzzes the request body of a submission: it must give an expected status without a panic.

#![no_main]

use std::cell::RefCell;

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode, header},
};
use crm_client::{CrmClient, Encryption, Settings, Token};
use lead_intake::{
    http::{self, Intake, IntakeMetrics},
    submit::Submitter,
    token::SessionKeys,
};
use libfuzzer_sys::fuzz_target;
use messaging::Publisher;
use tokio::{runtime::Runtime, sync::Semaphore};
use tower::ServiceExt;

const NOBODY: &str = "127.0.0.1:1";

/// lead-intake with neither CRM nor broker reachable.
struct Target {
    runtime: Runtime,
    router: Router,
    token: String,
}

thread_local! {
    static TARGET: RefCell<Target> = RefCell::new(Target::start());
}

impl Target {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (context, _) = testkit::context("lead-intake");
        let session_keys = SessionKeys::new("fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz").unwrap();
        let router = runtime.block_on(async {
            let token = Token::new(&"token".into()).unwrap();
            let crm = CrmClient::new(Settings::new(&format!("http://{NOBODY}"), token, &Encryption::default()).unwrap());
            let broker = messaging::Settings::new(format!("amqp://{NOBODY}/%2f").into());
            http::router(Intake {
                submitter: Submitter::new(Publisher::start(broker, &context), crm, context.metrics.meter()),
                anon_key: "anon".into(),
                session_keys,
                clock: context.clock.clone(),
                ids: context.ids.clone(),
                metrics: IntakeMetrics::new(context.metrics.meter()),
                in_flight: Semaphore::new(8),
                canary_key: None,
            })
        });
        let mut target = Self { runtime, router, token: String::new() };
        let session = target.post("/auth/v1/session", b"{}");
        let text = String::from_utf8(session.1).unwrap();
        let (_, token) = text.split_once("\"access_token\":\"").unwrap();
        target.token = token.split('"').next().unwrap().to_owned();
        target
    }

    fn post(&mut self, path: &str, body: &[u8]) -> (StatusCode, Vec<u8>) {
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/json")
            .header("apikey", "anon")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .body(Body::from(body.to_owned()))
            .unwrap();
        let router = self.router.clone();
        self.runtime.block_on(async {
            let answer = router.oneshot(request).await.unwrap();
            let status = answer.status();
            (status, axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap().to_vec())
        })
    }
}

fuzz_target!(|body: &[u8]| {
    let (status, _) = TARGET.with_borrow_mut(|target| target.post("/functions/v1/send-contact-email", body));
    let expected = [
        StatusCode::BAD_REQUEST,
        StatusCode::PAYLOAD_TOO_LARGE,
        StatusCode::UNPROCESSABLE_ENTITY,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    assert!(expected.contains(&status), "{status}");
});
