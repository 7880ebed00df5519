//! Serves HTTP under `/desk/api`, in JSON.

mod brochure;
mod error;
mod keys;
mod leads;
mod view;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State},
    http::{HeaderMap, header, request::Parts},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use chrono::TimeDelta;
use chrono_tz::Tz;
use contracts::crm::v1::ClaimTaskRequest;
use crm_client::Crm;
use lead::field::duration;
use opentelemetry::metrics::Counter;
use runtime::{
    clock::SharedClock,
    http::{HttpMetrics, record_request},
    random::SharedIds,
    reload::Reloaded,
    service::Context,
};
use serde::de::DeserializeOwned;
use tokens::{MagicLink, Person, SigningKeys, Team};
use tonic::Request as Call;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use uuid::Uuid;

use self::error::DeskError;
use crate::{
    config::Config,
    crm::PersonsCrm,
    limit::Limit,
    session::{LONGEST, Session},
};

/// In bytes; above the longest note with every character escaped.
const BODY_LIMIT: usize = 32 * 1024;

/// Requests of one person, or with one link by whoever holds it, in a minute: more than hands can make.
const REQUESTS: u32 = 120;

/// Mails with a link to one person in an hour.
const MAILS: u32 = 10;

pub(crate) struct Desk {
    crm: PersonsCrm,
    team: Arc<Reloaded<Team>>,
    link_keys: SigningKeys,
    keys: SigningKeys,
    time_zone: Tz,
    is_secure: bool,
    /// Of people who are signed in.
    requests: Limit<Uuid>,
    /// Of links by whoever holds them, who may be a stranger: they take nothing from the person.
    uses: Limit<MagicLink>,
    /// By whose address is whose, or nobody's.
    mails: Limit<Uuid>,
    clock: SharedClock,
    ids: SharedIds,
    http: HttpMetrics,
    links_opened: Counter<u64>,
    sign_ins: Counter<u64>,
}

impl Desk {
    pub(crate) fn new(config: Config, context: &Context) -> Self {
        let meter = context.metrics.meter();
        let counter = |name, description| meter.u64_counter(name).with_description(description).build();
        Self {
            crm: PersonsCrm::new(config.crm, config.keys.clone(), context.clock.clone()),
            team: config.team,
            link_keys: config.link_keys,
            keys: config.keys,
            time_zone: config.time_zone,
            is_secure: config.site_url.starts_with("https://"),
            requests: Limit::new(REQUESTS, TimeDelta::minutes(1)),
            uses: Limit::new(REQUESTS, TimeDelta::minutes(1)),
            mails: Limit::new(MAILS, TimeDelta::hours(1)),
            clock: context.clock.clone(),
            ids: context.ids.clone(),
            http: HttpMetrics::new(meter),
            links_opened: counter(
                "desk_links_opened",
                "Magic links opened, by authorisation (session: logged in; mail: the link alone).",
            ),
            sign_ins: counter("desk_logins", "Sessions started with a magic link."),
        }
    }

    /// The team as the routes file has it now.
    fn team(&self) -> Arc<Team> {
        self.team.current()
    }

    fn session(&self, headers: &HeaderMap) -> Option<Session> {
        Session::of(headers, &self.keys, self.is_secure, self.clock.now())
    }

    /// Who is logged in in a request's browser, if they are still in the team and did not log out. Counts their request.
    async fn known<'t>(&self, headers: &HeaderMap, team: &'t Team) -> Result<Option<&'t Person>, DeskError> {
        let Some(session) = self.session(headers) else { return Ok(None) };
        let Some(person) = team.person(session.person) else { return Ok(None) };
        self.requests.count(person.id(), self.clock.now())?;
        Ok(self.hold(session, person.name()).await?.then_some(person))
    }

    /// Whether a session has not been ended. The CRM, which knows that, keeps it until the session's end at the latest.
    async fn hold(&self, session: Session, by: &str) -> Result<bool, DeskError> {
        let claim = ClaimTaskRequest {
            task: session.task(),
            holder: SESSION_HOLDER.to_owned(),
            lease: Some(duration(LONGEST.to_std().unwrap_or_default())),
            repeatable_for: None,
        };
        let claim_task = |mut crm: Crm, request: Call<_>| async move { crm.claim_task(request).await };
        Ok(self.crm.call(by, claim, claim_task).await?.granted)
    }
}

/// The person who is logged in in a request's browser.
struct LoggedIn {
    person: Person,
    team: Arc<Team>,
}

impl FromRequestParts<Arc<Desk>> for LoggedIn {
    type Rejection = DeskError;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, DeskError> {
        let team = desk.team();
        let person = desk.known(&parts.headers, &team).await?.cloned().ok_or(DeskError::SignedOut)?;
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

/// All replicas hold the sessions together.
const SESSION_HOLDER: &str = "desk";

pub(crate) fn router(desk: Desk) -> Router {
    let http = desk.http.clone();
    let desk = Arc::new(desk);
    let own_site =
        CsrfLayer::new().with_rejection_response(|_: ProtectionError| DeskError::OtherSite.into_response());
    Router::new()
        .route("/desk/api/key", post(keys::open))
        .route("/desk/api/sign-in", post(keys::sign_in))
        .route("/desk/api/link", post(keys::mail))
        .route("/desk/api/me", get(keys::me))
        .route("/desk/api/sign-out", post(keys::sign_out))
        .route("/desk/api/leads", post(leads::list))
        .route("/desk/api/leads/{id}", get(leads::show).post(leads::change))
        .route("/desk/api/brochure", get(brochure::count).post(brochure::send))
        .fallback(async || DeskError::NotFound)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(desk.clone(), renewed))
        .layer(own_site)
        .layer(middleware::from_fn_with_state(http, record_request))
        .with_state(desk)
}

/// Renews the session.
async fn renewed(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let session = desk.session(request.headers());
    let mut response = next.run(request).await;
    let now = desk.clock.now();
    let is_its_own = response.headers().contains_key(header::SET_COOKIE);
    let renewed = session.and_then(|session| session.renewed(now));
    if let Some(session) = renewed.filter(|_| response.status().is_success() && !is_its_own) {
        response.headers_mut().insert(header::SET_COOKIE, session.cookie(&desk.keys, desk.is_secure, now));
    }
    response
}
