//! Texts of strangers, made safe for a terminal, and points in time.

use chrono::{DateTime, Utc};

/// Stands for a character that must not reach the terminal.
const REPLACEMENT: char = '\u{fffd}';

/// One line in which nothing steers the terminal: control characters and those that turn the direction of writing
/// are replaced, line breaks and tabs are spaces.
pub(crate) fn one_line(text: &str) -> String {
    let shown = |letter| match letter {
        '\n' | '\r' | '\t' => ' ',
        _ if steers(letter) => REPLACEMENT,
        _ => letter,
    };
    text.chars().map(shown).collect()
}

/// The same, but for the lines a text is made of.
pub(super) fn lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(one_line)
}

/// To the second.
pub(super) fn second(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// Whether a terminal would obey a character rather than show it.
pub(super) fn steers(letter: char) -> bool {
    // Marks, embeddings, overrides and isolates of direction; separators of lines and paragraphs.
    let turns = matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns || letter.is_control()
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
    fn lines_stay_lines() {
        assert_eq!(lines("一\r\n二\n\n\x1b三").collect::<Vec<_>>(), ["一", "二", "", "�三"]);
    }
}
