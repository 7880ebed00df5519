//! Requested emails, which go only to their recipient.

use std::{fs, num::NonZeroU32};

use contracts::{
    crm::v1::{SendBrochureRequest, UpdateLeadRequest},
    leads::v1::{Interest, Language, LeadSubmitted, LeadWithdrawn},
};
use messaging::Event;
use testkit::wait;

use crate::{
    support::full,
    system::{BY_QUEUE, Scenario, System, cancelled},
};

const ROUTES: &str = r#"
default = ["sales@zyongrand.example"]
[[person]]
name = "Mei Tan"
email = "mei@zyongrand.example"
"#;

async fn assign(system: &System, lead: &LeadSubmitted, owner: &str) {
    let request = UpdateLeadRequest {
        lead_id: lead.lead_id.clone(),
        owner: Some(owner.to_owned()),
        ..UpdateLeadRequest::default()
    };
    system
        .client
        .clone()
        .leads
        .update_lead(request)
        .await
        .expect("assigned");
}

#[tokio::test]
async fn only_the_new_owner_is_emailed() {
    let system = System::start(BY_QUEUE).await;
    let _notifier = system.start_notifier_with(ROUTES);
    let lead = full();
    system.submit(lead.clone()).await;
    system.wait_for_deliveries(&lead, 1).await;
    assign(&system, &lead, "Mei Tan").await;
    system.wait_for_deliveries(&lead, 2).await;
    assert_eq!(
        system.mailed(),
        ["mei@zyongrand.example", "sales@zyongrand.example"]
    );
    // The routes have changed since the request. A new recipient in them gets no email.
    let _other = system.start_notifier_with(&ROUTES.replace("sales@", "others@"));
    drop(_notifier);
    assign(&system, &lead, "").await;
    assign(&system, &lead, "Mei Tan").await;
    assign(&system, &lead, "Nobody").await;
    assert_eq!(
        system
            .wait_for_entry(&lead, "person:Nobody#1", cancelled)
            .await,
        "routes"
    );
    wait::until("no due lead", async || {
        system.crm_metric("crm_pending_leads") == 0
    })
    .await;
    assert_eq!(
        system.mailed(),
        ["mei@zyongrand.example", "sales@zyongrand.example"],
        "at most once a minute"
    );
}

#[tokio::test]
async fn sales_gets_one_email_per_withdrawal_and_erasure() {
    let system = System::start(Scenario {
        confirmations: NonZeroU32::new(3),
        ..BY_QUEUE
    })
    .await;
    let _notifier = system.start_notifier_with(ROUTES);
    let lead = full();
    system.submit(lead.clone()).await;
    system.wait_for_deliveries(&lead, 2).await;
    assign(&system, &lead, "Mei Tan").await;
    system.wait_for_deliveries(&lead, 3).await;
    let withdrawal = LeadWithdrawn {
        lead_id: lead.lead_id.clone(),
        withdrawn_at: lead.submitted_at,
        erasure_requested: false,
        mailbox_hash: String::new(),
    };
    system
        .publish(Event::LeadWithdrawn(withdrawal.clone()))
        .await;
    system.wait_for_deliveries(&lead, 4).await;
    // The owner has left the team.
    assign(&system, &lead, "Nobody").await;
    system
        .publish(Event::LeadWithdrawn(LeadWithdrawn {
            erasure_requested: true,
            ..withdrawal
        }))
        .await;
    system.wait_for_deliveries(&lead, 5).await;
    let subjects = |to: &str| {
        let mut subjects: Vec<String> = Vec::new();
        for mail in system.smtp.emails().iter().filter(|mail| mail.to == [to]) {
            let parsed = mail_parser::MessageParser::default()
                .parse(&mail.raw)
                .expect("a mail");
            let subject = parsed.subject().expect("a subject");
            subjects.push(subject.split(':').next().unwrap_or_default().to_owned());
        }
        subjects
    };
    assert_eq!(
        subjects("mei@zyongrand.example"),
        ["For you", "Consent withdrawn"]
    );
    assert_eq!(
        subjects("sales@zyongrand.example")[1..],
        ["Erasure requested"]
    );
}

