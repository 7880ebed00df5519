//! Hostile input makes one lead, a correct email and a harmless export.

use std::fs;

use mail_parser::{Message, MessageParser};
use reqwest::StatusCode;
use serde_json::{Value, json};
use testkit::{
    crates::calamine::{Reader, Xlsx, open_workbook},
    smtp::Mail,
    wait,
};
use uuid::Uuid;

use crate::{
    system::{RECIPIENTS, System, form},
    typed_fields::typed_fields,
};

/// The form with another value in one field.
fn form_with(field: &str, typed: impl Into<String>) -> Value {
    let mut form = form();
    form[field] = json!(typed.into());
    form
}

/// Hostile forms that the form rules accept.
fn forms() -> Vec<Value> {
    let longest_address = format!("{}@{}.example.com", "a".repeat(63), "b.".repeat(89) + "b");
    assert_eq!(longest_address.len(), 255);
    vec![
        form_with("name", "Mei\r\nBcc: everybody@example.com"),
        form_with(
            "name",
            "\u{202e}gnaW ieM\u{2066} \u{200b}\u{200d}Tan\u{feff}",
        ),
        form_with("name", "=cmd|' /C calc'!A0"),
        form_with("name", "<script>alert(1)</script>"),
        form_with("name", "=?utf-8?B?SGVsbG8=?="),
        form_with("name", "𠮷".repeat(50)),
        form_with("name", "@SUM(1+1)*cmd|' /C calc'!A0"),
        form_with("mobile", "call me: nine one"),
        form_with("mobile", "=1+1+91234567"),
        form_with("email", longest_address),
        form_with("email", "a..b'c@example.com"),
        form_with("questions", "😀".repeat(500)),
        form_with(
            "questions",
            "<img src=x onerror=alert(1)>\r\n.\r\nQUIT\r\n=HYPERLINK(\"http://x\")\t\u{2028}|",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_input_makes_one_lead_and_a_safe_export() {
    let system = System::start(&[]).await;
    let forms = forms();
    for (number, form) in (1..).zip(&forms) {
        let key = Uuid::from_u128(number).to_string();
        assert_eq!(
            system.submit(&key, form).await,
            Some(StatusCode::ACCEPTED),
            "{form}"
        );
        // Sequentially, so the order of the leads is known.
        wait::until("the row", async || {
            system.count("lead") == usize::try_from(number).unwrap()
        })
        .await;
    }
    wait::until("all emails", async || {
        system.smtp.emails().len() == forms.len() * RECIPIENTS.len()
    })
    .await;
    system.wait_for_empty_queues().await;

    let rows = csv_rows(&system).await;
    assert_eq!(rows.len(), forms.len());
    assert_eq!(count_xlsx_rows(&system).await, forms.len());
    for (form, row) in forms.iter().rev().zip(&rows) {
        for cell in row.values() {
            assert!(
                !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                "a formula: {cell:?}"
            );
        }
        let reference = &row["Reference"];
        for field in typed_fields() {
            let typed = visible(form[field].as_str().unwrap_or_default());
            let mut cells = row.values().map(|cell| cell.trim_start_matches('\''));
            assert!(
                cells.any(|cell| visible(cell) == typed),
                "{reference} {field}"
            );
        }
        let mut emails = system.smtp.emails();
        emails.retain(|mail| {
            parse(mail)
                .subject()
                .unwrap_or_default()
                .contains(reference.as_str())
        });
        assert_eq!(emails.len(), RECIPIENTS.len(), "{reference}");
        emails.iter().for_each(|mail| assert_correct(mail, form));
    }
}

/// Checks that an email contains all typed text, and that this text adds no recipient, markup or header.
fn assert_correct(mail: &Mail, form: &Value) {
    let message = parse(mail);
    assert!(mail.raw.len() < 30 * 1024 && mail.raw.is_ascii());
    assert_eq!(mail.to.len(), 1);
    assert!(message.bcc().is_none() && message.cc().is_none());
    let (text, html) = (message.body_text(0).unwrap(), message.body_html(0).unwrap());
    for field in typed_fields() {
        let typed = visible(form[field].as_str().unwrap_or_default());
        assert!(visible(&text).contains(&typed), "{field}: {text}");
    }
    for tag in ["<script", "<img", "http-equiv", "javascript:"] {
        assert!(!html.contains(tag), "{tag}");
    }
}

fn parse(mail: &Mail) -> Message<'_> {
    MessageParser::default().parse(&mail.raw).unwrap()
}

/// The visible characters without spaces, because email and export may fold lines and remove control characters.
fn visible(text: &str) -> String {
    let steers = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    text.chars()
        .filter(|c| !c.is_whitespace() && !c.is_control() && !steers(*c))
        .collect()
}

type Row = std::collections::BTreeMap<String, String>;

/// The rows of the CSV export, newest first.
async fn csv_rows(system: &System) -> Vec<Row> {
    let file = system.file("leads.csv");
    system
        .leadctl(&["export", "--output", file.to_str().unwrap()])
        .await;
    let bytes = fs::read(file).unwrap();
    let text = bytes
        .strip_prefix("\u{feff}".as_bytes())
        .expect("a byte order mark");
    let mut reader = csv::Reader::from_reader(text);
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The number of rows of the XLSX export, in which every cell must be text.
async fn count_xlsx_rows(system: &System) -> usize {
    let file = system.file("leads.xlsx");
    system
        .leadctl(&["export", "--output", file.to_str().unwrap()])
        .await;
    let mut workbook: Xlsx<_> = open_workbook(file).unwrap();
    let sheet = workbook.sheet_names()[0].clone();
    assert!(
        workbook
            .worksheet_formula(&sheet)
            .unwrap()
            .used_cells()
            .next()
            .is_none()
    );
    workbook
        .worksheet_range(&sheet)
        .unwrap()
        .rows()
        .skip(1)
        .count()
}
