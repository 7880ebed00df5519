//! Documents, help texts, alerts and log messages avoid the phrases that CONTRIBUTING replaces.

use std::{fs, path::Path, process::Command};

use regex::{Captures, Regex};

/// Phrases and their replacements. A space also matches a line break.
const PHRASES: [(&str, &str); 17] = [
    (r"mails", "emails"),
    (r"mend(s|ed|ing)?", "fix"),
    (r"(is|are|was|were) (away|back)", "is unavailable, recovers"),
    (r"prevents? that", "prevents ... from ...ing"),
    (r"for ever", "forever"),
    (r"at once", "immediately, or at the same time"),
    (r"by (itself|themselves)", "automatically"),
    (r"in (hand|work)", "in flight, in progress"),
    (r"whoever", "the noun"),
    (r"mail pages?", "mail catcher"),
    (r"(desk key|signed link)s?", "magic link"),
    (r"posted forms?", "no-JavaScript form"),
    (r"stolen time", "CPU steal"),
    (r"(becomes?|(is|are) made) live", "is hydrated"),
    (r"telephones?", "phone, phone number"),
    (r"of (its|their) own", "dedicated, separate"),
    (r"the database says no", "rejected"),
];

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

fn is_prose(file: &str) -> bool {
    file.ends_with(".md")
        || file.starts_with("xtask/src/help/")
        || file.ends_with(".snap") && file.contains("help")
        || file == "deploy/prometheus/alerts.yml"
        || file.starts_with("k8s/components/monitoring/")
}

/// Blanks out fenced code and code spans, and keeps the line numbers.
fn without_code(markdown: &str) -> String {
    let code = pattern(r"(?s)```.*?```|`[^`\n]*(\n[^`\n]+)?`");
    code.replace_all(markdown, |found: &Captures<'_>| "\n".repeat(found[0].matches('\n').count())).into()
}

/// Matches a call with a log message, an error text or a metric's description; group 1 has the arguments.
fn message() -> Regex {
    let string = r#""(?:[^"\\]|\\.)*""#;
    let nested = |inner: &str| format!(r#"(?:[^()"]|{string}|\({inner}\))*"#);
    let arguments = nested(&nested(&nested("")));
    let calls = r"(?:info|warn|error|debug)!|error|with_description|counter|gauge|histogram";
    pattern(&format!(r"(?s)\b(?:{calls})\(({arguments})\)"))
}

#[test]
fn documents_use_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").arg("ls-files").current_dir(&root).output().expect("git runs");
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    let phrases = PHRASES.map(|(phrase, instead)| {
        let phrase = phrase.replace(' ', r"[\s\\]+");
        (pattern(&format!(r"(?i)\b(?:{phrase})\b")), instead)
    });
    let message = message();
    let (mut hits, mut files) = (Vec::new(), 0);
    for file in listed.lines() {
        let is_code = file.starts_with("services/") && file.ends_with(".rs") && file.contains("/src/");
        if !is_code && !is_prose(file) {
            continue;
        }
        let Ok(text) = fs::read_to_string(root.join(file)) else { continue };
        files += 1;
        let text = if file.ends_with(".md") { without_code(&text) } else { text };
        let parts: Vec<(usize, &str)> = if is_code {
            let messages = message.captures_iter(&text).filter_map(|call| call.get(1));
            messages.map(|arguments| (arguments.start(), arguments.as_str())).collect()
        } else {
            vec![(0, text.as_str())]
        };
        for (start, part) in parts {
            for (phrase, instead) in &phrases {
                for found in phrase.find_iter(part) {
                    let line = 1 + text[..start + found.start()].matches('\n').count();
                    hits.push(format!("{file}:{line}: {:?}: write {instead}", found.as_str()));
                }
            }
        }
    }
    assert!(files > 200, "{files} files");
    assert!(hits.is_empty(), "\n{}", hits.join("\n"));
}
