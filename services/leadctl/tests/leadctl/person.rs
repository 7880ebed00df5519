//! `leadctl person`: export, erase, merge and split, including dead letters.

use std::{fs, io::Write, os::unix::fs::PermissionsExt};

use contracts::{
    crm::v1::ErasePersonRequest,
    leads::v1::{LeadDelivered, LeadSubmitted},
};
use messaging::Event;
use serde_json::{Value, json};
use testkit::{
    broker::{Vhost, payload},
    wait,
};

use crate::{
    dead_letters::{refuse, terminal},
    support::{Client, Crm, Outcome, lead, number_ids, run},
};

const WEI: &str = "wei@example.com";

const QUEUES: [&str; 2] = ["notifier.dead-letters", "crm-sync.dead-letters"];

fn other_persons_lead(number: u32) -> LeadSubmitted {
    LeadSubmitted {
        email: "mei@example.com".to_owned(),
        mobile: "81234567".to_owned(),
        ..lead(number)
    }
}

/// Puts three leads of one person, one of them without an id, and a lead of another person into both dead-letter
/// queues, and a report of a fourth lead. The CRM has one lead of each person.
async fn dead_letters(vhost: &Vhost) -> Crm {
    let second = LeadSubmitted {
        email: "Wei@Example.COM".to_owned(),
        mobile: String::new(),
        ..lead(2)
    };
    let news = LeadDelivered {
        lead: Some(lead(4)),
        ..LeadDelivered::default()
    };
    let without_id = LeadSubmitted {
        lead_id: String::new(),
        ..lead(5)
    };
    let leads = [lead(1), second, without_id, other_persons_lead(3)].map(Event::LeadSubmitted);
    refuse(vhost, &[&leads[..], &[Event::LeadDelivered(news)]].concat()).await;
    crm_with(vhost, [lead(1), other_persons_lead(3)]).await
}

/// A CRM with these leads, and an operator of the broker.
async fn crm_with(vhost: &Vhost, leads: impl IntoIterator<Item = LeadSubmitted>) -> Crm {
    let crm = Crm::start().await;
    crm.configure_broker(&vhost.url_of("operator"));
    for lead in leads {
        crm.record(lead).await;
    }
    crm
}

