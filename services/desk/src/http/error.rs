//! Maps every failure of a request to HTTP.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::TimeDelta;
use lead::FieldError;
use runtime::http::ErrorCode;
use serde_json::json;
use tokens::InvalidMagicLink;
use tonic::{Code, Status};
use tracing::{error, warn};

/// The reason for an error response. The code in the response is the variant in snake case.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum DeskError {
    #[error("Not logged in. Open the link in one of your emails.")]
    LoggedOut,
    #[error("The link is invalid, or its recipient has left the team.")]
    InvalidLink,
    #[error("The link has expired. Request a new one.")]
    ExpiredLink,
    #[error(
        "The link was used in another browser, or cannot be used to log in. Request a new one."
    )]
    UsedLink,
    #[error("You are not allowed to do this.")]
    Forbidden,
    #[error(
        "The lead has changed since it was loaded, and your change was not saved. Reload it and try again."
    )]
    ChangedMeanwhile,
    #[error(
        "The visitor withdrew consent. Add a note that says when and how the visitor agreed again."
    )]
    ConsentNoteMissing,
    #[error("The lead does not exist.")]
    NoSuchLead,
    #[error("Several leads have this reference. Search for the lead in the list.")]
    AmbiguousReference,
    #[error("Not found.")]
    NotFound,
    #[error("Requests from other sites are not allowed.")]
    OtherSite,
    #[error("A value in the request is unknown, invalid or too long.")]
    Invalid,
    #[error("Too many requests. Please try again later.")]
    RateLimited(TimeDelta),
    /// The CRM may have stored the change.
    #[error("The CRM is unavailable. Reload the page and repeat the change if it is missing.")]
    Unavailable,
}

impl DeskError {
    fn status(&self) -> StatusCode {
        match self {
            Self::LoggedOut => StatusCode::UNAUTHORIZED,
            Self::InvalidLink | Self::UsedLink | Self::Forbidden | Self::OtherSite => {
                StatusCode::FORBIDDEN
            }
            Self::NoSuchLead | Self::NotFound => StatusCode::NOT_FOUND,
            Self::ChangedMeanwhile | Self::AmbiguousReference => StatusCode::CONFLICT,
            Self::ExpiredLink => StatusCode::GONE,
            Self::ConsentNoteMissing | Self::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl IntoResponse for DeskError {
    fn into_response(self) -> Response {
        let code: &'static str = (&self).into();
        let body = json!({ "error": { "code": code, "message": self.to_string() } });
        let mut response = (self.status(), Json(body)).into_response();
        if let Self::RateLimited(wait) = self {
            response.headers_mut().insert(
                header::RETRY_AFTER,
                HeaderValue::from(wait.num_seconds().max(1)),
            );
        }
        response.extensions_mut().insert(ErrorCode(code));
        response
    }
}

impl From<Status> for DeskError {
    fn from(status: Status) -> Self {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "gRPC's list of codes does not grow"
        )]
        match status.code() {
            Code::NotFound => Self::NoSuchLead,
            Code::InvalidArgument => Self::Invalid,
            Code::Aborted => Self::ChangedMeanwhile,
            // Or the reference of a lead is ambiguous, in `Desk::find_lead` only.
            Code::FailedPrecondition => Self::ConsentNoteMissing,
            // Logs only the code, because the message of a status may contain personal data.
            code => {
                warn!(?code, "CRM call failed");
                Self::Unavailable
            }
        }
    }
}

/// The CRM's response violates its contract.
impl From<FieldError> for DeskError {
    fn from(error: FieldError) -> Self {
        error!(%error, "invalid lead from the CRM");
        Self::Unavailable
    }
}

impl From<InvalidMagicLink> for DeskError {
    fn from(invalid: InvalidMagicLink) -> Self {
        match invalid {
            InvalidMagicLink::Forged => Self::InvalidLink,
            InvalidMagicLink::Expired(_) | InvalidMagicLink::Lapsed(_) => Self::ExpiredLink,
        }
    }
}
