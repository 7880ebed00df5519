//! Three people from their enquiry to a new registration, and what everybody who could contact them sees.
//!
//! Wei and Wen share a name and a phone number. Mei has two mailboxes.

use std::{collections::BTreeMap, fs, sync::Arc};

use axum::{Json, Router, extract::State, http::StatusCode, routing::post};
use base64::prelude::{BASE64_STANDARD, Engine};
use chrono::{FixedOffset, TimeDelta, Utc};
use http::header::{COOKIE, SET_COOKIE};
use mail_parser::MessageParser;
use parking_lot::Mutex;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{database::postgres, wait};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::system::System;

/// The time zone of the sales team.
const SINGAPORE: FixedOffset = FixedOffset::east_opt(8 * 3600).unwrap();

const SALES: &str = "sales@zyongrand.example";
const SHARED_NUMBER: &str = "+65 9123 4567";
const SHARED_LINK: &str = "tel:+6591234567";

/// The events that a webhook receiver has got, oldest first.
type Events = Arc<Mutex<Vec<Value>>>;

async fn receive(State(events): State<Events>, Json(event): Json<Value>) -> StatusCode {
    events.lock().push(event);
    StatusCode::NO_CONTENT
}

/// Starts a receiver. Returns its events and its address.
async fn start_receiver() -> (Events, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let events = Events::default();
    let router = Router::new()
        .route("/leads", post(receive))
        .with_state(events.clone());
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await });
    (events, format!("http://{address}/leads"))
}

struct World {
    system: System,
    events: Events,
    submitted: u128,
    exports: usize,
}

/// The cookie of a browser that is logged in to the desk.
struct Session(String);

/// What a submission leads to.
struct Enquiry {
    reference: String,
    /// The email to sales: subject, text and HTML.
    to_sales: String,
    /// The token of the link "Stop contacting me", if the visitor was emailed.
    token: Option<String>,
}

impl World {
    async fn start() -> Self {
        let (events, url) = start_receiver().await;
        let files = tempfile::tempdir().unwrap();
        write_routes(&files, &url);
        let settings = [("VISITOR_CONFIRMATION", "on")];
        let system = System::start_in(files, Some(postgres()), &settings).await;
        system.start_service("desk");
        Self {
            system,
            events,
            submitted: 0,
            exports: 0,
        }
    }

    /// Submits the form and waits for its emails and its webhook call.
    async fn submit(&mut self, name: &str, mobile: &str, email: &str, channels: &str) -> Enquiry {
        let form = json!({
            "interests": ["purchase"], "name": name, "mobile": mobile, "email": email, "questions": "",
        });
        self.submitted += 1;
        let key = Uuid::from_u128(self.submitted).to_string();
        let accepted = self
            .system
            .submit_with_channels(&key, &form, channels)
            .await;
        let reference = accepted["reference"].as_str().unwrap().to_owned();
        let to_sales = self.email_about(&reference).await;
        let event = self.event("lead.submitted", &reference).await;
        let has_confirmation = event["data"]["do_not_contact_at"].is_null();
        let token = if has_confirmation {
            Some(self.token_for(email, &reference).await)
        } else {
            None
        };
        Enquiry {
            reference,
            to_sales,
            token,
        }
    }

    /// The newest email to sales whose subject has this text.
    async fn email_about(&self, text: &str) -> String {
        let what = format!("the email about {text}");
        wait::for_some(&what, async || {
            self.emails_to(SALES)
                .into_iter()
                .rev()
                .find(|email| email.contains(text))
        })
        .await
    }

    /// Subject, text and HTML of the emails to an address, oldest first.
    fn emails_to(&self, address: &str) -> Vec<String> {
        let emails = self.system.smtp.emails();
        let to = emails.iter().filter(|mail| mail.to == [address]);
        to.map(|mail| {
            let parsed = MessageParser::default().parse(&mail.raw).unwrap();
            let parts = [
                parsed.subject().unwrap_or_default().into(),
                parsed.body_text(0).unwrap_or_default(),
                parsed.body_html(0).unwrap_or_default(),
            ];
            parts.join("\n")
        })
        .collect()
    }

