//! Composes the mails to the sales team and to visitors, one message per recipient.

mod acknowledgement;
mod brochure;
mod brochure_mail;
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
mod site;
mod to_visitor;
mod typed;

pub use self::{
    acknowledgement::acknowledgement,
    brochure::{Brochure, InvalidBrochure},
    brochure_mail::brochure_mail,
    mail_context::{Desk, MailContext},
    message::{ComposeError, Mail, MailContent},
    message_id::MessageId,
    morning::{Backlog, Group, Step, Waiting, morning},
    notes::{Earlier, Related},
    sales::sales,
    site::{InvalidSiteUrl, SiteUrl},
};
