//! Serves HTTP under `/desk/api`, in JSON.

mod brochure;
mod error;
mod leads;
mod links;
mod view;

use std::{future::Future, sync::Arc, time::Duration};

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
use lead::field::duration;
use opentelemetry::metrics::Counter;
use runtime::{
    clock::SharedClock,
    http::{HttpMetrics, record_request},
    random::SharedIds,
    service::Context,
};
use serde::de::DeserializeOwned;
use tokens::{MagicLink, Person, PersonToken, Team};
use tonic::{Status, metadata::MetadataValue};
use tower_http::csrf::{CsrfLayer, ProtectionError};
use uuid::Uuid;

pub(crate) use self::error::DeskError;
use crate::{
    config::Config,
    limit::Limit,
    session::{LONGEST, Session},
};

/// In bytes; above the longest note with every character escaped.
const BODY_LIMIT: usize = 32 * 1024;

/// Requests of one person, or with one link by whoever holds it, in a minute: more than hands can make.
const REQUESTS: u32 = 120;

/// Emails with a link to one person in an hour.
const MAILS: u32 = 10;

/// Of a call to the CRM. A person waits for the response, and nginx for at most 3.8 s, in which there may be three calls.
const DEADLINE: Duration = Duration::from_millis(1200);

/// All replicas hold the sessions together.
const SESSION_HOLDER: &str = "desk";

struct Desk {
    config: Config,
    crm: CrmClient,
    /// Requests of people who are logged in.
    request_limit: Limit<Uuid>,
    /// Uses of links, perhaps by strangers: these do not count for the person.
    link_limit: Limit<MagicLink>,
    /// Emails by [`Person::id_of`] their address, whether a person has it or not.
    mail_limit: Limit<Uuid>,
    clock: SharedClock,
    ids: SharedIds,
    links_opened: Counter<u64>,
    logins: Counter<u64>,
}

impl Desk {
    fn new(config: Config, context: &Context) -> Self {
        let meter = context.metrics.meter();
        let counter = |name, description| meter.u64_counter(name).with_description(description).build();
        let crm = CrmClient::new(config.crm.clone());
        crm.watch_token(context);
        Self {
            crm,
            config,
            request_limit: Limit::new(REQUESTS, TimeDelta::minutes(1)),
            link_limit: Limit::new(REQUESTS, TimeDelta::minutes(1)),
            mail_limit: Limit::new(MAILS, TimeDelta::hours(1)),
            clock: context.clock.clone(),
            ids: context.ids.clone(),
            links_opened: counter(
                "desk_links_opened",
                "Magic links opened, by authorisation (session: logged in; mail: the link alone).",
            ),
            logins: counter("desk_logins", "Sessions started with a magic link."),
        }
    }

    /// Calls the CRM in the name of `person`, which the CRM records.
    async fn call<R: Clone, T, Answer>(
        &self,
        person: &str,
        message: R,
        call: impl Fn(Crm, tonic::Request<R>) -> Answer,
    ) -> Result<T, Status>
    where
        Answer: Future<Output = Result<tonic::Response<T>, Status>>,
    {
        let token = PersonToken::sign(person, &self.config.keys, self.clock.now());
        let token = MetadataValue::try_from(token).map_err(|_| Status::internal("a token is not ASCII"))?;
        let call = |crm| {
            let mut request = tonic::Request::new(message.clone());
            request.metadata_mut().insert("person-token", token.clone());
            call(crm, request)
        };
        self.crm.call(DEADLINE, call).await
    }

    fn session(&self, headers: &HeaderMap) -> Option<Session> {
        Session::from_headers(headers, &self.config.keys, self.config.is_secure(), self.clock.now())
    }

    /// The person who is logged in in a request's browser, if they are still in the team and did not log out. Counts their
    /// request.
    async fn authenticate<'t>(
        &self,
        headers: &HeaderMap,
        team: &'t Team,
    ) -> Result<Option<&'t Person>, DeskError> {
        let session = self.session(headers);
        let Some((session, person)) = session.and_then(|it| Some((it, team.person(it.person)?))) else {
            return Ok(None);
        };
        self.request_limit.count(person.id(), self.clock.now())?;
        Ok(self.claim_session(session, person.name()).await?.then_some(person))
    }

    /// Whether a session has not been ended. The CRM stores that until the session's end at the latest.
    async fn claim_session(&self, session: Session, person: &str) -> Result<bool, DeskError> {
        self.claim(person, session.task(), SESSION_HOLDER.to_owned(), LONGEST, None).await
    }

    async fn claim(
        &self,
        person: &str,
        task: String,
        holder: String,
        lease: TimeDelta,
        repeatable_for: Option<TimeDelta>,
    ) -> Result<bool, DeskError> {
        let [lease, repeatable_for] = [Some(lease), repeatable_for].map(|it| it?.to_std().ok().map(duration));
        let claim = ClaimTaskRequest { task, holder, lease, repeatable_for };
        let claimed =
            self.call(person, claim, |mut crm, request| async move { crm.claim_task(request).await }).await?;
        Ok(claimed.granted)
    }
}

/// The person who is logged in in a request's browser.
struct LoggedIn {
    person: Person,
    /// The team as in the routes file at present.
    team: Arc<Team>,
}

impl FromRequestParts<Arc<Desk>> for LoggedIn {
    type Rejection = DeskError;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, DeskError> {
        let team = desk.config.team.current();
        let person = desk.authenticate(&parts.headers, &team).await?.cloned().ok_or(DeskError::SignedOut)?;
        Ok(Self { person, team })
    }
}

/// Reads JSON; a body that is not valid is an error of the API.
struct Body<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = DeskError;

    async fn from_request(request: Request, state: &S) -> Result<Self, DeskError> {
        let Json(body) = Json::from_request(request, state).await.map_err(|_| DeskError::Invalid)?;
        Ok(Self(body))
    }
}

pub(crate) fn router(config: Config, context: &Context) -> Router {
    let http = HttpMetrics::new(context.metrics.meter());
    let desk = Arc::new(Desk::new(config, context));
    let own_site =
        CsrfLayer::new().with_rejection_response(|_: ProtectionError| DeskError::OtherSite.into_response());
    Router::new()
        .route("/desk/api/key", post(links::open_link))
        .route("/desk/api/sign-in", post(links::log_in))
        .route("/desk/api/link", post(links::mail_link))
        .route("/desk/api/me", get(links::show_person))
        .route("/desk/api/sign-out", post(links::log_out))
        .route("/desk/api/leads", post(leads::list_leads))
        .route("/desk/api/leads/{id}", get(leads::show_lead).post(leads::change_lead))
        .route("/desk/api/brochure", get(brochure::count).post(brochure::send))
        .fallback(async || DeskError::NotFound)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(desk.clone(), renew_session))
        .layer(own_site)
        .layer(middleware::from_fn_with_state(http, record_request))
        .with_state(desk)
}

async fn renew_session(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let session = desk.session(request.headers());
    let mut response = next.run(request).await;
    let now = desk.clock.now();
    let has_cookie = response.headers().contains_key(header::SET_COOKIE);
    let renewed = session.and_then(|session| session.renew(now));
    if let Some(session) = renewed.filter(|_| response.status().is_success() && !has_cookie) {
        let cookie = session.to_cookie(&desk.config.keys, desk.config.is_secure(), now);
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
