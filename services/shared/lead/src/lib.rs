//! The lead shared by all services: its fields, validation and contract. No I/O.

#![warn(missing_docs)]

mod contract;
mod contract_enum;
mod email;
pub mod field;
mod lead;
pub mod privacy_policy;
mod progress;
pub mod recipient;
mod reference;
mod telephone;
pub mod text;

pub use self::{
    email::{EmailKey, is_email_address},
    field::FieldError,
    lead::{Attribution, Campaign, Channel, Interest, Language, Lead, SpamSignal, Visit, id_of},
    progress::{ClosingReason, LeadState},
    reference::{InvalidReference, Reference},
    telephone::{Telephone, digits},
    text::UserText,
};
