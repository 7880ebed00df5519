//! Composes the mails to the sales team and to visitors, one message per recipient.

/// Declares templates that render one view.
macro_rules! templates {
    ($view:ident: $($name:ident = $path:tt,)+) => {$(
        #[derive(askama::Template)]
        #[template(path = $path)]
        struct $name<'a> {
            view: &'a $view<'a>,
        }
    )+};
}

mod brochure;
mod context;
mod local_time;
mod message;
mod message_id;
mod morning;
mod sales;
mod view;
mod visitor;

pub use self::{
    brochure::{Brochure, InvalidBrochure},
    context::{Desk, InvalidSiteUrl, MailContext, SiteUrl},
    message::{ComposeError, Mail, MailContent},
    message_id::MessageId,
    morning::{Backlog, Group, NextStep, Waiting, morning},
    sales::{Earlier, Related, sales},
    visitor::{acknowledgement, brochure_mail},
};
