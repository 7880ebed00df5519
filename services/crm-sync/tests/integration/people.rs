//! Export and erasure of a person.

use std::{collections::BTreeSet, fs, time::Duration};

use ::lead::{Attribution, Campaign, Lead, UserText, Visit};
use contracts::{
    crm::v1::{self as crm, ErasePersonRequest, ExportPersonRequest},
    leads::v1::Reason,
};
use crm_sync::{
    db::{Store, error::StoreError},
    deliveries::{Claim, ClaimResult, DeliveryFilter, FailedAction, Reports},
    leads::{Change, Source},
    people::person::Person,
};
use futures_util::future::{join_all, join3};
use lead::{HomePreference, Outcome, Plan, Receipt, VisitTime};
use sea_orm::{FromQueryResult, JsonValue, Statement};
use testkit::database::{Database, sqlite};
use tonic::Code;
use uuid::Uuid;

use crate::support::{
    ANNA, BERT, NO_BROKER, RecipientOutcome, VISITOR, claim_of, claim_results, client, connect,
    contacted, delivered, event_of, everything, get_lead, lead, lead_from, lease_for, leased,
    migrated, on_both_databases, on_postgres, on_sqlite, query_column, recipients, report_of,
    start, submission,
};

on_both_databases! {
    erased_person_is_not_stored_again,
    exports_and_erases_a_person_with_many_leads,
    concurrent_erasure_and_recording_are_atomic,
    spellings_of_a_mailbox_are_one_person,
    leads_of_other_mailboxes_are_shown_and_kept,
    concurrent_leads_of_a_mailbox_are_erased_or_kept,
}

on_sqlite! {
    person_export_has_all_leads_and_history,
    erasure_keeps_leads_of_people_with_the_same_number,
    invalid_number_is_found_by_its_digits,
}

on_postgres! {
    tombstone_has_only_these_columns,
    erased_id_is_not_stored_later,
    person_calls_are_audited,
}

/// The marker in every text of a visitor.
const MARKER: &str = "zqxmarker";
/// The other leads of these tests have another plan, other times and other homes.
const PLAN: &str = "PH3";
const VISIT_TIME: &str = "weekend-evenings";
const HOME: &str = "5-bedroom";
const EMAIL: &str = "zqxmarker@example.com";
const MOBILE: &str = "+65 8765 4321";
const CORRECTED: &str = "87654321";
/// The phone number as a key, and reversed.
const DIGITS: [&str; 2] = ["87654321", "12345678"];

fn person(typed: &str) -> Person {
    Person::parse(typed).unwrap()
}

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// A lead with the marker in every text. A new field of the lead must be added here to compile.
fn marked(number: u128) -> Lead {
    let marker = || UserText::from(format!("{MARKER} 陈伟"));
    let Lead {
        id,
        reference,
        submitted_at,
        mobile,
        email,
        interests,
        language,
        visit,
        signals,
        ..
    } = lead_from(number, EMAIL, MOBILE);
    let visit = visit.unwrap();
    let campaign = Campaign {
        source: marker(),
        medium: marker(),
        name: marker(),
        term: marker(),
        content: marker(),
    };
    let attribution = Attribution {
        landing_path: marker(),
        referrer_host: marker(),
        campaign,
    };
    let visit = Some(Visit {
        attribution,
        ..visit
    });
    let (name, questions, privacy_policy_version) = (marker(), marker(), marker());
    Lead {
        id,
        reference,
        submitted_at,
        name,
        mobile,
        email,
        questions,
        plan: Plan::find(PLAN),
        visit_times: VisitTime::known_from_contract(&[VISIT_TIME]),
        home_preferences: HomePreference::known_from_contract(&[HOME]),
        interests,
        language,
        privacy_policy_version,
        channels: Vec::new(),
        visit,
        signals,
    }
}

fn claim(lead: Lead, holder: &str) -> Claim {
    Claim {
        submission: lead,
        ..claim_of(1, holder)
    }
}

/// A delivery to Anna with the marker in the reply of the mail server.
fn delivered_with_marker() -> RecipientOutcome<'static> {
    let receipt = Receipt {
        mail_message_id: MARKER.to_owned(),
        server_reply: MARKER.to_owned(),
        delivered_at: testkit::start_of_time(),
    };
    (ANNA, Outcome::Delivered(receipt))
}

