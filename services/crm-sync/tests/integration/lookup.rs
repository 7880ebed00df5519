//! Searching leads.

use ::lead::{
    ClosingReason, Lead, LeadState, SpamSignal, UNKNOWN_NUMBER, UserText, field::timestamp,
};
use contracts::crm::v1::{
    GetLeadRequest, LeadFilter, LeadOrder, ListLeadsRequest, VisitorEmailFilter,
    get_lead_request::Key,
};
use crm_sync::{
    db::Store,
    leads::{Change, Source},
    search::filter::Filter,
};
use testkit::database::Database;
use tonic::Code;
use uuid::Uuid;

use crate::support::{
    Client, by_reference, execute, get_lead, lead, migrated, number_of, on_both_databases,
    on_postgres, on_sqlite, serve, submission,
};

on_both_databases! {
    finds_any_part_of_a_name,
    finds_other_spellings_of_a_name,
    finds_numbers_as_written_in_their_country,
    finds_any_part_of_a_number,
    pattern_characters_match_literally,
    value_of_a_newer_version_is_unknown,
    filters_by_origin_and_wish,
    filters_by_what_became_of_a_lead,
    lists_leads_by_next_step,
}

on_sqlite! {
    finds_any_part_of_an_address,
    finds_any_part_of_a_reference,
    erased_leads_are_not_found,
}

on_postgres! {
    filters_by_state_owner_and_signals,
    hostile_texts_match_nothing,
}

/// While an upgrade runs, both versions use the database.
async fn value_of_a_newer_version_is_unknown(database: Database) {
    let store = migrated(&database).await;
    let leads = [submission(1), submission(2)];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let newer = "UPDATE lead SET state = 'reserved', closing_reason = 'moved', language = 'ms',
        interests = '[\"penthouse\"]', source = 'partner' WHERE reference = 'ZG-0000-01'";
    execute(database.url(), newer).await;
    assert_eq!(list_numbers(&store, &LeadFilter::default()).await, [2, 1]);

    let shown = get_lead(&store, 1).await;
    let progress = shown.progress.as_ref().unwrap();
    let submitted = shown.submission.as_ref().unwrap();
    assert_eq!(
        [progress.state, progress.closing_reason, submitted.language],
        [UNKNOWN_NUMBER; 3]
    );
    let json = serde_json::to_value(&shown).unwrap();
    assert_eq!(json["progress"]["state"], "unknown");
    assert_eq!(json["timeline"][1]["source"], "unknown", "{json}");
    assert!(Lead::from_stored(submitted.clone()).is_ok());

    // The person's export, with the history of each lead.
    let ids = leads.map(|lead| lead.id);
    assert_eq!(store.leads(&ids).await.unwrap().len(), 2);
}

fn search(text: &str) -> LeadFilter {
    LeadFilter {
        search: text.to_owned(),
        ..LeadFilter::default()
    }
}

/// The numbers of the matching leads, newest first.
async fn list_numbers(store: &Store, filter: &LeadFilter) -> Vec<u128> {
    let filter = &Filter::parse(filter.clone()).unwrap();
    let page = store.page(filter, None, 500, &[]).await.unwrap();
    let numbers: Vec<_> = page.leads.iter().map(number_of).collect();
    assert_eq!(store.total(filter).await.unwrap(), numbers.len() as u64);
    numbers
}

async fn search_numbers(store: &Store, text: &str) -> Vec<u128> {
    list_numbers(store, &search(text)).await
}

/// Stores leads from number 1, each with one changed field.
async fn store_with<const N: usize>(
    database: &Database,
    texts: [&str; N],
    field: fn(&mut Lead) -> &mut UserText,
) -> Store {
    let store = migrated(database).await;
    let leads = (1..).zip(texts).map(|(number, text)| {
        let mut lead = submission(number);
        lead.name = "Nobody".into();
        lead.mobile = "no number".into();
        lead.email = "none@mail.example".into();
        *field(&mut lead) = text.into();
        lead
    });
    store
        .record_leads(Source::Broker, &leads.collect::<Vec<_>>())
        .await
        .unwrap();
    store
}

