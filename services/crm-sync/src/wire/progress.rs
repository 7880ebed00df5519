//! Saying how far sales have come.

use contracts::crm::v1::{LeadState as Named, SetLeadStateRequest};
use lead::{
    FieldError,
    field::{limited, uuid},
};

use super::Invalid;
use crate::domain::progress::{Change, LeadState};

/// Longest name of an owner.
const OWNER_LENGTH: usize = 100;

/// A wish to change it, of `client`.
///
/// # Errors
/// [`Invalid`] when a field is none that there is.
pub fn change(request: SetLeadStateRequest, client: String) -> Result<Change, Invalid> {
    let state = Named::try_from(request.state).map_err(|_| FieldError::UnknownValue("state"))?;
    let state = match state {
        Named::Unspecified => None,
        Named::New => Some(LeadState::New),
        Named::Contacted => Some(LeadState::Contacted),
        Named::Visiting => Some(LeadState::Visiting),
        Named::Closed => Some(LeadState::Closed),
        Named::NotALead => Some(LeadState::NotALead),
    };
    let owner = request.owner.map(|owner| limited("owner", owner.trim(), OWNER_LENGTH)).transpose()?;
    Ok(Change { lead_id: uuid("lead_id", &request.lead_id)?, state, owner, client })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(state: i32, owner: Option<&str>) -> Result<Change, Invalid> {
        let lead_id = "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned();
        let owner = owner.map(str::to_owned);
        change(SetLeadStateRequest { lead_id, state, owner }, "leadctl".to_owned())
    }

    #[test]
    fn what_is_not_said_is_told_from_what_is_nobody() {
        let nothing = changed(0, None).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(nothing.state.is_none() && nothing.owner.is_none());
        let nobodys = changed(4, Some(" ")).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(nobodys.state == Some(LeadState::Closed) && nobodys.owner.as_deref() == Some(""));
    }

    #[test]
    fn what_there_is_not_is_refused() {
        assert_eq!(changed(9, None).err(), Some(FieldError::UnknownValue("state").into()));
        assert_eq!(changed(1, Some(&"x".repeat(101))).err(), Some(FieldError::TooLong("owner", 100).into()));
    }
}