/// Records every kind of event for a lead, each with the marker.
async fn record_every_event(store: &Store, number: u128) {
    let mut other = marked(number);
    other.name = format!("{} again", other.name.as_str()).into();
    store
        .record_leads(Source::Broker, &[marked(number), other.clone()])
        .await
        .unwrap();
    store.record_leads(Source::Grpc, &[other]).await.unwrap();
    let reason = || Reason {
        class: "smtp".to_owned(),
        detail: MARKER.to_owned(),
    };
    let again = || Outcome::Retry {
        after: Duration::ZERO,
        reason: reason(),
        counts: true,
    };
    let filter = crm::DeliveryFilter {
        lead_id: id(number).to_string(),
        ..Default::default()
    };
    let filter = DeliveryFilter::parse(Some(filter)).unwrap();
    let discard = FailedAction::Discard {
        reason: MARKER.to_owned(),
    };
    let claim = Claim {
        recipients: recipients([ANNA, BERT, VISITOR, "webhook:crm"]),
        visitor_daily_limit: 9,
        ..claim(marked(number), MARKER)
    };
    for outcome in [
        again(),
        Outcome::Failed(reason()),
        Outcome::Cancelled(reason()),
    ] {
        claim_results(store, &claim).await;
        let said = [
            (BERT, outcome),
            (VISITOR, again()),
            ("webhook:crm", again()),
        ];
        store
            .report(&report_of(number, MARKER, said))
            .await
            .unwrap();
        store
            .resolve_failed(&filter, &FailedAction::Retry, "leadctl")
            .await
            .unwrap();
    }
    store
        .report(&report_of(
            number,
            MARKER,
            [(ANNA, Outcome::Failed(reason()))],
        ))
        .await
        .unwrap();
    store
        .resolve_failed(&filter, &discard, "leadctl")
        .await
        .unwrap();
    let event = event_of(number, MARKER, [delivered_with_marker()]);
    store
        .report(&Reports {
            lead: Some(marked(number)),
            ..event
        })
        .await
        .unwrap();
    let change = Change {
        owner: Some(MARKER.to_owned()),
        note: MARKER.to_owned(),
        next_step_at: Some(chrono::Utc::now()),
        do_not_contact: Some(true),
        mobile: Some(CORRECTED.to_owned()),
        ..contacted(number)
    };
    // An erased lead rejects the change.
    let refused = store.update_lead(&change).await.err();
    assert!(
        matches!(refused, None | Some(StoreError::NoSuchLead(_))),
        "{refused:?}"
    );
}

async fn assert_no_marker(database: &Database) {
    let everything = everything(database.url()).await;
    let left: Vec<_> = everything
        .lines()
        .filter(|line| {
            [MARKER, MOBILE, PLAN, VISIT_TIME, HOME]
                .iter()
                .chain(&DIGITS)
                .any(|text| line.contains(text))
        })
        .collect();
    assert!(left.is_empty(), "{left:#?}");
}

async fn exported(store: &Store, typed: &str) -> Vec<crm::Lead> {
    let ids = store.ids_of_people(&[person(typed)]).await.unwrap();
    store.leads(&ids).await.unwrap()
}

async fn person_export_has_all_leads_and_history(database: Database) {
    let store = migrated(&database).await;
    let mut conflicting = lead_from(3, "mei@example.com", "81111111");
    store
        .record_leads(
            Source::Broker,
            &[
                lead_from(2, EMAIL, "91234567"),
                lead_from(3, "mei@example.com", "82222222"),
            ],
        )
        .await
        .unwrap();
    conflicting.email = EMAIL.to_uppercase().into();
    store
        .record_leads(Source::Broker, &[conflicting])
        .await
        .unwrap();
    record_every_event(&store, 1).await;
    let export = exported(&store, " ZQXmarker@example.com").await;
    let numbers: Vec<_> = export
        .iter()
        .map(|lead| {
            lead.submission
                .as_ref()
                .unwrap()
                .lead_id
                .parse::<Uuid>()
                .unwrap()
                .as_u128()
        })
        .collect();
    assert_eq!(
        numbers,
        [1, 2, 3],
        "oldest first, including the lead whose conflict has their address"
    );
    assert_eq!(
        export[0].submission,
        Some(
            Lead {
                mobile: CORRECTED.into(),
                ..marked(1)
            }
            .into()
        )
    );
    assert_eq!(export[0].conflicts.len(), 1);
    assert!(export[0].timeline.len() > 5 && export[2].conflicts.len() == 1);
    assert_eq!(exported(&store, "8765 4321").await.len(), 1);
    assert!(exported(&store, "nobody@example.com").await.is_empty());
}

