//! Cleans text typed by visitors for storage, search and display.

use std::{fmt, ops::Deref};

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{
        Dash, DefaultIgnorableCodePoint, GeneralCategory, JoinControl, QuotationMark,
        TerminalPunctuation, UnifiedIdeograph, VariationSelector,
    },
};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// Text as typed, with NUL replaced because PostgreSQL cannot store NUL. Not `Display`: convert the text to [`Line`] or
/// [`Paragraphs`], or escape it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserText(String);

impl UserText {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text on one line, or [`Line::invisible`] if it has no visible characters.
    pub fn line(&self) -> Line {
        Line::new(&self.0).unwrap_or_else(Line::invisible)
    }
}

impl From<String> for UserText {
    fn from(text: String) -> Self {
        if text.contains('\0') {
            Self(storable(&text))
        } else {
            Self(text)
        }
    }
}

impl From<&str> for UserText {
    fn from(text: &str) -> Self {
        Self(storable(text))
    }
}

impl From<UserText> for String {
    fn from(typed: UserText) -> Self {
        typed.0
    }
}

impl Deref for UserText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<&str> for UserText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Omits the text, which may be personal data.
impl fmt::Debug for UserText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserText(..)")
    }
}

/// Text on one line, never blank.
#[derive(Clone, PartialEq, Eq)]
pub struct Line(String);

/// Text on several lines, never blank.
#[derive(Clone, PartialEq, Eq)]
pub struct Paragraphs(String);

impl Line {
    /// Cleans the text with [`single_line`]. Returns `None` if no visible characters remain.
    pub fn new(text: &str) -> Option<Self> {
        Some(single_line(text))
            .filter(|text| !text.is_empty())
            .map(Self)
    }

    /// The placeholder for text without visible characters.
    pub fn invisible() -> Self {
        Self("(no visible characters)".to_owned())
    }

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
    /// Cleans the text with [`several_lines`]. Returns `None` if no visible characters remain.
    pub fn new(text: &str) -> Option<Self> {
        Line::new(text).map(|_| Self(several_lines(text)))
    }

    /// The lines; some may be empty.
    pub fn lines(&self) -> std::str::Split<'_, char> {
        self.0.split('\n')
    }
}

/// Trims the text, joins its lines, and removes invisible and control characters. White space of any kind and the
/// Braille blank become one space.
pub fn single_line(text: &str) -> String {
    let visible: String = text.chars().filter(|&c| !is_hidden(c)).collect();
    let words = visible.split(is_blank).filter(|word| !word.is_empty());
    words
        .collect::<Vec<_>>()
        .join(" ")
        .trim_matches(|c| c == ' ' || is_joiner(c))
        .to_owned()
}

/// Like [`single_line`], and converts full-width characters to ASCII. For values that should contain only ASCII.
pub fn ascii_line(text: &str) -> String {
    single_line(text)
        .chars()
        .filter(|&c| !is_joiner(c))
        .map(half_width)
        .collect()
}

