//! `leadctl export`, tested by reading the files with other programs.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use contracts::leads::v1::{Campaign, LeadSubmitted, Session, SpamSignal};
use rustix::process::{Pid, Signal, kill_process};
use testkit::{
    crates::calamine::{Data, DataType, Reader, Xlsx, open_workbook},
    crm::OPERATOR,
    proxy::Proxy,
    wait,
};
use uuid::Uuid;

use crate::{
    dead_letters::terminal,
    support::{Client, Crm, lead, run},
};

const MANY: u32 = 3_000;

/// Texts that could break a spreadsheet, a terminal or a table.
const HOSTILE: [&str; 9] = [
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "-2+3",
    "a\r\nb,c;\"d\"",
    "<script>alert(1)</script>",
    "\u{202e}gpj.exe\u{200b}",
    "𠮷野家 \u{1b}[2J",
    "_x000D_",
    "https://evil.example/?a=1",
];

fn hostile() -> Vec<LeadSubmitted> {
    let lead = |(number, text): (u32, &&str)| LeadSubmitted {
        name: (*text).to_owned(),
        questions: format!("{text}{}", "😀".repeat(400)),
        mobile: "+6591234567".to_owned(),
        signals: vec![SpamSignal::Links.into()],
        session: Some(Session {
            session_id: Uuid::from_u128(7).to_string(),
            is_network_busy: false,
            started_at: lead(1).submitted_at,
            landing_path: "/".to_owned(),
            referrer_host: (*text).to_owned(),
            campaign: Some(Campaign {
                source: (*text).to_owned(),
                ..Campaign::default()
            }),
        }),
        ..lead(number)
    };
    // Exports begin with the newest lead.
    (1..=9).rev().zip(&HOSTILE).map(lead).collect()
}

/// Returns the expected text, without invisible characters and with uniform line breaks.
fn cleaned(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace(['\u{202e}', '\u{200b}', '\u{1b}'], "")
}

async fn start_with_hostile() -> Crm {
    let crm = Crm::start().await;
    for lead in hostile() {
        crm.record(lead).await;
    }
    crm
}

/// Starts a CRM with this number of leads of 3 KB each.
async fn start_with_long(leads: u32) -> Crm {
    let crm = Crm::start().await;
    crm.record(LeadSubmitted {
        questions: "景".repeat(1000),
        ..lead(1)
    })
    .await;
    crm.copy_lead(leads - 1).await;
    crm
}

fn file(client: &Client, name: &str) -> PathBuf {
    client.directory.path().join(name)
}

