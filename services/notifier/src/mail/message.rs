//! Encodes a mail into the bytes sent to the mail server.

use chrono::{DateTime, Utc};
use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        Mailbox, Mailboxes, MultiPart, SinglePart,
        header::{
            ContentDisposition, ContentTransferEncoding, ContentType, From, Header, HeaderName, HeaderValue,
            Headers, ReplyTo,
        },
    },
};

use super::message_id::MessageId;

/// Separates the parts. Neither encoding emits `=_`, so no text can contain this line.
const BOUNDARY: &str = "=_part";
const OUTER_BOUNDARY: &str = "=_file";

/// Maximum length of a line with an encoded word (RFC 2047, section 2).
const LONGEST_LINE: usize = 76;

/// A mail ready to send. Not `Debug`, as most of it is personal.
pub struct Mail {
    pub message_id: MessageId,
    /// The envelope sender.
    pub sender: Address,
    pub recipient: Address,
    pub content: MailContent,
    /// Headers and body: ASCII, with CR LF line ends.
    pub bytes: Vec<u8>,
}

/// A mail's text before encoding. Not `Debug`, as most of it is personal.
pub struct MailContent {
    pub subject: String,
    pub text: String,
    pub html: String,
    /// Name and text of an attached file, which a reply does not quote.
    pub aside: Option<(String, String)>,
}

/// Composing a mail failed. Contains no text of the mail.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    #[error("the template failed")]
    Template(#[from] askama::Error),
    #[error("the message could not be built")]
    Message(#[from] lettre::error::Error),
}

/// The trigger of an automatic email, as in the header `Auto-Submitted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// An event that interests the recipient.
    Generated,
    /// An action of the recipient.
    Replied,
}

/// The content of a mail, its envelope and its headers.
pub(super) struct MessageBuilder<'a> {
    pub(super) message_id: MessageId,
    pub(super) content: MailContent,
    pub(super) sender: &'a Mailbox,
    pub(super) recipient: &'a Address,
    pub(super) reply_to: Option<Mailbox>,
    /// The first mail of the thread.
    pub(super) thread: Option<MessageId>,
    /// The address that a mail program posts to when the recipient unsubscribes (RFC 8058).
    pub(super) unsubscribe: Option<String>,
    pub(super) origin: Origin,
    pub(super) now: DateTime<Utc>,
}

impl MessageBuilder<'_> {
    pub(super) fn encode(self) -> Result<Mail, ComposeError> {
        let Self { message_id, content, sender, recipient, reply_to, thread, unsubscribe, origin, now } =
            self;
        let auto_submitted = match origin {
            Origin::Generated => "auto-generated",
            Origin::Replied => "auto-replied",
        };
        let mut message = Message::builder()
            .envelope(Envelope::new(Some(sender.email.clone()), vec![recipient.clone()])?)
            .message_id(Some(message_id.to_string()))
            .date(now.into())
            .from(sender.clone())
            .to(recipient.clone().into())
            .subject(without_encoded_words(&content.subject));
        if let Some(reply_to) = &reply_to {
            message = message.reply_to(reply_to.clone());
        }
        if let Some(first) = thread {
            message = message.in_reply_to(first.to_string()).references(first.to_string());
        }
        if let Some(address) = unsubscribe {
            message = message
                .raw_header(raw("List-Unsubscribe", &format!("<{address}>")))
                .raw_header(raw("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let mut message = message
            .raw_header(raw("Auto-Submitted", auto_submitted))
            .raw_header(raw("X-Auto-Response-Suppress", "All"))
            .multipart(parts(&content))?;
        fold_address(message.headers_mut(), From::from(Mailboxes::from(sender.clone())));
        if let Some(reply_to) = reply_to {
            fold_address(message.headers_mut(), ReplyTo::from(Mailboxes::from(reply_to)));
        }
        Ok(Mail {
            message_id,
            sender: sender.email.clone(),
            recipient: recipient.clone(),
            content,
            bytes: message.formatted(),
        })
    }
}

fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// Breaks up `=?`, so that mail programs do not decode typed text as an encoded word.
pub(super) fn without_encoded_words(text: &str) -> String {
    text.replace("=?", "= ?")
}

/// Replaces a header that has one mailbox. Moves the address to a separate line if the line is too long for the encoded
/// word before it; lettre does not.
fn fold_address<H: Header>(headers: &mut Headers, header: H) {
    let mut encoded = Headers::new();
    encoded.set(header);
    let encoded = encoded.to_string();
    let Some((name, address)) = encoded.trim_end().rsplit_once("?= <") else { return };
    if encoded.lines().any(|line| line.len() > LONGEST_LINE)
        && let Some((_, name)) = name.split_once(": ")
    {
        let folded = format!("{name}?=\r\n <{address}");
        headers.insert_raw(HeaderValue::dangerous_new_pre_encoded(H::name(), folded.clone(), folded));
    }
}

fn parts(content: &MailContent) -> MultiPart {
    let both = MultiPart::alternative()
        .boundary(BOUNDARY)
        .singlepart(part(ContentType::TEXT_PLAIN, content.text.clone()))
        .singlepart(part(ContentType::TEXT_HTML, content.html.clone()));
    match &content.aside {
        None => both,
        Some((name, text)) => {
            let file = SinglePart::builder()
                .header(ContentDisposition::attachment(name))
                .header(ContentType::TEXT_PLAIN)
                .header(shorter_encoding(text))
                .body(text.clone());
            MultiPart::mixed().boundary(OUTER_BOUNDARY).multipart(both).singlepart(file)
        }
    }
}

fn part(content_type: ContentType, text: String) -> SinglePart {
    SinglePart::builder().header(content_type).header(shorter_encoding(&text)).body(text)
}

/// Quoted-printable needs three bytes per escaped byte, base64 four per three bytes.
fn shorter_encoding(text: &str) -> ContentTransferEncoding {
    let escaped = text.bytes().filter(|byte| *byte == b'=' || !byte.is_ascii()).count();
    if escaped * 6 < text.len() {
        ContentTransferEncoding::QuotedPrintable
    } else {
        ContentTransferEncoding::Base64
    }
}
