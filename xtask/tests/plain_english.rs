//! Documents, help texts, alerts and log messages avoid phrases that CONTRIBUTING replaces.

use std::{fs, path::Path, process::Command};

use regex::Regex;

/// Each with what to write instead.
const PHRASES: [(&str, &str); 16] = [
    (r"\bmails\b", "emails"),
    (r"\bmend(s|ed|ing)?\b", "fix"),
    (r"\b(is|are|was|were) (away|back)\b", "is unavailable, recovers"),
    (r"\bprevents? that\b", "prevents ... from ...ing"),
    (r"\bfor ever\b", "forever"),
    (r"\bat once\b", "immediately"),
    (r"\bby (itself|themselves)\b", "automatically"),
    (r"\bin (hand|work)\b", "in flight, in progress"),
    (r"\bwhoever\b", "the noun"),
    (r"\bmail page\b", "mail catcher"),
    (r"\b(desk key|signed link)\b", "magic link"),
    (r"\bposted form\b", "no-JavaScript form"),
    (r"\bstolen time\b", "CPU steal"),
    (r"\b(becomes|is made) live\b", "is hydrated"),
    (r"\btelephone\b", "phone number"),
    (r"\bof (its|their) own\b", "dedicated"),
];

fn is_prose(file: &str) -> bool {
    file.ends_with(".md")
        || file.starts_with("xtask/src/help/")
        || file.ends_with(".snap") && file.contains("help")
        || file == "deploy/prometheus/alerts.yml"
        || file.starts_with("k8s/components/monitoring/")
}

/// Keeps the line numbers of `text` and blanks out what `pattern` matches.
fn without(text: &str, pattern: &str) -> String {
    let pattern = Regex::new(pattern).expect("a valid pattern");
    pattern
        .replace_all(text, |found: &regex::Captures<'_>| "\n".repeat(found[0].matches('\n').count()))
        .into()
}

/// The log messages, error texts and metric descriptions of Rust code.
fn messages(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let calls = r"(?s)\b(?:(?:info|warn|error|debug)!|#\[error|error|with_description|counter|gauge)\((.*?)\)[;\]\n.,]";
    let calls = Regex::new(calls).expect("a valid pattern");
    let found: Vec<_> = calls.captures_iter(code).filter_map(|call| call.get(1)).collect();
    found.into_iter().map(|text| (code[..text.start()].matches('\n').count(), text.as_str()))
}

#[test]
fn documents_use_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").arg("ls-files").current_dir(&root).output().expect("git runs");
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    let phrases = PHRASES
        .map(|(phrase, instead)| (Regex::new(&format!("(?i){phrase}")).expect("a valid pattern"), instead));
    let (mut hits, mut files) = (Vec::new(), 0);
    let mut check = |file: &str, first: usize, text: &str| {
        for (number, line) in (first + 1..).zip(text.lines()) {
            for (phrase, instead) in &phrases {
                if let Some(found) = phrase.find(line) {
                    hits.push(format!("{file}:{number}: \"{}\": write {instead}", found.as_str()));
                }
            }
        }
    };
    for file in listed.lines() {
        let is_code = file.starts_with("services/") && file.ends_with(".rs") && file.contains("/src/");
        if !is_code && !is_prose(file) {
            continue;
        }
        let Ok(text) = fs::read_to_string(root.join(file)) else { continue };
        files += 1;
        if is_code {
            messages(&text).for_each(|(first, message)| check(file, first, message));
        } else {
            let prose = if file.ends_with(".md") { without(&text, "(?s)```.*?```|`[^`\n]*`") } else { text };
            check(file, 0, &prose);
        }
    }
    assert!(files > 200, "{files} files");
    assert!(hits.is_empty(), "\n{}", hits.join("\n"));
}
