//! Maps every failure of a request to HTTP.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use runtime::http::ErrorCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{rules::rule::Broken, submit::Unavailable, token::TokenError};

/// How long a client should wait after a 503.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("The body is not the expected JSON object.")]
    MalformedJson,
    #[error("The body has an unknown field.")]
    UnknownField,
    #[error("The Idempotency-Key is not a UUID.")]
    IdempotencyKeyInvalid,
    #[error("The apikey header is missing or wrong.")]
    ApikeyInvalid,
    #[error("The Canary-Key header is wrong.")]
    CanaryKeyInvalid,
    #[error("The bearer token or the refresh token is missing.")]
    TokenMissing,
    #[error("The token is invalid.")]
    TokenInvalid,
    #[error("The token has expired.")]
    TokenExpired,
    #[error("Not found.")]
    NotFound,
    #[error("The method is not allowed.")]
    MethodNotAllowed,
    #[error("The body is too large.")]
    BodyTooLarge,
    #[error("The body's Content-Type is not the expected one, or the body is compressed.")]
    UnsupportedMediaType,
    #[error("Forms of other sites are not accepted.")]
    OtherSite,
    #[error("Please correct the errors in the form")]
    ValidationFailed(Broken),
    #[error("The request cannot be processed right now. Please try again.")]
    Unavailable,
}

/// The body of every error response.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorAnswer {
    error: ErrorBody,
}

/// What went wrong.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
struct ErrorBody {
    /// Description in English.
    message: String,
    /// Stable code, one of a fixed set.
    #[schema(example = "validation_failed")]
    code: &'static str,
    /// Only with `validation_failed`: the broken rules of each field.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<BTreeMap<Cow<'static, str>, Vec<FieldError>>>,
}

/// A rule that a field broke.
#[derive(Serialize, ToSchema)]
struct FieldError {
    /// Stable code of the rule, one of a fixed set.
    #[schema(example = "name_required")]
    code: &'static str,
    /// Message for the visitor, in English.
    message: &'static str,
}

impl ApiError {
    fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::MalformedJson => (StatusCode::BAD_REQUEST, "malformed_json"),
            Self::UnknownField => (StatusCode::BAD_REQUEST, "unknown_field"),
            Self::IdempotencyKeyInvalid => (StatusCode::BAD_REQUEST, "idempotency_key_invalid"),
            Self::ApikeyInvalid => (StatusCode::UNAUTHORIZED, "apikey_invalid"),
            Self::CanaryKeyInvalid => (StatusCode::UNAUTHORIZED, "canary_key_invalid"),
            Self::TokenMissing => (StatusCode::UNAUTHORIZED, "token_missing"),
            Self::TokenInvalid => (StatusCode::UNAUTHORIZED, "token_invalid"),
            Self::TokenExpired => (StatusCode::UNAUTHORIZED, "token_expired"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
            Self::OtherSite => (StatusCode::FORBIDDEN, "other_site"),
            Self::ValidationFailed(_) => (StatusCode::UNPROCESSABLE_ENTITY, "validation_failed"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        }
    }

    pub(super) fn code(&self) -> &'static str {
        self.status_and_code().1
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let ((status, code), message) = (self.status_and_code(), self.to_string());
        let describe = |rules: Vec<crate::rules::rule::Rule>| {
            rules.into_iter().map(|rule| FieldError { code: rule.code(), message: rule.message() }).collect()
        };
        let broken = if let Self::ValidationFailed(broken) = self { Some(broken) } else { None };
        let fields =
            broken.map(|broken| broken.into_iter().map(|(field, rules)| (field, describe(rules))).collect());
        let mut response =
            (status, Json(ErrorAnswer { error: ErrorBody { message, code, fields } })).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER.as_secs()));
        }
        response.extensions_mut().insert(ErrorCode(code));
        response
    }
}

impl From<Unavailable> for ApiError {
    fn from(Unavailable { .. }: Unavailable) -> Self {
        Self::Unavailable
    }
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Invalid => Self::TokenInvalid,
            TokenError::Expired => Self::TokenExpired,
        }
    }
}
