//! The recipients of a lead's deliveries.

use std::{
    convert::Infallible,
    fmt::{self, Display, Formatter},
    str::FromStr,
};

use chrono::TimeDelta;

/// Who gets a delivery. Its text is the key of the delivery in the CRM, in messages and in metrics of operators.
///
/// | text | recipient |
/// |---|---|
/// | `mei@zyongrand.example` | [`Sales`](Self::Sales) |
/// | `visitor` | [`Visitor`](Self::Visitor) |
/// | `brochure` | [`Brochure`](Self::Brochure) |
/// | `webhook:NAME` | [`Webhook`](Self::Webhook) |
/// | `updated:NAME#NUMBER` | [`UpdateNotice`](Self::UpdateNotice) |
/// | `erased:NAME` | [`ErasureNotice`](Self::ErasureNotice) |
/// | `person:NAME#NUMBER`, `login:NAME#NUMBER`, `brochure-test:NAME#NUMBER` | [`Requested`](Self::Requested) |
/// | `withdrawal:NAME`, `erasure:NAME`, `consent:NAME`, or an address instead of the name | [`SalesNotice`](Self::SalesNotice) |
/// | `reminder:NAME`, or an address instead of the name | [`Reminder`](Self::Reminder) |
/// | any other text | [`Unknown`](Self::Unknown) |
///
/// Each lead has deliveries to the sales team's addresses and the webhooks in the routes, and the visitor's confirmation.
/// Requests and changes add the others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Debug)]
pub enum Recipient {
    /// An address of the sales team.
    #[debug("Sales")]
    Sales(String),
    /// The visitor, who gets the confirmation. The lead contains the address.
    Visitor,
    /// The visitor, who gets the brochure.
    Brochure,
    /// A system that receives the lead, by its name in the routes.
    Webhook(String),
    /// A system that may have received the lead, to notify of a changed phone number, address or do-not-contact mark.
    UpdateNotice {
        /// Its name in the routes.
        webhook: String,
        /// Counts the notices of one webhook from 1, because several changes may need several notices.
        number: u32,
    },
    /// A system that may have received the lead, to notify of the lead's erasure, by its name in the routes. An erased
    /// lead has no other recipients.
    ErasureNotice(String),
    /// A person in the routes, who gets an email that somebody requested.
    #[debug("Requested({kind:?})")]
    Requested {
        /// What the person gets.
        kind: RequestKind,
        /// The name of the person or of the lead's owner.
        person: String,
        /// Counts the requests of one kind for one person from 1, because each request is a separate email.
        number: u32,
    },
    /// A person in the routes, or an address of the sales team, to notify once of a visitor's decision.
    #[debug("SalesNotice({kind:?})")]
    SalesNotice {
        /// What the visitor decided.
        kind: NoticeKind,
        /// A name in the routes, or an address.
        to: String,
    },
    /// The owner of a lead that nobody has contacted, by name, or an address of the sales team. A lead has one reminder.
    #[debug("Reminder")]
    Reminder(String),
    /// A recipient that only a newer version defines, after a rollback. This version stores and reports it unchanged.
    #[debug("Unknown")]
    Unknown(String),
}

/// A person's requests for the same email within this time are one request.
pub const REQUEST_INTERVAL: TimeDelta = TimeDelta::minutes(1);

/// What a person in the routes requested, or a colleague for that person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestKind {
    /// The lead, because the person became its owner.
    Lead,
    /// A login link of the desk.
    Login,
    /// A test copy of the brochure.
    BrochureTest,
}

/// A decision of a visitor that the sales team must learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeKind {
    /// The visitor withdrew consent to be contacted.
    Withdrawal,
    /// The visitor requested the erasure of their data.
    Erasure,
    /// The visitor agreed to calls or messages after they had sent the form.
    Consent,
}

const VISITOR: &str = "visitor";
const BROCHURE: &str = "brochure";
const WEBHOOK: &str = "webhook";
const UPDATE: &str = "updated";
const ERASED: &str = "erased";
const REMINDER: &str = "reminder";

impl RequestKind {
    const ALL: [Self; 3] = [Self::Lead, Self::Login, Self::BrochureTest];

    fn prefix(self) -> &'static str {
        match self {
            Self::Lead => "person",
            Self::Login => "login",
            Self::BrochureTest => "brochure-test",
        }
    }

    fn from_prefix(prefix: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.prefix() == prefix)
    }
}

impl NoticeKind {
    const ALL: [Self; 3] = [Self::Withdrawal, Self::Erasure, Self::Consent];

    fn prefix(self) -> &'static str {
        match self {
            Self::Withdrawal => "withdrawal",
            Self::Erasure => "erasure",
            Self::Consent => "consent",
        }
    }

    fn from_prefix(prefix: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.prefix() == prefix)
    }
}

