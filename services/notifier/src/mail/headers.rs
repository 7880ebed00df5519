//! Headers that need thought.

use lettre::{
    Address,
    message::{
        Mailbox,
        header::{HeaderName, HeaderValue},
    },
};

use crate::domain::Lead;

/// Keeps mail programs from answering a mail that no person sent.
pub(super) const AUTOMATIC: [(&str, &str); 2] =
    [("Auto-Submitted", "auto-generated"), ("X-Auto-Response-Suppress", "All")];

pub(super) fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// The visitor, where the address typed is one that a header can hold: a browser takes more than that. Quoted local
/// parts, which a browser does not take, could hold anything.
pub(super) fn reply_to(lead: &Lead) -> Option<Mailbox> {
    let typed = lead.email.as_str();
    let is_plain = typed.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    let address = typed.parse::<Address>().ok().filter(|_| is_plain)?;
    Some(Mailbox::new(Some(plain(lead.name.as_str())), address))
}

/// Text that a mail program does not take for an encoded word, and decode to something that nobody typed.
pub(super) fn plain(text: &str) -> String {
    text.replace("=?", "= ?")
}
