//! What people hold in their hands: the mails that sales and visitors get, one message for one recipient.

mod acknowledgement;
mod brochure;
mod digest;
mod headers;
mod letterhead;
mod message;
mod message_id;
mod moment;
mod morning;
mod notes;
mod reach;
mod sales;
mod shown;
mod typed;

pub use self::{
    acknowledgement::acknowledgement,
    digest::digest,
    letterhead::{InvalidSiteUrl, Letterhead, SiteUrl},
    message::{ComposeError, Letter, Mail},
    message_id::MessageId,
    morning::{Uncontacted, morning},
    notes::Earlier,
    sales::sales,
};
pub(crate) use self::{acknowledgement::acknowledgement_with, brochure::Brochure};
