//! Serves HTTP.

mod body;
mod browser_errors;
mod error;
mod guard;
mod leads;
mod openapi;
mod posted_form;
mod session;
mod withdrawal;

use std::sync::Arc;

use axum::{Router, extract::DefaultBodyLimit, middleware, response::IntoResponse, routing};
use opentelemetry::metrics::{Counter, Meter};
use runtime::{
    clock::SharedClock,
    http::{HttpMetrics, watched},
    random::SharedIds,
};
use secrecy::SecretString;
use tokens::SigningKeys;
use tokio::sync::Semaphore;
use tower_http::csrf::{CsrfLayer, ProtectionError};

use self::error::ApiError;
pub use openapi::document;

use crate::{submit::Submitter, token::SessionKeys};

/// In bytes; well above the largest lead with every character escaped.
const BODY_LIMIT: usize = 16 * 1024;

pub struct Intake {
    pub submitter: Submitter,
    /// The public key the site sends with every lead.
    pub anon_key: String,
    pub session_keys: SessionKeys,
    pub withdrawal_keys: SigningKeys,
    /// Marks a lead as a canary; without it canaries are refused.
    pub canary_key: Option<SecretString>,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub metrics: IntakeMetrics,
    /// One permit for each concurrent request.
    pub in_flight: Semaphore,
}

pub struct IntakeMetrics {
    refused: Counter<u64>,
    browser_errors: Counter<u64>,
    http: HttpMetrics,
}

impl IntakeMetrics {
    #[must_use]
    pub fn new(meter: &Meter) -> Self {
        Self {
            refused: meter
                .u64_counter("requests_rejected")
                .with_description("Requests rejected, by error code.")
                .build(),
            browser_errors: meter
                .u64_counter("browser_errors")
                .with_description("Errors reported by visitors' browsers, by kind.")
                .build(),
            http: HttpMetrics::new(meter),
        }
    }
}

pub fn router(intake: Intake) -> Router {
    // Cloned several times for each request.
    let intake = Arc::new(intake);
    // The others need headers or JSON, which a browser sends from another site only after a preflight request.
    let own_site =
        CsrfLayer::new().with_rejection_response(|_: ProtectionError| ApiError::OtherSite.into_response());
    Router::new()
        .route("/auth/v1/session", routing::post(session::create))
        .route("/auth/v1/session/refresh", routing::post(session::refresh))
        .route("/functions/v1/send-contact-email", routing::post(leads::submit))
        .route("/functions/v1/posted-form", routing::post(posted_form::submit).layer(own_site))
        .route("/functions/v1/form-session", routing::get(posted_form::begin_session))
        .route("/functions/v1/withdraw", routing::get(withdrawal::show).post(withdrawal::withdraw))
        .route("/functions/v1/browser-error", routing::post(browser_errors::take))
        .route("/api/openapi.json", routing::get(openapi::serve))
        .fallback(guard::not_found)
        .method_not_allowed_fallback(guard::method_not_allowed)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(intake.clone(), guard::bounded))
        .layer(middleware::from_fn_with_state(intake.metrics.http.clone(), watched))
        .with_state(intake)
}