async fn erased_person_is_not_stored_again(database: Database) {
    let store = migrated(&database).await;
    for number in [1, 2] {
        record_every_event(&store, number).await;
    }
    store
        .record_leads(Source::Broker, &[submission(5)])
        .await
        .unwrap();
    assert!(everything(database.url()).await.contains(MARKER));
    let erased = store
        .erase_people(&[person(EMAIL)], &[], "tests")
        .await
        .unwrap();
    assert_eq!(erased, [id(1), id(2)].into());
    assert_no_marker(&database).await;

    // Messages that are still in queues arrive.
    let recorded = store
        .record_leads(Source::Broker, &[marked(1), submission(6), marked(2)])
        .await
        .unwrap();
    assert_eq!((recorded.created, recorded.conflicts), (1, 0));
    for number in [1, 2] {
        record_every_event(&store, number).await;
        assert_eq!(
            claim_results(&store, &claim(marked(number), "two")).await,
            [ClaimResult::Erased; 2]
        );
    }
    assert_no_marker(&database).await;
    assert_eq!(
        leased(&store, &lease_for("three")).await,
        [5, 6],
        "erased leads are not leased"
    );
    assert!(
        store
            .erase_people(&[person(EMAIL)], &[], "tests")
            .await
            .unwrap()
            .is_empty(),
        "a repeated erasure finds nothing"
    );
    let rest = "SELECT reference FROM lead WHERE erased_at IS NOT NULL AND contact_id IS NULL ORDER BY reference";
    assert_eq!(
        query_column(database.url(), rest).await,
        ["ZG-0000-01", "ZG-0000-02"]
    );
}

/// Checks all columns of `lead`.
async fn tombstone_has_only_these_columns(database: Database) {
    let store = migrated(&database).await;
    record_every_event(&store, 1).await;
    store
        .erase_people(&[person(EMAIL)], &[], "tests")
        .await
        .unwrap();
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let row = Statement::from_string(connection.get_database_backend(), "SELECT * FROM lead");
    let row = JsonValue::find_by_statement(row)
        .one(&connection)
        .await
        .unwrap()
        .unwrap();
    let says_something = |value: &JsonValue| !value.is_null() && value != "" && value != "[]";
    let columns = row
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| says_something(value));
    let columns: BTreeSet<_> = columns.map(|(column, _)| column.as_str()).collect();
    let of_the_lead = [
        "id",
        "reference",
        "submitted_at",
        "language",
        "recorded_at",
        "source",
        "state",
        "erased_at",
    ];
    let of_its_deliveries = ["open", "leases", "brochure"];
    let of_withdrawals = ["mailbox_hash"];
    let expected = of_the_lead
        .into_iter()
        .chain(of_its_deliveries)
        .chain(of_withdrawals);
    assert_eq!(columns, expected.collect());
}

async fn erased_id_is_not_stored_later(database: Database) {
    let store = migrated(&database).await;
    // Reports of the lead may be stored already.
    store
        .report(&report_of(9, "one", [delivered_with_marker()]))
        .await
        .unwrap();
    let erased = store
        .erase_people(&[person(EMAIL)], &[id(9), id(8), id(9)], "tests")
        .await
        .unwrap();
    assert_eq!(erased, [id(8), id(9)].into());
    assert_no_marker(&database).await;
    for number in [8, 9] {
        record_every_event(&store, number).await;
    }
    assert_no_marker(&database).await;
    assert_eq!(
        store
            .erase_people(&[person(EMAIL)], &[id(9)], "tests")
            .await
            .unwrap(),
        [id(9)].into()
    );
    assert!(
        query_column(database.url(), "SELECT value FROM contact_key")
            .await
            .is_empty()
    );
}