impl Recipient {
    /// Whether the delivery is an email to the visitor.
    #[must_use]
    pub fn is_visitor(&self) -> bool {
        matches!(self, Self::Visitor | Self::Brochure)
    }

    /// Whether the delivery is claimed separately from those of the routes, because a request or a change added it. Not true
    /// of an erasure notice, because an erased lead has no deliveries of the routes.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        match self {
            Self::Brochure
            | Self::UpdateNotice { .. }
            | Self::Requested { .. }
            | Self::SalesNotice { .. }
            | Self::Reminder(_) => true,
            Self::Sales(_)
            | Self::Visitor
            | Self::Webhook(_)
            | Self::ErasureNotice(_)
            | Self::Unknown(_) => false,
        }
    }

    /// The address of the sales team. `None` for other recipients.
    #[must_use]
    pub fn sales_address(&self) -> Option<&str> {
        if let Self::Sales(address) = self {
            Some(address)
        } else {
            None
        }
    }

    /// The webhook that receives the lead. `None` for other recipients, notices included.
    #[must_use]
    pub fn webhook(&self) -> Option<&str> {
        if let Self::Webhook(name) = self {
            Some(name)
        } else {
            None
        }
    }

    /// The webhook that a notice of an update or of an erasure goes to. `None` for other recipients.
    #[must_use]
    pub fn notified_webhook(&self) -> Option<&str> {
        match self {
            Self::UpdateNotice { webhook, .. } | Self::ErasureNotice(webhook) => Some(webhook),
            Self::Sales(_)
            | Self::Visitor
            | Self::Brochure
            | Self::Webhook(_)
            | Self::Requested { .. }
            | Self::SalesNotice { .. }
            | Self::Reminder(_)
            | Self::Unknown(_) => None,
        }
    }

    /// Parses the texts that have a prefix.
    fn parse_prefixed(text: &str) -> Option<Self> {
        let (prefix, rest) = text.split_once(':')?;
        let recipient = match prefix {
            WEBHOOK => Self::Webhook(rest.to_owned()),
            ERASED => Self::ErasureNotice(rest.to_owned()),
            REMINDER => Self::Reminder(rest.to_owned()),
            UPDATE => {
                let (webhook, number) = parse_numbered(rest)?;
                Self::UpdateNotice { webhook, number }
            }
            prefix => {
                if let Some(kind) = RequestKind::from_prefix(prefix) {
                    let (person, number) = parse_numbered(rest)?;
                    Self::Requested {
                        kind,
                        person,
                        number,
                    }
                } else {
                    Self::SalesNotice {
                        kind: NoticeKind::from_prefix(prefix)?,
                        to: rest.to_owned(),
                    }
                }
            }
        };
        Some(recipient)
    }
}

/// Whether the text is an address without a prefix. An address may contain `:` too, as in `mei@[2001:db8::1]`.
fn is_address(text: &str) -> bool {
    let before_colon = text.split(':').next().unwrap_or_default();
    let is_prefix = |part: &str| part.bytes().all(|it| it.is_ascii_lowercase() || it == b'-');
    text.contains('@') && (before_colon == text || !is_prefix(before_colon))
}

/// Parses `NAME#NUMBER`.
fn parse_numbered(text: &str) -> Option<(String, u32)> {
    let (name, number) = text.rsplit_once('#')?;
    Some((name.to_owned(), number.parse().ok()?))
}

impl FromStr for Recipient {
    type Err = Infallible;

    /// Parses every text: a text of no known form is [`Unknown`](Self::Unknown), so it is displayed unchanged.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let parsed = match text {
            VISITOR => Some(Self::Visitor),
            BROCHURE => Some(Self::Brochure),
            text if is_address(text) => Some(Self::Sales(text.to_owned())),
            text => Self::parse_prefixed(text),
        };
        // Numbers have several texts, such as `2` and `02`, but only one of them is displayed.
        let exact = parsed.filter(|recipient| recipient.to_string() == text);
        Ok(exact.unwrap_or_else(|| Self::Unknown(text.to_owned())))
    }
}

impl From<&str> for Recipient {
    fn from(text: &str) -> Self {
        let Ok(recipient) = text.parse();
        recipient
    }
}

impl Display for Recipient {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sales(text) | Self::Unknown(text) => f.write_str(text),
            Self::Visitor => f.write_str(VISITOR),
            Self::Brochure => f.write_str(BROCHURE),
            Self::Webhook(name) => write!(f, "{WEBHOOK}:{name}"),
            Self::UpdateNotice { webhook, number } => write!(f, "{UPDATE}:{webhook}#{number}"),
            Self::ErasureNotice(webhook) => write!(f, "{ERASED}:{webhook}"),
            Self::Requested {
                kind,
                person,
                number,
            } => write!(f, "{}:{person}#{number}", kind.prefix()),
            Self::SalesNotice { kind, to } => write!(f, "{}:{to}", kind.prefix()),
            Self::Reminder(to) => write!(f, "{REMINDER}:{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn requested(kind: RequestKind) -> Recipient {
        Recipient::Requested {
            kind,
            person: "Mei Lin".to_owned(),
            number: 2,
        }
    }

