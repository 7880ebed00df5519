//! Stores leads with their person, timeline and progress.

pub(crate) mod conflict;
pub(crate) mod contact;
mod correct;
mod dnc_check;
pub(crate) mod do_not_contact;
mod earlier;
mod enter;
pub(crate) mod keys;
pub(crate) mod late_consent;
pub(crate) mod lock;
mod progress;
pub(crate) mod record;
pub(crate) mod related;
pub(crate) mod row;
pub(crate) mod source;
pub(crate) mod timeline;
mod upgrade;

pub use self::{
    dnc_check::DncCheck,
    enter::EnteredLead,
    keys::Contact,
    progress::{Change, Seen},
    record::Recorded,
    source::Source,
};
pub(crate) use self::{do_not_contact::Withdrawal, late_consent::LateConsent, record::parse_lead};
