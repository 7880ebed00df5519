//! Writes JSON without characters that control a terminal.

use std::fmt::Write;

use lead::text::{breaks_line, is_hidden};
use serde::Serialize;

pub(crate) fn line(value: &impl Serialize) -> String {
    escape(&serde_json::to_string(value).expect("keys are texts and no value fails"))
}

pub(crate) fn pretty(value: &(impl Serialize + ?Sized)) -> String {
    escape(&serde_json::to_string_pretty(value).expect("keys are texts and no value fails"))
}

/// Escapes the invisible characters and line breaks that JSON leaves as they are.
fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if (is_hidden(c) || breaks_line(c)) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(escaped, "\\u{unit:04x}").expect("a String takes all");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_mean_the_same() {
        let text = "a\u{9b}31m\x7f\u{202e}\u{e0041}\n陈";
        let json = escape(&serde_json::to_string(text).unwrap());
        assert_eq!(json, "\"a\\u009b31m\\u007f\\u202e\\udb40\\udc41\\n陈\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
