//! Prepares text typed by visitors for HTML.

/// Splits the text where mail programs detect links (`https://a.b`, `a@b.c`), so that typed text is not clickable.
pub(super) fn pieces<T: AsRef<str> + ?Sized>(text: &T) -> Vec<&str> {
    let text = text.as_ref();
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (index, c) in text.char_indices() {
        let end = index + c.len_utf8();
        let rest = &text[end..];
        let joins = match c {
            ':' => rest.starts_with("//"),
            '.' | '@' => before.is_some_and(is_of_word) && rest.starts_with(is_of_word),
            _ => false,
        };
        if joins {
            pieces.push(&text[start..end]);
            start = end;
        }
        before = Some(c);
    }
    pieces.push(&text[start..]);
    pieces
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// The first `characters` characters of the text, with an ellipsis if it was longer.
pub(super) fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        // A trailing joiner would join the ellipsis to the character before it.
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches(['\u{200d}', ' '])),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_cut_and_nothing_is_lost() {
        for (text, cut) in [
            ("See https://www.a.example/x?y=1.2", "See https:|//www.|a.|example/x?y=1.|2"),
            ("mei@b.co", "mei@|b.|co"),
            ("Is it 80 m? Yes... @home: 陈伟。", "Is it 80 m? Yes... @home: 陈伟。"),
            ("", ""),
        ] {
            assert_eq!(pieces(text).join("|"), cut);
            assert_eq!(pieces(text).concat(), text);
        }
    }

    #[test]
    fn what_is_cut_short_ends_in_an_ellipsis() {
        assert_eq!(shortened("三房的户型", 5), "三房的户型");
        assert_eq!(shortened("三房 的户型", 3), "三房…");
        assert_eq!(shortened("👩‍👩‍👧", 2), "👩…");
    }
}