async fn finds_any_part_of_a_name(database: Database) {
    let names = [
        "Tan Wei Ming",
        "TAN  wei ling",
        "Tanaka",
        "陈伟",
        "陈大文",
        "Müller",
        "Wei Tan",
        "😀 Lim",
        "Nguye\u{302}\u{303}n Ａ\u{200b}nh",
    ];
    let store = store_with(&database, names, |lead| &mut lead.name).await;
    assert_eq!(search_numbers(&store, "tan").await, [7, 3, 2, 1]);
    assert_eq!(search_numbers(&store, " tan  WEI").await, [7, 2, 1]);
    assert_eq!(search_numbers(&store, "wei ming tan").await, [1]);
    assert_eq!(search_numbers(&store, "t").await, [3, 2, 1]);
    assert_eq!(search_numbers(&store, "陈").await, [5, 4]);
    assert_eq!(search_numbers(&store, "陈伟").await, [4]);
    assert_eq!(search_numbers(&store, "MÜ").await, [6]);
    assert_eq!(search_numbers(&store, "😀").await, [8]);
    assert_eq!(search_numbers(&store, "ming").await, [1]);
    assert_eq!(search_numbers(&store, "大文").await, [5]);
    assert_eq!(search_numbers(&store, "大").await, [5]);
    assert_eq!(search_numbers(&store, "文大").await, [0; 0]);
    assert_eq!(search_numbers(&store, "wei").await, [7, 2, 1]);
    assert_eq!(
        search_numbers(&store, "w").await,
        [7],
        "one letter matches only a prefix"
    );
    assert_eq!(search_numbers(&store, "nguyễn anh").await, [9]);
    assert_eq!(
        search_numbers(&store, "  ").await.len(),
        9,
        "spaces match every lead"
    );
}

/// Names as people and keyboards write them.
async fn finds_other_spellings_of_a_name(database: Database) {
    let names = [
        "Liam O\u{2019}Brien",
        "Sean O'Brien",
        "Tan Huat Meng, Franklin",
        "Mary\u{2011}Ann Ho",
        "陈 大文",
        "欧阳 小明",
        "٣ Li Na",
    ];
    let store = store_with(&database, names, |lead| &mut lead.name).await;
    for (text, found) in [
        ("O'Brien", &[2, 1][..]),
        ("o\u{2019}brien liam", &[1]),
        ("Franklin Tan", &[3]),
        ("tan, franklin", &[3]),
        ("mary-ann", &[4]),
        ("Mary Ann", &[4]),
        ("陈大文", &[5]),
        ("欧阳小明", &[6]),
        ("na li", &[7]),
        ("tan smith", &[]),
    ] {
        assert_eq!(search_numbers(&store, text).await, found, "{text}");
    }
}

async fn finds_any_part_of_an_address(database: Database) {
    let addresses = [
        "Wei.Chen@mail.example",
        "wei.chen+home@mail.example",
        "o'neil@mail.example",
        "陈@邮件.example",
    ];
    let store = store_with(&database, addresses, |lead| &mut lead.email).await;
    assert_eq!(search_numbers(&store, "wei.CHEN").await, [2, 1]);
    assert_eq!(search_numbers(&store, "wei.chen@").await, [1]);
    assert_eq!(search_numbers(&store, "O'N").await, [3]);
    assert_eq!(search_numbers(&store, "陈@").await, [4]);
    assert_eq!(search_numbers(&store, "chen@mail").await, [1]);
    assert_eq!(search_numbers(&store, "件.ex").await, [4]);
}

async fn finds_numbers_as_written_in_their_country(database: Database) {
    let numbers = [
        "+44 7911 123456",
        "+886 912 555 678",
        "+62 812-3456-789",
        "+86 21 6123 4567",
        "07911 823456",
        "٩١٢٣٤٥٦٧",
        "+7 921 345-67-89",
    ];
    let store = store_with(&database, numbers, |lead| &mut lead.mobile).await;
    for (text, found) in [
        ("07911 123456", &[1][..]),
        ("07911", &[5, 1]),
        ("0912-555-678", &[2]),
        ("0812 3456 789", &[3]),
        ("021\u{2013}61234567", &[4]),
        ("+44 7911 823456", &[5]),
        ("9123 4567", &[6]),
        ("٩١٢٣٤٥٦٧", &[6]),
        ("8 921 345-67-89", &[7]),
        ("franklin 0912", &[]),
        ("nobody 0912-555", &[2]),
    ] {
        assert_eq!(search_numbers(&store, text).await, found, "{text}");
    }
}

