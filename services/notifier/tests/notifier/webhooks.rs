//! Webhook deliveries are claimed, retried and failed like emails.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use contracts::{
    crm::v1::{DeliveryFilter, ListDeliveriesRequest, UpdateLeadRequest},
    leads::v1::{Interest, LeadSubmitted},
};
use mail_parser::MessageParser;
use parking_lot::Mutex;
use ring::hmac::{self, HMAC_SHA256, Key};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use testkit::wait;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::{
    support::{full, numbered},
    system::{BY_LEDGER, BY_QUEUE, Notifier, Scenario, System, failed},
};

const SECRET: &[u8] = b"a secret of the receiver's";
const WEBHOOK: &str = "webhook:crm";

/// A request to the receiver.
#[derive(Clone)]
struct Seen {
    headers: BTreeMap<String, String>,
    body: String,
    answered: StatusCode,
    at: Instant,
}

impl Seen {
    fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }
}

type Answer = fn(usize) -> StatusCode;

/// A receiver whose response to the nth request is scripted.
#[derive(Clone)]
struct Receiver {
    seen: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<Mutex<Answer>>,
}

impl Receiver {
    /// Starts the receiver. Returns it with its routes and the file of its secret, which must exist until
    /// notifier has started.
    async fn start(answer: Answer, more: &str) -> (Self, String, NamedTempFile) {
        let receiver = Self {
            seen: Arc::default(),
            answer: Arc::new(Mutex::new(answer)),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let router = Router::new()
            .route("/leads", post(receive))
            .with_state(receiver.clone());
        TaskTracker::new().spawn(async move { axum::serve(listener, router).await });
        let mut file = NamedTempFile::new().expect("a file");
        writeln!(file, "whsec_{}", BASE64_STANDARD.encode(SECRET)).expect("room for a file");
        let routes = format!(
            "default = [\"sales@zyongrand.example\"]\n[[webhook]]\nname = \"crm\"\n\
            url = \"http://{address}/leads\"\nsecret_file = {:?}\nallow_private = true\n{more}",
            file.path().display().to_string()
        );
        (receiver, routes, file)
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }

    /// Number of accepted requests by message id.
    fn accepted(&self) -> BTreeMap<String, usize> {
        let mut accepted = BTreeMap::new();
        for request in self
            .seen()
            .iter()
            .filter(|request| request.answered.is_success())
        {
            *accepted.entry(request.id().to_owned()).or_default() += 1;
        }
        accepted
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: String) -> Response {
    let text = |value: &header::HeaderValue| value.to_str().expect("ASCII").to_owned();
    let headers = headers
        .iter()
        .map(|(name, value)| (name.to_string(), text(value)))
        .collect();
    let mut seen = receiver.seen.lock();
    let answered = receiver.answer.lock()(seen.len());
    seen.push(Seen {
        headers,
        body,
        answered,
        at: Instant::now(),
    });
    (
        answered,
        [(header::LOCATION, "/elsewhere"), (header::RETRY_AFTER, "2")],
    )
        .into_response()
}

#[tokio::test]
async fn lead_is_posted_once_with_a_signature() {
    let system = System::start(BY_QUEUE).await;
    let (receiver, routes, _file) = Receiver::start(|_| StatusCode::NO_CONTENT, "").await;
    let notifier = system.start_notifier_with(&routes);
    let submitted = LeadSubmitted {
        plan: "C2N".to_owned(),
        visit_times: vec!["weekday-evenings".to_owned()],
        home_preferences: vec!["3-bedroom".to_owned()],
        ..full()
    };
    system.submit(submitted.clone()).await;
    let lead = system.wait_for_deliveries(&submitted, 2).await;
    let delivery = lead
        .deliveries
        .iter()
        .find(|delivery| delivery.recipient == WEBHOOK)
        .unwrap();
    assert_eq!(delivery.server_reply, "204");
    let seen = receiver.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].id(), format!("lead-{}", full().lead_id));
    assert_eq!(delivery.mail_message_id, seen[0].id());
    assert_eq!(seen[0].headers["content-type"], "application/json");

