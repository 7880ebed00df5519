//! Routing of leads to recipients.

use contracts::leads::v1::{Interest, Language, LeadSubmitted};
use uuid::Uuid;

use crate::{
    support::full,
    system::{BY_QUEUE, System},
};

const ROUTES: &str = r#"
    default = ["sales@zyongrand.example"]

    [[route]]
    interests = ["purchase"]
    recipients = ["buyers@zyongrand.example", "desk@zyongrand.example"]

    [[route]]
    languages = ["zh"]
    recipients = ["Desk@zyongrand.example", "mei@zyongrand.example"]
"#;

#[tokio::test]
async fn matching_routes_email_each_recipient_once() {
    let system = System::start(BY_QUEUE).await;
    let _notifier = system.start_notifier_with(ROUTES);
    let lead = |number: u128, interest: Interest, language: Language| LeadSubmitted {
        lead_id: Uuid::from_u128(number).to_string(),
        interests: vec![interest.into()],
        language: language.into(),
        ..full()
    };
    for (lead, emails) in [
        (lead(1, Interest::Brochure, Language::En), 1),
        (lead(2, Interest::Purchase, Language::En), 2),
        (lead(3, Interest::Purchase, Language::Zh), 3),
    ] {
        system.submit(lead.clone()).await;
        system.wait_for_deliveries(&lead, emails).await;
    }
    assert_eq!(
        system.mailed(),
        [
            "buyers@zyongrand.example",
            "buyers@zyongrand.example",
            "desk@zyongrand.example",
            "desk@zyongrand.example",
            "mei@zyongrand.example",
            "sales@zyongrand.example",
        ]
    );
}
