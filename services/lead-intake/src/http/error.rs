//! Maps every failure of a request to HTTP.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use runtime::http::ErrorCode;
use serde::Serialize;
use strum::{IntoStaticStr, VariantNames};
use utoipa::ToSchema;

use crate::{
    rules::{Broken, Rule},
    submit::Unavailable,
};

/// Time that clients should wait after a 503.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// The reason for an error response. The code in the response is the variant in snake case.
#[derive(Debug, thiserror::Error, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
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
    message: String,
}

impl ApiError {
    /// Converts the status with which axum rejects an unreadable body.
    pub(super) fn unreadable_body(status: StatusCode) -> Self {
        match status {
            StatusCode::PAYLOAD_TOO_LARGE => Self::BodyTooLarge,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::UnsupportedMediaType,
            _ => Self::MalformedJson,
        }
    }

    pub(super) fn code(&self) -> &'static str {
        self.into()
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::MalformedJson | Self::UnknownField | Self::IdempotencyKeyInvalid => {
                StatusCode::BAD_REQUEST
            }
            Self::ApikeyInvalid
            | Self::CanaryKeyInvalid
            | Self::TokenMissing
            | Self::TokenInvalid
            | Self::TokenExpired => StatusCode::UNAUTHORIZED,
            Self::OtherSite => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::ValidationFailed(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code, message) = (self.status(), self.code(), self.to_string());
        let describe = |rule: Rule| FieldError {
            code: rule.code(),
            message: rule.to_string(),
        };
        let fields = if let Self::ValidationFailed(broken) = self {
            let fields = broken.into_iter();
            Some(
                fields
                    .map(|(field, rules)| (field, rules.into_iter().map(describe).collect()))
                    .collect(),
            )
        } else {
            None
        };
        let mut response = (
            status,
            Json(ErrorAnswer {
                error: ErrorBody {
                    message,
                    code,
                    fields,
                },
            }),
        )
            .into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(
                header::RETRY_AFTER,
                HeaderValue::from(RETRY_AFTER.as_secs()),
            );
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
