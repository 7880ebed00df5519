//! Leads, dead deliveries and dead letters for programs.

use std::fmt::Write;

use serde::Serialize;

use super::text::steers;
use crate::dead_letters::{Contents, Message};

/// A dead letter together with what it says.
#[derive(Serialize)]
struct FullMessage<'a> {
    #[serde(flatten)]
    message: &'a Message,
    contents: Option<Contents>,
}

/// On one line.
pub(crate) fn line(value: &impl Serialize) -> String {
    escape(&serde_json::to_string(value).expect("keys are texts and no value fails"))
}

/// Over several lines.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    escape(&serde_json::to_string_pretty(value).expect("keys are texts and no value fails"))
}

/// A dead letter over several lines, with what it says.
pub(super) fn message(message: &Message) -> String {
    pretty(&FullMessage { message, contents: message.contents() })
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
