//! What people hold in their hands: the mails that sales and visitors get, one message for one recipient.

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
    mail_context::{InvalidSiteUrl, MailContext, SiteUrl},
    message::{ComposeError, Mail, MailContent},
    message_id::MessageId,
    morning::{Uncontacted, morning},
    notes::Earlier,
    sales::sales,
};
pub(crate) use self::{acknowledgement::acknowledgement_with, brochure::Brochure};
