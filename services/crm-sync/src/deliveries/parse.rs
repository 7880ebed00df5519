//! Parses the fields of several calls about deliveries.

use lead::{FieldError, Recipient, field::required_text};

/// Maximum length of an address in SMTP.
const RECIPIENT_LENGTH: usize = 320;

const HOLDER_LENGTH: usize = 200;

pub(crate) fn parse_recipients(texts: &[String]) -> Result<Vec<Recipient>, FieldError> {
    texts
        .iter()
        .map(|text| parse_recipient("recipients", text))
        .collect()
}

pub(crate) fn parse_recipient(field: &'static str, text: &str) -> Result<Recipient, FieldError> {
    let text = required_text(field, text, RECIPIENT_LENGTH)?;
    Ok(Recipient::from(text.as_str()))
}

pub(crate) fn parse_holder(text: &str) -> Result<String, FieldError> {
    required_text("holder", text, HOLDER_LENGTH)
}