    let body = verified(&seen[0]);
    assert_eq!(body["type"], "lead.submitted");
    let data = &body["data"];
    assert_eq!(
        (&data["reference"], &data["name"]),
        (&"ZG-7F3K-2Q".into(), &"陈伟".into())
    );
    assert_eq!(
        (&data["language"], &data["interests"][0]),
        (&"zh".into(), &"brochure".into())
    );
    assert_eq!(
        (&data["plan"], &data["visit_times"][0]),
        (&"C2N".into(), &"weekday-evenings".into())
    );
    assert_eq!(data["home_preferences"][0], "3-bedroom");
    notifier
        .wait_for_metric("notifier_webhooks_total{result=\"accepted\"}", 1)
        .await;
    assert_eq!(system.mailed(), ["sales@zyongrand.example"]);
}

/// The JSON of a request that was signed with the receiver's secret.
fn verified(seen: &Seen) -> Value {
    let signed = format!(
        "{}.{}.{}",
        seen.id(),
        seen.headers["webhook-timestamp"],
        seen.body
    );
    let signature = seen.headers["webhook-signature"]
        .strip_prefix("v1,")
        .expect("version 1");
    let signature = BASE64_STANDARD.decode(signature).expect("base64");
    hmac::verify(
        &Key::new(HMAC_SHA256, SECRET),
        signed.as_bytes(),
        &signature,
    )
    .expect("our signature");
    serde_json::from_str(&seen.body).expect("JSON")
}

#[tokio::test]
async fn erasure_is_posted_until_the_receiver_accepts_it() {
    let system = System::start(BY_QUEUE).await;
    let answer = |number: usize| {
        if number == 1 {
            StatusCode::BAD_GATEWAY
        } else {
            StatusCode::OK
        }
    };
    let (receiver, routes, _file) = Receiver::start(answer, "").await;
    let notifier = system.start_notifier_with(&routes);
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 2).await;
    system.erase(&full()).await;
    wait::until("the erasure", async || receiver.accepted().len() == 2).await;
    let seen = receiver.seen();
    let ids: Vec<_> = seen.iter().map(Seen::id).collect();
    let (lead, erasure) = (
        format!("lead-{}", full().lead_id),
        format!("lead-{}-erased", full().lead_id),
    );
    assert_eq!(ids, [lead, erasure.clone(), erasure]);
    let body = verified(&seen[2]);
    let (data, erased_at) = (&body["data"], &body["data"]["erased_at"]);
    assert_eq!(body["type"], "lead.erased");
    assert!(
        erased_at.is_string() && body["timestamp"] == *erased_at,
        "{body}"
    );
    let expected =
        json!({ "id": full().lead_id, "reference": full().reference, "erased_at": erased_at });
    assert_eq!(*data, expected, "no personal data");
    notifier
        .wait_for_metric("notifier_webhooks_total{result=\"accepted\"}", 2)
        .await;
    let filter = Some(DeliveryFilter {
        recipient: "erased:crm".to_owned(),
        ..DeliveryFilter::default()
    });
    wait::until("no open notice", async || {
        let list = ListDeliveriesRequest {
            filter: filter.clone(),
            failed: false,
        };
        system
            .client
            .clone()
            .deliveries
            .list_deliveries(list)
            .await
            .expect("listed")
            .into_inner()
            .total
            == 0
    })
    .await;
}

