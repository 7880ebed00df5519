//! What stands around every handler: bounds in number and time, and answers for what is not there.

use std::time::Duration;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use opentelemetry::KeyValue;
use tokio::time::timeout;

use super::{
    Intake,
    error::{ApiError, Refusal},
};

/// Every request ends within this.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(4500);

/// Lets so many requests in at once and gives each so much time; the rest is told to come back, at once.
pub(super) async fn bounded(State(intake): State<Intake>, request: Request, next: Next) -> Response {
    let response = match intake.in_flight.try_acquire() {
        Ok(_permit) => timeout(REQUEST_TIMEOUT, next.run(request))
            .await
            .unwrap_or_else(|_| ApiError::Unavailable.into_response()),
        Err(_) => ApiError::Unavailable.into_response(),
    };
    if let Some(Refusal(code)) = response.extensions().get() {
        intake.metrics.refused.add(1, &[KeyValue::new("code", *code)]);
    }
    response
}

pub(super) async fn not_found() -> ApiError {
    ApiError::NotFound
}

pub(super) async fn method_not_allowed() -> ApiError {
    ApiError::MethodNotAllowed
}
