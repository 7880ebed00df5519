//! Mails that a person asked for: they go to that person alone, and again when asked for again.

use contracts::{
    crm::v1::{SetLeadStateRequest, timeline_entry::Event as Happened},
    leads::v1::LeadSubmitted,
};
use testkit::wait;

use crate::{
    support::full,
    system::{BY_QUEUE, System},
};

const ROUTES: &str = r#"
default = ["sales@zyongrand.example"]
[[person]]
name = "Mei Tan"
email = "mei@zyongrand.example"
"#;

async fn assign(system: &System, lead: &LeadSubmitted, owner: &str) {
    let request = SetLeadStateRequest {
        lead_id: lead.lead_id.clone(),
        owner: Some(owner.to_owned()),
        ..SetLeadStateRequest::default()
    };
    system.client.clone().set_lead_state(request).await.expect("assigned");
}

#[tokio::test]
async fn a_new_owner_is_mailed_the_lead_and_nobody_else_is() {
    let system = System::start(BY_QUEUE).await;
    let _notifier = system.start_notifier_with(ROUTES);
    let lead = full();
    system.submit(lead.clone()).await;
    system.delivered(&lead, 1).await;
    assign(&system, &lead, "Mei Tan").await;
    system.delivered(&lead, 2).await;
    assert_eq!(system.mailed(), ["mei@zyongrand.example", "sales@zyongrand.example"]);
    // The routes have changed since: who is new in them has no part in what was asked for.
    let _other = system.start_notifier_with(&ROUTES.replace("sales@", "others@"));
    drop(_notifier);
    assign(&system, &lead, "").await;
    assign(&system, &lead, "Mei Tan").await;
    assign(&system, &lead, "Nobody").await;
    let settled = |event: &Happened| {
        let Happened::Settled(it) = event else { return None };
        it.reason.as_ref().map(|reason| reason.class.clone())
    };
    assert_eq!(system.happened(&lead, "person:Nobody#1", settled).await, "routes");
    wait::until("nothing to be left", async || system.crm_metric("crm_pending_leads") == 0).await;
    assert_eq!(system.mailed(), ["mei@zyongrand.example", "sales@zyongrand.example"], "once a minute");
}