async fn erasure_keeps_leads_of_people_with_the_same_number(database: Database) {
    let store = migrated(&database).await;
    // A family shares one phone number.
    for lead in [
        lead_from(1, EMAIL, "91234567"),
        lead_from(2, "mei@example.com", "91234567"),
    ] {
        store.record_leads(Source::Broker, &[lead]).await.unwrap();
    }
    assert_eq!(
        store
            .erase_people(&[person(EMAIL)], &[], "tests")
            .await
            .unwrap(),
        [id(1)].into()
    );
    let mut keys = query_column(database.url(), "SELECT value FROM contact_key").await;
    keys.sort_unstable();
    assert_eq!(keys, ["+6591234567 陈伟", "mei@example.com"]);
    let before = get_lead(&store, 2).await.contact_id;
    store
        .record_leads(
            Source::Broker,
            &[lead_from(3, "mei@example.com", "no number")],
        )
        .await
        .unwrap();
    assert_eq!(
        get_lead(&store, 3).await.contact_id,
        before,
        "the person is unchanged"
    );
    store
        .record_leads(Source::Broker, &[lead_from(4, EMAIL, "no number")])
        .await
        .unwrap();
    assert_eq!(
        get_lead(&store, 4).await.contact_id,
        id(4).to_string(),
        "a new person"
    );
}

async fn invalid_number_is_found_by_its_digits(database: Database) {
    let store = migrated(&database).await;
    let typed = "1234 5678 ext 1";
    store
        .record_leads(
            Source::Broker,
            &[
                lead_from(1, "wei@example.com", typed),
                lead_from(2, "mei@example.com", MOBILE),
            ],
        )
        .await
        .unwrap();
    assert_eq!(
        store
            .ids_of_people(&[person("12345678-1 ext")])
            .await
            .unwrap(),
        [id(1)]
    );
    assert_eq!(
        store
            .ids_of_people(&[person("0065 8765-4321")])
            .await
            .unwrap(),
        [id(2)]
    );
    assert_eq!(
        store
            .erase_people(&[person(typed)], &[], "tests")
            .await
            .unwrap(),
        [id(1)].into()
    );
}

async fn spellings_of_a_mailbox_are_one_person(database: Database) {
    let store = migrated(&database).await;
    let mut conflicting = lead_from(3, "mei@example.com", "82222222");
    store
        .record_leads(
            Source::Broker,
            &[
                lead_from(1, "wong.dot@gmail.com", "91234567"),
                lead_from(2, "wongdot+x@googlemail.com", "81234567"),
                conflicting.clone(),
                lead_from(4, "wongdot@example.com", "83333333"),
            ],
        )
        .await
        .unwrap();
    conflicting.email = "WONG.dot@gmail.com".into();
    store
        .record_leads(Source::Broker, &[conflicting])
        .await
        .unwrap();
    let wong = [person("w.ongdot@gmail.com")];
    assert_eq!(
        store.ids_of_people(&wong).await.unwrap(),
        [id(1), id(2), id(3)]
    );
    let erased = store.erase_people(&wong, &[], "tests").await.unwrap();
    assert_eq!(erased, [id(1), id(2), id(3)].into());
    let keys = query_column(database.url(), "SELECT value FROM contact_key").await;
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert_eq!(query_column(database.url(), TORN).await, [""; 0]);
}

/// The other leads that may belong to a person: reference, and whether contact and number are the same.
async fn possible_leads(store: &Store, people: &[Person]) -> Vec<(String, bool, bool)> {
    let ids = store.ids_of_people(people).await.unwrap();
    let others = store.find_possible_leads(people, &ids).await.unwrap();
    let shown = |it: crm::PossibleLead| (it.email, it.same_contact, it.same_number);
    others.into_iter().map(shown).collect()
}

async fn leads_of_other_mailboxes_are_shown_and_kept(database: Database) {
    let store = migrated(&database).await;
    let number = "+65 8123 4567";
    let stranger = Lead {
        name: "Other".into(),
        ..lead_from(3, "stranger@example.com", number)
    };
    let mut conflicting = lead_from(4, "conflict@example.com", "82222222");
    store
        .record_leads(
            Source::Broker,
            &[
                lead_from(1, "lim@home.example", number),
                lead_from(2, "lim@office.example", number),
                stranger,
                conflicting.clone(),
                lead_from(5, "mei@example.com", "83333333"),
                lead_from(6, "lim@work.example", "84444444"),
            ],
        )
        .await
        .unwrap();
    conflicting.mobile = number.into();
    store
        .record_leads(Source::Broker, &[conflicting])
        .await
        .unwrap();
    store.merge_people(id(2), id(6), "tests").await.unwrap();
    let home = person("Lim@Home.example");
    let expected = [
        ("lim@office.example", true, true),
        ("stranger@example.com", false, true),
        ("conflict@example.com", false, true),
        ("lim@work.example", true, false),
    ]
    .map(|(email, contact, number)| (email.to_owned(), contact, number));
    assert_eq!(
        possible_leads(&store, std::slice::from_ref(&home)).await,
        expected
    );
    let both = [home.clone(), person("lim@work.example")];
    assert_eq!(possible_leads(&store, &both).await, expected[..3]);
    let erased = store.erase_people(&both, &[], "tests").await.unwrap();
    assert_eq!(
        erased,
        [id(1), id(6)].into(),
        "no mailbox that was not named"
    );
    assert!(possible_leads(&store, &[home]).await.is_empty());
    assert_eq!(query_column(database.url(), TORN).await, [""; 0]);
}