async fn export(crm: &Crm, name: &str) -> PathBuf {
    let path = file(crm, name);
    let outcome = crm
        .run(&["export", "--output", path.to_str().unwrap()])
        .await;
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (Some(0), ""),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.starts_with("9 leads in "),
        "{}",
        outcome.stderr
    );
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_is_valid_without_formulas() {
    let crm = start_with_hostile().await;
    let path = export(&crm, "leads.csv").await;
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("\u{feff}Reference,Submitted,"), "{text}");
    assert!(text.ends_with("\r\n") && text.lines().count() > HOSTILE.len());

    let mut reader = csv::Reader::from_path(&path).unwrap();
    let column =
        |name: &str, headers: &csv::StringRecord| headers.iter().position(|it| it == name).unwrap();
    let headers = reader.headers().unwrap().clone();
    let (name, mobile) = (column("Name", &headers), column("Mobile", &headers));
    let rows: Vec<_> = reader.records().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), HOSTILE.len());
    for (row, typed) in rows.iter().zip(HOSTILE) {
        assert!(
            row[name] == cleaned(typed) || row[name] == format!("'{}", cleaned(typed)),
            "{}",
            &row[name]
        );
        assert_eq!(&row[mobile], "'+6591234567");
        let formula = row
            .iter()
            .find(|cell| cell.starts_with(['=', '+', '-', '@', '\t', '\r']));
        assert_eq!(formula, None);
        assert_eq!(
            row.iter()
                .flat_map(str::chars)
                .find(|it| it.is_control() && *it != '\n'),
            None
        );
    }
    assert_eq!(
        &rows[0][column("Submitted", &headers)],
        "2025-11-21 00:00:09"
    );
    assert_eq!(&rows[0][column("Policy version", &headers)], "'2025-07");
    insta::assert_snapshot!(
        "csv",
        text.lines()
            .take(2)
            .collect::<Vec<_>>()
            .join("\n")
            .replace("😀", "")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn python_reads_the_same_csv() {
    let crm = start_with_hostile().await;
    let path = export(&crm, "leads.csv").await;
    let script = "import csv, json, sys\n\
                  rows = list(csv.DictReader(open(sys.argv[1], encoding='utf-8-sig', newline=''), strict=True))\n\
                  print(json.dumps([row['Name'] for row in rows]))";
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(&path);
    let outcome = run(python).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let names: Vec<String> = serde_json::from_str(&outcome.stdout).unwrap();
    let names: Vec<_> = names
        .iter()
        .map(|name| name.trim_start_matches('\''))
        .collect();
    assert_eq!(names, HOSTILE.map(cleaned));
}

#[tokio::test(flavor = "multi_thread")]
async fn xlsx_has_only_texts_and_times() {
    let crm = start_with_hostile().await;
    let path = export(&crm, "leads.xlsx").await;
    check_spreadsheet(&path);

    // With an explicit format, leadctl also writes to a pipe.
    let piped = file(&crm, "piped.xlsx");
    let mut command = crm.command(&["export", "--format", "xlsx"]);
    command.stdout(fs::File::create(&piped).unwrap());
    assert_eq!(run(command).await.code, Some(0));
    check_spreadsheet(&piped);
}

fn check_spreadsheet(path: &Path) {
    let mut workbook: Xlsx<_> = open_workbook(path).unwrap();
    let sheet = workbook.worksheet_range("Leads").unwrap();
    let formulas = workbook.worksheet_formula("Leads").unwrap();
    assert!(
        formulas
            .used_cells()
            .all(|(_, _, formula)| formula.is_empty())
    );
    let rows: Vec<_> = sheet.rows().collect();
    assert_eq!(rows.len(), 1 + HOSTILE.len());
    let column = |name: &str| {
        rows[0]
            .iter()
            .position(|it| *it == Data::String(name.to_owned()))
            .unwrap()
    };
    for (row, typed) in rows[1..].iter().zip(HOSTILE) {
        assert_eq!(row[column("Name")], Data::String(cleaned(typed)));
        assert_eq!(
            row[column("Mobile")],
            Data::String("+6591234567".to_owned())
        );
        let is_text_or_time =
            |cell: &&Data| matches!(cell, Data::String(_) | Data::Empty | Data::DateTime(_));
        assert_eq!(row.iter().find(|cell| !is_text_or_time(cell)), None);
    }
    let submitted = rows[1][column("Submitted")]
        .get_datetime()
        .unwrap()
        .as_f64();
    assert!(
        (submitted - (45_982.0 + 9.25 / 86_400.0)).abs() < 1e-4,
        "{submitted}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn xlsx_texts_stay_texts_when_edited() {
    let crm = start_with_hostile().await;
    let path = export(&crm, "leads.xlsx").await;
    let script = "import re, sys, zipfile\n\
                  parts = zipfile.ZipFile(sys.argv[1])\n\
                  read = lambda name: parts.read('xl/' + name).decode()\n\
                  styles = read('styles.xml').split('<cellXfs')[1].split('</cellXfs>')[0]\n\
                  quoted = ['quotePrefix=\"1\"' in style for style in re.findall('<xf [^>]*>', styles)]\n\
                  cells = re.findall('<c r=\"[A-Z]+[2-9]\"( s=\"([0-9]+)\")? t=', read('worksheets/sheet1.xml'))\n\
                  assert cells\n\
                  print(all(quoted[int(style or 0)] for _, style in cells))";
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(&path);
    let outcome = run(python).await;
    assert_eq!(outcome.stdout.trim(), "True", "{}", outcome.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_omit_do_not_contact() {
    let crm = start_with_hostile().await;
    let (email, mobile) = ("mei@example.com".to_owned(), "8123 4567".to_owned());
    crm.record(LeadSubmitted {
        email,
        mobile,
        ..lead(16)
    })
    .await;
    assert_eq!(
        crm.run(&["update", "ZG-0000-0G", "--do-not-contact"])
            .await
            .code,
        Some(0)
    );
    let without = crm.run(&["export", "--json"]).await;
    assert_eq!(
        (without.code, without.stdout.lines().count()),
        (Some(0), 9),
        "{}",
        without.stderr
    );
    assert!(
        without
            .stderr
            .contains("left out 1 lead of people who must not be contacted"),
        "{}",
        without.stderr
    );
    let with = crm
        .run(&["export", "--format", "csv", "--with-do-not-contact"])
        .await;
    let mut rows = csv::Reader::from_reader(with.stdout.as_bytes());
    let column = rows
        .headers()
        .unwrap()
        .iter()
        .position(|it| it == "Do not contact since")
        .unwrap();
    let marked = rows
        .records()
        .filter(|row| !row.as_ref().unwrap()[column].is_empty())
        .count();
    assert_eq!((marked, with.stderr.as_str()), (1, ""));
    let listed = crm.run(&["list"]).await;
    assert_eq!(
        listed.stdout.matches("do not contact").count(),
        1,
        "{}",
        listed.stdout
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn json_export_has_one_object_a_line() {
    let crm = start_with_hostile().await;
    let path = export(&crm, "leads.jsonl").await;
    let text = fs::read_to_string(path).unwrap();
    let names: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].clone())
        .collect();
    assert_eq!(names, HOSTILE);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_export_keeps_the_old_file() {
    let crm = start_with_long(MANY).await;
    let proxy = Proxy::start(crm.address.to_string()).await.unwrap();
    crm.configure(&format!("http://{}", proxy.address()), OPERATOR);
    let directory = file(&crm, "exports");
    fs::create_dir(&directory).unwrap();
    let path = directory.join("leads.csv");
    fs::write(&path, "before").unwrap();
    let mut command = crm.command(&["export", "-o", path.to_str().unwrap()]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    wait_for_first_bytes(&directory, "before".len()).await;
    proxy.cut();
    let code = wait_for_end(child).await;
    let mut printed = String::new();
    stderr.read_to_string(&mut printed).unwrap();
    assert!(
        code == Some(69) && printed.contains("is unreachable"),
        "{printed}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);

    proxy.restore();
    let nowhere = crm.run(&["export", "-o", "/nowhere/leads.csv"]).await;
    assert_eq!(nowhere.code, Some(74), "{}", nowhere.stderr);
    assert_eq!(crm.run(&["export"]).await.code, Some(64));
}

/// Waits until the files of a directory have more bytes than before the export.
async fn wait_for_first_bytes(directory: &Path, before: usize) {
    wait::until("the first bytes of the export", async || {
        let files = fs::read_dir(directory).unwrap();
        let bytes: u64 = files.map(|it| it.unwrap().metadata().unwrap().len()).sum();
        bytes > before as u64
    })
    .await;
}

async fn wait_for_end(mut child: Child) -> Option<i32> {
    wait::until("the end of the export", async || {
        child.try_wait().unwrap().is_some()
    })
    .await;
    child.wait().unwrap().code()
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_pipe_ends_an_export_silently() {
    let crm = start_with_long(MANY).await;
    for format in ["--format=csv", "--json"] {
        let mut command = crm.command(&["export", format]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdout
            .take()
            .unwrap()
            .read_exact(&mut [0; 9])
            .unwrap();
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), said.as_str()),
            (Some(0), ""),
            "{format}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_export_leaves_no_file() {
    let crm = start_with_long(MANY).await;
    let directory = file(&crm, "exports");
    fs::create_dir(&directory).unwrap();
    let path = directory.join("leads.csv");
    let mut command = crm.command(&["export", "-o", path.to_str().unwrap()]);
    let child = command.stderr(Stdio::null()).spawn().unwrap();
    wait_for_first_bytes(&directory, 0).await;
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(wait_for_end(child).await, Some(130));
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_export_shows_progress_at_a_terminal() {
    let crm = start_with_long(MANY).await;
    let (mut screen, terminal) = terminal();
    let mut command = crm.command(&["export", "--json"]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(terminal)
        .spawn()
        .unwrap();
    drop(command);
    let mut seen = String::new();
    let seen = tokio::task::spawn_blocking(move || {
        let mut some = [0; 256];
        while !seen.contains(&format!(" of {MANY} leads")) {
            let length = screen.read(&mut some).unwrap();
            seen.push_str(std::str::from_utf8(&some[..length]).unwrap());
        }
        seen
    })
    .await
    .unwrap();
    assert!(seen.contains("[..") && seen.contains(" %  "), "{seen:?}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Runs a program and prints its peak memory in KiB, which is at least the memory of this interpreter.
const PEAK: &str = "import resource, subprocess, sys\n\
                    subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)\n\
                    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

/// Returns the peak memory in KiB of an export of all leads.
async fn peak(client: &Client, name: &str) -> u64 {
    let path = file(client, name);
    let export = client.command(&["export", "-o", path.to_str().unwrap()]);
    let mut python = Command::new("python3");
    python
        .args(["-c", PEAK])
        .arg(export.get_program())
        .args(export.get_args());
    python.current_dir(export.get_current_dir().unwrap());
    let outcome = run(python).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome.stdout.trim().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[cfg(target_os = "linux")]
async fn export_memory_does_not_grow() {
    let (few, many) = (start_with_long(100).await, start_with_long(MANY).await);
    for name in ["leads.csv", "leads.xlsx", "leads.jsonl"] {
        let (few, many) = (peak(&few, name).await, peak(&many, name).await);
        assert!(
            many < few + 4 * 1024,
            "{name}: {few} KiB for few, {many} KiB for many"
        );
    }
}
