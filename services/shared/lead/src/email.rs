//! E-mail addresses as keys.

/// An e-mail address in the one spelling under which its owner is found: without the spaces around it, in small
/// letters. Dots and tags stay: only the address's own provider knows what they mean. Prints nothing: it is personal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailKey(String);

impl EmailKey {
    /// The key of an address as typed.
    #[must_use]
    pub fn of(typed: &str) -> Self {
        Self(typed.trim().to_lowercase())
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_spaces_around_it_do_not_matter() {
        assert_eq!(EmailKey::of(" Wei.Chen+Home@Example.COM ").as_str(), "wei.chen+home@example.com");
        assert_eq!(EmailKey::of("MÜLLER@B.CO").as_str(), "müller@b.co");
    }
}