async fn finds_any_part_of_a_reference(database: Database) {
    let store = migrated(&database).await;
    let leads = (1..)
        .zip(["ZG-7F3K-2Q", "ZG-7F01-2Q", "ZG-ZG7F-3K"])
        .map(|(number, reference)| {
            let mut lead = submission(number);
            lead.reference = reference.parse().unwrap();
            lead
        });
    store
        .record_leads(Source::Broker, &leads.collect::<Vec<_>>())
        .await
        .unwrap();
    assert_eq!(search_numbers(&store, "ZG-7F3K-2Q").await, [1]);
    assert_eq!(search_numbers(&store, "zg 7f3k2").await, [1]);
    assert_eq!(search_numbers(&store, "7f").await, [2, 1]);
    assert_eq!(search_numbers(&store, "7foi").await, [2], "O is 0, I is 1");
    assert_eq!(
        search_numbers(&store, "zg-7f").await,
        [3, 2, 1],
        "ZG may be the start of the six characters"
    );
    assert_eq!(
        search_numbers(&store, "zg").await,
        [3],
        "the prefix ZG of every reference does not match"
    );
    assert_eq!(search_numbers(&store, "7").await, [0; 0]);
    assert_eq!(search_numbers(&store, "3k-2q").await, [1]);
}

async fn finds_any_part_of_a_number(database: Database) {
    let numbers = [
        "+65 9123 4567",
        "9123-9999",
        "+86 138 0013 8000",
        "call 4567 after 6",
        "＋６５ ８１２３ ４５６７",
    ];
    let store = store_with(&database, numbers, |lead| &mut lead.mobile).await;
    assert_eq!(
        search_numbers(&store, "9123").await,
        [2, 1],
        "without the country code"
    );
    assert_eq!(search_numbers(&store, "+65 91").await, [2, 1]);
    assert_eq!(search_numbers(&store, "6591").await, [2, 1]);
    assert_eq!(search_numbers(&store, "0065 9123 4").await, [1]);
    assert_eq!(
        search_numbers(&store, "4567").await,
        [5, 4, 1],
        "invalid numbers match too"
    );
    assert_eq!(search_numbers(&store, "８０００").await, [3]);
    assert_eq!(search_numbers(&store, "3 456").await, [5, 1]);
    assert_eq!(
        search_numbers(&store, "67").await,
        [0; 0],
        "a part needs three digits or more"
    );
    assert_eq!(search_numbers(&store, "a4567").await, [0; 0]);
}

async fn pattern_characters_match_literally(database: Database) {
    let names = [
        "100% me", "100 me", "a_b", "axb", "[ab]", "\\'\"--", "tan%", "tan*",
    ];
    let store = store_with(&database, names, |lead| &mut lead.name).await;
    for (text, numbers) in [
        ("100%", vec![1]),
        ("%", vec![]),
        ("a_", vec![3]),
        ("_", vec![]),
        ("[a", vec![5]),
        ("\\'\"", vec![6]),
    ] {
        assert_eq!(search_numbers(&store, text).await, numbers, "{text}");
    }
    assert_eq!(search_numbers(&store, "tan%").await, [7]);
    assert_eq!(search_numbers(&store, "*").await, [0; 0]);
}

async fn filters_by_state_owner_and_signals(database: Database) {
    let store = migrated(&database).await;
    let mut leads: Vec<_> = (1..=4).map(submission).collect();
    leads[1].signals = vec![SpamSignal::TooFast, SpamSignal::Links];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let second = "state = 'visit_booked', owner = 'Anna LÖW', owner_key = 'anna löw'";
    let like = format!("UPDATE lead SET {second} WHERE reference IN ('ZG-0000-02', 'ZG-0000-03')");
    execute(database.url(), &like).await;

    let all = LeadFilter::default;
    let visiting = LeadState::VisitBooked as i32;
    let owner = "anna löw".to_owned();
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                state: visiting,
                ..all()
            }
        )
        .await,
        [3, 2]
    );
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                state: LeadState::New as i32,
                ..all()
            }
        )
        .await,
        [4, 1]
    );
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                state: LeadState::Invalid as i32,
                ..all()
            }
        )
        .await,
        [0; 0]
    );
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                owner: owner.clone(),
                ..all()
            }
        )
        .await,
        [3, 2]
    );
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                owner: "anna".to_owned(),
                ..all()
            }
        )
        .await,
        [0; 0]
    );
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                spam: Some(true),
                ..all()
            }
        )
        .await,
        [2]
    );
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                spam: Some(false),
                ..all()
            }
        )
        .await,
        [4, 3, 1]
    );
    let together = LeadFilter {
        state: visiting,
        owner,
        spam: Some(false),
        ..search("陈")
    };
    assert_eq!(list_numbers(&store, &together).await, [3]);
    assert_eq!(
        list_numbers(
            &store,
            &LeadFilter {
                delivered: Some(true),
                ..together
            }
        )
        .await,
        [0; 0]
    );
}

