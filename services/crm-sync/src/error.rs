//! Maps errors to gRPC statuses and to verdicts on messages.

use lead::FieldError;
use messaging::{Reason, Verdict};
use tonic::Status;
use tracing::error;

use crate::db::error::StoreError;

/// The reason why a request or message is invalid. Contains field names only, because values may be personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("person must be an email address or a phone number")]
    NotPerson,
    #[error("several people may share a phone number: use an email address or lead ids")]
    SharedNumber,
    #[error("lead_ids must have 1 to 100 entries")]
    NumberOfLeads,
    #[error("further_emails must have at most 50 entries")]
    NumberOfEmails,
    #[error("visitor_daily_limit must be positive when the visitor is a recipient")]
    NoVisitorLimit,
    #[error("the time spans must be in ascending order")]
    NotInOrder,
    #[error("days must be 1 to 1000")]
    NumberOfDays,
}

impl From<StoreError> for Status {
    fn from(failure: StoreError) -> Self {
        let text = failure.to_string();
        if !failure.is_refusal() {
            error!(%failure, "call failed");
        }
        match failure {
            StoreError::NoSuchLead(_) | StoreError::Erased(_) => Self::not_found(text),
            StoreError::Changed => Self::aborted(text),
            StoreError::NoConsentNote => Self::failed_precondition(text),
            StoreError::Refused(_) | StoreError::SeveralPeople => Self::invalid_argument(text),
            StoreError::Unreadable(_) => Self::data_loss(text),
            StoreError::Failed(_) => Self::internal("database error: see the log of crm-sync"),
            StoreError::Unavailable(_)
            | StoreError::Contended(_)
            | StoreError::Slow(_)
            | StoreError::NotAdmitted(_)
            | StoreError::Damaged(_)
            | StoreError::SchemaOutdated => Self::unavailable(
                "database unavailable: try again (repeating a call does not store a lead twice)",
            ),
        }
    }
}

impl From<StoreError> for Verdict {
    fn from(failure: StoreError) -> Self {
        let text = failure.to_string();
        if failure.is_temporary() {
            Self::Retry(Reason::new("database", text))
        } else if matches!(failure, StoreError::NoSuchLead(_)) {
            // A withdrawn lead was stored before its email was sent. The lead is missing only after a restore from a
            // backup, so the message becomes a dead letter.
            Self::DeadLetter(Reason::new("unknown", text))
        } else if failure.is_refusal() {
            Self::DeadLetter(Reason::new("refused", text))
        } else {
            Self::Retry(Reason::new("internal", text))
        }
    }
}

impl From<Invalid> for Status {
    fn from(invalid: Invalid) -> Self {
        Self::invalid_argument(invalid.to_string())
    }
}

impl From<Invalid> for Verdict {
    fn from(invalid: Invalid) -> Self {
        Self::DeadLetter(Reason::new("invalid", invalid.to_string()))
    }
}