#[tokio::test]
async fn update_is_posted_until_the_receiver_accepts_it() {
    let system = System::start(BY_QUEUE).await;
    let answer = |number: usize| {
        if number == 1 {
            StatusCode::BAD_GATEWAY
        } else {
            StatusCode::OK
        }
    };
    let (receiver, routes, _file) = Receiver::start(answer, "").await;
    let _notifier = system.start_notifier_with(&routes);
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 2).await;
    let change = async |change: UpdateLeadRequest| {
        let change = UpdateLeadRequest {
            lead_id: full().lead_id,
            ..change
        };
        system
            .client
            .clone()
            .leads
            .update_lead(change)
            .await
            .unwrap();
    };
    change(UpdateLeadRequest {
        do_not_contact: Some(true),
        ..UpdateLeadRequest::default()
    })
    .await;
    wait::until("the update", async || receiver.accepted().len() == 2).await;
    let seen = receiver.seen();
    assert_eq!(seen[1].id(), seen[2].id(), "each attempt has the same id");
    let prefix = format!("lead-{}-updated-", full().lead_id);
    assert!(seen[2].id().starts_with(&prefix), "{}", seen[2].id());
    let body = verified(&seen[2]);
    let since = &body["data"]["do_not_contact_at"];
    assert_eq!(body["type"], "lead.updated");
    assert!(since.is_string(), "{body}");
    let expected = json!({
        "id": full().lead_id,
        "reference": full().reference,
        "name": full().name,
        "mobile": full().mobile,
        "email": full().email,
        "channels": ["phone", "message"],
        "do_not_contact_at": since,
    });
    assert_eq!(body["data"], expected);

    change(UpdateLeadRequest {
        do_not_contact: Some(false),
        mobile: "8765 4321".to_owned(),
        ..UpdateLeadRequest::default()
    })
    .await;
    wait::until("the next update", async || receiver.accepted().len() == 3).await;
    let last = &receiver.seen()[3];
    assert_ne!(
        last.id(),
        seen[2].id(),
        "another state has another id, or the receiver would drop it"
    );
    let next = verified(last);
    assert!(next["timestamp"].as_str() > body["timestamp"].as_str());
    assert_eq!(
        (&next["data"]["mobile"], &next["data"]["do_not_contact_at"]),
        (&json!("8765 4321"), &Value::Null)
    );
    let lead = system.wait_for_deliveries(&full(), 4).await;
    let ids: Vec<&str> = lead
        .deliveries
        .iter()
        .filter(|it| it.recipient.starts_with("updated:crm#"))
        .map(|it| it.mail_message_id.as_str())
        .collect();
    assert_eq!(ids, [seen[2].id(), last.id()]);
}

#[tokio::test]
async fn update_for_a_webhook_that_left_the_routes_fails() {
    let system = System::start(BY_QUEUE).await;
    system
        .claim(&full(), &[WEBHOOK], Duration::from_millis(1))
        .await;
    let silence = UpdateLeadRequest {
        lead_id: full().lead_id,
        do_not_contact: Some(true),
        ..UpdateLeadRequest::default()
    };
    system
        .client
        .clone()
        .leads
        .update_lead(silence)
        .await
        .unwrap();
    let _notifier = system.start_notifier();
    wait::until("a failed delivery", async || {
        system.retry_deliveries().await == 1
    })
    .await;
}

#[tokio::test]
async fn webhook_without_the_lead_gets_no_erasure() {
    let system = System::start(BY_QUEUE).await;
    let (receiver, routes, _file) =
        Receiver::start(|_| StatusCode::OK, "interests = [\"purchase\"]").await;
    let _notifier = system.start_notifier_with(&routes);
    let other = LeadSubmitted {
        interests: vec![Interest::Brochure.into()],
        ..numbered(1)
    };
    let meant = LeadSubmitted {
        interests: vec![Interest::Purchase.into()],
        ..numbered(2)
    };
    for (lead, deliveries) in [(&other, 1), (&meant, 2)] {
        system.submit(lead.clone()).await;
        system.wait_for_deliveries(lead, deliveries).await;
        system.erase(lead).await;
    }
    wait::until("the erasure", async || receiver.seen().len() == 2).await;
    assert!(
        receiver
            .seen()
            .iter()
            .all(|seen| seen.id().contains(&meant.lead_id))
    );
}

#[tokio::test]
async fn webhooks_are_called_while_the_mail_server_is_unavailable() {
    let scenario = Scenario {
        retry_delays: "10s",
        ..BY_QUEUE
    };
    let system = System::start(scenario).await;
    let answer: Answer = |number| match number {
        0 => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::OK,
    };
    let (receiver, routes, _file) = Receiver::start(answer, "").await;
    let notifier = system.start_notifier_with(&routes);
    system.submit(numbered(1)).await;
    notifier.wait_until_settled("done", 1).await;
    system.submit(numbered(2)).await;
    system.wait_for_deliveries(&numbered(2), 2).await;
    system.smtp.refuse_connections().await;
    system.submit(numbered(3)).await;
    notifier.wait_for_metric("notifier_paused", 1).await;
    system.erase(&numbered(2)).await;
    let is_accepted = |number| {
        let id = numbered(number).lead_id;
        let requests = receiver.accepted().into_keys();
        requests.filter(|request| request.contains(&id)).count()
    };
    wait::until("the repeated call and the erasure", async || {
        is_accepted(1) == 1 && is_accepted(2) == 2
    })
    .await;
    assert_eq!(notifier.metric("notifier_paused"), 1);
    system.smtp.accept_connections().await.unwrap();
    system.wait_for_deliveries(&numbered(3), 2).await;
    assert_eq!(system.smtp.emails().len(), 3);
}