/// Trims the text, converts all line breaks to line feeds, and removes invisible and control characters.
pub fn several_lines(text: &str) -> String {
    let breaks = text.replace("\r\n", "\n");
    let breaks = breaks
        .chars()
        .map(|c| if breaks_line(c) { '\n' } else { c });
    breaks
        .filter(|&c| !is_hidden(c))
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Normalises text for search and comparison, so that texts that look alike become equal: NFKC in lower case, without
/// invisible characters, words separated by one space.
pub fn search_key(text: &str) -> String {
    let visible = text.nfkc().filter(|&c| !is_joiner(c) && !is_hidden(c));
    let lower = visible.collect::<String>().to_lowercase();
    let words = lower.split(is_blank).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").nfkc().collect()
}

pub fn truncated(text: &str, characters: usize) -> &str {
    text.char_indices()
        .nth(characters)
        .map_or(text, |(end, _)| &text[..end])
}

/// Length in UTF-16 code units, as in JavaScript and `maxlength`.
pub fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Replaces NUL, which PostgreSQL cannot store, instead of rejecting the lead.
pub fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Whether `c` is a line break: LF, VT, FF, CR, NEL, or Unicode's line or paragraph separator.
pub fn breaks_line(c: char) -> bool {
    matches!(
        c,
        '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Whether cleaning removes `c`: an invisible or control character. The site's `clean.ts` removes the same characters.
pub fn is_hidden(c: char) -> bool {
    is_default_ignorable(c) && !is_joiner(c) || c.is_control() && !c.is_whitespace()
}

pub(crate) fn half_width(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '。' | '｡' => '.',
        _ => c,
    }
}

/// Converts a decimal digit of any script to ASCII, and other full-width characters.
pub(crate) fn ascii_digit(c: char) -> char {
    let is_decimal = |code| {
        CodePointMapData::<GeneralCategory>::new().get32(code) == GeneralCategory::DecimalNumber
    };
    if c.is_ascii() || !is_decimal(u32::from(c)) {
        return half_width(c);
    }
    // Unicode encodes the digits of a script in order, from 0 to 9.
    let before_zero = (0..u32::from(c)).rev().find(|&code| !is_decimal(code));
    let value = (u32::from(c) - before_zero.unwrap_or_default() - 1) % 10;
    char::from_digit(value, 10).unwrap_or(c)
}

/// Whether `c` is a hyphen, dash or minus sign.
pub fn is_dash(c: char) -> bool {
    CodePointSetData::new::<Dash>().contains(c)
}

/// Whether people and keyboards write `c` in several ways: a dash, an apostrophe or a quotation mark.
pub fn is_interchangeable(c: char) -> bool {
    let is_modifier = || {
        matches!(
            CodePointMapData::<GeneralCategory>::new().get(c),
            GeneralCategory::ModifierLetter | GeneralCategory::ModifierSymbol
        )
    };
    is_dash(c) || CodePointSetData::new::<QuotationMark>().contains(c) || is_modifier()
}

/// Whether `c` ends a sentence or a part of it, such as a comma.
pub fn is_terminal(c: char) -> bool {
    CodePointSetData::new::<TerminalPunctuation>().contains(c)
}

/// Whether `c` is a Chinese character.
pub fn is_han(c: char) -> bool {
    CodePointSetData::new::<UnifiedIdeograph>().contains(c)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

// Neither set contains ASCII. The check for ASCII avoids a lookup for most characters of a form.
fn is_default_ignorable(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// Whether `c` is an invisible character that emoji and some scripts need within a word.
fn is_joiner(c: char) -> bool {
    !c.is_ascii()
        && (CodePointSetData::new::<JoinControl>().contains(c)
            || CodePointSetData::new::<VariationSelector>().contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<String> {
        Line::new(text).map(|line| line.to_string())
    }

    fn lines(text: &str) -> Vec<String> {
        Paragraphs::new(text)
            .unwrap()
            .lines()
            .map(ToOwned::to_owned)
            .collect()
    }

    #[test]
    fn line_removes_breaks_and_direction() {
        assert_eq!(line("Mei\r\nBcc: x@y.z").as_deref(), Some("Mei Bcc: x@y.z"));
        assert_eq!(
            line("a\u{2028}b\u{2029}c\u{85}d\0e\tf").as_deref(),
            Some("a b c de f")
        );
        assert_eq!(
            line("\u{202e}moc\u{2066}.x\u{200f}").as_deref(),
            Some("moc.x")
        );
        assert_eq!(line("👩‍👩‍👧 陈伟 ").as_deref(), Some("👩‍👩‍👧 陈伟"));
        assert_eq!(
            line("\u{feff}M\u{200b}e\u{ad}i\u{2060}").as_deref(),
            Some("Mei")
        );
    }

    #[test]
    fn blank_glyphs_are_empty() {
        for blank in [
            "",
            "  ",
            "\u{85}",
            "\u{200b}",
            "\u{202e}",
            "\u{feff}\n",
            "\u{3164}",
            "\u{2800}",
            "\u{115f}\u{1160}\u{ffa0}",
            "\u{34f}\u{17b4}",
            "\u{e0020}\u{e0041}",
            "\u{fe0f} \u{200d}",
        ] {
            assert_eq!(line(blank), None, "{blank:?}");
            assert!(Paragraphs::new(blank).is_none(), "{blank:?}");
        }
    }

    #[test]
    fn questions_keep_lines_with_uniform_breaks() {
        assert_eq!(
            lines("one\r\ntwo\rthree\u{2028}four\n\n\tfive\n"),
            ["one", "two", "three", "four", "", "\tfive"]
        );
        assert_eq!(lines("\n  \u{202e}in\u{1b}[31mdented"), ["in[31mdented"]);
    }

    #[test]
    fn similar_texts_share_a_search_key() {
        for (one, other) in [
            (
                "Nguye\u{302}\u{303}n Thi\u{323} A\u{301}nh",
                "Nguyễn Thị Ánh",
            ),
            ("Siti\u{200b}Rahman", "SitiRahman"),
            ("\u{ad}Noraini\u{feff} Salleh", "Noraini Salleh"),
            ("张\u{fe00}伟", "张伟"),
            ("Ivan\u{e0041}\u{e0042} Ho", "ivan ho"),
            ("ＬＩＭ　Ｗｅｉ", "lim wei"),
            ("𝐋im\u{2800}Wei", " LIM\tWEI "),
        ] {
            assert_eq!(search_key(one), search_key(other), "{other}");
        }
    }

    #[test]
    fn digits_of_every_script_are_read() {
        for text in [
            "0123456789",
            "０１２３４５６７８９",
            "٠١٢٣٤٥٦٧٨٩",
            "۰۱۲۳۴۵۶۷۸۹",
            "०१२३४५६७८९",
            "০১২৩৪৫৬৭৮৯",
            "๐๑๒๓๔๕๖๗๘๙",
            "𝟢𝟣𝟤𝟥𝟦𝟧𝟨𝟩𝟪𝟫",
        ] {
            let ascii: String = text.chars().map(ascii_digit).collect();
            assert_eq!(ascii, "0123456789", "{text}");
        }
        assert_eq!(
            ['二', 'a', '²', '＋'].map(ascii_digit),
            ['二', 'a', '²', '+']
        );
    }

    #[test]
    fn truncates_by_characters() {
        assert_eq!(truncated("陈伟", 1), "陈");
        assert_eq!(truncated("陈伟", 3), "陈伟");
    }
}
