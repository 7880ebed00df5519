//! Normalises text, trimming it as the visitor's browser does.

use lead::text::{breaks_line, turns_direction};

/// What JavaScript's `String.prototype.trim` removes; Rust's own `trim` differs in U+0085 and U+FEFF.
fn is_trimmed_by_javascript(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// `text` as JavaScript trims it.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_trimmed_by_javascript)
}

/// At most `characters` of `text`.
pub(crate) fn truncated(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// `text` on one line, without characters that break or reorder it. If nothing is left of it, one replacement
/// character, so that an accepted field is not empty.
pub(crate) fn single_line(text: &str) -> String {
    let clean: String =
        text.chars().filter(|c| !c.is_control() && !breaks_line(*c) && !turns_direction(*c)).collect();
    if clean.is_empty() && !text.is_empty() { char::REPLACEMENT_CHARACTER.to_string() } else { clean }
}

/// `text` with line feeds as its only line breaks, and no other control characters but tabs.
pub(crate) fn several_lines(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    lines.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_what_javascript_trims() {
        let removed = "\u{9}\u{a}\u{b}\u{c}\u{d} \u{a0}\u{1680}\u{2000}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
        assert_eq!(trimmed(&format!("{removed}x{removed}")), "x");
        for kept in ["\u{85}", "\u{180e}", "\u{200b}", "\u{2060}"] {
            assert_eq!(trimmed(kept), kept);
        }
    }

    #[test]
    fn a_single_line_cannot_break_out() {
        assert_eq!(single_line("Tan\r\nBcc: x\u{2028}\u{202e}y"), "TanBcc: xy");
        assert_eq!(single_line("\u{202e}"), "\u{fffd}");
        assert_eq!(single_line(""), "");
    }

    #[test]
    fn several_lines_keep_their_breaks() {
        assert_eq!(several_lines("a\r\nb\rc\u{2028}d\te\0f"), "a\nb\nc\nd\tef");
    }
}
