//! Telling a telephone number from other text.

/// E.164 allows fifteen digits; fewer than seven reach nobody.
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// What to dial, e.g. `+6591234567`, when the text is nothing but a number: digits, with a plus before them and
/// separators between them, also in the full width of Chinese keyboards.
#[must_use]
pub fn dialable(text: &str) -> Option<String> {
    let mut number = String::new();
    for c in text.chars().map(half_width) {
        match c {
            '0'..='9' => number.push(c),
            '+' if number.is_empty() => number.push(c),
            ' ' | '\u{a0}' | '-' | '‐' | '‑' | '–' | '.' | '(' | ')' => {}
            _ => return None,
        }
    }
    DIGITS.contains(&number.trim_start_matches('+').len()).then_some(number)
}

/// The ASCII character of which this is the full-width form, or the character itself.
fn half_width(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dialled_without_their_separators() {
        for (text, number) in [
            ("+65 9123 4567", "+6591234567"),
            ("91234567", "91234567"),
            ("(+65) 9123-4567", "+6591234567"),
            ("010 8888.7777", "01088887777"),
            ("＋６５ ９１２３　４５６７", "+6591234567"),
        ] {
            assert_eq!(dialable(text).as_deref(), Some(number), "{text}");
        }
    }

    #[test]
    fn anything_else_is_not_dialled() {
        for text in [
            "call me please",
            "+65 9123 4567 ext 1",
            "9123 4567 or 8123 4567",
            "91234567+65",
            "9123 4567 / 12",
            "123456",
            "1234567890123456",
            "91234567;ext=1",
            "*#06#9123456",
            "😀😀😀😀",
        ] {
            assert_eq!(dialable(text), None, "{text}");
        }
    }
}
