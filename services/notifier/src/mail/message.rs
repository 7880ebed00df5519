//! Encodes an email for the mail server.

use std::fmt;

use chrono::{DateTime, Utc};
use lettre::{
    Address, Message,
    message::{
        Mailbox, Mailboxes, MultiPart, SinglePart,
        header::{
            ContentDisposition, ContentTransferEncoding, ContentType, From, Header, HeaderName,
            HeaderValue, Headers, ReplyTo,
        },
    },
};
use uuid::Uuid;

use super::context::MailContext;

/// Separates the parts. Encoded text cannot contain `=_`, so it cannot end a part.
const BOUNDARY: &str = "=_part";
const OUTER_BOUNDARY: &str = "=_file";

/// Maximum length of a line with an encoded word (RFC 2047, section 2).
const MAX_LINE_LENGTH: usize = 76;

/// An email ready to send. Not `Debug`, because it contains personal data.
pub struct Mail {
    pub message_id: MessageId,
    /// The envelope sender.
    pub sender: Address,
    pub recipient: Address,
    pub content: MailContent,
    /// Headers and body: ASCII, with CR LF line ends.
    pub bytes: Vec<u8>,
}

/// An email before encoding. Not `Debug`, because it contains personal data.
#[derive(Default)]
pub struct MailContent {
    pub subject: String,
    pub text: String,
    pub html: String,
    /// Name and text of an attached file. Replies do not quote attachments.
    pub aside: Option<(String, String)>,
    pub(super) reply_to: Option<Mailbox>,
    /// The first email of the thread.
    pub(super) thread: Option<MessageId>,
    /// The envelope sender; `None`: MAIL_FROM.
    pub(super) bounces_to: Option<Address>,
    /// The URL for the unsubscribe button of mail programs (RFC 8058).
    pub(super) unsubscribe: Option<String>,
    /// Whether the email responds to an action of its recipient (RFC 3834).
    pub(super) is_reply: bool,
}

/// Contains no text of the email.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    #[error("the template failed")]
    Template(#[from] askama::Error),
    #[error("the message could not be built")]
    Message(#[from] lettre::error::Error),
    #[error("the address is invalid, a role or in our own domain")]
    Unaddressable,
    #[error("no person of this name in the routes file")]
    NotInRoutes,
    #[error("no brochure published yet")]
    NoBrochure,
}

/// The same for a repeated email, so mailboxes can drop the duplicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageId {
    pub id: Uuid,
    domain: String,
}

impl MessageId {
    /// `about` is the id of the lead. `recipient` is the name in the CRM, because a visitor's address must not be guessable
    /// from the message id. Addresses must be in lower case, because mail servers ignore case.
    #[must_use]
    pub fn new(about: Uuid, recipient: &str, sender: &Address) -> Self {
        Self {
            id: Uuid::new_v5(&about, recipient.as_bytes()),
            domain: sender.domain().to_owned(),
        }
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}@{}>", self.id, self.domain)
    }
}

impl MailContent {
    /// The first line of the text is also the subject.
    pub(super) fn titled(text: String) -> Self {
        let subject = text.lines().next().unwrap_or_default().to_owned();
        Self {
            subject,
            text,
            ..Self::default()
        }
    }