    fn sales_notice(kind: NoticeKind, to: &str) -> Recipient {
        Recipient::SalesNotice {
            kind,
            to: to.to_owned(),
        }
    }

    #[test]
    fn each_text_has_one_recipient() {
        let crm = || "crm".to_owned();
        let update = Recipient::UpdateNotice {
            webhook: crm(),
            number: 12,
        };
        let address = "mei@zyongrand.example";
        for (text, recipient) in [
            (address, Recipient::Sales(address.to_owned())),
            ("visitor", Recipient::Visitor),
            ("brochure", Recipient::Brochure),
            ("webhook:crm", Recipient::Webhook(crm())),
            ("updated:crm#12", update),
            ("erased:crm", Recipient::ErasureNotice(crm())),
            ("person:Mei Lin#2", requested(RequestKind::Lead)),
            ("login:Mei Lin#2", requested(RequestKind::Login)),
            (
                "brochure-test:Mei Lin#2",
                requested(RequestKind::BrochureTest),
            ),
            (
                "withdrawal:Mei Lin",
                sales_notice(NoticeKind::Withdrawal, "Mei Lin"),
            ),
            (
                "erasure:mei@zyongrand.example",
                sales_notice(NoticeKind::Erasure, address),
            ),
            (
                "reminder:Mei Lin",
                Recipient::Reminder("Mei Lin".to_owned()),
            ),
            (
                "reminder:mei@zyongrand.example",
                Recipient::Reminder(address.to_owned()),
            ),
        ] {
            assert_eq!(Recipient::from(text), recipient, "{text}");
            assert_eq!(recipient.to_string(), text);
        }
    }

    #[test]
    fn unknown_texts_of_recipients_are_kept_unchanged() {
        for text in [
            "",
            "sales",
            "fax:crm",
            "updated:crm",
            "updated:crm#",
            "updated:crm#02",
            "updated:crm#99999999999",
            "person:Mei",
            "login:Mei#-1",
            "survey:mei@zyongrand.example",
            "survey:Mei#1",
        ] {
            let recipient = Recipient::from(text);
            assert_eq!(recipient, Recipient::Unknown(text.to_owned()));
            assert_eq!(recipient.to_string(), text);
        }
    }

    #[test]
    fn every_address_of_the_routes_is_sales() {
        for address in ["mei@zyongrand.example", "mei@[2001:db8::1]", "\"a:b\"@x.co"] {
            assert_eq!(
                Recipient::from(address),
                Recipient::Sales(address.to_owned())
            );
        }
    }

    #[test]
    fn names_may_contain_a_number_sign() {
        let recipient = Recipient::from("person:Mei #2#1");
        assert!(
            matches!(&recipient, Recipient::Requested { person, number: 1, .. } if person == "Mei #2"),
            "{recipient}"
        );
    }

    #[test]
    fn debug_output_has_no_address() {
        for text in [
            "mei@zyongrand.example",
            "erasure:mei@zyongrand.example",
            "reminder:mei@zyongrand.example",
        ] {
            let output = format!("{:?}", Recipient::from(text));
            assert!(!output.contains('@'), "{output}");
        }
    }

    #[test]
    fn only_notices_name_the_webhook_that_they_notify() {
        for (text, webhook) in [
            ("updated:crm#12", Some("crm")),
            ("erased:crm", Some("crm")),
            ("webhook:crm", None),
            ("visitor", None),
        ] {
            assert_eq!(Recipient::from(text).notified_webhook(), webhook, "{text}");
        }
    }

    #[test]
    fn routes_and_erasures_request_nothing() {
        for text in [
            "mei@zyongrand.example",
            "visitor",
            "webhook:crm",
            "erased:crm",
        ] {
            assert!(!Recipient::from(text).is_requested(), "{text}");
        }
        for text in [
            "brochure",
            "updated:crm#1",
            "login:Mei#1",
            "withdrawal:Mei",
            "reminder:Mei",
        ] {
            assert!(Recipient::from(text).is_requested(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_survives_a_round_trip(
            prefix in "(visitor|brochure|webhook:|updated:|erased:|person:|login:|brochure-test:|withdrawal:|erasure:|reminder:|[a-z]{0,3}:?)",
            name in "[\\w@.:# -]{0,12}",
            number in "(#[0-9]{0,11})?",
        ) {
            let text = format!("{prefix}{name}{number}");
            prop_assert_eq!(Recipient::from(text.as_str()).to_string(), text);
        }
    }
}