#[tokio::test]
async fn erasure_for_a_webhook_that_left_the_routes_fails() {
    let system = System::start(BY_QUEUE).await;
    system
        .claim(&full(), &[WEBHOOK], Duration::from_millis(1))
        .await;
    system.erase(&full()).await;
    let _notifier = system.start_notifier();
    wait::until("a failed delivery", async || {
        system.retry_deliveries().await == 1
    })
    .await;
}

#[tokio::test]
async fn sales_and_webhooks_receive_do_not_contact() {
    let system = System::start(BY_QUEUE).await;
    let (receiver, routes, _file) = Receiver::start(|_| StatusCode::OK, "").await;
    let _notifier = system.start_notifier_with(&routes);
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 2).await;
    let silence = UpdateLeadRequest {
        lead_id: full().lead_id,
        do_not_contact: Some(true),
        ..UpdateLeadRequest::default()
    };
    system
        .client
        .clone()
        .leads
        .update_lead(silence)
        .await
        .unwrap();
    let again = LeadSubmitted {
        lead_id: numbered(1).lead_id,
        ..full()
    };
    system.submit(again.clone()).await;
    system.wait_for_deliveries(&again, 2).await;
    let marked: Vec<bool> = receiver
        .seen()
        .iter()
        .map(verified)
        .filter(|body| body["type"] == "lead.submitted")
        .map(|body| body["data"]["do_not_contact_at"].is_string())
        .collect();
    assert_eq!(marked, [false, true]);
    let callable: Vec<bool> = system
        .smtp
        .emails()
        .iter()
        .map(|mail| {
            let mail = MessageParser::default().parse(&mail.raw).unwrap();
            let bodies = [mail.body_text(0).unwrap(), mail.body_html(0).unwrap()];
            let is_marked = bodies
                .iter()
                .all(|body| body.contains("this person asked not to be contacted"));
            assert_eq!(
                mail.subject().unwrap().starts_with("Do not contact"),
                is_marked
            );
            let links = ["tel:", "wa.me"]
                .map(|link| bodies.iter().filter(|body| body.contains(link)).count());
            assert_eq!(links, if is_marked { [0; 2] } else { [2; 2] });
            !is_marked
        })
        .collect();
    assert_eq!(callable, [true, false]);
}

#[tokio::test]
async fn unreliable_receiver_gets_each_lead_once() {
    const LEADS: u128 = 40;
    let retry_delays = "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s";
    // On a busy machine, claims time out. The lead is then posted once it is leased, which must be later than an email
    // without a claim.
    let scenario = Scenario {
        retry_delays,
        pending_grace: Duration::from_secs(15),
        ..BY_QUEUE
    };
    let system = System::start(scenario).await;
    let answer = |number: usize| {
        if number.is_multiple_of(2) {
            StatusCode::OK
        } else {
            StatusCode::BAD_GATEWAY
        }
    };
    let (receiver, routes, _file) = Receiver::start(answer, "").await;
    let _notifiers = [
        system.start_notifier_with(&routes),
        system.start_notifier_with(&routes),
    ];
    let leads: Vec<_> = (1..=LEADS).map(numbered).collect();
    for lead in &leads {
        system.submit(lead.clone()).await;
    }
    for lead in &leads {
        system.wait_for_deliveries(lead, 2).await;
    }
    let expected = leads
        .iter()
        .map(|lead| (format!("lead-{}", lead.lead_id), 1))
        .collect();
    assert_eq!(receiver.accepted(), expected);
    assert!(receiver.seen().len() > leads.len());
    assert_eq!(system.mailed().len(), leads.len());
}

#[tokio::test]
async fn failed_webhook_can_be_retried() {
    for (answer, attempts, detail) in [
        (
            (|_| StatusCode::GONE) as Answer,
            1,
            "receiver replied 410 and accepts no more leads",
        ),
        // notifier does not follow the redirect.
        (
            |_| StatusCode::TEMPORARY_REDIRECT,
            2,
            "receiver replied 307",
        ),
    ] {
        let system = System::start(Scenario {
            retry_delays: "1s",
            ..BY_LEDGER
        })
        .await;
        let (receiver, routes, _file) = Receiver::start(answer, "").await;
        let _notifier = system.start_notifier_with(&routes);
        system.submit(full()).await;
        assert_eq!(
            system.wait_for_entry(&full(), WEBHOOK, failed).await,
            detail
        );
        assert_eq!(receiver.seen().len(), attempts);
        assert_eq!(
            system.wait_for_deliveries(&full(), 1).await.deliveries[0].recipient,
            "sales@zyongrand.example"
        );

        *receiver.answer.lock() = |_| StatusCode::OK;
        assert_eq!(system.retry_deliveries().await, 1);
        system.wait_for_deliveries(&full(), 2).await;
        assert_eq!(receiver.accepted().len(), 1);
    }
}

