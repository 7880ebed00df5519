//! Texts of strangers, made safe for a terminal, and points in time.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lead::text::{breaks_line, turns_direction};

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

/// The same, with its lines.
pub(crate) fn plain(text: &str) -> String {
    let ends_in_break = text.ends_with('\n');
    let mut plain = lines(text).collect::<Vec<_>>().join("\n");
    if ends_in_break {
        plain.push('\n');
    }
    plain
}

/// To the second, with the zone.
pub(super) fn second(time: DateTime<Utc>, zone: Tz) -> String {
    format!("{} {}", when(time, zone), zone.name())
}

/// To the second.
pub(super) fn when(time: DateTime<Utc>, zone: Tz) -> String {
    time.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S").to_string()
}

/// To the minute.
pub(super) fn minute(time: DateTime<Utc>, zone: Tz) -> String {
    time.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string()
}

/// What stands above a column of times, with the zone as it is called then.
pub(super) fn heading(name: &str, time: Option<DateTime<Utc>>, zone: Tz) -> String {
    match time {
        Some(time) => format!("{name} ({})", time.with_timezone(&zone).format("%Z")),
        None => name.to_owned(),
    }
}

/// A span of time in its two largest units.
pub(super) fn span(span: TimeDelta) -> String {
    let (days, hours, minutes) = (span.num_days(), span.num_hours() % 24, span.num_minutes() % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{} s", span.num_seconds()),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, 0) => format!("{hours} h"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        (_, 0, _) => format!("{days} d"),
        (_, _, _) => format!("{days} d {hours} h"),
    }
}

/// So many of something.
pub(crate) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Whether a terminal would obey a character rather than show it.
pub(super) fn steers(letter: char) -> bool {
    turns_direction(letter) || breaks_line(letter) || letter.is_control()
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
            assert_eq!(span(TimeDelta::seconds(seconds)), said);
        }
    }

    #[test]
    fn a_text_of_several_lines_keeps_them() {
        assert_eq!(plain("一\r\n二\t\u{202e}\n"), "一\n二 �\n");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(lines("一\r\n二\n\n\x1b三").collect::<Vec<_>>(), ["一", "二", "", "�三"]);
    }
}
