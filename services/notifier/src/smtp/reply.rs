//! Classifies the negative replies of a mail server by their cause: the server, our account, the mailbox or the address.
//!
//! Only a reply that denies the existence of the *address* counts against it. Providers answer throttling, block lists
//! and full mailboxes with 550 and 554 too, and often give the cause in the text alone.

use std::{fmt, str::FromStr};

/// The failed command, or the failed part of the connection.
#[derive(Clone, Copy, Debug, strum::Display)]
pub(super) enum Step {
    #[strum(to_string = "connecting to the mail server")]
    Connect,
    #[strum(to_string = "encrypting the connection to the mail server")]
    Encrypt,
    #[strum(to_string = "logging in at the mail server")]
    LogIn,
    #[strum(to_string = "MAIL")]
    Mail,
    #[strum(to_string = "RCPT")]
    Rcpt,
    #[strum(to_string = "DATA")]
    Data,
    #[strum(to_string = "sending the email")]
    Send,
}

/// The cause of a failure. The policy in `delivery/policy.rs` decides what follows.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumIter,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum ReplyClass {
    /// No email can be sent: the server is unavailable, or rejects our login or sender.
    ServerDown,
    /// The server refuses us as a sender: a quota or a rate is exceeded, the account is blocked, or we are on a block list.
    SenderRefused,
    /// The recipient's mailbox is full.
    MailboxFull,
    /// Another refusal, or no reply. Unknown replies belong here.
    TryLater,
    /// The recipient's address does not exist.
    BadAddress,
}

/// The status codes of a negative reply (RFC 5321, RFC 3463), e.g. `452 4.2.2`. Without the text, which may quote addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReplyCodes {
    basic: u16,
    enhanced: Option<EnhancedCode>,
}

/// Class, subject and detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EnhancedCode(u16, u16, u16);

/// Bad mailbox, bad domain, bad syntax, moved mailbox, domain that accepts no email.
const BAD_ADDRESS_CODES: [EnhancedCode; 5] = [
    EnhancedCode(5, 1, 1),
    EnhancedCode(5, 1, 2),
    EnhancedCode(5, 1, 3),
    EnhancedCode(5, 1, 6),
    EnhancedCode(5, 1, 10),
];

/// Bad address and bad domain of the sender, and congestion, with which providers answer a used-up quota.
const SENDER_CODES: [EnhancedCode; 3] = [
    EnhancedCode(5, 1, 7),
    EnhancedCode(5, 1, 8),
    EnhancedCode(5, 4, 5),
];

/// Texts of servers that name the user. In the form of [`normalise`], as all texts below.
const BAD_ADDRESS_TEXTS: [&str; 26] = [
    "account does not exist",
    "address does not exist",
    "address unknown",
    "addressee unknown",
    "invalid mailbox",
    "invalid recipient",
    "invalid user",
    "mailbox does not exist",
    "mailbox not found",
    "no mailbox here by that name",
    "no such mailbox",
    "no such recipient",
    "no such user",
    "not a valid mailbox",
    "not a valid user",
    "recipient does not exist",
    "recipient not found",
    "recipient unknown",
    "this user doesn t have a",
    "unknown recipient",
    "unknown user",
    "user does not exist",
    "user doesn t exist",
    "user not exist",
    "user not found",
    "user unknown",
];

/// Words of replies that name another cause besides the address: our sender, a policy, a quota, or a temporary condition.
const DOUBTS: [&str; 14] = [
    "banned",
    "black list",
    "blacklist",
    "blacklisted",
    "block list",
    "blocked",
    "policy",
    "quota",
    "sender",
    "spam",
    "temporarily",
    "temporary",
    "try again",
    "try later",
];

const FULL_TEXTS: [&str; 8] = [
    "exceeded storage allocation",
    "mailbox for user is full",
    "mailbox full",
    "mailbox is full",
    "over quota",
    "overquota",
    "quota exceeded",
    "quota violation",
];

/// Texts about the number of our emails, or about our account.
const SENDER_TEXTS: [&str; 9] = [
    "frequency limited",
    "max defers and failures per hour",
    "max emails per hour",
    "message quota exceeded",
    "sending limit",
    "sending quota",
    "sending rate exceeded",
    "tenant has exceeded threshold",
    "unusual sending activity",
];

/// Texts about our server. Only RCPT is certain to concern the server, and not a link in the content.
const BLOCK_LIST_TEXTS: [&str; 8] = [
    "banned sending ip",
    "barracuda reputation",
    "blacklist",
    "blacklisted",
    "block list",
    "blocked using",
    "poor reputation",
    "spamhaus",
];

impl ReplyCodes {
    /// `text` is the reply's text after the basic code, with its lines joined.
    pub(super) fn parse(basic: u16, text: &str) -> Self {
        Self {
            basic,
            enhanced: find_enhanced(text),
        }
    }

