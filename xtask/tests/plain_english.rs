//! Documents, help texts, alerts and log messages avoid the phrases that CONTRIBUTING replaces.

use std::fs;
use std::process::Command;

use regex::Regex;
use xtask::files::root;
use xtask::process::output;

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

fn is_code(file: &str) -> bool {
    file.starts_with("services/") && file.ends_with(".rs") && file.contains("/src/")
}

fn is_prose(file: &str) -> bool {
    file.ends_with(".md")
        || file.starts_with("xtask/src/help/")
        || file.ends_with(".snap") && file.contains("help")
        || file == "deploy/prometheus/alerts.yml"
        || file.starts_with("k8s/components/monitoring/")
}

#[test]
fn documents_use_plain_english() {
    let mut list = Command::new("git");
    let listed = output(list.arg("ls-files").current_dir(root())).expect("the files");
    let phrases = PHRASES.map(|(phrase, instead)| {
        let phrase = phrase.replace(' ', r"[\s\\]+");
        (pattern(&format!(r"(?i)\b(?:{phrase})\b")), instead)
    });
    let literal = pattern(r#"(?s)"(?:[^"\\\n]|\\.)*""#);
    let code_span = pattern(r"(?s)```.*?```|`[^`\n]*(\n[^`\n]+)?`");
    let (mut hits, mut files) = (Vec::new(), 0);
    for file in listed
        .lines()
        .filter(|file| is_code(file) || is_prose(file))
    {
        let Ok(text) = fs::read_to_string(root().join(file)) else {
            continue;
        };
        files += 1;
        let parts: Vec<&str> = if is_code(file) {
            literal
                .find_iter(&text)
                .map(|literal| literal.as_str())
                .collect()
        } else {
            code_span.split(&text).collect()
        };
        for (part, (phrase, instead)) in parts
            .iter()
            .flat_map(|part| phrases.iter().map(move |it| (part, it)))
        {
            let lines = phrase
                .find_iter(part)
                .filter_map(|found| part[..found.end()].lines().last());
            hits.extend(lines.map(|line| format!("{file}: write {instead}: {line}")));
        }
    }
    assert!(files > 200, "{files} files");
    assert!(hits.is_empty(), "\n{}", hits.join("\n"));
}
