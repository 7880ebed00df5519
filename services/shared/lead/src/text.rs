//! Text typed by visitors: how it is stored and how it is made safe to show.

use std::{fmt, ops::Deref};

use serde::{Deserialize, Serialize};

/// Text as typed, with NUL replaced because PostgreSQL cannot store it. Not `Display`: show it as [`Line`] or
/// [`Paragraphs`], or escape it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Typed(String);

impl Typed {
    /// The unescaped text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text on one line, or [`Line::invisible`] if nothing of it is visible.
    #[must_use]
    pub fn line(&self) -> Line {
        Line::new(&self.0).unwrap_or_else(Line::invisible)
    }
}

impl From<String> for Typed {
    fn from(text: String) -> Self {
        Self(storable(&text))
    }
}

impl From<&str> for Typed {
    fn from(text: &str) -> Self {
        Self(storable(text))
    }
}

impl From<Typed> for String {
    fn from(typed: Typed) -> Self {
        typed.0
    }
}

impl Deref for Typed {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Typed {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Typed {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Omits the text, which may be personal.
impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed(..)")
    }
}

/// Text on one line, never blank.
#[derive(Clone, PartialEq, Eq)]
pub struct Line(String);

/// Text on several lines, never blank.
#[derive(Clone, PartialEq, Eq)]
pub struct Paragraphs(String);

impl Line {
    /// Replaces line breaks and control characters by spaces; removes bidirectional controls and invisible characters.
    /// `None` when nothing visible is left.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let one_line: String = text
            .chars()
            .filter(|&c| !turns_direction(c) && !hides(c))
            .map(|c| if breaks_line(c) || c.is_control() { ' ' } else { c })
            .collect();
        is_visible(&one_line).then(|| Self(one_line.trim().to_owned()))
    }

    /// The placeholder for text without visible characters.
    #[must_use]
    pub fn invisible() -> Self {
        Self("(no visible characters)".to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Line {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Paragraphs {
    /// Keeps the lines with uniform line ends; otherwise cleans like [`Line::new`].
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text: String = text
            .replace("\r\n", "\n")
            .chars()
            .filter(|&c| !turns_direction(c) && !hides(c))
            .map(|c| if breaks_line(c) { '\n' } else { c })
            .filter(|&c| c == '\n' || c == '\t' || !c.is_control())
            .collect();
        is_visible(&text).then(|| Self(text.trim_end().trim_start_matches('\n').to_owned()))
    }

    /// The lines; some may be empty.
    pub fn lines(&self) -> std::str::Split<'_, char> {
        self.0.split('\n')
    }
}

/// Length in UTF-16 code units, as in JavaScript and `maxlength`.
#[must_use]
pub fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Replaces NUL, which PostgreSQL cannot store, rather than reject the lead.
#[must_use]
pub fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Line breaks of any kind: LF, VT, FF, CR, NEL, and Unicode's line and paragraph separators.
#[must_use]
pub fn breaks_line(c: char) -> bool {
    matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Marks, embeddings, overrides and isolates of bidirectional text.
#[must_use]
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_visible(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !has_no_width(c))
}

/// Invisible characters no script needs: they would hide a name from search or make two names look alike.
fn hides(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Joiners are invisible but change their neighbours: emoji, Persian and Indian scripts need them.
fn has_no_width(c: char) -> bool {
    hides(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<String> {
        Line::new(text).map(|line| line.to_string())
    }

    fn lines(text: &str) -> Vec<String> {
        Paragraphs::new(text).unwrap().lines().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn a_line_stays_one_line_and_reads_forwards() {
        assert_eq!(line("Mei\r\nBcc: x@y.z").as_deref(), Some("Mei  Bcc: x@y.z"));
        assert_eq!(line("a\u{2028}b\u{2029}c\u{85}d\0e\tf").as_deref(), Some("a b c d e f"));
        assert_eq!(line("\u{202e}moc\u{2066}.x\u{200f}").as_deref(), Some("moc.x"));
        assert_eq!(line("👩‍👩‍👧 陈伟 ").as_deref(), Some("👩‍👩‍👧 陈伟"));
        assert_eq!(line("\u{feff}M\u{200b}e\u{ad}i\u{2060}").as_deref(), Some("Mei"));
    }

    #[test]
    fn what_cannot_be_seen_is_nothing() {
        for blank in ["", "  ", "\u{85}", "\u{200b}", "\u{202e}", "\u{feff}\n"] {
            assert_eq!(line(blank), None, "{blank:?}");
            assert!(Paragraphs::new(blank).is_none(), "{blank:?}");
        }
    }

    #[test]
    fn lines_of_a_question_are_kept_and_end_alike() {
        assert_eq!(
            lines("one\r\ntwo\rthree\u{2028}four\n\n\tfive\n"),
            ["one", "two", "three", "four", "", "\tfive"]
        );
        assert_eq!(lines("\n  \u{202e}in\u{1b}[31mdented"), ["  in[31mdented"]);
    }
}