    pub(super) fn classify(self, step: Step, text: &str) -> ReplyClass {
        let text = &normalise(text);
        let is_permanent = self.basic >= 500;
        match (step, self.basic) {
            (Step::Connect | Step::Encrypt | Step::LogIn, _) => ReplyClass::ServerDown,
            // Replies to MAIL concern our sender.
            (Step::Mail, _) => ReplyClass::ServerDown,
            // The server closes the connection, or requires a login.
            (Step::Rcpt | Step::Data | Step::Send, 421 | 530) => ReplyClass::ServerDown,
            _ if self
                .is_enhanced(|EnhancedCode(_, subject, detail)| (subject, detail) == (2, 2)) =>
            {
                ReplyClass::MailboxFull
            }
            _ if self.is_enhanced(|it| SENDER_CODES.contains(&it))
                || has_any(text, &SENDER_TEXTS) =>
            {
                ReplyClass::SenderRefused
            }
            _ if has_any(text, &FULL_TEXTS) && !self.is_policy() => ReplyClass::MailboxFull,
            _ if is_permanent && self.denies_address(text) => ReplyClass::BadAddress,
            // At RCPT the server does not know the content yet, so the cause is the sender. At DATA it may be the content.
            (Step::Rcpt, 500..) if self.is_policy() || has_any(text, &BLOCK_LIST_TEXTS) => {
                ReplyClass::SenderRefused
            }
            (Step::Rcpt | Step::Data | Step::Send, _) => ReplyClass::TryLater,
        }
    }

    fn denies_address(self, text: &str) -> bool {
        let is_named = self.is_enhanced(|it| BAD_ADDRESS_CODES.contains(&it))
            || has_any(text, &BAD_ADDRESS_TEXTS)
            || has_any(text, &["mailbox unavailable"]) && has_any(text, &["does not exist"])
            || has_any(text, &["tried to reach does not exist"]);
        is_named && !has_any(text, &DOUBTS)
    }

    /// Whether the enhanced code means security or policy.
    fn is_policy(self) -> bool {
        self.is_enhanced(|EnhancedCode(class, subject, _)| (class, subject) == (5, 7))
    }

    fn is_enhanced(self, is_match: impl FnOnce(EnhancedCode) -> bool) -> bool {
        self.enhanced.is_some_and(is_match)
    }
}

impl fmt::Display for ReplyCodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.basic.fmt(f)?;
        if let Some(EnhancedCode(class, subject, detail)) = self.enhanced {
            write!(f, " {class}.{subject}.{detail}")?;
        }
        Ok(())
    }
}

impl FromStr for EnhancedCode {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('.').map(|part| {
            let is_number =
                (1..=3).contains(&part.len()) && part.bytes().all(|it| it.is_ascii_digit());
            part.parse().ok().filter(|_: &u16| is_number)
        });
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Some(class @ (4 | 5))), Some(Some(subject)), Some(Some(detail)), None) => {
                Ok(Self(class, subject, detail))
            }
            _ => Err(()),
        }
    }
}

/// The enhanced code at the start of the text, or marked with `#` anywhere. Other numbers may be addresses of networks.
fn find_enhanced(text: &str) -> Option<EnhancedCode> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let marked = words.filter(|word| word.trim_start_matches('(').starts_with('#'));
    [first].into_iter().chain(marked).find_map(|word| {
        word.trim_matches(|it: char| !it.is_ascii_digit())
            .parse()
            .ok()
    })
}

/// The text in lowercase words, with spaces around, without addresses: a visitor's address may be `no.such.user@spam.example`.
fn normalise(text: &str) -> String {
    let mut normalised = " ".to_owned();
    // Some servers write `mei@example.com...User unknown`.
    let spaced = text.replace("...", " ");
    let without_quoted = spaced
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, unquoted)| unquoted));
    for word in without_quoted.flat_map(str::split_whitespace) {
        if word.contains('@') {
            continue;
        }
        for plain in word.split(|it: char| !it.is_alphanumeric()) {
            if !plain.is_empty() {
                normalised.extend(plain.chars().flat_map(char::to_lowercase));
                normalised.push(' ');
            }
        }
    }
    normalised
}

fn has_any(text: &str, phrases: &[&str]) -> bool {
    phrases
        .iter()
        .any(|phrase| text.contains(&format!(" {phrase} ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_enhanced_code() {
        for (text, expected) in [
            ("5.1.1 unknown", "550 5.1.1"),
            ("5.7.515 Access denied", "550 5.7.515"),
            ("#5.1.0 Address rejected.", "550 5.1.0"),
            (
                "sorry, no mailbox here by that name (#5.1.1 - chkuser)",
                "550 5.1.1",
            ),
            ("5.0.0. Mail rejected.", "550 5.0.0"),
            ("192.0.2.1 is listed", "550"),
            ("blocked: 5.6.7", "550"),
            ("5.1 no", "550"),
            ("5.1.1.1 no", "550"),
            ("5.1.1000 no", "550"),
            ("5.+1.1 no", "550"),
            ("2.0.0 no", "550"),
            ("", "550"),
        ] {
            assert_eq!(ReplyCodes::parse(550, text).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn words_of_a_quoted_address_have_no_meaning() {
        for text in [
            "<no.such.user@unknown.user> rejected",
            "RCPT TO:<user unknown@x.co> rejected",
            "(user.unknown@x.co) rejected",
        ] {
            let class = ReplyCodes::parse(550, text).classify(Step::Rcpt, text);
            assert_eq!(class, ReplyClass::TryLater, "{text}");
        }
        let text = "5.1.1 <sender@spam.example> no such user";
        let class = ReplyCodes::parse(550, text).classify(Step::Rcpt, text);
        assert_eq!(class, ReplyClass::BadAddress);
    }

    #[test]
    fn temporary_reply_never_counts_against_the_address() {
        for basic in 400..500 {
            for text in [
                "5.1.1 user unknown",
                "4.1.1 no such user",
                "mailbox not found",
            ] {
                for step in [Step::Rcpt, Step::Data, Step::Send] {
                    let class = ReplyCodes::parse(basic, text).classify(step, text);
                    assert_ne!(class, ReplyClass::BadAddress, "{basic} {text}");
                }
            }
        }
    }
}
