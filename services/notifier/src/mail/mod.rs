//! The mail about a lead: one message for one recipient.

mod body;
mod headers;
mod message_id;
mod subject;

use chrono::{DateTime, Utc};
use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        Mailbox, MultiPart, SinglePart,
        header::{ContentTransferEncoding, ContentType},
    },
};

pub use self::message_id::MessageId;
use crate::domain::Lead;

/// Stands between the parts. Neither encoding writes `=_`, so that no text can pretend to be this line.
const BOUNDARY: &str = "=_part";

/// A mail ready to be sent. Prints nothing: most of it is personal.
pub struct Mail {
    /// Its id.
    pub message_id: MessageId,
    /// Whom the mail server is told it comes from.
    pub sender: Address,
    /// Whom it is for.
    pub recipient: Address,
    /// Headers and body, all ASCII, lines ended by CR LF.
    pub bytes: Vec<u8>,
}

/// A mail could not be written. Says nothing about what is in it.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    /// A template did not take the lead.
    #[error("the template failed")]
    Template(#[from] askama::Error),
    /// The parts did not make a message.
    #[error("the message could not be built")]
    Message(#[from] lettre::error::Error),
}

/// Writes the mail that tells `recipient` about the lead.
///
/// # Errors
/// [`ComposeError`], for no lead that is known.
pub fn compose(
    lead: &Lead,
    sender: &Mailbox,
    recipient: &Address,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let message_id = MessageId::new(lead.id, recipient, &sender.email);
    let reply_to = headers::reply_to(lead);
    let bodies = body::render(lead, reply_to.is_some())?;

    let mut message = Message::builder()
        .envelope(Envelope::new(Some(sender.email.clone()), vec![recipient.clone()])?)
        .message_id(Some(message_id.to_string()))
        .date(now.into())
        .from(sender.clone())
        .to(recipient.clone().into())
        .subject(subject::of(lead));
    if let Some(lead) = reply_to {
        message = message.reply_to(lead);
    }
    let message = headers::AUTOMATIC
        .into_iter()
        .fold(message, |message, (name, value)| message.raw_header(headers::raw(name, value)))
        .multipart(
            MultiPart::alternative()
                .boundary(BOUNDARY)
                .singlepart(part(ContentType::TEXT_PLAIN, bodies.text))
                .singlepart(part(ContentType::TEXT_HTML, bodies.html)),
        )?;
    Ok(Mail {
        message_id,
        sender: sender.email.clone(),
        recipient: recipient.clone(),
        bytes: message.formatted(),
    })
}

fn part(content_type: ContentType, text: String) -> SinglePart {
    SinglePart::builder().header(content_type).header(shorter_encoding(&text)).body(text)
}

/// Quoted-printable takes three bytes for each it escapes, base64 four for every three.
fn shorter_encoding(text: &str) -> ContentTransferEncoding {
    let escaped = text.bytes().filter(|byte| *byte == b'=' || !byte.is_ascii()).count();
    if escaped * 6 < text.len() {
        ContentTransferEncoding::QuotedPrintable
    } else {
        ContentTransferEncoding::Base64
    }
}