/// Waits for `count` dead letters and returns their queues and bodies.
async fn bodies(vhost: &Vhost, count: usize) -> Vec<(&'static str, String)> {
    wait::for_some(&format!("{count} dead letters"), async || {
        let mut bodies = Vec::new();
        for queue in QUEUES {
            let text = |message| String::from_utf8_lossy(&payload(message)).into_owned();
            bodies.extend(
                vhost
                    .messages(queue)
                    .await
                    .iter()
                    .map(|it| (queue, text(it))),
            );
        }
        (bodies.len() == count).then_some(bodies)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn erase_deletes_only_dead_letters_of_the_person() {
    let vhost = Vhost::create().await;
    let crm = dead_letters(&vhost).await;
    vhost
        .publish_raw("notifier.dead-letters", json!({}), "poison")
        .await;
    // A message that cannot be decoded, with the id of its lead.
    let known = json!({ "message_id": lead(1).lead_id });
    vhost
        .publish_raw("notifier.dead-letters", known, "wei@example.com")
        .await;

    let unasked = crm.run(&["person", "erase", WEI]).await;
    assert_eq!(
        (unasked.code, unasked.stdout.as_str()),
        (Some(64), ""),
        "{}",
        unasked.stderr
    );
    insta::assert_snapshot!("asked", number_ids(&unasked.stderr));
    bodies(&vhost, 11).await;

    let erased = crm
        .run(&["person", "erase", " WEI@example.com", "--yes"])
        .await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    insta::assert_snapshot!("erased", erased.stdout);
    let left = bodies(&vhost, 3).await;
    assert!(
        left.iter()
            .all(|(_, body)| !body.to_lowercase().contains("wei@")),
        "{left:?}"
    );
    for queue in QUEUES {
        assert!(
            left.iter()
                .any(|(lies, body)| *lies == queue && body.contains("mei@example.com")),
            "{queue}"
        );
    }
    assert_eq!(crm.list(&[]).await, ["ZG-0000-03"]);
    // The queues may still contain copies of the leads, even of leads that the CRM never stored.
    for number in [1, 2, 4] {
        assert!(!crm.record(lead(number)).await, "{number}");
    }
    let again = crm.run(&["person", "erase", WEI, "--yes"]).await;
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (Some(1), ""),
        "{}",
        again.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn erasure_with_do_not_contact_marks_later_leads_of_the_person() {
    let vhost = Vhost::create().await;
    let crm = crm_with(&vhost, [lead(1), lead(2)]).await;
    let erased = crm
        .run(&["person", "erase", WEI, "--yes", "--do-not-contact"])
        .await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    assert!(crm.record(lead(3)).await);
    assert_eq!(crm.list(&[]).await, ["ZG-0000-03"]);
    assert!(crm.show("ZG-0000-03").await["progress"]["do_not_contact_at"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn erase_can_be_repeated_after_a_failure() {
    let vhost = Vhost::create().await;
    let crm = dead_letters(&vhost).await;
    // Simulates a run that ended between the CRM and the queues.
    let request = ErasePersonRequest {
        email: WEI.to_owned(),
        ..ErasePersonRequest::default()
    };
    crm.grpc().await.people.erase_person(request).await.unwrap();
    let erased = crm
        .run(&["person", "erase", "+65 9123 4567", "--yes", "--json"])
        .await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    assert!(
        erased.stderr.contains("7 dead letters\n"),
        "{}",
        erased.stderr
    );
    let printed: Value = serde_json::from_str(&erased.stdout).unwrap();
    let leads = [1, 2, 4].map(|number| lead(number).lead_id);
    assert_eq!(
        printed["erased"],
        json!({ "leads": leads, "dead_letters": 7, "unreadable": 0 })
    );
    bodies(&vhost, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_queues_prevent_erasure() {
    let vhost = Vhost::create().await;
    let crm = dead_letters(&vhost).await;
    let blind = vhost.url_of("lead-intake");
    for (amqp, code, said) in [
        (None, 64, "no `amqp` entry"),
        (
            Some("amqp://operator:hunter2@127.0.0.1:1/%2f"),
            69,
            "127.0.0.1:1 is unreachable",
        ),
        (Some(blind.as_str()), 77, "rejected the user"),
    ] {
        let client = Client::new(crm.address);
        if let Some(amqp) = amqp {
            client.configure_broker(amqp);
        }
        let refused = client.run(&["person", "erase", WEI, "--yes"]).await;
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (Some(code), ""),
            "{}",
            refused.stderr
        );
        for part in [said, "nothing was erased"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
        assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
    }
    assert_eq!(crm.list(&[]).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn erase_asks_at_a_terminal() {
    let vhost = Vhost::create().await;
    let crm = crm_with(&vhost, [lead(1)]).await;
    for (answer, code, left) in [("", 1, 1), ("n", 1, 1), ("y", 0, 0)] {
        let (mut keyboard, terminal) = terminal();
        writeln!(keyboard, "{answer}").unwrap();
        let mut command = crm.command(&["person", "erase", WEI]);
        command.stdin(terminal);
        let outcome = run(command).await;
        assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        assert!(
            outcome
                .stderr
                .contains("Erase all of this permanently? [y/N] "),
            "{}",
            outcome.stderr
        );
        assert!(!outcome.stderr.contains("9123"), "{}", outcome.stderr);
        assert_eq!(crm.list(&[]).await.len(), left);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn person_export_writes_a_private_file() {
    let crm = Crm::start().await;
    assert!(crm.record(lead(1)).await && crm.record(other_persons_lead(3)).await);
    let shown = crm.run(&["person", "export", "9123 4567"]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let json: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(
        (&json["email"], json["leads"].as_array().unwrap().len()),
        (&json!(WEI), 1)
    );
    assert_eq!(
        (&json["leads"][0]["email"], &json["leads"][0]["questions"]),
        (&json!(WEI), &json!(lead(1).questions))
    );

    let file = crm.directory.path().join("wei.json");
    let written = crm
        .run(&["person", "export", WEI, "--output", file.to_str().unwrap()])
        .await;
    assert_eq!(
        (written.code, written.stdout.as_str()),
        (Some(0), ""),
        "{}",
        written.stderr
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let json: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(json["leads"][0]["reference"], "ZG-0000-01");

    for (person, code) in [("nobody@example.com", 1), ("陈伟", 64)] {
        assert_eq!(
            crm.run(&["person", "export", person]).await.code,
            Some(code),
            "{person}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_number_selects_only_chosen_people() {
    let vhost = Vhost::create().await;
    let mei = LeadSubmitted {
        name: "Lim Mei".to_owned(),
        mobile: "+65 9123 4567".to_owned(),
        ..other_persons_lead(3)
    };
    refuse(
        &vhost,
        &[
            Event::LeadSubmitted(lead(1)),
            Event::LeadSubmitted(mei.clone()),
        ],
    )
    .await;
    let crm = crm_with(&vhost, [lead(1), mei.clone()]).await;
    let number = "9123 4567";
    for command in [
        &["person", "export", number][..],
        &["person", "erase", number, "--yes"],
    ] {
        let refused = crm.run(command).await;
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (Some(1), ""),
            "{}",
            refused.stderr
        );
        for part in ["by email address", "mei@example.com  Lim Mei", WEI] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
    let chosen = crm
        .run(&["person", "export", "Mei@example.com", "--yes"])
        .await;
    let json: Value = serde_json::from_str(&chosen.stdout).unwrap();
    assert_eq!(json["leads"].as_array().unwrap().len(), 1);
    assert_eq!(json["leads"][0]["email"], "mei@example.com");

    let erased = crm
        .run(&["person", "erase", "mei@example.com", "--yes"])
        .await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    let (of_mei, others) = erased.stderr.split_once("1 other lead may").unwrap();
    assert!(
        of_mei.contains("mei@example.com") && !of_mei.contains(WEI) && others.contains(WEI),
        "{}",
        erased.stderr
    );
    assert_eq!(crm.list(&[]).await, ["ZG-0000-01"]);
    let left = bodies(&vhost, 2).await;
    assert!(left.iter().all(|(_, body)| body.contains(WEI)), "{left:?}");
}

/// Leads of one person with two addresses, of which one has two spellings, and of a stranger with the same number. The
/// stranger has another lead in the dead letters.
async fn related_leads(vhost: &Vhost) -> Crm {
    let from = |number: u32, email: &str, name: &str| LeadSubmitted {
        email: email.to_owned(),
        name: name.to_owned(),
        ..lead(number)
    };
    let waiting = from(5, "waiting@example.com", "Waiting");
    refuse(vhost, &[Event::LeadSubmitted(waiting)]).await;
    let leads = [
        from(1, "lim.ah@gmail.com", "Lim Ah Kow"),
        from(2, "limah+condo@gmail.com", "Lim Ah Kow"),
        from(3, "lim@office.example", "Lim Ah Kow"),
        from(4, "stranger@example.com", "Stranger"),
    ];
    crm_with(vhost, leads).await
}

const OFFICE_LINE: &str =
    "  lim@office.example  Lim Ah Kow  ZG-0000-03  same person in the CRM, same phone number\n";
const STRANGER_LINE: &str = "  stranger@example.com  Stranger  ZG-0000-04  same phone number\n";

#[tokio::test(flavor = "multi_thread")]
async fn export_shows_possible_leads_and_asks() {
    let vhost = Vhost::create().await;
    let crm = related_leads(&vhost).await;
    let home = ["person", "export", "limah@gmail.com"];
    let exported = |outcome: &Outcome| -> Value { serde_json::from_str(&outcome.stdout).unwrap() };
    let unasked = crm.run(&home).await;
    assert_eq!(
        (unasked.code, unasked.stdout.as_str()),
        (Some(64), ""),
        "{}",
        unasked.stderr
    );
    for part in [
        "2 other leads may belong to this person",
        "--with ADDRESS",
        OFFICE_LINE,
        STRANGER_LINE,
        "nothing exported: pass --yes",
    ] {
        assert!(unasked.stderr.contains(part), "{part}: {}", unasked.stderr);
    }
    let (mut keyboard, terminal) = terminal();
    writeln!(keyboard, "n").unwrap();
    let mut command = crm.command(&home);
    command.stdin(terminal);
    let declined = run(command).await;
    assert_eq!(
        (declined.code, declined.stdout.as_str()),
        (Some(1), ""),
        "{}",
        declined.stderr
    );
    assert!(
        declined.stderr.ends_with("nothing exported\n"),
        "{}",
        declined.stderr
    );

    let alone = crm.run(&[&home[..], &["--yes"]].concat()).await;
    assert_eq!(alone.code, Some(0), "{}", alone.stderr);
    assert!(alone.stderr.contains(OFFICE_LINE), "{}", alone.stderr);
    assert_eq!(exported(&alone)["leads"].as_array().unwrap().len(), 2);
    assert!(!alone.stdout.contains("office") && !alone.stdout.contains("stranger"));

    let office = ["--with", "Lim@Office.example", "--yes"];
    let both = crm.run(&[&home[..], &office].concat()).await;
    assert_eq!(both.code, Some(0), "{}", both.stderr);
    assert!(!both.stderr.contains(OFFICE_LINE) && both.stderr.contains(STRANGER_LINE));
    assert_eq!(exported(&both)["leads"].as_array().unwrap().len(), 3);
    assert_eq!(
        exported(&both)["further_emails"],
        json!(["lim@office.example"])
    );

    for (wrong, code) in [("lim@ofice.example", 1), ("9123 4567", 64)] {
        let refused = crm
            .run(&[&home[..], &["--with", wrong, "--yes"]].concat())
            .await;
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (Some(code), ""),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains(wrong), "{}", refused.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn erase_keeps_possible_leads_that_are_not_named() {
    let vhost = Vhost::create().await;
    let crm = related_leads(&vhost).await;
    let home = ["person", "erase", "limah@gmail.com"];
    let unasked = crm.run(&home).await;
    assert_eq!(unasked.code, Some(64), "{}", unasked.stderr);
    let waiting = "  waiting@example.com  Waiting  ZG-0000-05  same phone number\n";
    for part in [
        "3 other leads may belong",
        OFFICE_LINE,
        STRANGER_LINE,
        waiting,
    ] {
        assert!(unasked.stderr.contains(part), "{part}: {}", unasked.stderr);
    }
    let named = [
        "--with",
        "lim@office.example",
        "--with",
        "gone@example.com",
        "--yes",
    ];
    let erased = crm.run(&[&home[..], &named].concat()).await;
    assert_eq!(erased.code, Some(0), "{}", erased.stderr);
    assert!(
        erased.stdout.starts_with("Erased 3 leads "),
        "{}",
        erased.stdout
    );
    assert!(
        erased.stderr.contains("no data about gone@example.com"),
        "{}",
        erased.stderr
    );
    assert_eq!(crm.list(&[]).await, ["ZG-0000-04"]);
    bodies(&vhost, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn merge_and_split_people() {
    let crm = Crm::start().await;
    assert!(crm.record(lead(1)).await && crm.record(other_persons_lead(3)).await);
    let (one, other) = ("zg-0000-01", "zg-0000-03");
    let person = async |reference| {
        let shown: Value =
            serde_json::from_str(&crm.run(&["show", reference, "--json"]).await.stdout).unwrap();
        shown["contact_id"].as_str().unwrap().to_owned()
    };
    let unasked = crm.run(&["person", "merge", one, other]).await;
    assert_eq!(
        unasked.code,
        Some(64),
        "without a terminal it requires --yes"
    );
    assert!(
        unasked.stderr.contains(WEI) && unasked.stderr.contains("mei@example.com"),
        "{}",
        unasked.stderr
    );
    assert_ne!(person(one).await, person(other).await);

    let joined = crm.run(&["person", "merge", one, other, "--yes"]).await;
    assert_eq!(
        (joined.code, joined.stdout.as_str()),
        (Some(0), "Moved 1 lead.\n"),
        "{}",
        joined.stderr
    );
    assert_eq!(person(one).await, person(other).await);
    let again = crm.run(&["person", "merge", one, other, "--yes"]).await;
    assert_eq!(again.stdout, "Moved 0 leads.\n");

    let parted = crm.run(&["person", "split", other, "--yes"]).await;
    assert_eq!(
        (parted.code, parted.stdout.as_str()),
        (Some(0), "Moved 1 lead.\n"),
        "{}",
        parted.stderr
    );
    assert_ne!(person(one).await, person(other).await);
    let shown = crm.run(&["show", other]).await.stdout;
    for said in [
        "person_changed: reference ZG-0000-01; client operator",
        "person_changed: client operator",
    ] {
        assert!(shown.contains(said), "{shown}");
    }
    let unknown = crm
        .run(&["person", "merge", one, "zg-0000-09", "--yes"])
        .await;
    assert_eq!(unknown.code, Some(1), "{}", unknown.stderr);
}
