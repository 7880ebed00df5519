//! E-mail addresses as lookup keys.

/// An e-mail address normalised for lookup: trimmed and in lower case. Dots and tags are kept, as their meaning depends
/// on the provider. Not `Debug`, as it is personal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailKey(String);

impl EmailKey {
    /// Normalises an address as typed.
    #[must_use]
    pub fn of(typed: &str) -> Self {
        Self(typed.trim().to_lowercase())
    }

    /// The normalised address.
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
