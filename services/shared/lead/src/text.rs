//! Text of strangers: as it is kept, and made fit to be shown.

use std::{fmt, ops::Deref};

use serde::{Deserialize, Serialize};

/// Text as a stranger typed it, without NUL, which PostgreSQL cannot hold. It does not print itself: whoever shows it
/// chooses how, by [`Line`] or [`Paragraphs`], or escapes it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Typed(String);

impl Typed {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text on one line; of a text that cannot be seen, that it cannot.
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

/// Says nothing of the text.
impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed(..)")
    }
}

/// Text of one line, never blank.
#[derive(Clone, PartialEq, Eq)]
pub struct Line(String);

/// Text of several lines, never blank.
#[derive(Clone, PartialEq, Eq)]
pub struct Paragraphs(String);

impl Line {
    /// The text on one line: what would end a line or control a terminal is a space, what would turn the direction
    /// of writing or hide between letters is gone. `None` when nothing is left to be seen.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let one_line: String = text
            .chars()
            .filter(|&c| !turns_direction(c) && !hides(c))
            .map(|c| if breaks_line(c) || c.is_control() { ' ' } else { c })
            .collect();
        is_visible(&one_line).then(|| Self(one_line.trim().to_owned()))
    }

    /// Stands for text of which nothing can be seen.
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
    /// The text with its lines kept, all ended alike, and cleaned as a [`Line`] is.
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

    /// Its lines, some of them maybe empty.
    pub fn lines(&self) -> std::str::Split<'_, char> {
        self.0.split('\n')
    }
}

/// The length JavaScript and `maxlength` see: UTF-16 code units.
#[must_use]
pub fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// PostgreSQL has no place for NUL in a text. A lead is worth more than that character.
#[must_use]
pub fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// What ends a line somewhere: LF, VT, FF, CR, NEL, and Unicode's line and paragraph separators.
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

/// What nobody sees and no script needs: it would only keep a name from being found, or make two look alike.
fn hides(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Joiners are seen by what they do to their neighbours: emoji, Persian and the scripts of India need them.
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