    /// The token in the visitor's email about a lead.
    async fn token_for(&self, address: &str, reference: &str) -> String {
        let what = format!("the email to the visitor of {reference}");
        wait::for_some(&what, async || {
            let emails = self.emails_to(address);
            let email = emails.iter().find(|email| email.contains(reference))?;
            let (_, rest) = email.split_once("withdraw?token=")?;
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c))?;
            Some(rest[..end].to_owned())
        })
        .await
    }

    /// Waits for an event about a lead. Returns the newest of this type.
    async fn event(&self, kind: &str, reference: &str) -> Value {
        wait::for_some(&format!("{kind} of {reference}"), async || {
            let events = self.events.lock();
            let of_lead = events
                .iter()
                .rev()
                .find(|it| it["type"] == kind && it["data"]["reference"] == reference);
            of_lead.cloned()
        })
        .await
    }

    fn events_of(&self, reference: &str) -> Vec<String> {
        let events = self.events.lock();
        let of_lead = events
            .iter()
            .filter(|event| event["data"]["reference"] == reference);
        of_lead
            .map(|event| event["type"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Presses the button in an email to a visitor.
    async fn withdraw(&self, token: &str, request: &str) {
        let url = format!("{}/functions/v1/withdraw?token={token}", self.system.intake);
        let form = format!("request={request}");
        let response = Client::new()
            .post(url)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await
            .unwrap();
        // Followed to the site's page, which this system does not have.
        assert!(
            response.url().path().ends_with("/withdrawn"),
            "{response:?}"
        );
    }

    /// Whether the person must not be contacted.
    async fn is_marked(&self, reference: &str) -> bool {
        let lead = self.show(reference).await;
        !lead["progress"]["do_not_contact_at"].is_null()
    }

    /// The leads of the desk's list that are not finished, by reference.
    async fn list_at_desk(&self, session: &Session) -> BTreeMap<String, Value> {
        let url = format!("{}/desk/api/leads", self.system.desk);
        let request = Client::new()
            .post(url)
            .header(COOKIE, &session.0)
            .json(&json!({}));
        let page: Value = request.send().await.unwrap().json().await.unwrap();
        let rows = page["leads"].as_array().unwrap();
        rows.iter()
            .map(|row| (row["reference"].as_str().unwrap().to_owned(), row.clone()))
            .collect()
    }

    /// Requests a login link with the link of an email to sales, and logs in.
    async fn log_in(&self, email: &str) -> Session {
        let request = json!({ "key": link_key(email) });
        self.post_to_desk("link", &request).await;
        let with_link = self.email_about("Log in to the desk").await;
        let login = json!({ "key": link_key(&with_link), "browser": Uuid::from_u128(1) });
        let response = self.post_to_desk("log-in", &login).await;
        let cookie = response.headers()[SET_COOKIE].to_str().unwrap();
        Session(cookie.split(';').next().unwrap().to_owned())
    }

    async fn post_to_desk(&self, path: &str, body: &Value) -> Response {
        let url = format!("{}/desk/api/{path}", self.system.desk);
        let response = Client::new().post(url).json(body).send().await.unwrap();
        response.error_for_status().unwrap()
    }

    /// Makes the daily summary due, and returns it.
    async fn summary(&self) -> String {
        let an_hour_ago = Utc::now().with_timezone(&SINGAPORE) - TimeDelta::hours(1);
        let at = an_hour_ago.format("%H:%M").to_string();
        self.system
            .restart_with("notifier", "DAILY_SUMMARY_AT", &at)
            .await;
        self.email_about(" due today").await
    }

    async fn show(&self, reference: &str) -> Value {
        let shown = self.system.leadctl(&["show", reference, "--json"]).await;
        serde_json::from_str(&shown).unwrap()
    }

    /// The references in an export for a campaign, which leaves out people who must not be contacted.
    async fn exported(&mut self) -> String {
        self.exports += 1;
        let file = self.system.file(&format!("leads-{}.csv", self.exports));
        self.system
            .leadctl(&["export", "--output", file.to_str().unwrap()])
            .await;
        fs::read_to_string(file).unwrap()
    }
}

/// The key in the email's link to the desk.
fn link_key(email: &str) -> &str {
    let (_, rest) = email.split_once("/desk#").unwrap();
    rest.split(['"', '\n', '\r', ' ', '>']).next().unwrap()
}

fn write_routes(files: &TempDir, url: &str) {
    let secret = files.path().join("webhook-secret");
    let text = format!("whsec_{}", BASE64_STANDARD.encode([7; 32]));
    fs::write(&secret, text).unwrap();
    let routes = format!(
        "default = [{SALES:?}]\n[[person]]\nname = \"Anna\"\nemail = {SALES:?}\n\
         [[webhook]]\nname = \"crm\"\nurl = {url:?}\nsecret_file = {secret:?}\nallow_private = true\n"
    );
    fs::write(files.path().join("routes.toml"), routes).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn three_people_from_enquiry_to_a_new_registration() {
    let mut world = World::start().await;

    // Given and refused.
    let wei = world
        .submit(
            "Tan Wei",
            SHARED_NUMBER,
            "wei@example.com",
            "phone, message",
        )
        .await;
    let wen = world
        .submit("Tan Wei", SHARED_NUMBER, "wen@example.org", "")
        .await;
    let mei = world
        .submit("Lim Mei", "8123 4567", "mei@example.com", "phone")
        .await;
    let mei_at_work = world
        .submit("Lim Mei", "8123 4567", "mei@work.example", "phone")
        .await;
    assert!(wei.to_sales.contains(SHARED_LINK) && wei.to_sales.contains("wa.me"));
    assert!(!wen.to_sales.contains(SHARED_LINK) && !wen.to_sales.contains("wa.me"));
    assert!(mei.to_sales.contains("tel:+6581234567") && !mei.to_sales.contains("wa.me"));
    let exported = world.exported().await;
    let session = world.log_in(&wei.to_sales).await;
    let listed = world.list_at_desk(&session).await;
    for each in [&wei, &wen, &mei, &mei_at_work] {
        assert!(exported.contains(&each.reference));
        assert_eq!(listed[&each.reference]["do_not_contact"], false);
        let follow_up = ["update", &each.reference, "--follow-up", "today"];
        world.system.leadctl(&follow_up).await;
    }
    assert_eq!(
        listed[&wei.reference]["channels"],
        json!(["phone", "message"])
    );
    assert_eq!(listed[&wen.reference]["channels"], json!([]));

    // Wen withdraws. Wei, with the same name and number, is not affected.
    world
        .withdraw(wen.token.as_ref().unwrap(), "withdrawal")
        .await;
    world.email_about("Consent withdrawn").await;
    let updated = world.event("lead.updated", &wen.reference).await;
    assert!(updated["data"]["do_not_contact_at"].is_string());
    assert!(world.is_marked(&wen.reference).await && !world.is_marked(&wei.reference).await);
    assert_eq!(world.events_of(&wei.reference), ["lead.submitted"]);
    let exported = world.exported().await;
    assert!(exported.contains(&wei.reference) && !exported.contains(&wen.reference));
    assert!(
        world.show(&wei.reference).await["number_withdrawn_at"].is_string(),
        "sales sees that somebody with the number withdrew"
    );

    // Mei asks at one mailbox to be erased. Her other mailbox is not affected before an operator erases both.
    world.withdraw(mei.token.as_ref().unwrap(), "erasure").await;
    world.email_about("Erasure requested").await;
    world.event("lead.updated", &mei.reference).await;
    assert!(!world.is_marked(&mei_at_work.reference).await);
    let listed = world.list_at_desk(&session).await;
    for (each, is_marked) in [
        (&wei, false),
        (&wen, true),
        (&mei, true),
        (&mei_at_work, false),
    ] {
        assert_eq!(listed[&each.reference]["do_not_contact"], is_marked);
    }
    assert!(listed[&mei.reference]["erasure_requested_at"].is_string());
    let summary = world.summary().await;
    assert!(summary.contains(&wei.reference) && summary.contains(SHARED_LINK));
    assert!(summary.contains(&mei_at_work.reference));
    assert!(!summary.contains(&wen.reference) && !summary.contains(&mei.reference));
    let requests = world
        .system
        .leadctl(&["list", "--erasure-requested", "--json"])
        .await;
    assert!(requests.contains(&mei.reference) && !requests.contains(&mei_at_work.reference));
    let file = world.system.file("mei.json");
    let file = file.to_str().unwrap();
    let with = ["--with", "mei@work.example"];
    let export = ["person", "export", "mei@example.com", "--output", file];
    world.system.leadctl(&[&export[..], &with].concat()).await;
    let person = fs::read_to_string(file).unwrap();
    assert!(person.contains(&mei.reference) && person.contains(&mei_at_work.reference));
    assert!(!person.contains(&wei.reference));
    let erase = ["person", "erase", "mei@example.com", "--yes"];
    world.system.leadctl(&[&erase[..], &with].concat()).await;
    for each in [&mei, &mei_at_work] {
        world.event("lead.erased", &each.reference).await;
    }
    assert!(!world.system.dump().to_lowercase().contains("lim mei"));
    let listed = world.list_at_desk(&session).await;
    assert_eq!(listed.len(), 2, "of Wei and Wen");

    // All register again.
    let wei_again = world
        .submit("Tan Wei", SHARED_NUMBER, "wei@example.com", "phone")
        .await;
    assert!(wei_again.token.is_some() && wei_again.to_sales.contains(SHARED_LINK));
    let wen_again = world
        .submit("Tan Wei", SHARED_NUMBER, "wen@example.org", "phone")
        .await;
    assert!(wen_again.token.is_none() && !wen_again.to_sales.contains(SHARED_LINK));
    let mei_again = world
        .submit("Lim Mei", "8123 4567 (WA)", "mei+new@example.com", "phone")
        .await;
    assert!(mei_again.token.is_none(), "another spelling of her mailbox");
    let other_mailbox = world
        .submit("Lim Mei", "8123 4567", "mei@home.example", "phone")
        .await;
    assert!(
        other_mailbox.token.is_some(),
        "the link of one mailbox withdraws for no other"
    );
    let shown = world.show(&other_mailbox.reference).await;
    assert!(shown["number_withdrawn_at"].is_string());

    // Sales writes down that Wen agreed again.
    let note = "Called us on Monday and agreed to calls";
    world
        .system
        .leadctl(&[
            "update",
            &wen_again.reference,
            "--do-not-contact=no",
            "--note",
            note,
        ])
        .await;
    for each in [&wen, &wen_again] {
        wait::until("the mark to be removed for receivers", async || {
            world.event("lead.updated", &each.reference).await["data"]["do_not_contact_at"]
                .is_null()
        })
        .await;
    }
    assert!(!world.is_marked(&wen.reference).await && world.is_marked(&mei_again.reference).await);
}
