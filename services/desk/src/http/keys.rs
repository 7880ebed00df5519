//! Opens links of mails, mails links that sign in, and says who is signed in.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::{State, rejection::JsonRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use contracts::crm::v1::{ClaimTaskRequest, MailLeadRequest};
use crm_client::Crm;
use desk_key::{InvalidKey, Key, LIFETIME, Person, Team};
use lead::field::duration;
use opentelemetry::KeyValue;
use serde::{Deserialize, Serialize};
use tonic::{Code, Request};
use tracing::info;

use super::{Desk, error::DeskError, leads::read, view::LeadView};
use crate::session::{Session, no_cookie};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    key: String,
    /// Whom to mail; by default the person of the key.
    #[serde(default)]
    email: Option<String>,
}

/// Who is signed in, and their colleagues.
#[derive(Serialize)]
pub(super) struct Me {
    name: String,
    people: Vec<String>,
}

#[derive(Serialize)]
struct Opened {
    /// `None`: the browser is nobody's, and sees what the mail said.
    me: Option<Me>,
    /// Whose mail it was.
    invited: String,
    lead: LeadView,
}

impl Me {
    fn new(person: &Person, team: &Team) -> Self {
        Self { name: person.name().to_owned(), people: team.names().map(str::to_owned).collect() }
    }
}

/// Opens the lead of a link, and signs the browser in if the link may and is used for the first time.
pub(super) async fn open(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    link: Result<Json<Link>, JsonRejection>,
) -> Response {
    let result = opened(&desk, &headers, link).await;
    desk.answer(result)
}

async fn opened(
    desk: &Desk,
    headers: &HeaderMap,
    link: Result<Json<Link>, JsonRejection>,
) -> Result<Response, DeskError> {
    let (Json(link), now) = (link?, desk.clock.now());
    let key = Key::read(&link.key, &desk.keys, now)?;
    let team = desk.team()?;
    let invited = team.person(key.person).ok_or(DeskError::InvalidLink)?;
    desk.requests.count(key.person, now)?;
    let by_link = by_link(invited);
    let known = Session::of(headers, &desk.keys, now).and_then(|session| team.person(session.person));
    let signed_in = match (known, key.signs_in) {
        (Some(_), _) | (None, None) => None,
        (None, Some(mail)) if desk.is_first_use(mail, &by_link).await? => Some(invited),
        (None, Some(_)) => None,
    };
    let me = known.or(signed_in);
    let lead = read(desk, me.map_or(&by_link, Person::name), key.lead).await?;
    let what = match (known.is_some(), signed_in.is_some()) {
        (true, _) => "session",
        (false, true) => "first use",
        (false, false) => "mail",
    };
    desk.links_opened.add(1, &[KeyValue::new("by", what)]);
    info!(lead_id = %key.lead, by = what, "a link was opened");
    let lead = if me.is_some() { LeadView::whole(lead)? } else { LeadView::as_in_the_mail(lead)? };
    let me = me.map(|person| Me::new(person, &team));
    let mut response = Json(Opened { me, invited: invited.name().to_owned(), lead }).into_response();
    if let Some(person) = signed_in {
        let cookie = Session::begin(person.id(), now).cookie(&desk.keys, desk.is_secure, now);
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

impl Desk {
    /// Whether a mail's link is used for the first time. The CRM remembers, for longer than a link is good.
    async fn is_first_use(&self, mail: uuid::Uuid, by: &str) -> Result<bool, DeskError> {
        let remembered = LIFETIME.to_std().unwrap_or(Duration::MAX) * 2;
        let claim = ClaimTaskRequest {
            task: format!("desk-link/{mail}"),
            holder: format!("desk-{}", self.ids.next()),
            lease: Some(duration(remembered)),
        };
        let claim_task = |mut crm: Crm, request: Request<_>| async move { crm.claim_task(request).await };
        Ok(self.crm.call(by, claim, claim_task).await?.granted)
    }
}

/// The name in timeline and audit of whoever holds a person's link without being known as them.
fn by_link(person: &Person) -> String {
    format!("{} (link)", person.name())
}

/// Mails a link that signs in to the person of a key, which may have expired, or to a colleague. Does not say whether
/// there is such a colleague.
pub(super) async fn mail(State(desk): State<Arc<Desk>>, link: Result<Json<Link>, JsonRejection>) -> Response {
    let result = mailed(&desk, link).await;
    desk.answer(result.map(|()| StatusCode::NO_CONTENT))
}

async fn mailed(desk: &Desk, link: Result<Json<Link>, JsonRejection>) -> Result<(), DeskError> {
    let (Json(link), now) = (link?, desk.clock.now());
    let key = match Key::read(&link.key, &desk.keys, now) {
        Ok(key) | Err(InvalidKey::Expired(key)) => key,
        Err(InvalidKey::Forged) => return Err(DeskError::InvalidLink),
    };
    let team = desk.team()?;
    let invited = team.person(key.person).ok_or(DeskError::InvalidLink)?;
    desk.links.count(key.person, now)?;
    let person = match &link.email {
        None => Some(invited),
        Some(email) => team.with_email(email),
    };
    let Some(person) = person else { return Ok(()) };
    let request = MailLeadRequest { lead_id: key.lead.to_string(), person: person.name().to_owned() };
    let mail_lead = |mut crm: Crm, request: Request<_>| async move { crm.mail_lead(request).await };
    match desk.crm.call(&by_link(invited), request, mail_lead).await {
        Ok(_) => Ok(()),
        // Erased since.
        Err(status) if status.code() == Code::NotFound => Ok(()),
        Err(status) => Err(status.into()),
    }
}

pub(super) async fn me(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Response {
    let me = || {
        let team = desk.team()?;
        let person = desk.person(&headers, &team)?;
        Ok(Json(Me::new(person, &team)))
    };
    desk.answer(me())
}

pub(super) async fn sign_out(State(desk): State<Arc<Desk>>) -> Response {
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, no_cookie(desk.is_secure))]).into_response()
}