async fn concurrent_leads_of_a_mailbox_are_erased_or_kept(database: Database) {
    let store = migrated(&database).await;
    let people = [person("wong@gmail.com")];
    for round in 0..8u128 {
        let number = |lead: u128| round * 100 + lead;
        let spelling = |lead: u128| format!("wong+{lead}@gmail.com");
        store
            .record_leads(
                Source::Broker,
                &[lead_from(number(1), &spelling(1), MOBILE)],
            )
            .await
            .unwrap();
        let leads = [2, 3].map(|lead| [lead_from(number(lead), &spelling(lead), MOBILE)]);
        let (erased, first, second) = join3(
            store.erase_people(&people, &[], "tests"),
            store.record_leads(Source::Broker, &leads[0]),
            store.record_leads(Source::Broker, &leads[1]),
        )
        .await;
        assert!(first.is_ok() && second.is_ok());
        assert!(erased.unwrap().contains(&id(number(1))));
        assert!(
            !store
                .ids_of_people(&people)
                .await
                .unwrap()
                .contains(&id(number(1)))
        );
        assert_eq!(query_column(database.url(), TORN).await, [""; 0]);
    }
}

async fn exports_and_erases_a_person_with_many_leads(database: Database) {
    let store = migrated(&database).await;
    let leads: Vec<_> = (1..=450).map(marked).collect();
    for leads in leads.chunks(200) {
        store.record_leads(Source::Broker, leads).await.unwrap();
    }
    assert_eq!(exported(&store, EMAIL).await.len(), 450);
    let erased = store
        .erase_people(&[person(EMAIL)], &[], "tests")
        .await
        .unwrap();
    assert_eq!(erased.len(), 450);
    let largest = "SELECT CAST(max(leads) AS text) FROM audit WHERE action = 'erase-person'";
    assert_eq!(
        query_column(database.url(), largest).await,
        ["200"],
        "in batches"
    );
    assert_no_marker(&database).await;
}

/// Keys without a lead, and leads without their key.
const TORN: &str = "
    SELECT value FROM contact_key WHERE NOT EXISTS (SELECT 1 FROM lead
        WHERE value IN (email_key, number_key))
    UNION ALL SELECT 'keyless ' || email_key FROM lead WHERE erased_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM contact_key WHERE value = email_key)
    UNION ALL SELECT 'left ' || reference FROM lead WHERE erased_at IS NOT NULL
        AND (email <> '' OR email_key <> '' OR contact_id IS NOT NULL OR open)
    UNION ALL SELECT 'beside ' || source FROM conflict WHERE lead_id IN (SELECT id FROM lead WHERE erased_at IS NOT NULL)
    UNION ALL SELECT 'delivered ' || recipient FROM delivery
        WHERE lead_id IN (SELECT id FROM lead WHERE erased_at IS NOT NULL)
    UNION ALL SELECT 'noted ' || (details ->> 'event') FROM timeline
        WHERE lead_id IN (SELECT id FROM lead WHERE erased_at IS NOT NULL)";

