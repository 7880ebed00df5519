//! The lead shared by all services: its fields, validation and contract. No I/O.

pub mod consent;
mod contact;
mod contract;
mod enquiry;
mod enums;
pub mod field;
mod lead;
mod national;
mod outcome;
pub mod privacy_policy;
mod recipient;
mod reference;
pub mod text;

pub use self::{
    contact::{EmailKey, PhoneNumber, digits, is_email_address, lookup_digits, lookup_digits_of},
    contract::{parse_email, parse_mobile, parse_name},
    enquiry::{HomePreference, Plan, VisitTime, Words},
    enums::{
        Channel, ClosingReason, ConsentMeans, Interest, Language, LeadState, SpamSignal,
        UNKNOWN_NUMBER,
    },
    field::FieldError,
    lead::{Attribution, Campaign, Lead, Visit, id_of},
    national::{Reading, read_digits},
    outcome::{Outcome, Reason, Receipt},
    recipient::{NoticeKind, REQUEST_INTERVAL, Recipient, RequestKind},
    reference::{InvalidReference, Reference},
    text::UserText,
};