async fn filters_by_origin_and_wish(database: Database) {
    let store = migrated(&database).await;
    let mut leads: Vec<_> = (1..=4).map(submission).collect();
    leads[0].visit = None;
    leads[1].plan = None;
    leads[1].visit_times.clear();
    let attribution = &mut leads[2].visit.as_mut().unwrap().attribution;
    attribution.referrer_host = "forum.example".into();
    attribution.campaign.source = "it's".into();
    attribution.campaign.name = UserText::default();
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let close = "UPDATE lead SET state = 'closed', closing_reason = 'bought' WHERE reference = 'ZG-0000-04'";
    execute(database.url(), close).await;

    let text = |text: &str| Some(text.to_owned());
    let plans = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    let all = LeadFilter::default;
    #[rustfmt::skip]
    let cases: [(LeadFilter, &[u128]); 13] = [
        (LeadFilter { source: text("news"), ..all() }, &[4, 2]),
        (LeadFilter { source: text("it's"), ..all() }, &[3]),
        (LeadFilter { source: text("NEWS"), ..all() }, &[]),
        (LeadFilter { source: text(""), ..all() }, &[1]),
        (LeadFilter { campaign: text("launch"), ..all() }, &[4, 2]),
        (LeadFilter { campaign: text(""), ..all() }, &[3, 1]),
        (LeadFilter { referrer: text("forum.example"), ..all() }, &[3]),
        (LeadFilter { referrer: text(""), ..all() }, &[1]),
        (LeadFilter { plans: plans(&["C2N", "A1"]), ..all() }, &[4, 3, 1]),
        (LeadFilter { plans: plans(&["", "A1"]), ..all() }, &[2]),
        (LeadFilter { visit_time: "weekday-evenings".to_owned(), ..all() }, &[4, 3, 1]),
        (LeadFilter { closing_reason: ClosingReason::number(ClosingReason::Bought), ..all() }, &[4]),
        (LeadFilter { source: text("news"), plans: plans(&["C2N"]), ..search("陈") }, &[4]),
    ];
    for (filter, numbers) in cases {
        assert_eq!(list_numbers(&store, &filter).await, numbers, "{filter:?}");
    }

    let client = serve(&database).await;
    let unknown_plan = LeadFilter {
        plans: plans(&["Z9"]),
        ..all()
    };
    let unknown_time = LeadFilter {
        visit_time: "sundays".to_owned(),
        ..all()
    };
    for filter in [unknown_plan, unknown_time] {
        assert_eq!(list(&client, filter).await, Err(Code::InvalidArgument));
    }
}

