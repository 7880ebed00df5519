//! Wraps every handler: limits in number and time, and answers for unknown routes.

use std::{sync::Arc, time::Duration};

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

/// Limit of every request.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(4500);

/// Limits the number of concurrent requests and the time of each; answers 503 to the others, at once.
pub(super) async fn bounded(State(intake): State<Arc<Intake>>, request: Request, next: Next) -> Response {
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
