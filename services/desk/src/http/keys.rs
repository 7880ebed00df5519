//! Opens links of mails, signs in and out, mails links that sign in, and says who is signed in.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use contracts::crm::v1::{ClaimTaskRequest, FinishTaskRequest, MailLeadRequest};
use crm_client::Crm;
use lead::field::duration;
use opentelemetry::KeyValue;
use serde::{Deserialize, Serialize};
use tokens::{InvalidMagicLink, LIFETIME, MagicLink, Person, Team};
use tonic::Request;
use tracing::{info, warn};
use uuid::Uuid;

use super::{Body, Desk, LoggedIn, SESSION_HOLDER, error::DeskError, leads::read, view::LeadView};
use crate::session::{Session, no_cookie};

const REPEATABLE_FOR: Duration = Duration::from_secs(2 * 60);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionRequest {
    key: String,
    /// Made by the page, once: by it the CRM knows a browser that repeats what was not answered.
    browser: Uuid,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mailing {
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
    /// Where the sales team's clock stands.
    time_zone: &'static str,
    may_send_brochures: bool,
}

#[derive(Serialize)]
pub(super) struct Opened {
    /// `None`: the browser is nobody's, and sees what the mail said.
    me: Option<Me>,
    /// Whose mail it was.
    invited: String,
    /// Whether the link begins a session, if no browser has used it.
    may_sign_in: bool,
    time_zone: &'static str,
    lead: LeadView,
}

/// Opens the lead of a link. That signs nobody in: scanners of mails open links as well, and run the page's script.
pub(super) async fn open(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Body(link): Body<Link>,
) -> Result<Json<Opened>, DeskError> {
    let team = desk.team();
    let known = desk.known(&headers, &team).await?;
    let (key, is_fresh) = match MagicLink::verify(&link.key, &desk.link_keys, desk.clock.now()) {
        Ok(key) => (key, true),
        Err(InvalidMagicLink::Expired(key) | InvalidMagicLink::Lapsed(key)) if known.is_some() => {
            (key, false)
        }
        Err(invalid) => return Err(invalid.into()),
    };
    let invited = team.person(key.person).ok_or(DeskError::InvalidLink)?;
    let by_link = by_link(invited);
    let (by, how) = match known {
        Some(person) => (person.name(), "session"),
        None => {
            desk.uses.count(key, desk.clock.now())?;
            (by_link.as_str(), "mail")
        }
    };
    let lead = read(&desk, by, key.lead).await?;
    let signs_in = key.signs_in.filter(|_| is_fresh);
    if let (Some(mail), true) = (signs_in, known == Some(invited)) {
        // Of no more use to them; whoever the mail is forwarded to is not to be signed in by it.
        let spent = desk.claim(mail, desk.ids.next(), by).await;
        if spent.is_err() {
            warn!(lead_id = %key.lead, "magic link not marked as used, it can still log in a browser");
        }
    }
    desk.links_opened.add(1, &[KeyValue::new("by", how)]);
    info!(lead_id = %key.lead, by = how, "magic link opened");
    Ok(Json(Opened {
        me: known.map(|person| desk.me(person, &team)),
        invited: invited.name().to_owned(),
        may_sign_in: signs_in.is_some(),
        time_zone: desk.time_zone.name(),
        lead: if known.is_some() { LeadView::whole(lead)? } else { LeadView::as_in_the_mail(lead)? },
    }))
}

/// Begins the session of a link's person, in the first browser that asks.
pub(super) async fn sign_in(
    State(desk): State<Arc<Desk>>,
    Body(SessionRequest { key, browser }): Body<SessionRequest>,
) -> Result<Response, DeskError> {
    let now = desk.clock.now();
    let key = MagicLink::verify(&key, &desk.link_keys, now)?;
    let team = desk.team();
    let invited = team.person(key.person).ok_or(DeskError::InvalidLink)?;
    desk.uses.count(key, now)?;
    let mail = key.signs_in.ok_or(DeskError::UsedLink)?;
    let by_link = by_link(invited);
    // Read first: a link is not to be used up by what fails.
    let lead = LeadView::whole(read(&desk, &by_link, key.lead).await?)?;
    if !desk.claim(mail, browser, &by_link).await? {
        return Err(DeskError::UsedLink);
    }
    let session = Session::begin(invited.id(), desk.ids.next(), now);
    desk.hold(session, invited.name()).await?;
    desk.sign_ins.add(1, &[]);
    info!(lead_id = %key.lead, "logged in with a magic link");
    let (me, invited_name) = (Some(desk.me(invited, &team)), invited.name().to_owned());
    let time_zone = desk.time_zone.name();
    let opened = Opened { me, invited: invited_name, may_sign_in: true, time_zone, lead };
    let cookie = session.cookie(&desk.keys, desk.is_secure, now);
    Ok(([(header::SET_COOKIE, cookie)], Json(opened)).into_response())
}

impl Desk {
    fn me(&self, person: &Person, team: &Team) -> Me {
        Me {
            name: person.name().to_owned(),
            people: team.names().map(str::to_owned).collect(),
            time_zone: self.time_zone.name(),
            may_send_brochures: person.may_send_brochures(),
        }
    }

    /// Whether a browser is the first to use the link of a mail, or was just now, and the answer got lost. The CRM
    /// remembers for longer than a link is good.
    async fn claim(&self, mail: Uuid, browser: Uuid, by: &str) -> Result<bool, DeskError> {
        let remembered = LIFETIME.to_std().unwrap_or(Duration::MAX) * 2;
        let claim = ClaimTaskRequest {
            task: format!("desk-link/{mail}"),
            holder: format!("desk-{browser}"),
            lease: Some(duration(remembered)),
            repeatable_for: Some(duration(REPEATABLE_FOR)),
        };
        let claim_task = |mut crm: Crm, request: Request<_>| async move { crm.claim_task(request).await };
        Ok(self.crm.call(by, claim, claim_task).await?.granted)
    }
}

/// The name in timeline and audit of whoever holds a person's link without being known as them.
fn by_link(person: &Person) -> String {
    format!("{} (link)", person.name())
}

/// Mails a link that signs in to the person of a key, which may have expired, or, if it has not, to a colleague. Neither
/// the answer nor its time says whether there is such a colleague.
pub(super) async fn mail(
    State(desk): State<Arc<Desk>>,
    Body(Mailing { key, email }): Body<Mailing>,
) -> Result<StatusCode, DeskError> {
    let now = desk.clock.now();
    let (key, is_fresh) = match MagicLink::verify(&key, &desk.link_keys, now) {
        Ok(key) => (key, true),
        Err(InvalidMagicLink::Expired(key)) => (key, false),
        Err(invalid) => return Err(invalid.into()),
    };
    let team = desk.team();
    let invited = team.person(key.person).ok_or(DeskError::InvalidLink)?;
    desk.uses.count(key, now)?;
    let email = email.as_deref().unwrap_or(invited.email());
    let may_be_mailed = desk.mails.count(Person::id_of(email), now).is_ok();
    let by_link = by_link(invited);
    let person = team.with_email(email).filter(|person| is_fresh || person.id() == key.person);
    let asked = match person.filter(|_| may_be_mailed) {
        Some(person) => {
            let request = MailLeadRequest { lead_id: key.lead.to_string(), person: person.name().to_owned() };
            let mail_lead = |mut crm: Crm, request: Request<_>| async move { crm.mail_lead(request).await };
            desk.crm.call(&by_link, request, mail_lead).await.map(drop).map_err(DeskError::from)
        }
        // As long, and as likely to fail.
        None => read(&desk, &by_link, key.lead).await.map(drop),
    };
    match asked {
        // Erased since.
        Ok(()) | Err(DeskError::NoSuchLead) => Ok(StatusCode::NO_CONTENT),
        Err(error) => Err(error),
    }
}

pub(super) async fn me(State(desk): State<Arc<Desk>>, LoggedIn { person, team }: LoggedIn) -> Json<Me> {
    Json(desk.me(&person, &team))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignOut {
    /// All sessions of the person, in whatever browser.
    #[serde(default)]
    everywhere: bool,
}

/// Ends a session, so that no copy of its cookie is good any more.
pub(super) async fn sign_out(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Body(SignOut { everywhere }): Body<SignOut>,
) -> Result<Response, DeskError> {
    let team = desk.team();
    // Of who has left the team, no session is good.
    let session = desk.session(&headers).and_then(|session| Some((session, team.person(session.person)?)));
    if let Some((session, person)) = session {
        let task = if everywhere { Session::tasks(session.person) } else { session.task() };
        let request = FinishTaskRequest { task, holder: SESSION_HOLDER.to_owned() };
        let finish_task = |mut crm: Crm, request: Request<_>| async move { crm.finish_task(request).await };
        desk.crm.call(person.name(), request, finish_task).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, no_cookie(desk.is_secure))]).into_response())
}
