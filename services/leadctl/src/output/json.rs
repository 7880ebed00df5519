//! Leads for programs.

use std::fmt::Write;

use super::text::steers;
use crate::lead::Lead;

/// A lead on one line.
pub(super) fn line(lead: &Lead) -> String {
    escape(&serde_json::to_string(lead).expect("keys are texts and no value fails"))
}

/// A lead over several lines.
pub(super) fn pretty(lead: &Lead) -> String {
    escape(&serde_json::to_string_pretty(lead).expect("keys are texts and no value fails"))
}

/// JSON lets most of what a terminal would obey stand as it is. All of it is below U+10000.
fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        if steers(letter) && letter != '\n' {
            write!(escaped, "\\u{:04x}", u32::from(letter)).expect("a String takes all");
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_mean_the_same() {
        let text = "a\u{9b}31m\x7f\u{202e}\n陈";
        let json = escape(&serde_json::to_string(text).unwrap());
        assert_eq!(json, "\"a\\u009b31m\\u007f\\u202e\\n陈\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
