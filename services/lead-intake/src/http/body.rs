//! Reads JSON bodies, with the API's own errors, and forms.

use axum::{
    Json,
    extract::{FromRequest, Request},
    http::header,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::error::ApiError;

/// A JSON body. Types that deny unknown fields and accept any value for the known ones get distinct errors for
/// malformed JSON, unknown fields and wrong values.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if request.headers().contains_key(header::CONTENT_ENCODING) {
            return Err(ApiError::UnsupportedMediaType);
        }
        // As a map first, because an array is a struct for serde.
        let object = Json::<Map<String, Value>>::from_request(request, state).await;
        let Json(object) = object.map_err(|rejection| ApiError::unreadable_body(rejection.status()))?;
        serde_json::from_value(object.into()).map(Self).map_err(|_| ApiError::UnknownField)
    }
}

/// The values of a field of a form, or of a parameter of a query.
pub(super) fn form_values(form: &[u8], name: &str) -> impl Iterator<Item = String> {
    let fields = form_urlencoded::parse(form).filter(move |(field, _)| field == name);
    fields.map(|(_, value)| value.into_owned())
}
