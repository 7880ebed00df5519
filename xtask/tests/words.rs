//! Words that were replaced do not come back, neither alone nor inside a longer name.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Each with what stands for it now.
const REPLACED: [(&str, &str); 29] = [
    ("Books", "Reconciliation"),
    ("Errand", "DeliveryContext"),
    ("Gate", "CircuitBreaker"),
    ("Haste", "TooFast"),
    ("Letterhead", "MailContext"),
    ("OtherLead", "RelatedLead"),
    ("PATIENCE", "TIMEOUT"),
    ("Patience", "Timeouts"),
    ("Road", "Path, or Source"),
    ("Roads", "Submitter"),
    ("Scene", "Environment"),
    ("Setback", "DeliveryError"),
    ("Shelf", "BuildManifest"),
    ("Sign", "SpamSignal"),
    ("Spent", "CpuUsage"),
    ("Teller", "delivery"),
    ("Telling", "DeliveryOutcome"),
    ("Upkeep", "Maintenance"),
    ("Vitals", "Sampler"),
    ("crowd", "load"),
    ("forgivingStore", "safeStorage"),
    ("gathered", "DigestItem"),
    ("letterhead", "mail_context"),
    ("parked", "dead letter, failed"),
    ("roads", "paths"),
    ("scrub", "checkpoint"),
    ("take_turn", "advisory_lock"),
    ("teller", "delivery"),
    ("untold", "pending"),
];

/// This list, what is generated, and where the streets around the site are meant.
const EXEMPT: [&str; 5] =
    ["xtask/tests/words.rs", "proto/src/gen/", "src/i18n/", "pages/home/location.tsx", "e2e/home.spec.ts"];
const FOLDERS: [&str; 7] = ["services", "proto", "xtask", "frontend/src", "frontend/e2e", "deploy", "k8s"];
const DOCUMENTS: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs"];
const TEXTS: [&str; 11] =
    ["rs", "ts", "tsx", "proto", "toml", "yml", "yaml", "json", "md", "sql", "template"];

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|entry| !entry.ends_with("node_modules")).for_each(|entry| files(&entry, found));
    } else if path.extension().and_then(|it| it.to_str()).is_some_and(|it| TEXTS.contains(&it)) {
        found.push(path.to_owned());
    }
}

/// Names as they are written, and the words they are made of: `SecondRoad`, `Second` and `Road`.
fn words(line: &str) -> Vec<&str> {
    let names = line.split(|it: char| !it.is_alphanumeric() && it != '_');
    let parts = line.split(|it: char| !it.is_alphanumeric()).flat_map(|name| {
        let starts = name.char_indices().filter(|(_, it)| it.is_uppercase()).map(|(at, _)| at);
        let ends = starts.clone().skip_while(|at| *at == 0).chain([name.len()]);
        starts.zip(ends).map(|(start, end)| &name[start..end])
    });
    names.chain(parts).collect()
}

#[test]
fn no_replaced_word_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    FOLDERS.iter().chain(&DOCUMENTS).for_each(|path| files(&root.join(path), &mut found));
    assert!(found.len() > 400, "{} files", found.len());
    let mut uses = Vec::new();
    for path in found {
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        if EXEMPT.iter().any(|exempt| name.contains(exempt)) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text file");
        // The sample lead asks about Bukit Timah Road.
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.contains("Timah")) {
            let used = words(line);
            let replaced = REPLACED.iter().filter(|(word, _)| used.contains(word));
            uses.extend(replaced.map(|(word, now)| format!("{name}:{number}: {word}: say {now}")));
        }
    }
    assert!(uses.is_empty(), "\n{}", uses.join("\n"));
}