async fn filters_by_what_became_of_a_lead(database: Database) {
    let store = migrated(&database).await;
    let leads: Vec<_> = (1..=4).map(submission).collect();
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let change = |number: u128, state: LeadState, owner: &str| Change {
        lead_id: Uuid::from_u128(number),
        state: Some(state),
        owner: Some(owner.to_owned()),
        author: "Mei Tan".to_owned(),
        ..Change::default()
    };
    let bought = Some(ClosingReason::Bought);
    for change in [
        change(1, LeadState::VisitBooked, "Mei Tan"),
        change(1, LeadState::Contacted, "Mei Tan"),
        change(2, LeadState::Closed, ""),
        Change {
            closing_reason: bought,
            ..change(3, LeadState::Closed, "Mei Tan")
        },
    ] {
        store.update_lead(&change).await.unwrap();
    }
    let email = "INSERT INTO delivery (lead_id, recipient, state, holder, attempts, reason_class, reason_detail, changed_at,
            mail_message_id, server_reply, requested)
        SELECT id, 'visitor', CASE WHEN reference = 'ZG-0000-04' THEN 'deferred' ELSE 'failed' END, '', 1, 'smtp', '',
            CASE WHEN reference = 'ZG-0000-02' THEN '2026-02-01T00:00:00+00:00' ELSE '2026-03-01T00:00:00+00:00' END,
            '', '', false
        FROM lead WHERE reference IN ('ZG-0000-02', 'ZG-0000-03', 'ZG-0000-04')";
    let email = if database.url().starts_with("sqlite") {
        email.to_owned()
    } else {
        email.replace("END,\n            ''", "END::timestamptz,\n            ''")
    };
    execute(database.url(), &email).await;

    let emailed = |kind: &str, state: &str, changed_from: Option<&str>| LeadFilter {
        visitor_email: Some(VisitorEmailFilter {
            kind: kind.to_owned(),
            state: state.to_owned(),
            changed_from: changed_from.map(|time| timestamp(time.parse().unwrap())),
        }),
        ..LeadFilter::default()
    };
    let all = LeadFilter::default;
    #[rustfmt::skip]
    let cases: [(LeadFilter, &[u128]); 13] = [
        (LeadFilter { contacted: Some(true), ..all() }, &[1]),
        (LeadFilter { contacted: Some(false), ..all() }, &[4, 3, 2]),
        (LeadFilter { visit_booked: Some(true), ..all() }, &[1]),
        (LeadFilter { visit_booked: Some(false), ..all() }, &[4, 3, 2]),
        (LeadFilter { closed_with_reason: Some(true), ..all() }, &[3]),
        (LeadFilter { closed_with_reason: Some(false), ..all() }, &[2]),
        (LeadFilter { assigned: Some(true), ..all() }, &[3, 1]),
        (LeadFilter { assigned: Some(false), ..all() }, &[4, 2]),
        (emailed("confirmation", "failed", None), &[3, 2]),
        (emailed("confirmation", "failed", Some("2026-03-01T00:00:00Z")), &[3]),
        (emailed("confirmation", "waiting", None), &[4]),
        (emailed("confirmation", "delivered", None), &[]),
        (emailed("brochure", "failed", None), &[]),
    ];
    for (filter, numbers) in cases {
        assert_eq!(list_numbers(&store, &filter).await, numbers, "{filter:?}");
    }
    let client = serve(&database).await;
    for filter in [
        emailed("letter", "failed", None),
        emailed("brochure", "lost", None),
    ] {
        assert_eq!(list(&client, filter).await, Err(Code::InvalidArgument));
    }
}

