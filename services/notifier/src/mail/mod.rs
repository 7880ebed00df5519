//! Composes emails to the sales team and to visitors, one message for each recipient.

/// Declares templates of one view.
macro_rules! templates {
    ($view:ident: $($name:ident = $path:tt,)+) => {$(
        #[derive(askama::Template)]
        #[template(path = $path)]
        struct $name<'a> {
            view: &'a $view<'a>,
        }
    )+};
}

mod context;
mod message;
mod sales;
mod summary;
mod view;
mod visitor;

pub use self::{
    context::{Brochure, MailContext, SiteUrl},
    message::{ComposeError, Mail, MailContent, MessageId},
    sales::{EarlierLead, LaterConsent, RelatedLeads, sales},
    summary::{Backlog, Headline, LeadGroup, WaitingLead, summary},
    visitor::{brochure, brochure_test, confirmation},
};
