//! Makes texts from outside safe for a terminal, and writes numbers in words.

use lead::text::{breaks_line, turns_direction};

/// Replaces a character that must not reach the terminal.
const REPLACEMENT: char = '\u{fffd}';

/// Puts a text on one line, safe for a terminal: control characters and those that change the writing direction are
/// replaced, line breaks and tabs become spaces.
pub(crate) fn one_line(text: &str) -> String {
    let shown = |c| match c {
        '\n' | '\r' | '\t' => ' ',
        _ if steers(c) => REPLACEMENT,
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// As [`one_line`], but keeps the lines.
pub(crate) fn plain(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(one_line).collect();
    let last = if text.ends_with('\n') { "\n" } else { "" };
    lines.join("\n") + last
}

/// A duration in its two largest units.
pub(crate) fn span(seconds: i64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, 0) => format!("{hours} h"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        (_, 0, _) => format!("{days} d"),
        (_, _, _) => format!("{days} d {hours} h"),
    }
}

pub(crate) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Whether a character controls a terminal instead of being shown.
pub(super) fn steers(c: char) -> bool {
    turns_direction(c) || breaks_line(c) || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let nasty = "a\x1b[2Jb\x07c\u{9b}31md\u{202e}e\u{2066}f\x7fg\0h\u{200f}";
        assert_eq!(one_line(nasty), "a�[2Jb�c�31md�e�f�g�h�");
        assert_eq!(one_line("a\r\nb\tc"), "a  b c");
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["陈伟", "O'Neil-Müller", "👨‍👩‍👧 🏙", "محمد", "ชื่อ"] {
            assert_eq!(one_line(text), text);
        }
    }

    #[test]
    fn spans_are_said_in_two_units() {
        for (seconds, said) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3600, "1 h"),
            (3660, "1 h 1 min"),
            (86_400, "1 d"),
            (90_061, "1 d 1 h"),
        ] {
            assert_eq!(span(seconds), said);
        }
    }

    #[test]
    fn a_text_of_several_lines_keeps_them() {
        assert_eq!(plain("一\r\n二\t\u{202e}\n"), "一\n二 �\n");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(plain("一\r\n二\n\n\x1b三"), "一\n二\n\n�三");
    }
}
