//! Serves HTTP, and the API's description, which is generated from the handlers.

mod body;
mod browser_errors;
mod error;
mod leads;
mod posted_form;
mod session;
mod withdrawal;

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing,
};
use lead::{Attribution, Lead, Visit};
use opentelemetry::metrics::Counter;
use runtime::{
    clock::SharedClock,
    http::{HttpMetrics, record_request},
    limit::Limit,
    random::SharedIds,
    trace::TraceParent,
};
use secrecy::SecretString;
use tokens::SigningKeys;
use tokio::{sync::Semaphore, time::timeout};
use tower_http::csrf::{CsrfLayer, ProtectionError};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use self::error::ApiError;
use crate::submit::{Submitter, Unavailable};

/// In bytes; well above the largest lead with every character escaped.
const BODY_LIMIT: usize = 16 * 1024;

/// Limit of every request.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(4500);

pub struct Intake {
    pub submitter: Submitter,
    /// Leads by the visitor's network. Each replica counts separately.
    pub network_limit: Limit<String>,
    /// The public key the site sends with every lead.
    pub anon_key: String,
    pub session_keys: SigningKeys,
    pub withdrawal_keys: SigningKeys,
    /// Marks a lead as a canary; without it canaries are refused.
    pub canary_key: Option<SecretString>,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub browser_errors: Counter<u64>,
    pub metrics: HttpMetrics,
    /// One permit for each concurrent request.
    pub in_flight: Semaphore,
}

impl Intake {
    /// A visit that starts now.
    fn new_visit(&self, attribution: Attribution) -> Visit {
        Visit { id: self.ids.next(), started_at: self.clock.now(), is_network_busy: false, attribution }
    }

    /// Stores a lead. `network` is the one that nginx reports; empty when unknown.
    async fn submit(
        &self,
        mut lead: Lead,
        network: String,
        trace: Option<&TraceParent>,
    ) -> Result<(), Unavailable> {
        if !network.is_empty()
            && !lead.is_canary()
            && let Some(visit) = &mut lead.visit
        {
            visit.is_network_busy = self.network_limit.count(network, self.clock.now()).is_err();
        }
        self.submitter.submit(lead, trace).await
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
        .route("/functions/v1/browser-error", routing::post(browser_errors::report))
        .route("/api/openapi.json", routing::get(async || Json(document())))
        .fallback(async || ApiError::NotFound)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(intake.clone(), limit_request))
        .layer(middleware::from_fn_with_state(intake.metrics.clone(), record_request))
        .with_state(intake)
}

/// Limits the number of concurrent requests and the time of each; answers 503 immediately to further ones.
async fn limit_request(State(intake): State<Arc<Intake>>, request: Request, next: Next) -> Response {
    let Ok(_permit) = intake.in_flight.try_acquire() else { return ApiError::Unavailable.into_response() };
    let response = timeout(REQUEST_TIMEOUT, next.run(request)).await;
    response.unwrap_or_else(|_| ApiError::Unavailable.into_response())
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Zyon Grand lead intake",
        description = "The API of the site: anonymous sessions and the enquiry form. Every error is \
                       `{\"error\": {\"message\", \"code\", \"fields\"?}}`; 429 and 503 carry Retry-After.",
    ),
    paths(
        session::create,
        session::refresh,
        leads::submit,
        posted_form::submit,
        posted_form::begin_session,
        withdrawal::show,
        withdrawal::withdraw,
        browser_errors::report
    ),
    servers((url = "/")),
    modifiers(&Credentials)
)]
struct Description;

/// What a lead is sent with. The other operations are public.
struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let apikey = ApiKeyValue::with_description("apikey", "The site's public anonymous key.");
        let session = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").description(
            Some("The session's access token. To submit a lead without a session, the public key."),
        );
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("apikey", SecurityScheme::ApiKey(ApiKey::Header(apikey)));
        components.add_security_scheme("session", SecurityScheme::Http(session.build()));
    }
}

/// The OpenAPI 3.1 document.
pub fn document() -> openapi::OpenApi {
    Description::openapi()
}
