//! E-mail addresses as lookup keys.

use crate::text::search_key;

/// An e-mail address normalised for lookup by [`search_key`]. Dots and tags are kept, as their meaning depends
/// on the provider. Not `Debug`, as it is personal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailKey(String);

impl EmailKey {
    /// Normalises an address as typed.
    pub fn new(typed: &str) -> Self {
        Self(search_key(typed))
    }

    /// The address without the tag after `+`, and without the dots and the other domain that Gmail ignores: `wei@x.co` of
    /// `wei+home@x.co`, `weichen@gmail.com` of `wei.chen@googlemail.com`. Many providers deliver all tags to one mailbox.
    pub fn mailbox(&self) -> String {
        let (name, domain) = self.0.rsplit_once('@').unwrap_or((&self.0, ""));
        let name = name.split_once('+').map_or(name, |(name, _)| name);
        match domain {
            "gmail.com" | "googlemail.com" => format!("{}@gmail.com", name.replace('.', "")),
            _ => format!("{name}@{domain}"),
        }
    }

    /// The normalised address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a text is a valid e-mail address of the HTML standard (`<input type=email>`), with at least one dot in its
/// domain. <https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address>
pub fn is_email_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let is_local = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    !local.is_empty()
        && local.bytes().all(is_local)
        && domain.contains('.')
        && domain.split('.').all(is_label)
}

/// Whether a text may stand between two dots of a domain.
fn is_label(text: &str) -> bool {
    let has_valid_characters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (1..=63).contains(&text.len()) && has_valid_characters && !text.starts_with('-') && !text.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_addresses_are_those_of_the_html_standard() {
        let longest_label = "x".repeat(63);
        for valid in ["a@b.co", "a..b@b.co", ".!#$%&'*+/=?^_`{|}~-@1.b-c.d", &format!("a@{longest_label}.co")]
        {
            assert!(is_email_address(valid), "{valid}");
        }
        for invalid in
            ["", "no", "@b.co", "a@b", "a@b..co", "a@b.co.", "a@-b.co", "a@b-.co", "a b@b.co", "ä@b.co"]
        {
            assert!(!is_email_address(invalid), "{invalid}");
        }
        for invalid in [&format!("a@x{longest_label}.co"), "a@b.co@c.co", "a@b.co\n", "a@ü.co", "a@b_c.co"] {
            assert!(!is_email_address(invalid), "{invalid}");
        }
    }

    #[test]
    fn case_and_spaces_around_it_do_not_matter() {
        assert_eq!(EmailKey::new(" Wei.Chen+Home@Example.COM ").as_str(), "wei.chen+home@example.com");
        assert_eq!(EmailKey::new("MÜLLER@B.CO").as_str(), "müller@b.co");
    }

    #[test]
    fn spellings_of_one_mailbox_are_the_same() {
        for address in ["wei@x.co", "WEI+1@x.co", "wei+1+2@x.co"] {
            assert_eq!(EmailKey::new(address).mailbox(), "wei@x.co");
        }
        assert_eq!(EmailKey::new("+@x.co").mailbox(), "@x.co");
        assert_eq!(EmailKey::new("none").mailbox(), "none@");
        for address in ["wei.chen@gmail.com", "W.e.i.Chen+x@googlemail.com"] {
            assert_eq!(EmailKey::new(address).mailbox(), "weichen@gmail.com");
        }
        assert_eq!(EmailKey::new("wei.chen@x.co").mailbox(), "wei.chen@x.co");
    }
}