async fn lists_leads_by_next_step(database: Database) {
    let store = migrated(&database).await;
    let leads: Vec<_> = (1..=7).map(submission).collect();
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let plan = async |number: u128, day: u32| {
        let change = Change {
            lead_id: Uuid::from_u128(number),
            state: Some(LeadState::Contacted),
            next_step_at: Some(format!("2026-03-{day:02}T02:00:00Z").parse().unwrap()),
            author: "Mei Tan".to_owned(),
            ..Change::default()
        };
        store.update_lead(&change).await.unwrap();
    };
    // Leads 4 and 5 are due at the same time, and lead 7 has no next step.
    for (number, day) in [(1, 9), (2, 3), (3, 20), (4, 5), (5, 5), (6, 7)] {
        plan(number, day).await;
    }
    let client = serve(&database).await;
    let mut request = ListLeadsRequest {
        page_size: 2,
        order: LeadOrder::NextStep.into(),
        filter: Some(LeadFilter {
            next_step_before: Some(timestamp("2026-03-10T00:00:00Z".parse().unwrap())),
            ..LeadFilter::default()
        }),
        ..ListLeadsRequest::default()
    };
    let mut pages = Vec::new();
    loop {
        let listed = client.clone().leads.list_leads(request.clone()).await;
        let page = listed.unwrap().into_inner();
        pages.push(page.leads.iter().map(number_of).collect::<Vec<_>>());
        if pages.len() == 1 {
            // The next step of the page's last lead changes before the next page is read.
            plan(4, 30).await;
        }
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(pages, [vec![2, 4], vec![5, 6], vec![1]]);

    let other_order = ListLeadsRequest {
        page_token: Uuid::from_u128(1).to_string(),
        ..request.clone()
    };
    let unknown_order = ListLeadsRequest {
        order: 9,
        ..ListLeadsRequest::default()
    };
    for wrong in [other_order, unknown_order] {
        let listed = client.clone().leads.list_leads(wrong).await;
        assert_eq!(listed.unwrap_err().code(), Code::InvalidArgument);
    }
}

/// The number of leads that a client finds.
async fn list(client: &Client, filter: LeadFilter) -> Result<usize, Code> {
    let request = ListLeadsRequest {
        filter: Some(filter),
        ..ListLeadsRequest::default()
    };
    let listed = client.clone().leads.list_leads(request).await;
    listed
        .map(|it| it.into_inner().leads.len())
        .map_err(|status| status.code())
}

async fn hostile_texts_match_nothing(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    let client = serve(&database).await;
    for text in [
        "'",
        "\"",
        "';--",
        "%",
        "_",
        "\\",
        "*",
        "?",
        "a\0",
        "\u{10ffff}",
        "$1",
        "NULL",
        "😀😀",
        "' OR 1=1 --",
        "zg-\0",
        "＋",
        "+",
    ] {
        assert_eq!(list(&client, search(text)).await, Ok(0), "{text:?}");
    }
    assert_eq!(list(&client, search(&"x".repeat(255))).await, Ok(0));
    assert_eq!(list(&client, search(&"9".repeat(255))).await, Ok(0));
    assert_eq!(
        list(&client, search(&"x".repeat(256))).await,
        Err(Code::InvalidArgument)
    );
    assert_eq!(
        list(&client, search(&"x".repeat(10_000))).await,
        Err(Code::InvalidArgument)
    );
    assert_eq!(
        list(&client, search(&"😀".repeat(128))).await,
        Err(Code::InvalidArgument)
    );
    assert_eq!(
        list(&client, search("陈伟")).await,
        Ok(1),
        "the search still works"
    );
    for invisible in [" ", "\u{202e}", "\u{3164}"] {
        assert_eq!(
            list(&client, search(invisible)).await,
            Ok(1),
            "{invisible:?} matches every lead"
        );
    }
    let owner = |owner: &str| LeadFilter {
        owner: owner.to_owned(),
        ..LeadFilter::default()
    };
    assert_eq!(list(&client, owner("' OR '' = '\0")).await, Ok(0));
    assert_eq!(
        list(&client, owner(" ")).await,
        Ok(1),
        "spaces match leads without an owner"
    );
    assert_eq!(
        list(&client, owner(&"x".repeat(101))).await,
        Err(Code::InvalidArgument)
    );
    let state = LeadFilter {
        state: 99,
        ..LeadFilter::default()
    };
    assert_eq!(list(&client, state).await, Err(Code::InvalidArgument));
}

async fn erased_leads_are_not_found(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1), submission(2)])
        .await
        .unwrap();
    let mut client = serve(&database).await;
    store
        .record_leads(Source::Broker, &[submission(3)])
        .await
        .unwrap();
    execute(
        database.url(),
        "UPDATE lead SET erased_at = recorded_at WHERE reference IN ('ZG-0000-01', 'ZG-0000-03')",
    )
    .await;
    store
        .record_leads(Source::Broker, &[submission(4)])
        .await
        .unwrap();

    for filter in [
        LeadFilter::default(),
        search("陈"),
        LeadFilter {
            state: LeadState::New as i32,
            ..LeadFilter::default()
        },
    ] {
        assert_eq!(list_numbers(&store, &filter).await, [4, 2]);
    }
    assert!(store.lead(Uuid::from_u128(1)).await.is_err());
    for key in [
        Key::LeadId(lead(1).lead_id),
        Key::Reference(lead(1).reference),
    ] {
        let gone = client
            .leads
            .get_lead(GetLeadRequest { key: Some(key) })
            .await
            .unwrap_err();
        assert_eq!(gone.code(), Code::NotFound);
        assert!(gone.message().ends_with("was erased"), "{}", gone.message());
    }
    let never = client
        .leads
        .get_lead(by_reference("ZG-9999-99"))
        .await
        .unwrap_err();
    assert!(
        never.message().starts_with("there is no"),
        "{}",
        never.message()
    );
}
