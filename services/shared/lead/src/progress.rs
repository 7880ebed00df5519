//! Where sales are with a lead. The numbers are those of `crm.v1`, in which 0 stands for nothing.

use serde::{Deserialize, Serialize};
use strum::{EnumString, FromRepr, IntoStaticStr, VariantArray};

use crate::field::FieldError;

/// A step of the work on a lead.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumString,
    FromRepr,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[repr(i32)]
pub enum LeadState {
    /// The visitor has not been contacted.
    #[default]
    New = 1,
    /// The visitor was contacted.
    Contacted,
    /// The visitor will visit, or has visited, the show flat.
    VisitBooked,
    /// No work is left.
    Closed,
    /// Not a real enquiry.
    Invalid,
}

/// Why a lead was closed.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    FromRepr,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[repr(i32)]
pub enum ClosingReason {
    /// The visitor bought a home here.
    Bought = 1,
    /// The visitor bought elsewhere.
    BoughtElsewhere,
    /// The visitor does not want to buy.
    NotInterested,
    /// The visitor never answered.
    Unreachable,
    /// Another reason, which a note may give.
    Other,
}

impl LeadState {
    /// The name that is stored, in snake case.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// # Errors
    /// [`FieldError::UnknownValue`]
    pub fn from_contract(number: i32) -> Result<Option<Self>, FieldError> {
        known(number, Self::from_repr(number), "state")
    }

    /// The number in messages.
    #[must_use]
    pub fn number(state: Option<Self>) -> i32 {
        state.map_or(0, |state| state as i32)
    }
}

impl ClosingReason {
    /// The name that is stored, in snake case.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// # Errors
    /// [`FieldError::UnknownValue`]
    pub fn from_contract(number: i32) -> Result<Option<Self>, FieldError> {
        known(number, Self::from_repr(number), "closing_reason")
    }

    /// The number in messages.
    #[must_use]
    pub fn number(reason: Option<Self>) -> i32 {
        reason.map_or(0, |reason| reason as i32)
    }
}

fn known<T>(number: i32, value: Option<T>, field: &'static str) -> Result<Option<T>, FieldError> {
    if number != 0 && value.is_none() { Err(FieldError::UnknownValue(field)) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use contracts::crm::v1 as crm;

    use super::*;

    #[test]
    fn numbers_mean_what_the_contract_says() {
        for number in -1..9 {
            let name = crm::LeadState::try_from(number).ok().map(|it| it.as_str_name().to_lowercase());
            let state = LeadState::from_contract(number).map(|it| it.map_or("unspecified", LeadState::id));
            assert_eq!(state.ok().map(|state| format!("lead_state_{state}")), name, "{number}");
            let name = crm::ClosingReason::try_from(number).ok().map(|it| it.as_str_name().to_lowercase());
            let reason = ClosingReason::from_contract(number);
            let reason = reason.map(|it| it.map_or("unspecified", ClosingReason::id));
            assert_eq!(reason.ok().map(|reason| format!("closing_reason_{reason}")), name, "{number}");
        }
        for state in LeadState::VARIANTS {
            assert_eq!(LeadState::from_contract(LeadState::number(Some(*state))), Ok(Some(*state)));
        }
    }
}
