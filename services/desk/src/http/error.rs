//! Maps every failure of a request to HTTP.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::TimeDelta;
use runtime::http::ErrorCode;
use serde_json::json;
use tokens::InvalidMagicLink;
use tonic::{Code, Status};
use tracing::warn;

use crate::limit::Reached;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeskError {
    #[error("Not logged in. Open the link in one of your emails.")]
    SignedOut,
    #[error("The link is invalid, or its recipient has left the team.")]
    InvalidLink,
    #[error("The link has expired. Request a new one.")]
    ExpiredLink,
    #[error("The link was used in another browser, or cannot be used to log in. Request a new one.")]
    UsedLink,
    #[error("You are not allowed to do this.")]
    Forbidden,
    #[error(
        "The lead has changed since it was loaded, and your change was not saved. Reload it and try again."
    )]
    ChangedMeanwhile,
    #[error("The lead does not exist.")]
    NoSuchLead,
    #[error("Not found.")]
    NotFound,
    #[error("Requests from other sites are not allowed.")]
    OtherSite,
    #[error("A value in the request is unknown, invalid or too long.")]
    Invalid,
    #[error("Too many requests. Please try again later.")]
    RateLimited(TimeDelta),
    /// What was to be changed may be changed or not.
    #[error("The CRM is unavailable. Reload the page and repeat the change if it is missing.")]
    Unavailable,
}

impl DeskError {
    fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::SignedOut => (StatusCode::UNAUTHORIZED, "signed_out"),
            Self::InvalidLink => (StatusCode::FORBIDDEN, "invalid_link"),
            Self::ExpiredLink => (StatusCode::GONE, "expired_link"),
            Self::UsedLink => (StatusCode::FORBIDDEN, "used_link"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "forbidden"),
            Self::ChangedMeanwhile => (StatusCode::CONFLICT, "changed_meanwhile"),
            Self::NoSuchLead => (StatusCode::NOT_FOUND, "no_such_lead"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::OtherSite => (StatusCode::FORBIDDEN, "other_site"),
            Self::Invalid => (StatusCode::UNPROCESSABLE_ENTITY, "invalid"),
            Self::RateLimited(_) => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        }
    }
}

impl IntoResponse for DeskError {
    fn into_response(self) -> Response {
        let (status, code) = self.status_and_code();
        let body = json!({ "error": { "code": code, "message": self.to_string() } });
        let mut response = (status, Json(body)).into_response();
        if let Self::RateLimited(wait) = self {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.num_seconds().max(1)));
        }
        response.extensions_mut().insert(ErrorCode(code));
        response
    }
}

impl From<Status> for DeskError {
    fn from(status: Status) -> Self {
        // Only the code is logged: the text of a status may contain what was typed.
        let code = status.code();
        if code == Code::NotFound {
            Self::NoSuchLead
        } else if code == Code::InvalidArgument {
            Self::Invalid
        } else if code == Code::Aborted {
            Self::ChangedMeanwhile
        } else {
            warn!(?code, "CRM call failed");
            Self::Unavailable
        }
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

impl From<Reached> for DeskError {
    fn from(Reached(wait): Reached) -> Self {
        Self::RateLimited(wait)
    }
}
