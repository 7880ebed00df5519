//! Serves HTTP under `/desk/api`, in JSON.

mod brochure;
mod error;
mod leads;
mod links;
mod report;
mod view;

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State},
    http::{HeaderMap, header, request::Parts},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use chrono::TimeDelta;
use contracts::crm::v1::ClaimTaskRequest;
use crm_client::{Crm, CrmClient};
use opentelemetry::metrics::Counter;
use runtime::{
    clock::SharedClock,
    http::{HttpMetrics, record_request},
    limit::RateLimit,
    random::SharedIds,
    service::Context,
};
use serde::de::DeserializeOwned;
use strum::VariantNames;
use tokens::{MagicLink, Person, PersonToken, Team};
use tonic::{Status, metadata::MetadataValue};
use tower_http::csrf::{CsrfLayer, ProtectionError};
use uuid::Uuid;

use self::error::DeskError;
use crate::{config::Config, session::Session};

/// In bytes; more than the longest note with every character escaped.
const BODY_LIMIT: usize = 32 * 1024;

/// Maximum number of requests of one session, or with one link, per minute. People make fewer.
const REQUESTS: u32 = 120;

/// Maximum number of emails with a link to one person per hour.
const MAILS: u32 = 10;

/// Deadline of a call to the CRM. A request makes at most three calls, and nginx times out after 3.8 s.
const DEADLINE: Duration = Duration::from_millis(1200);

struct Desk {
    config: Config,
    crm: CrmClient,
    /// Requests by session. Not by person: the limit is checked before the CRM, and an ended session must not use up the
    /// requests of the person's other sessions.
    request_limit: RateLimit<Uuid>,
    /// Uses of links. Counted separately, because strangers may use a person's link.
    link_limit: RateLimit<MagicLink>,
    /// Emails by [`Person::id_of`] the address, which may belong to nobody.
    mail_limit: RateLimit<Uuid>,
    clock: SharedClock,
    ids: SharedIds,
    links_opened: Counter<u64>,
    logins: Counter<u64>,
}

impl Desk {
    fn new(config: Config, context: &Context) -> Self {
        let metrics = &context.metrics;
        let crm = CrmClient::new(&config.crm);
        crm.watch_token(context);
        Self {
            crm,
            config,
            request_limit: RateLimit::new(REQUESTS, TimeDelta::minutes(1)),
            link_limit: RateLimit::new(REQUESTS, TimeDelta::minutes(1)),
            mail_limit: RateLimit::new(MAILS, TimeDelta::hours(1)),
            clock: context.clock.clone(),
            ids: context.ids.clone(),
            links_opened: metrics.counter(
                "desk_links_opened",
                "Magic links opened, by authorisation (session: logged in; mail: the link alone).",
            ),
            logins: metrics.counter("desk_logins", "Sessions started with a magic link."),
        }
    }

    /// Calls the CRM on behalf of `person`, whose name the CRM records.
    async fn call<R: Clone, T>(
        &self,
        person: &str,
        message: R,
        call: impl AsyncFn(Crm, tonic::Request<R>) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, DeskError> {
        let token = PersonToken::sign(person, &self.config.desk_session_keys, self.clock.now());
        let token =
            MetadataValue::try_from(token).map_err(|_| Status::internal("a token is not ASCII"))?;
        let call = |crm| {
            let mut request = tonic::Request::new(message.clone());
            request.metadata_mut().insert("person-token", token.clone());
            call(crm, request)
        };
        Ok(self.crm.call(DEADLINE, call).await?)
    }

    /// Returns the session of a request and its person, if the person is in the team. The session may have been ended.
    fn session<'t>(&self, headers: &HeaderMap, team: &'t Team) -> Option<(Session, &'t Person)> {
        let session = Session::from_headers(
            headers,
            &self.config.desk_session_keys,
            self.config.is_secure(),
            self.clock.now(),
        )?;
        Some((session, team.find_by_id(session.person)?))
    }