#[tokio::test]
async fn waits_as_long_as_retry_after() {
    let system = System::start(Scenario {
        retry_delays: "1s,3s",
        ..BY_QUEUE
    })
    .await;
    let answer = |number: usize| {
        if number == 0 {
            StatusCode::TOO_MANY_REQUESTS
        } else {
            StatusCode::OK
        }
    };
    let (receiver, routes, _file) = Receiver::start(answer, "").await;
    let _notifier = system.start_notifier_with(&routes);
    system.submit(full()).await;
    system.wait_for_deliveries(&full(), 2).await;
    let seen = receiver.seen();
    assert!(
        seen[1].at - seen[0].at >= Duration::from_secs(2),
        "{:?}",
        seen[1].at - seen[0].at
    );
}

/// Starts a notifier with a receiver that accepts connections and never replies.
async fn start_with_silent_receiver(system: &System) -> (TcpListener, Notifier, NamedTempFile) {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = silent.local_addr().expect("its address");
    let (_, routes, file) = Receiver::start(|_| StatusCode::OK, "").await;
    let hanging = routes
        .lines()
        .map(|line| match line.strip_prefix("url = ") {
            Some(_) => format!("url = \"http://{address}/\"\n"),
            None => format!("{line}\n"),
        });
    let notifier = system.start_notifier_with(&hanging.collect::<String>());
    (silent, notifier, file)
}

#[tokio::test]
async fn hanging_receiver_delays_no_email() {
    let system = System::start(BY_QUEUE).await;
    let (_silent, _notifier, _file) = start_with_silent_receiver(&system).await;
    // More leads than concurrent requests and than one lease.
    for number in 1..=40 {
        system.submit(numbered(number)).await;
    }
    wait::until("every email", async || system.mailed().len() == 40).await;
    // notifier reports the emails before the receiver responds.
    for number in 1..=40 {
        system.wait_for_deliveries(&numbered(number), 1).await;
    }
}

#[tokio::test]
async fn hanging_receiver_delays_no_pending_lead() {
    let system = System::start(BY_LEDGER).await;
    let (silent, _notifier, _file) = start_with_silent_receiver(&system).await;
    system.record(numbered(1)).await;
    let _hanging = silent.accept().await.expect("the first lead");
    system.record(numbered(2)).await;
    let mailed = wait::until("the second lead", async || system.mailed().len() == 2);
    tokio::time::timeout(Duration::from_secs(10), mailed)
        .await
        .expect("within the webhook's timeout");
}

#[tokio::test]
async fn crm_outage_emails_and_posts_later() {
    let system = System::start(BY_LEDGER).await;
    let (receiver, routes, _file) = Receiver::start(|_| StatusCode::OK, "").await;
    let notifier = system.start_notifier_with(&routes);
    system.crm.cut();
    system.submit(full()).await;
    notifier.wait_until_settled("done", 1).await;
    assert_eq!((system.mailed().len(), receiver.seen().len()), (1, 0));
    system.crm.restore();
    system.wait_for_deliveries(&full(), 2).await;
    assert_eq!((system.mailed().len(), receiver.accepted().len()), (1, 1));
}

#[tokio::test]
async fn webhooks_ignore_proxy_variables() {
    let system = System::start(BY_QUEUE).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (receiver, routes, _secret) = Receiver::start(|_| StatusCode::OK, "").await;
    let file = NamedTempFile::new().expect("a file");
    fs::write(file.path(), routes).expect("room for a file");
    let address = proxy.local_addr().expect("its address");
    let _notifier = system.run_notifier(&file, ("HTTP_PROXY", &format!("http://{address}")));
    system.submit(full()).await;
    let posted = wait::until("the lead at its receiver", async || {
        receiver.seen().len() == 1
    });
    tokio::select! {
        () = posted => {}
        _ = proxy.accept() => panic!("the lead was posted to the proxy"),
    }
}
