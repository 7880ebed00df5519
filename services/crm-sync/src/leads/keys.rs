//! Keys that identify people and match searches. Types with personal data do not implement `Debug`.

use lead::{EmailKey, Lead, PhoneNumber, lookup_digits, lookup_digits_of, text::search_key};
use uuid::Uuid;

use super::earlier::Earlier;

/// Precedes the name and the email address in a searched text.
pub(crate) const FIELD: char = '\n';
/// Precedes the reference in a searched text.
const REFERENCE: char = '\t';

/// Formats a reference, or its beginning, for a searched text, without the common prefix `ZG-`.
pub(crate) fn searched_reference(reference: &str) -> String {
    format!(
        "{REFERENCE}{}",
        reference
            .strip_prefix("ZG-")
            .unwrap_or(reference)
            .to_lowercase()
    )
}

/// A key that identifies one person: an email address, or a phone number with a name. A number alone is not a key:
/// families share numbers, and anyone can enter another person's number. Only email addresses contain `@`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) String);

impl Key {
    pub(crate) fn from_email(email: &EmailKey) -> Self {
        Self(email.as_str().to_owned())
    }

    /// The non-empty keys of a lead's row.
    pub(crate) fn from_row(email_key: String, number_key: String) -> impl Iterator<Item = Self> {
        [email_key, number_key]
            .into_iter()
            .filter(|column| !column.is_empty())
            .map(Self)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The digits of the number, unless the key is an address.
    pub(crate) fn digits(&self) -> Option<&str> {
        let number = self.0.strip_prefix('+').filter(|_| !self.0.contains('@'))?;
        number.split(' ').next()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The id of the person's first lead.
    pub id: Uuid,
    /// The person with this phone number and name, if another person has the email address.
    pub conflicting: Option<Uuid>,
}

pub(crate) struct Keys {
    pub(crate) email: EmailKey,
    /// The phone numbers in the field, which may have annotations.
    pub(crate) numbers: Vec<PhoneNumber>,
    /// `+6591234567 tan wei`: number in E.164 and sorted words of the name. `None` unless the field has one number and the
    /// name has letters or digits.
    pub(crate) number_and_name: Option<String>,
    /// The name's [`search_key`].
    pub(crate) name: String,
    /// The digits of the number, with its country code when known.
    pub(crate) digits: String,
}

impl Keys {
    pub(crate) fn from_lead(lead: &Lead) -> Self {
        Self::from_fields(&lead.name, &lead.mobile, &lead.email)
    }

    /// Derives keys from fields as typed.
    pub(crate) fn from_fields(name: &str, mobile: &str, email: &str) -> Self {
        let numbers = PhoneNumber::find_all(mobile);
        let words = sorted_words(name);
        let number_and_name = match numbers.as_slice() {
            [number] if !words.is_empty() => Some(format!("{} {words}", number.as_str())),
            _ => None,
        };
        Self {
            email: EmailKey::new(email),
            digits: lookup_digits_of(&numbers, mobile),
            numbers,
            number_and_name,
            name: search_key(name),
        }
    }

    /// The text that searches match: name, email, reference and number in lower case, each without line feeds and tabs.
    /// Has the submitted value of a corrected field too, but no value between, because an index limits the length.
    pub(crate) fn searched(&self, reference: &str, earlier: &Earlier) -> String {
        let submitted_name = earlier.name.first().map(|name| search_key(name));
        let submitted_email = earlier.email.first().map(|email| EmailKey::new(email));
        let submitted_digits = earlier.mobile.first().map(|mobile| lookup_digits(mobile));
        let fields = [
            Some(self.name.as_str()),
            Some(self.email.as_str()),
            submitted_name.as_deref(),
            submitted_email.as_ref().map(EmailKey::as_str),
        ];
        let fields = fields
            .into_iter()
            .flatten()
            .map(|field| format!("{FIELD}{field}"));
        let numbers = [Some(self.digits.as_str()), submitted_digits.as_deref()];
        let numbers = numbers
            .into_iter()
            .flatten()
            .map(|digits| format!(" {digits}"));
        let reference = searched_reference(reference);
        fields.chain([reference]).chain(numbers).collect()
    }

    pub(crate) fn identifying(&self) -> impl Iterator<Item = Key> {
        [Key::from_email(&self.email)]
            .into_iter()
            .chain(self.number_key())
    }

    pub(crate) fn number_key(&self) -> Option<Key> {
        self.number_and_name.clone().map(Key)
    }
}

/// The words of a name, the same for `Tan, Wei Ming` and `wei ming TAN`.
fn sorted_words(name: &str) -> String {
    let name = search_key(name);
    let mut words: Vec<_> = name
        .split(|it: char| !it.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_identifies_a_person_only_with_the_name() {
        let key =
            |name: &str, mobile: &str| Keys::from_fields(name, mobile, "a@x.co").number_and_name;
        let tan = Some("+6591234567 ming tan wei".to_owned());
        for name in ["Tan Wei Ming", "  wei-ming TAN ", "TAN, Wei Ming"] {
            assert_eq!(key(name, "9123 4567"), tan, "{name}");
        }
        assert_eq!(
            key("陈伟", "+65 9123 4567"),
            Some("+6591234567 陈伟".to_owned())
        );
        assert_eq!(
            key("Chen Wei", "9123 4567"),
            Some("+6591234567 chen wei".to_owned())
        );
        assert_eq!(
            (key("Tan", "call me"), key(" - ", "9123 4567")),
            (None, None)
        );
    }
}