    /// The text begins with the subject and an empty line, which are removed.
    pub(super) fn with_subject(text: &str) -> Self {
        let (subject, text) = text.split_once("\n\n").unwrap_or_default();
        Self {
            subject: subject.to_owned(),
            text: text.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn encode(
        self,
        message_id: MessageId,
        MailContext { mail_from, .. }: &MailContext,
        recipient: &Address,
        now: DateTime<Utc>,
    ) -> Result<Mail, ComposeError> {
        let mut message = Message::builder()
            .message_id(Some(message_id.to_string()))
            .date(now.into())
            .from(mail_from.clone())
            .to(recipient.clone().into())
            .subject(escape_encoded_words(&self.subject));
        if let Some(reply_to) = &self.reply_to {
            message = message.reply_to(reply_to.clone());
        }
        if let Some(first) = &self.thread {
            message = message
                .in_reply_to(first.to_string())
                .references(first.to_string());
        }
        if let Some(address) = &self.unsubscribe {
            message = message
                .raw_header(raw_header("List-Unsubscribe", &format!("<{address}>")))
                .raw_header(raw_header(
                    "List-Unsubscribe-Post",
                    "List-Unsubscribe=One-Click",
                ));
        }
        let trigger = if self.is_reply {
            "auto-replied"
        } else {
            "auto-generated"
        };
        let mut message = message
            .raw_header(raw_header("Auto-Submitted", trigger))
            .raw_header(raw_header("X-Auto-Response-Suppress", "All"))
            .multipart(multipart(&self))?;
        fold_address(
            message.headers_mut(),
            From::from(Mailboxes::from(mail_from.clone())),
        );
        if let Some(reply_to) = &self.reply_to {
            fold_address(
                message.headers_mut(),
                ReplyTo::from(Mailboxes::from(reply_to.clone())),
            );
        }
        Ok(Mail {
            message_id,
            sender: self
                .bounces_to
                .clone()
                .unwrap_or_else(|| mail_from.email.clone()),
            recipient: recipient.clone(),
            content: self,
            bytes: message.formatted(),
        })
    }
}

fn raw_header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// Splits `=?`, so mail programs do not decode a visitor's text as an encoded word.
pub(super) fn escape_encoded_words(text: &str) -> String {
    text.replace("=?", "= ?")
}

/// Sets a header with one mailbox. Unlike lettre, moves the address to a separate line if a line with an encoded word is
/// too long.
fn fold_address<H: Header>(headers: &mut Headers, header: H) {
    let mut encoded = Headers::new();
    encoded.set(header);
    let encoded = encoded.to_string();
    let Some((name, address)) = encoded.trim_end().rsplit_once("?= <") else {
        return;
    };
    if encoded.lines().any(|line| line.len() > MAX_LINE_LENGTH)
        && let Some((_, name)) = name.split_once(": ")
    {
        let folded = format!("{name}?=\r\n <{address}");
        headers.insert_raw(HeaderValue::dangerous_new_pre_encoded(
            H::name(),
            folded.clone(),
            folded,
        ));
    }
}

fn multipart(content: &MailContent) -> MultiPart {
    let both = MultiPart::alternative()
        .boundary(BOUNDARY)
        .singlepart(text_part(ContentType::TEXT_PLAIN, content.text.clone()))
        .singlepart(text_part(ContentType::TEXT_HTML, content.html.clone()));
    match &content.aside {
        None => both,
        Some((name, text)) => {
            let file = SinglePart::builder()
                .header(ContentDisposition::attachment(name))
                .header(ContentType::TEXT_PLAIN)
                .header(shorter_encoding(text))
                .body(text.clone());
            MultiPart::mixed()
                .boundary(OUTER_BOUNDARY)
                .multipart(both)
                .singlepart(file)
        }
    }
}

fn text_part(content_type: ContentType, text: String) -> SinglePart {
    SinglePart::builder()
        .header(content_type)
        .header(shorter_encoding(&text))
        .body(text)
}

/// Quoted-printable needs three bytes for each escaped byte, base64 four bytes for every three.
fn shorter_encoding(text: &str) -> ContentTransferEncoding {
    let escaped = text
        .bytes()
        .filter(|byte| *byte == b'=' || !byte.is_ascii())
        .count();
    if escaped * 6 < text.len() {
        ContentTransferEncoding::QuotedPrintable
    } else {
        ContentTransferEncoding::Base64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_id_depends_on_lead_and_recipient() {
        let sender = "leads@zyon.example".parse().unwrap();
        let id = |lead: u128, recipient: &str| {
            MessageId::new(Uuid::from_u128(lead), recipient, &sender).to_string()
        };
        assert_eq!(id(1, "a@x.co"), id(1, "a@x.co"));
        assert_ne!(id(1, "a@x.co"), id(1, "b@x.co"));
        assert_ne!(id(1, "a@x.co"), id(2, "a@x.co"));
        assert!(id(1, "a@x.co").ends_with("@zyon.example>"));
    }
}
