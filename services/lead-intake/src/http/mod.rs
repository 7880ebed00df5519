//! Serves the HTTP API and its OpenAPI document, which is generated from the handlers.

mod body;
mod browser_errors;
mod error;
mod late_consent;
mod leads;
mod posted_form;
mod session;
mod submissions;
mod withdrawal;

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing,
};
use chrono::{DateTime, TimeDelta, Utc};
use lead::{Attribution, Lead, Visit};
use opentelemetry::metrics::Counter;
use runtime::{
    clock::SharedClock,
    http::{HttpMetrics, record_request},
    limit::RateLimit,
    random::SharedIds,
    service::Context,
};
use strum::VariantNames;
use tokio::{sync::Semaphore, time::timeout};
use tower_http::csrf::{CsrfLayer, ProtectionError};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use self::{error::ApiError, submissions::count_submission};
use crate::{
    config::Config,
    submit::{Submitter, Unavailable},
};

/// In bytes; well above the size of the largest lead with every character escaped.
const BODY_LIMIT: usize = 16 * 1024;

/// Number of leads per network and hour after which crm-sync may delay the visitors' confirmations. A household sends
/// fewer leads.
const LEADS_PER_NETWORK: u32 = 3;

/// Maximum duration of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(4500);

struct Intake {
    config: Config,
    submitter: Submitter,
    /// Leads by the visitor's network. Each replica counts separately.
    network_limit: RateLimit<String>,
    clock: SharedClock,
    ids: SharedIds,
    browser_errors: Counter<u64>,
    submissions: Counter<u64>,
    /// One permit for each concurrent request.
    in_flight: Semaphore,
}

impl Intake {
    fn new(config: Config, context: &Context) -> Self {
        let browser_errors = context.metrics.counter(
            "browser_errors",
            "Errors reported by visitors' browsers, by kind.",
        );
        Self {
            submitter: Submitter::start(config.broker.clone(), &config.crm, context),
            network_limit: RateLimit::new(LEADS_PER_NETWORK, TimeDelta::hours(1)),
            clock: context.clock.clone(),
            ids: context.ids.clone(),
            browser_errors,
            submissions: submissions::counter(&context.metrics),
            in_flight: Semaphore::new(config.max_in_flight),
            config,
        }
    }

    /// Creates a visit that starts at `now`.
    fn new_visit(&self, attribution: Attribution, now: DateTime<Utc>) -> Visit {
        Visit {
            id: self.ids.next_id(),
            started_at: now,
            is_network_busy: false,
            attribution,
        }
    }

    /// Stores a lead. `network` is the visitor's network as reported by nginx, or empty if unknown.
    async fn submit(&self, mut lead: Lead, network: String) -> Result<(), Unavailable> {
        if !network.is_empty()
            && !lead.is_canary()
            && let Some(visit) = &mut lead.visit
        {
            visit.is_network_busy = self
                .network_limit
                .try_acquire(network, self.clock.now())
                .is_err();
        }
        self.submitter.submit(lead).await
    }
}

pub(crate) fn router(config: Config, context: &Context) -> Router {
    let metrics = HttpMetrics::new(&context.metrics, ApiError::VARIANTS);
    // Shared, because axum clones the state several times for each request.
    let intake = Arc::new(Intake::new(config, context));
    // Other routes require headers or JSON, which browsers send from another site only after a preflight request.
    let own_site = CsrfLayer::new()
        .with_rejection_response(|_: ProtectionError| ApiError::OtherSite.into_response());
    Router::new()
        .route("/auth/v1/session", routing::post(session::create))
        .route("/auth/v1/session/refresh", routing::post(session::refresh))
        .route(submissions::JSON, routing::post(leads::post_lead))
        .route(
            submissions::POSTED_FORM,
            routing::post(posted_form::post_form).layer(own_site.clone()),
        )
        .route(
            "/functions/v1/form-session",
            routing::get(posted_form::begin_session),
        )
        .route(
            "/functions/v1/withdraw",
            routing::get(withdrawal::show).post(withdrawal::withdraw),
        )
        .route(
            "/functions/v1/agree",
            routing::post(late_consent::agree).layer(own_site),
        )
        .route(
            "/functions/v1/browser-error",
            routing::post(browser_errors::report),
        )
        .route("/api/openapi.json", routing::get(async || Json(document())))
        .fallback(async || ApiError::NotFound)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(
            intake.clone(),
            limit_request,
        ))
        .layer(middleware::from_fn_with_state(
            intake.clone(),
            count_submission,
        ))
        .layer(middleware::from_fn_with_state(metrics, record_request))
        .with_state(intake)
}

/// Limits the number of concurrent requests and their duration. Further requests immediately receive 503.
async fn limit_request(
    State(intake): State<Arc<Intake>>,
    request: Request,
    next: Next,
) -> Response {
    let Ok(_permit) = intake.in_flight.try_acquire() else {
        return ApiError::Unavailable.into_response();
    };
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
        leads::post_lead,
        posted_form::post_form,
        posted_form::begin_session,
        withdrawal::show,
        withdrawal::withdraw,
        late_consent::agree,
        browser_errors::report
    ),
    servers((url = "/")),
    modifiers(&Credentials)
)]
struct Description;

/// Adds the credentials for submitting a lead to the document. The other operations are public.
struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let apikey = ApiKeyValue::with_description("apikey", "The site's public anonymous key.");
        let session = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .description(Some(
                "The session's access token. To submit a lead without a session, the public key.",
            ));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("apikey", SecurityScheme::ApiKey(ApiKey::Header(apikey)));
        components.add_security_scheme("session", SecurityScheme::Http(session.build()));
    }
}

/// The OpenAPI 3.1 document.
pub fn document() -> openapi::OpenApi {
    Description::openapi()
}
