//! A visitor agrees to calls or messages after they sent the form.

use contracts::{
    crm::v1::{Lead, timeline_entry::Event as Entry},
    leads::v1::{ContactChannel, LeadConsented},
};
use crm_sync::{db::Store, leads::Source};
use messaging::{Event, Verdict};
use testkit::database::Database;

use crate::support::{
    ANNA, claim_for, claim_results, get_lead, handle, lead, lease_for, leased, migrated,
    on_both_databases, query_column, submission, timestamp, withdraw, withdrawn,
};

on_both_databases! {
    consent_adds_its_channel_once,
    emails_about_consents_have_channels_and_times,
    consent_after_a_withdrawal_changes_nothing,
    consent_by_another_mailbox_changes_nothing,
    consent_waits_for_its_lead,
}

const WORDING: &str = "You may call me about Zyon Grand";

fn consented(number: u128, channel: ContactChannel, mailbox_hash: &str) -> Event {
    Event::LeadConsented(LeadConsented {
        lead_id: lead(number).lead_id,
        consented_at: Some(timestamp(submission(number).submitted_at)),
        channels: vec![channel.into()],
        privacy_policy_version: "2026-11-29".to_owned(),
        wording: WORDING.to_owned(),
        mailbox_hash: mailbox_hash.to_owned(),
    })
}

/// Stores a lead without consent to calls and messages.
async fn migrated_with_lead(database: &Database) -> Store {
    let store = migrated(database).await;
    let mut lead = submission(1);
    lead.channels.clear();
    store.record_leads(Source::Broker, &[lead]).await.unwrap();
    store
}

fn channels(lead: &Lead) -> Vec<i32> {
    lead.submission.as_ref().unwrap().channels.clone()
}

/// The words of the consents in the timeline.
fn wordings(lead: &Lead) -> Vec<&str> {
    let entries = lead.timeline.iter();
    let wordings = entries.filter_map(|entry| {
        if let Some(Entry::Consented(consented)) = &entry.event {
            Some(consented.wording.as_str())
        } else {
            None
        }
    });
    wordings.collect()
}

async fn agree(store: &Store, event: Event) {
    assert_eq!(handle(store, vec![event]).await, [Verdict::Done]);
}

async fn consent_adds_its_channel_once(database: Database) {
    let store = migrated_with_lead(&database).await;
    claim_results(&store, &claim_for(1, &[ANNA, "webhook:crm"], "one")).await;
    for _ in 0..2 {
        agree(&store, consented(1, ContactChannel::Phone, "")).await;
    }
    let lead = get_lead(&store, 1).await;
    assert_eq!(channels(&lead), [ContactChannel::Phone as i32]);
    assert_eq!(wordings(&lead), [WORDING]);
    let recipients = "SELECT recipient FROM delivery ORDER BY recipient";
    assert_eq!(
        query_column(database.url(), recipients).await,
        [
            ANNA,
            &format!("consent:{ANNA}"),
            "updated:crm#1",
            "webhook:crm"
        ]
    );

    agree(&store, consented(1, ContactChannel::Message, "")).await;
    let lead = get_lead(&store, 1).await;
    let both = [ContactChannel::Phone, ContactChannel::Message];
    assert_eq!(channels(&lead), both.map(i32::from));
    // The message may be delivered again, without the consent.
    let mut again = submission(1);
    again.channels.clear();
    let recorded = store.record_leads(Source::Broker, &[again]).await.unwrap();
    assert_eq!(recorded.conflicts, 0);
    assert_eq!(channels(&get_lead(&store, 1).await), both.map(i32::from));
}

async fn emails_about_consents_have_channels_and_times(database: Database) {
    let store = migrated_with_lead(&database).await;
    claim_results(&store, &claim_for(1, &[ANNA], "one")).await;
    for channel in [ContactChannel::Phone, ContactChannel::Message] {
        agree(&store, consented(1, channel, "")).await;
    }
    let notice = format!("consent:{ANNA}");
    let claimed = store.claim(&claim_for(1, &[&notice], "two")).await.unwrap();
    let consents = claimed.context.later_consents;
    let agreed: Vec<_> = consents.iter().map(|it| it.channels.as_slice()).collect();
    assert_eq!(
        agreed,
        [
            [ContactChannel::Phone as i32],
            [ContactChannel::Message as i32]
        ]
    );
    let lead = get_lead(&store, 1).await;
    let recorded = lead.timeline.iter().filter_map(|entry| {
        let is_consent = matches!(entry.event, Some(Entry::Consented(_)));
        entry.at.filter(|_| is_consent)
    });
    let times: Vec<_> = consents.iter().filter_map(|it| it.recorded_at).collect();
    assert_eq!(times, recorded.collect::<Vec<_>>());

    let other = claim_for(1, &["carla@zyongrand.example"], "two");
    let other = store.claim(&other).await.unwrap();
    assert_eq!(other.context.later_consents, []);
}

async fn consent_after_a_withdrawal_changes_nothing(database: Database) {
    for erasure_requested in [false, true] {
        let store = migrated_with_lead(&database).await;
        withdraw(&store, 1, erasure_requested).await;
        agree(&store, consented(1, ContactChannel::Phone, "")).await;
        let lead = get_lead(&store, 1).await;
        assert!(channels(&lead).is_empty() && wordings(&lead).is_empty());
    }
    // In one batch, the later event decides.
    let store = migrated_with_lead(&database).await;
    let batch = vec![withdrawn(1, false), consented(1, ContactChannel::Phone, "")];
    assert_eq!(handle(&store, batch).await, [Verdict::Done, Verdict::Done]);
    assert!(channels(&get_lead(&store, 1).await).is_empty());
}

/// The address of the lead was corrected after the link was sent, so its reader is another person.
async fn consent_by_another_mailbox_changes_nothing(database: Database) {
    let store = migrated_with_lead(&database).await;
    let other = "0a".repeat(32);
    agree(&store, consented(1, ContactChannel::Phone, &other)).await;
    assert!(channels(&get_lead(&store, 1).await).is_empty());
    let own = query_column(database.url(), "SELECT mailbox_hash FROM lead").await;
    agree(&store, consented(1, ContactChannel::Phone, &own[0])).await;
    assert_eq!(channels(&get_lead(&store, 1).await).len(), 1);
}

async fn consent_waits_for_its_lead(database: Database) {
    let store = migrated(&database).await;
    let verdicts = handle(&store, vec![consented(1, ContactChannel::Phone, "")]).await;
    assert!(matches!(verdicts[..], [Verdict::Retry(_)]), "{verdicts:?}");
    let leased = leased(&store, &lease_for("one")).await;
    assert!(leased.is_empty());
}
