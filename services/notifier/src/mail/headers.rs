//! Headers that need thought.

use lead::Lead;
use lettre::{
    Address,
    message::{
        Mailbox,
        header::{HeaderName, HeaderValue},
    },
};

/// Why a mail that no person sent was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Something happened that its recipient wants to know.
    Generated,
    /// Its recipient did something.
    Replied,
}

impl Origin {
    /// What keeps mail programs from answering it.
    pub(super) fn headers(self) -> [(&'static str, &'static str); 2] {
        let origin = match self {
            Self::Generated => "auto-generated",
            Self::Replied => "auto-replied",
        };
        [("Auto-Submitted", origin), ("X-Auto-Response-Suppress", "All")]
    }
}

pub(super) fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// The visitor's address, where it is one that a header can hold: a browser takes more than that. Quoted local
/// parts, which a browser does not take, could hold anything.
pub(super) fn address(lead: &Lead) -> Option<Address> {
    let typed = lead.email.as_str();
    let is_plain = typed.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    typed.parse().ok().filter(|_| is_plain)
}

/// The visitor, where a reply can reach them.
pub(super) fn reply_to(lead: &Lead) -> Option<Mailbox> {
    Some(Mailbox::new(Some(plain(lead.name.line().as_str())), address(lead)?))
}

/// Text that a mail program does not take for an encoded word, and decode to something that nobody typed.
pub(super) fn plain(text: &str) -> String {
    text.replace("=?", "= ?")
}
