//! Normalises email addresses for lookup, and parses phone numbers.

use phonenumber::{Mode, Type, country, metadata::DATABASE};

use crate::text::{ascii_digit, half_width, is_dash, search_key};

/// An email address normalised for lookup by [`search_key`]. Keeps dots and tags, because only some providers ignore
/// them. Not `Debug`, because an address is personal data.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailKey(String);

impl EmailKey {
    pub fn new(typed: &str) -> Self {
        Self(search_key(typed))
    }

    /// Removes the tag after `+`, because many providers deliver all tags to one mailbox. Gmail also ignores dots and has
    /// two domains: `wei.chen+home@googlemail.com` becomes `weichen@gmail.com`.
    pub fn mailbox(&self) -> String {
        let (name, domain) = self.0.rsplit_once('@').unwrap_or((&self.0, ""));
        let name = name.split_once('+').map_or(name, |(name, _)| name);
        match domain {
            "gmail.com" | "googlemail.com" => format!("{}@gmail.com", name.replace('.', "")),
            _ => format!("{name}@{domain}"),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the HTML standard accepts the text as an email address (`<input type=email>`) and the domain contains a dot.
/// <https://html.spec.whatwg.org/multipage/input.html#valid-email-address>
pub fn is_email_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let is_local =
        |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    !local.is_empty()
        && local.bytes().all(is_local)
        && domain.contains('.')
        && domain.split('.').all(is_label)
}

/// Whether the text is a valid label of a domain name.
fn is_label(text: &str) -> bool {
    let has_valid_characters = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (1..=63).contains(&text.len())
        && has_valid_characters
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// A phone number in E.164, e.g. `+6591234567`. Not `Debug`, because it is personal data.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhoneNumber(String);

impl PhoneNumber {
    /// Parses digits of any script and separators; libphonenumber must consider the number valid. Without `+`
    /// or `00`, the number is from Singapore, or else starts with its country code or is a mobile number from mainland
    /// China. Returns `None` if the last two interpretations are both valid.
    pub fn parse(text: &str) -> Option<Self> {
        let mut number = String::new();
        for c in text.trim().replace("(0)", "").chars().map(ascii_digit) {
            match c {
                '0'..='9' => number.push(c),
                '+' if number.is_empty() => number.push(c),
                '.' | '(' | ')' => {}
                _ if c.is_whitespace() || is_dash(c) => {}
                _ => return None,
            }
        }
        Self::from_digits(&number)
    }

    /// Finds the numbers in a text such as `9123 4567 (WA)`, `91234567/8` or `9123 4567 or 8123 4567`.
    pub fn find_all(text: &str) -> Vec<Self> {
        let found = Self::find_in_digits(&text.chars().map(half_width).collect::<String>());
        // A second step, because stored keys depend on what the first step finds.
        if !found.is_empty() || text.is_ascii() {
            return found;
        }
        Self::find_in_digits(&text.chars().map(ascii_digit).collect::<String>())
    }

    fn find_in_digits(text: &str) -> Vec<Self> {
        let text = text.replace("(0)", "").replace('+', " +");
        let ends_number = |c: char| c.is_alphabetic() || "/,;:#&|*".contains(c);
        text.split(ends_number)
            .flat_map(Self::find_in_run)
            .collect()
    }

    /// `run` is digits, `+` and separators: one number, or several in sequence.
    fn find_in_run(run: &str) -> Vec<Self> {
        let is_digit = |c: char| c.is_ascii_digit() || c == '+';
        let groups: Vec<&str> = run
            .split(|c| !is_digit(c))
            .filter(|group| !group.is_empty())
            .collect();
        if let Some(only) = Self::from_digits(&groups.concat()) {
            return vec![only];
        }
        let mut found = Vec::new();
        let mut rest = groups.as_slice();
        // Stops at the first group that starts no number: the end of an unknown number may look like another number.
        while let Some((number, length)) = (1..=rest.len())
            .find_map(|length| Some((Self::from_digits(&rest[..length].concat())?, length)))
        {
            found.push(number);
            rest = &rest[length..];
        }
        found
    }

    /// `number` is digits, which may follow a `+`.
    fn from_digits(number: &str) -> Option<Self> {
        if let Some(international) = number
            .strip_prefix('+')
            .or_else(|| number.strip_prefix("00"))
        {
            return Self::valid(None, &format!("+{international}"));
        }
        Self::valid(Some(country::SG), number).or_else(|| {
            let with_country_code = Self::valid(None, &format!("+{number}"));
            let is_chinese_mobile = number.len() == 11 && number.starts_with('1');
            let chinese = is_chinese_mobile
                .then(|| Self::valid(Some(country::CN), number))
                .flatten();
            match (with_country_code, chinese) {
                (Some(_), Some(_)) => None,
                (one, other) => one.or(other),
            }
        })
    }

    /// Loads libphonenumber's data in advance, because loading takes longer than a call should wait.
    pub fn load_data() {
        let _ = Self::parse("+65 6123 4567");
    }

    /// Returns `None` if libphonenumber considers the number invalid.
    fn valid(country: Option<country::Id>, number: &str) -> Option<Self> {
        let number = phonenumber::parse(country, number)
            .ok()
            .filter(phonenumber::is_valid)?;
        Some(Self(number.format().mode(Mode::E164).to_string()))
    }

    /// Whether the number may receive WhatsApp and text messages. Some countries have one range of numbers for mobile phones
    /// and fixed lines.
    pub fn takes_messages(&self) -> bool {
        phonenumber::parse(None, &self.0).is_ok_and(|number| {
            matches!(
                number.number_type(&DATABASE),
                Type::Mobile | Type::FixedLineOrMobile | Type::PersonalNumber | Type::Voip
            )
        })
    }

    /// The number with its leading `+`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number without `+`, starting with the country code.
    pub fn digits(&self) -> &str {
        &self.0[1..]
    }
}

/// The digits by which leads with a phone number are found. If the text has exactly one number, these are the number's
/// digits with its country code, otherwise all digits of the text.
pub fn lookup_digits(text: &str) -> String {
    lookup_digits_of(&PhoneNumber::find_all(text), text)
}

/// Like [`lookup_digits`], for a text whose numbers are known.
pub fn lookup_digits_of(numbers: &[PhoneNumber], text: &str) -> String {
    match numbers {
        [only] => only.digits().to_owned(),
        _ => digits(text),
    }
}

/// Extracts the ASCII and full-width digits, or else the digits of other scripts, and converts them to ASCII.
pub fn digits(text: &str) -> String {
    let usual = digits_by(half_width, text);
    // Stored keys do not have the digits of other scripts beside usual digits.
    if usual.is_empty() {
        digits_by(ascii_digit, text)
    } else {
        usual
    }
}

fn digits_by(to_ascii: fn(char) -> char, text: &str) -> String {
    text.chars()
        .map(to_ascii)
        .filter(char::is_ascii_digit)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_addresses_follow_the_html_standard() {
        let longest_label = "x".repeat(63);
        for valid in [
            "a@b.co",
            "a..b@b.co",
            ".!#$%&'*+/=?^_`{|}~-@1.b-c.d",
            &format!("a@{longest_label}.co"),
        ] {
            assert!(is_email_address(valid), "{valid}");
        }
        for invalid in [
            "", "no", "@b.co", "a@b", "a@b..co", "a@b.co.", "a@-b.co", "a@b-.co", "a b@b.co",
            "ä@b.co",
        ] {
            assert!(!is_email_address(invalid), "{invalid}");
        }
        for invalid in [
            &format!("a@x{longest_label}.co"),
            "a@b.co@c.co",
            "a@b.co\n",
            "a@ü.co",
            "a@b_c.co",
        ] {
            assert!(!is_email_address(invalid), "{invalid}");
        }
    }

    #[test]
    fn key_ignores_case_and_outer_spaces() {
        assert_eq!(
            EmailKey::new(" Wei.Chen+Home@Example.COM ").as_str(),
            "wei.chen+home@example.com"
        );
        assert_eq!(EmailKey::new("MÜLLER@B.CO").as_str(), "müller@b.co");
    }

    #[test]
    fn spellings_of_a_mailbox_are_equal() {
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

    #[test]
    fn parses_numbers_in_any_format() {
        for (text, number) in [
            ("+65 9123 4567", "+6591234567"),
            ("91234567", "+6591234567"),
            ("(65) 9123-4567", "+6591234567"),
            ("6591234567", "+6591234567"),
            ("＋６５ ９１２３　４５６７", "+6591234567"),
            ("0065 6123 4567", "+6561234567"),
            ("+44 (0)20 7946 0958", "+442079460958"),
            ("138 0013 8000", "+8613800138000"),
            ("0086 138.0013.8000", "+8613800138000"),
            ("+1 (212) 555-0100", "+12125550100"),
            ("1-415-555-0199", "+14155550199"),
            ("8613800138000", "+8613800138000"),
            ("٩١٢٣٤٥٦٧", "+6591234567"),
            ("+65 ๙๑๒๓ ๔๕๖๗", "+6591234567"),
            ("９१२३‒४５६७", "+6591234567"),
            ("9123—4567", "+6591234567"),
            ("9123−4567", "+6591234567"),
        ] {
            assert_eq!(
                PhoneNumber::parse(text).as_ref().map(PhoneNumber::as_str),
                Some(number),
                "{text}"
            );
        }
    }

    /// Typed numbers with their keys, which crm-sync stores and hashes. An update of `phonenumber` must not change a key:
    /// see "Update phonenumber" in CONTRIBUTING.md. `None` has no key; a key that appears changes the identity too.
    const STORED: [(&str, Option<&str>); 69] = [
        // Singapore: mobile, landline, IP telephony, toll-free, premium, other digits.
        ("9123 4567", Some("+6591234567")),
        ("8123 4567", Some("+6581234567")),
        ("6123 4567", Some("+6561234567")),
        ("3123 4567", Some("+6531234567")),
        ("1800 123 4567", Some("+6518001234567")),
        ("1900 123 4567", Some("+6519001234567")),
        ("+65 2123 4567", None),
        ("+65 4123 4567", None),
        ("+65 5123 4567", None),
        ("+65 7123 4567", None),
        ("999", None),
        // Neighbours.
        ("+60 12-345 6789", Some("+60123456789")),
        ("+60 11-2345 6789", Some("+601123456789")),
        ("+60 3-2123 4567", Some("+60321234567")),
        ("60123456789", Some("+60123456789")),
        ("+62 812-3456-7890", Some("+6281234567890")),
        ("+62 21-1234-5678", Some("+622112345678")),
        ("+673 712 3456", Some("+6737123456")),
        ("+66 81 234 5678", Some("+66812345678")),
        ("+84 91 234 56 78", Some("+84912345678")),
        ("+63 905 123 4567", Some("+639051234567")),
        ("+95 9 212 3456", Some("+9592123456")),
        ("+855 91 234 567", Some("+85591234567")),
        // East Asia.
        ("138 0013 8000", Some("+8613800138000")),
        ("+86 191 0013 8000", Some("+8619100138000")),
        ("+86 10 8888 7777", Some("+861088887777")),
        ("+852 5123 4567", Some("+85251234567")),
        ("+852 2123 4567", Some("+85221234567")),
        ("+853 6612 3456", Some("+85366123456")),
        ("+886 912 345 678", Some("+886912345678")),
        ("+81 90-1234-5678", Some("+819012345678")),
        ("+82 10-2000-0000", Some("+821020000000")),
        // South Asia and the Gulf.
        ("+91 81234 56789", Some("+918123456789")),
        ("+92 301 2345678", Some("+923012345678")),
        ("+880 1812-345678", Some("+8801812345678")),
        ("+94 71 234 5678", Some("+94712345678")),
        ("+971 50 123 4567", Some("+971501234567")),
        ("+966 51 234 5678", Some("+966512345678")),
        ("+974 3312 3456", Some("+97433123456")),
        // Oceania.
        ("+61 412 345 678", Some("+61412345678")),
        ("+61 2 1234 5678", Some("+61212345678")),
        ("+64 21 123 4567", Some("+64211234567")),
        // Europe. Italy's numbers keep the zero, and the United Kingdom's trunk zero is dropped.
        ("+44 7400 123456", Some("+447400123456")),
        ("+44 (0)20 7946 0958", Some("+442079460958")),
        ("+49 1512 3456789", Some("+4915123456789")),
        ("+49 30 123456", Some("+4930123456")),
        ("+33 6 12 34 56 78", Some("+33612345678")),
        ("+39 312 345 6789", Some("+393123456789")),
        ("+39 02 1234 5678", Some("+390212345678")),
        ("+31 6 12345678", Some("+31612345678")),
        ("+41 78 123 45 67", Some("+41781234567")),
        ("+43 664 123456", Some("+43664123456")),
        ("+46 70 123 45 67", Some("+46701234567")),
        ("+34 612 34 56 78", Some("+34612345678")),
        ("+48 512 345 678", Some("+48512345678")),
        ("+353 85 012 3456", Some("+353850123456")),
        ("+7 912 345-67-89", Some("+79123456789")),
        ("+7 710 000 9998", None),
        ("+90 501 234 56 78", Some("+905012345678")),
        ("+972 50-234-5678", Some("+972502345678")),
        // The Americas. Mexico dropped the 1 of mobile numbers, and Argentina has a 9.
        ("+1 415-555-0199", Some("+14155550199")),
        ("+1 506-234-5678", Some("+15062345678")),
        ("+52 222 123 4567", Some("+522221234567")),
        ("+52 1 222 123 4567", None),
        ("+54 9 11 2345-6789", Some("+5491123456789")),
        ("+55 11 96123-4567", Some("+5511961234567")),
        // Africa.
        ("+27 71 123 4567", Some("+27711234567")),
        ("+234 802 123 4567", Some("+2348021234567")),
        ("+20 100 123 4567", Some("+201001234567")),
    ];

    #[test]
    fn keys_of_stored_numbers_do_not_change() {
        for (text, key) in STORED {
            let found = PhoneNumber::find_all(text);
            let found: Vec<&str> = found.iter().map(PhoneNumber::as_str).collect();
            assert_eq!(found, Vec::from_iter(key), "{text}");
        }
    }

    #[test]
    fn fixed_lines_take_no_messages() {
        for (text, takes_messages) in [
            ("9123 4567", true),
            ("8123 4567", true),
            // Voice over IP.
            ("3123 4567", true),
            ("6123 4567", false),
            ("1800 123 4567", false),
            ("138 0013 8000", true),
            ("+86 21 6123 4567", false),
            ("+44 7911 123456", true),
            ("+44 20 7946 0958", false),
            ("+852 9123 4567", true),
            ("+852 2123 4567", false),
            ("+60 12 345 6789", true),
            ("+60 3 2345 6789", false),
            // Numbers of the United States do not tell.
            ("+1 650 253 0000", true),
        ] {
            let number = PhoneNumber::parse(text).expect(text);
            assert_eq!(number.takes_messages(), takes_messages, "{text}");
        }
    }

    #[test]
    fn rejects_other_numbers() {
        for text in [
            "call me please",
            "+65 9123 4567 ext 1",
            "9123 4567 or 8123 4567",
            "91234567+65",
            "9123 4567 / 12",
            "12345678",
            "+65 8123 45678",
            // Valid both in North America and as a mobile number in mainland China.
            "1 (650) 253-0000",
            "+86 1415 555 0199",
            "010 8888 7777",
            "+0123456789",
            "+1234567",
            "1234567890123456",
            "91234567;ext=1",
            "*#06#9123456",
            "",
            "+",
            "😀😀😀😀",
        ] {
            assert!(PhoneNumber::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn finds_numbers_in_annotated_texts() {
        for (text, numbers) in [
            ("+65-9123 4567 (WA)", &["+6591234567"][..]),
            ("9123 4567 ext 1", &["+6591234567"]),
            ("91234567/8", &["+6591234567"]),
            ("91234567#", &["+6591234567"]),
            ("9123_4567", &["+6591234567"]),
            ("whatsapp 91234567", &["+6591234567"]),
            ("微信 9123 4567 转 12", &["+6591234567"]),
            ("📱９１２３　４５６７（WA）", &["+6591234567"]),
            ("9123 4567 (2)", &["+6591234567"]),
            ("+65 ٩١٢٣٤٥٦٧", &["+6591234567"]),
            ("৯১২৩ ৪৫৬৭ (WA)", &["+6591234567"]),
            ("91234567+65", &["+6591234567"]),
            ("9123 4567 or 8123 4567", &["+6591234567", "+6581234567"]),
            ("9123 4567 8123 4567", &["+6591234567", "+6581234567"]),
            ("+44 (0)20 7946 0958", &["+442079460958"]),
            // The end of an unknown number is not a number.
            ("010 8888 7777", &[]),
            ("call me please", &[]),
            ("", &[]),
        ] {
            let found = PhoneNumber::find_all(text);
            let found: Vec<&str> = found.iter().map(PhoneNumber::as_str).collect();
            assert_eq!(found, numbers, "{text}");
        }
    }

    #[test]
    fn spelling_of_a_number_does_not_matter_for_lookup() {
        for typed in ["91234567", "0065 9123-4567", "+65 9123 4567 (WA)"] {
            assert_eq!(lookup_digits(typed), "6591234567", "{typed}");
        }
        assert_eq!(lookup_digits("12345678 ext. 9"), "123456789");
        assert_eq!(lookup_digits("9123 4567 / 8123 4567"), "9123456781234567");
    }

    #[test]
    fn finds_digits_in_any_text() {
        assert_eq!(digits("＋65 9a12"), "65912");
        assert_eq!(digits("١٢٣"), "123");
        assert_eq!(digits("12 ٣"), "12", "as in stored keys");
    }
}