    /// Returns the person who is logged in, and counts the request towards the session's limit.
    async fn authenticate<'t>(
        &self,
        headers: &HeaderMap,
        team: &'t Team,
    ) -> Result<Option<&'t Person>, DeskError> {
        let Some((session, person)) = self.session(headers, team) else {
            return Ok(None);
        };
        self.request_limit
            .try_acquire(session.id, self.clock.now())
            .map_err(DeskError::RateLimited)?;
        Ok(self
            .claim(person.name(), session.claim())
            .await?
            .then_some(person))
    }

    /// Returns whether the CRM grants a task, e.g. a session that has not been ended.
    async fn claim(&self, person: &str, task: ClaimTaskRequest) -> Result<bool, DeskError> {
        let claimed = self
            .call(person, task, async |mut crm, request| {
                crm.access.claim_task(request).await
            })
            .await?;
        Ok(claimed.granted)
    }
}

/// Extracts the person who is logged in.
struct LoggedIn {
    person: Person,
    /// The team in the routes file at the time of the request.
    team: Arc<Team>,
}

impl FromRequestParts<Arc<Desk>> for LoggedIn {
    type Rejection = DeskError;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, DeskError> {
        let team = desk.config.routes_file.current();
        let person = desk
            .authenticate(&parts.headers, &team)
            .await?
            .cloned()
            .ok_or(DeskError::LoggedOut)?;
        Ok(Self { person, team })
    }
}

/// Like [`Json`], but rejects an invalid body with [`DeskError::Invalid`].
struct Body<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = DeskError;

    async fn from_request(request: Request, state: &S) -> Result<Self, DeskError> {
        let Json(body) = Json::from_request(request, state)
            .await
            .map_err(|_| DeskError::Invalid)?;
        Ok(Self(body))
    }
}

pub(crate) fn router(config: Config, context: &Context) -> Router {
    let http = HttpMetrics::new(&context.metrics, DeskError::VARIANTS);
    let desk = Arc::new(Desk::new(config, context));
    let own_site = CsrfLayer::new()
        .with_rejection_response(|_: ProtectionError| DeskError::OtherSite.into_response());
    Router::new()
        .route("/desk/api/key", post(links::open_link))
        .route("/desk/api/log-in", post(links::log_in))
        .route("/desk/api/link", post(links::mail_link))
        .route("/desk/api/me", get(links::show_person))
        .route("/desk/api/log-out", post(links::log_out))
        .route("/desk/api/leads", post(leads::list_leads))
        .route("/desk/api/report", get(report::show_report))
        .route("/desk/api/new-lead", post(leads::enter_lead))
        .route(
            "/desk/api/leads/{id}",
            get(leads::show_lead).post(leads::change_lead),
        )
        .route("/desk/api/leads/{id}/visit.ics", get(leads::show_visit))
        .route(
            "/desk/api/brochure",
            get(brochure::count).post(brochure::send),
        )
        .route("/desk/api/brochure/test", post(brochure::send_test))
        .fallback(async || DeskError::NotFound)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(desk.clone(), renew_session))
        .layer(own_site)
        .layer(middleware::from_fn_with_state(http, record_request))
        .with_state(desk)
}

async fn renew_session(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let session = desk
        .session(request.headers(), &desk.config.routes_file.current())
        .map(|(session, _)| session);
    let mut response = next.run(request).await;
    let now = desk.clock.now();
    let has_cookie = response.headers().contains_key(header::SET_COOKIE);
    let renewed = session.and_then(|session| session.renew(now));
    if let Some(session) = renewed.filter(|_| response.status().is_success() && !has_cookie) {
        let cookie =
            session.to_cookie(&desk.config.desk_session_keys, desk.config.is_secure(), now);
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_alerts_start_at_zero() {
        let (context, _) = testkit::context("desk");
        let _metrics = HttpMetrics::new(&context.metrics, DeskError::VARIANTS);
        testkit::alerts::assert_start_at_zero(
            &context.metrics,
            "desk",
            &["http_server_requests_rejected_total"],
        );
    }
}
