//! Leads as commands show them, as text and as JSON.

mod contract;
mod lead;
mod progress;
mod timeline;

#[cfg(test)]
pub(crate) use self::lead::{delivered, full_lead, submission};
pub(crate) use self::{
    contract::{Reason, all, form, form_json, interest, language, time},
    lead::{Consent, Delivery, FullLead, Lead, RelatedLead},
    progress::{Progress, reason_name, state_name},
    timeline::timeline_rows,
};
