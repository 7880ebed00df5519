//! Cleans typed text before it is validated, by the same rules as the site's `clean.ts`.

use std::sync::LazyLock;

use regex::Regex;

/// Invisible code points and control characters, except joiners: emoji and some scripts need them within a word.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[\p{Default_Ignorable_Code_Point}--[\p{Join_Control}\p{Variation_Selector}]]|[\p{Cc}--\s]")
});

static JOINER: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{Join_Control}\p{Variation_Selector}]"));

/// Spaces and joiners around a cleaned line.
static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^[ \p{Join_Control}\p{Variation_Selector}]+|[ \p{Join_Control}\p{Variation_Selector}]+$")
});

/// White space of any kind, and the Braille blank.
static SPACES: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\s\u{2800}]+"));

static LINE_BREAK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\r\n|[\r\u{b}\u{c}\u{85}\u{2028}\u{2029}]"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant that every test compiles")
}

/// At most `characters` of `text`.
pub(crate) fn truncated(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// `text` trimmed and on one line, without invisible characters.
pub(crate) fn single_line(text: &str) -> String {
    let visible = HIDDEN.replace_all(text, "");
    ENDS.replace_all(&SPACES.replace_all(&visible, " "), "").into_owned()
}

/// Like [`single_line`], with full-width characters as ASCII: for text that has only ASCII.
pub(crate) fn ascii_line(text: &str) -> String {
    JOINER.replace_all(&single_line(text), "").chars().map(half_width).collect()
}

/// `text` trimmed, with line feeds as its only line breaks, without invisible characters.
pub(crate) fn several_lines(text: &str) -> String {
    HIDDEN.replace_all(&LINE_BREAK.replace_all(text, "\n"), "").trim().to_owned()
}

fn half_width(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '。' | '｡' => '.',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_line_has_no_line_break() {
        assert_eq!(single_line("Tan\r\nBcc: x\u{2028}\u{202e}y"), "Tan Bcc: x y");
        assert_eq!(single_line("\u{202e}"), "");
    }

    #[test]
    fn truncates_by_characters() {
        assert_eq!(truncated("陈伟", 1), "陈");
        assert_eq!(truncated("陈伟", 3), "陈伟");
    }
}
