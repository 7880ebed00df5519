//! Composes the mails to the sales team and to visitors, one message per recipient.

mod acknowledgement;
mod brochure;
mod digest;
mod headers;
mod local_time;
mod mail_context;
mod message;
mod message_id;
mod morning;
mod notes;
mod reach;
mod sales;
mod shown;
mod typed;

pub use self::{
    acknowledgement::acknowledgement,
    digest::digest,
    mail_context::{Desk, InvalidSiteUrl, MailContext, SiteUrl},
    message::{ComposeError, Mail, MailContent},
    message_id::MessageId,
    morning::{Backlog, Step, Waiting, morning},
    notes::{Earlier, Related},
    sales::sales,
};
pub(crate) use self::{acknowledgement::acknowledgement_with, brochure::Brochure};