#[tokio::test]
async fn added_person_is_emailed_without_a_restart() {
    let system = System::start(BY_QUEUE).await;
    let notifier = system.start_notifier_with(ROUTES);
    let lead = full();
    system.submit(lead.clone()).await;
    system.wait_for_deliveries(&lead, 1).await;
    let longer =
        format!("{ROUTES}[[person]]\nname = \"Wei Lim\"\nemail = \"wei@zyongrand.example\"\n");
    // A partly saved file changes nothing.
    fs::write(notifier.routes.path(), &longer[..longer.len() / 2]).expect("room for a file");
    assign(&system, &lead, "Mei Tan").await;
    system.wait_for_deliveries(&lead, 2).await;
    fs::write(notifier.routes.path(), longer).expect("room for a file");
    assign(&system, &lead, "Wei Lim").await;
    system.wait_for_deliveries(&lead, 3).await;
    let mailed = system.mailed();
    assert_eq!(
        mailed,
        [
            "mei@zyongrand.example",
            "sales@zyongrand.example",
            "wei@zyongrand.example"
        ]
    );
}

/// Sends the brochure. Returns the number of requested emails.
async fn send_brochure(system: &System) -> u64 {
    let request = SendBrochureRequest {
        interest: Interest::Brochure.into(),
        limit: 500,
        submitted_from: None,
    };
    system
        .client
        .clone()
        .deliveries
        .send_brochure(request)
        .await
        .expect("a response")
        .into_inner()
        .requested
}

const BROCHURES: &str = r#"{"en": "/brochure-en.pdf", "zh": "/brochure-zh.pdf"}"#;

#[tokio::test]
async fn brochure_waits_until_published_and_is_sent_once() {
    let mut system = System::start(BY_QUEUE).await;
    let notifier = system.start_notifier_with(ROUTES);
    let lead = LeadSubmitted {
        language: Language::Zh.into(),
        ..full()
    };
    system.submit(lead.clone()).await;
    system.wait_for_deliveries(&lead, 1).await;
    assert_eq!(
        (send_brochure(&system).await, send_brochure(&system).await),
        (1, 0)
    );
    let (leases, claims) = (
        system.calls("LeasePending"),
        system.calls("ClaimDeliveries"),
    );
    wait::until("two more leases", async || {
        system.calls("LeasePending") > leases + 1
    })
    .await;
    assert_eq!(
        system.calls("ClaimDeliveries"),
        claims,
        "without a brochure there is no claim"
    );
    drop(notifier);
    system.scenario.brochure = BROCHURES;
    let _notifier = system.start_notifier_with(ROUTES);
    system.wait_for_deliveries(&lead, 2).await;
    assert_eq!(
        system.mailed(),
        [lead.email.as_str(), "sales@zyongrand.example"]
    );
    let emails = system.smtp.emails();
    let brochure = emails
        .iter()
        .find(|mail| mail.to == [lead.email.as_str()])
        .expect("the mail");
    let parsed = mail_parser::MessageParser::default()
        .parse(&brochure.raw)
        .expect("a mail");
    let text = parsed.body_text(0).expect("text");
    assert!(
        text.contains("https://zyongrand.example/brochure-zh.pdf"),
        "{text}"
    );
    assert!(
        !text.contains(lead.name.as_str()),
        "the address may belong to another person"
    );
}

#[tokio::test]
async fn confirmation_with_brochure_link_replaces_the_brochure_email() {
    let thanks = Scenario {
        confirmations: NonZeroU32::new(3),
        brochure: BROCHURES,
        ..BY_QUEUE
    };
    let system = System::start(thanks).await;
    let _notifier = system.start_notifier_with(ROUTES);
    let lead = full();
    system.submit(lead.clone()).await;
    let deliveries = system.wait_for_deliveries(&lead, 3).await.deliveries;
    let id = |recipient| {
        deliveries
            .iter()
            .find(|it| it.recipient == recipient)
            .map(|it| &it.mail_message_id)
    };
    assert!(
        id("brochure").is_some() && id("brochure") == id("visitor"),
        "one email is both"
    );
    assert_eq!(send_brochure(&system).await, 0);
    assert_eq!(
        system.mailed(),
        [lead.email.as_str(), "sales@zyongrand.example"]
    );
}
