//! `leadctl list` and `leadctl show`.

use std::{
    fs::{self, File},
    io::Read,
    path::PathBuf,
    process::{Child, ExitStatus, Stdio},
};

use testkit::crm::OPERATOR;

use crate::support::{Crm, lead};

#[tokio::test(flavor = "multi_thread")]
async fn list_shows_the_newest_first() {
    let crm = Crm::start().await;
    let none = crm.run(&["list"]).await;
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), "No leads.\n"));

    for number in 1..=3 {
        crm.record(lead(number)).await;
    }
    let list = crm.run(&["list", "--limit", "2"]).await;
    let rows: Vec<_> = list.stdout.lines().collect();
    assert_eq!(rows.len(), 3, "{}", list.stdout);
    assert!(rows[0].contains("SUBMITTED_AT (+08)"), "{}", list.stdout);
    assert!(
        rows[1].starts_with("ZG-0000-03  2025-11-21 00:00    陈伟 "),
        "{}",
        list.stdout
    );
    assert!(rows[2].starts_with("ZG-0000-02"), "{}", list.stdout);
    assert_eq!(list.code, Some(0), "{}", list.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn list_follows_pages() {
    let crm = Crm::start().await;
    for number in 1..=503 {
        crm.record(lead(number)).await;
    }
    let list = crm.run(&["list", "--limit", "502", "--json"]).await;
    let references: Vec<_> = list
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["reference"].clone())
        .collect();
    let expected: Vec<_> = (2..=503)
        .rev()
        .map(|number| lead(number).reference)
        .collect();
    assert_eq!(references, expected);

    // The reader closes the pipe early: leadctl ends without a panic or an error.
    let mut child = crm
        .command(&["list", "--limit", "503", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 9];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    assert!(wait_for_end(child).await.success());
}

async fn wait_for_end(mut child: Child) -> ExitStatus {
    tokio::task::spawn_blocking(move || child.wait().unwrap())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn show_accepts_reference_or_id() {
    let crm = Crm::start().await;
    crm.record(lead(7)).await;
    for named in [
        "ZG-0000-07",
        "zg-oooo-o7",
        "000007",
        lead(7).lead_id.as_str(),
    ] {
        let shown = crm.run(&["show", named]).await;
        assert_eq!(shown.code, Some(0), "{named}: {}", shown.stderr);
        for part in [
            "ZG-0000-07",
            "陈伟",
            "purchase, showflat",
            "And how?",
            "2025-11-21 00:00:07 +08",
        ] {
            assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
        }
    }
    let json = crm.run(&["--json", "show", "ZG-0000-07"]).await.stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["submitted_at"], "2025-11-20T16:00:07.250Z");
    assert_eq!(
        json["interests"],
        serde_json::json!(["purchase", "showflat"])
    );
    assert_eq!(json["language"], "zh");
    assert_eq!(json["questions"], lead(7).questions);
    assert_eq!(json["deliveries"], serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn show_lists_what_conflicting_submissions_changed() {
    let crm = Crm::start().await;
    assert!(crm.record(lead(1)).await);
    let mut other = lead(1);
    other.mobile = "+65 9999 9999".to_owned();
    assert!(!crm.record(other).await);

    let shown = crm.run(&["show", "ZG-0000-01"]).await.stdout;
    let (_, history) = shown.split_once("Timeline\n").unwrap();
    let entries: Vec<_> = history
        .lines()
        .map(|line| line.get(25..).unwrap_or_default())
        .collect();
    assert_eq!(
        entries[..4],
        ["submitted", "recorded: source grpc", "conflicting", ""],
        "{shown}"
    );
    let mobile = history
        .lines()
        .find(|line| line.starts_with("mobile"))
        .unwrap();
    assert!(mobile.ends_with("+65 9999 9999"), "{shown}");
    assert!(!history.contains("email"), "{shown}");

    let json = crm.run(&["show", "ZG-0000-01", "--json"]).await.stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["mobile"], lead(1).mobile);
    assert_eq!(json["conflicts"][0]["mobile"], "+65 9999 9999");
    assert_eq!(json["timeline"][1]["source"], "grpc");
}

#[tokio::test(flavor = "multi_thread")]
async fn visitor_texts_are_escaped() {
    let crm = Crm::start().await;
    let mut nasty = lead(1);
    nasty.name = "\x1b]0;owned\x07\u{9b}2J".to_owned();
    nasty.questions = "\x1b[31mred\u{202e}".to_owned();
    crm.record(nasty).await;
    for arguments in [
        &["list"][..],
        &["show", "ZG-0000-01"],
        &["list", "--json"],
        &["show", "ZG-0000-01", "--json"],
    ] {
        let outcome = crm.run(arguments).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let raw = outcome
            .stdout
            .chars()
            .find(|letter| letter.is_control() && *letter != '\n');
        assert_eq!(raw, None, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_end_with_what_to_do() {
    let crm = Crm::start().await;
    crm.record(lead(1)).await;
    let mut twin = lead(2);
    twin.reference = lead(1).reference;
    crm.record(twin).await;

    let check = async |arguments: &[&str], code: i32, said: &[&str]| {
        let outcome = crm.run(arguments).await;
        assert_eq!(
            outcome.code,
            Some(code),
            "{arguments:?}: {}",
            outcome.stderr
        );
        for part in said {
            assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
        }
        assert!(outcome.stdout.is_empty(), "{}", outcome.stdout);
    };
    check(
        &["show", "ZG-9999-99"],
        1,
        &["there is no lead ZG-9999-99", "leadctl list"],
    )
    .await;
    check(
        &["show", "ZG-0000-01"],
        1,
        &[&lead(1).lead_id, &lead(2).lead_id],
    )
    .await;
    check(&["show", "nonsense"], 64, &["ZG-7F3K-2Q"]).await;
    check(&["frobnicate"], 64, &["frobnicate"]).await;
    check(&["list", "--config", "nowhere.toml"], 64, &["nowhere.toml"]).await;

    crm.configure(
        &format!("http://{}", crm.address),
        "another-token-0123456789abcdef0123",
    );
    check(&["list"], 77, &["permission denied", "leadctl.toml"]).await;
    crm.configure("http://127.0.0.1:1", OPERATOR);
    check(
        &["list"],
        69,
        &[
            "http://127.0.0.1:1 is unreachable",
            "refused",
            "cargo xtask up",
        ],
    )
    .await;
    let file = crm.directory.path().join(".local/leadctl.toml");
    // A file of a deployed system.
    let deployed = crm.directory.path().join("leadctl.toml");
    fs::rename(file, &deployed).unwrap();
    let refused = crm
        .run(&["list", "--config", &deployed.display().to_string()])
        .await;
    assert_eq!(refused.code, Some(69), "{}", refused.stderr);
    assert!(!refused.stderr.contains("cargo"), "{}", refused.stderr);
    check(&["list"], 64, &["cargo xtask up", "--config"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_is_an_error() {
    let crm = Crm::start().await;
    crm.record(lead(1)).await;
    let full = PathBuf::from("/dev/full");
    let mut command = crm.command(&["list"]);
    command
        .stdout(File::options().write(true).open(full).unwrap())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    assert_eq!(wait_for_end(child).await.code(), Some(74));
}