async fn concurrent_erasure_and_recording_are_atomic(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    for round in 0..5u128 {
        let number = |lead: u128| round * 100 + lead;
        one.record_leads(
            Source::Broker,
            &[marked(number(1)), lead_from(number(2), EMAIL, "91234567")],
        )
        .await
        .unwrap();
        let acts = (0..24u128).map(|act| {
            let store = if act % 2 == 0 {
                one.clone()
            } else {
                two.clone()
            };
            async move {
                let lead = number(1 + act % 8);
                match act % 6 {
                    0 => {
                        let also = [id(number(3)), id(number(5))];
                        store
                            .erase_people(&[person(EMAIL)], &also, "tests")
                            .await
                            .map(drop)
                    }
                    1 => {
                        let leads = [marked(lead), submission(lead + 50)];
                        store.record_leads(Source::Broker, &leads).await.map(|_| ())
                    }
                    2 => {
                        let mut other = marked(lead);
                        other.questions = format!("{MARKER} {act}").into();
                        store.record_leads(Source::Grpc, &[other]).await.map(|_| ())
                    }
                    3 => store.claim(&claim(marked(lead), "one")).await.map(drop),
                    4 => store
                        .report(&report_of(lead, "one", [delivered(ANNA)]))
                        .await
                        .map(drop),
                    _ => store
                        .erase_people(&[person(MOBILE)], &[id(lead)], "tests")
                        .await
                        .map(drop),
                }
            }
        });
        for act in join_all(acts).await {
            // A call that met a conflict or no free connection may have failed, but no call may be applied in part.
            use crm_sync::db::error::StoreError::{Contended, Slow, Unavailable};
            assert!(
                matches!(act, Ok(()) | Err(Contended(_) | Slow(_) | Unavailable(_))),
                "{act:?}"
            );
        }
        assert_eq!(query_column(database.url(), TORN).await, [""; 0]);
    }
}

async fn person_calls_are_audited(database: Database) {
    let store = migrated(&database).await;
    record_every_event(&store, 1).await;
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let mut client = client(app.grpc_addr).await;
    let export = ExportPersonRequest {
        person: MOBILE.to_owned(),
        ..ExportPersonRequest::default()
    };
    let mut pages = client
        .people
        .export_person(export)
        .await
        .unwrap()
        .into_inner();
    let leads = pages.message().await.unwrap().unwrap().leads;
    assert!(pages.message().await.unwrap().is_none());
    assert_eq!(leads[0].submission.as_ref().unwrap().email, EMAIL);
    assert!(!leads[0].timeline.is_empty() && !leads[0].conflicts.is_empty());
    let erase = |email: &str, named: u128| ErasePersonRequest {
        email: email.to_owned(),
        lead_ids: vec![lead(named).lead_id],
        ..ErasePersonRequest::default()
    };
    let erased = client
        .people
        .erase_person(erase(EMAIL, 7))
        .await
        .unwrap()
        .into_inner()
        .lead_ids;
    assert_eq!(erased, [lead(1).lead_id, lead(7).lead_id]);
    let refused = client
        .people
        .erase_person(erase("陈伟", 7))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(
        refused.message().contains("email address") && !refused.message().contains("陈"),
        "{refused}"
    );
    assert_no_marker(&database).await;
    let audit = "SELECT client || ' ' || action || ' ' || CAST(leads AS text) FROM audit
        WHERE client = 'operator' ORDER BY number";
    assert_eq!(
        query_column(database.url(), audit).await,
        ["operator export-person 1", "operator erase-person 2"]
    );
    let metrics = String::from_utf8(context.metrics.encode().unwrap()).unwrap();
    assert!(
        metrics.contains(r#"crm_erased_leads_total{cause="person"} 2"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn sqlite_files_keep_no_erased_data() {
    let database = sqlite();
    let store = migrated(&database).await;
    // Stored first, so that it does not grow rows of the other leads. SQLite keeps a copy of a page that it splits
    // to grow a row.
    record_every_event(&store, 3).await;
    // Enough leads to fill pages that SQLite then shares, splits and empties.
    for thousand in 0..3u128 {
        for leads in (0..1000u128).collect::<Vec<_>>().chunks(100) {
            let leads: Vec<_> = leads
                .iter()
                .map(|lead| {
                    let number = 1 + thousand * 1000 + lead;
                    if number % 3 == 0 {
                        marked(number)
                    } else {
                        lead_from(number, &format!("{number}@example.com"), "no")
                    }
                })
                .collect();
            store.record_leads(Source::Broker, &leads).await.unwrap();
        }
    }
    let path = database
        .url()
        .strip_prefix("sqlite://")
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    let found = |needle: &str| {
        let files = ["", "-wal", "-journal"]
            .map(|end| fs::read(format!("{path}{end}")).unwrap_or_default());
        files.map(|bytes| {
            bytes
                .windows(needle.len())
                .filter(|part| *part == needle.as_bytes())
                .count()
        })
    };
    assert_ne!(found(MARKER), [0; 3]);
    store
        .erase_people(&[person(EMAIL)], &[], "tests")
        .await
        .unwrap();
    assert!(store.checkpoint().await.unwrap());
    assert_eq!(found(MARKER), [0; 3], "file, log and journal");
    assert_eq!(found("87654321"), [0; 3]);
}
