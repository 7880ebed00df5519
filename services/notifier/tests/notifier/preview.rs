//! The command `notifier preview`.

use std::{
    fs,
    process::{Command, Output},
};

use tempfile::TempDir;

fn preview(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_notifier"))
        .arg("preview")
        .args(arguments)
        .env_clear()
        .output()
        .expect("the binary")
}

#[test]
fn writes_and_lists_each_email_in_three_formats() {
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("mails");
    let output = preview(&[
        "--out",
        folder.to_str().unwrap(),
        "--time-zone",
        "Europe/London",
    ]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let index = fs::read_to_string(folder.join("index.html")).unwrap();
    for name in [
        "sales-chinese",
        "daily-summary-due",
        "confirmation-english-brochure",
    ] {
        for ending in ["html", "txt", "eml"] {
            let file = format!("{name}.{ending}");
            assert!(
                fs::metadata(folder.join(&file)).unwrap().len() > 100,
                "{file}"
            );
            assert!(index.contains(&format!("\"{file}\"")), "{file}");
        }
    }
    let text = fs::read_to_string(folder.join("sales-english.txt")).unwrap();
    assert!(
        text.contains("Received:   Sun 1 Mar 2026, 03:57\n"),
        "{text}"
    );
}

#[test]
fn unwritable_file_is_reported() {
    let parent = TempDir::new().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    let output = preview(&["--out", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.starts_with("notifier: cannot write ") && message.contains("file"),
        "{message}"
    );
}
