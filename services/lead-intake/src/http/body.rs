//! Reads forms, and JSON bodies with the API's errors.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::header,
};
use serde::de::DeserializeOwned;

use super::error::ApiError;

/// A JSON body. Types that deny unknown fields and accept any value for the known ones get distinct errors for
/// malformed JSON, unknown fields and wrong values.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let content_type = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let is_encoded = request.headers().contains_key(header::CONTENT_ENCODING);
        if !content_type.is_some_and(is_json) || is_encoded {
            return Err(ApiError::UnsupportedMediaType);
        }
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| ApiError::unreadable_body(rejection.status()))?;
        // serde also deserialises an array to a struct, but the API accepts only objects.
        if bytes.trim_ascii_start().starts_with(b"{")
            && let Ok(body) = serde_json::from_slice(&bytes)
        {
            return Ok(Self(body));
        }
        // Parses the body again to find the reason for the failure.
        let value: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|_| ApiError::MalformedJson)?;
        if !value.is_object() {
            return Err(ApiError::MalformedJson);
        }
        serde_json::from_value(value)
            .map(Self)
            .map_err(|_| ApiError::UnknownField)
    }
}

fn is_json(content_type: &str) -> bool {
    content_type
        .split(';')
        .next()
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Returns the values of a form field or a query parameter.
pub(super) fn form_values(form: &[u8], name: &str) -> impl Iterator<Item = String> {
    let fields = form_urlencoded::parse(form).filter(move |(field, _)| field == name);
    fields.map(|(_, value)| value.into_owned())
}
