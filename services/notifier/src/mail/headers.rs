//! Headers derived from the lead and from the mail's origin.

use lead::Lead;
use lettre::{
    Address,
    message::{
        Mailbox,
        header::{HeaderName, HeaderValue},
    },
};

/// The trigger of an automatic mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// An event that interests the recipient.
    Generated,
    /// An action of the recipient.
    Replied,
}

impl Origin {
    /// Headers that suppress automatic replies.
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

/// The visitor's address, if a header can hold it. Browsers accept more; quoted local parts, which they reject, are
/// refused because they may contain anything.
pub(super) fn address(lead: &Lead) -> Option<Address> {
    let typed = lead.email.as_str();
    let is_plain = typed.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    typed.parse().ok().filter(|_| is_plain)
}

/// Local parts of mailboxes that belong to no visitor.
const ROLES: [&str; 8] =
    ["abuse", "hostmaster", "mailer-daemon", "no-reply", "noreply", "postmaster", "root", "webmaster"];

/// Whether emails to visitors may go to this address: not to a role, and not to the domain of the sender, whose mailboxes
/// are our own.
pub(super) fn is_of_visitor(address: &Address, sender: &Address) -> bool {
    let local_part = address.user().to_ascii_lowercase();
    !ROLES.contains(&local_part.as_str()) && !address.domain().eq_ignore_ascii_case(sender.domain())
}

/// The visitor with their address; `None` when no header can hold it.
pub(super) fn reply_to(lead: &Lead) -> Option<Mailbox> {
    Some(Mailbox::new(Some(plain(lead.name.line().as_str())), address(lead)?))
}

/// Breaks up `=?`, so that mail programs do not decode typed text as an encoded word.
pub(super) fn plain(text: &str) -> String {
    text.replace("=?", "= ?")
}
