//! A lead's telephone number and address, prepared for links.

use lead::{Lead, Telephone, digits};

/// Data for links. Contains only what could be read as a number or an address.
pub(super) struct Reach<'a> {
    /// `None` when the typed text contains no readable number.
    pub(super) telephone: Option<Telephone>,
    /// Local part and domain of the address.
    pub(super) mailbox: Option<(&'a str, &'a str)>,
    is_read_otherwise: bool,
}

impl<'a> Reach<'a> {
    pub(super) fn of(lead: &'a Lead) -> Self {
        let typed = lead.mobile.line();
        let telephone = Telephone::read(typed.as_str());
        let is_read_otherwise =
            telephone.as_ref().is_some_and(|read| read.digits() != digits(typed.as_str()));
        let email = lead.email.as_str();
        let is_plain = email.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
        let mailbox = email
            .rsplit_once('@')
            .filter(|(local, domain)| is_plain && !local.is_empty() && !domain.is_empty());
        Self { telephone, mailbox, is_read_otherwise }
    }

    /// The number that is dialled, if its digits differ from those typed.
    pub(super) fn dialled(&self) -> Option<&str> {
        self.telephone.as_ref().filter(|_| self.is_read_otherwise).map(Telephone::as_str)
    }
}
