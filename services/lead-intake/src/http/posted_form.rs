//! Takes the form as a page without script posts it, and answers with the address of a page.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use lead::{Attribution, Reference, SpamSignal, Visit, id_of};
use ring::digest::{Context, SHA256};
use runtime::trace::TraceParent;
use serde_json::json;
use uuid::Uuid;

use super::{
    Intake,
    body::unreadable,
    error::{ApiError, Refusal},
    leads::{language, policy_version},
};
use crate::{
    rules::{
        registration::{Circumstances, RegistrationBody},
        rule::{Broken, Rule},
    },
    token::{ACCESS_LIFETIME, Purpose},
};

/// What 5+2 is.
const SUM: &str = "7";

/// In the order of the form.
const FIELDS: [&str; 7] =
    ["interests", "name", "mobile", "email", "questions", "antiSpam", "privacyAccepted"];

const COOKIE: &str = "form_session";

/// One transparent pixel.
const PIXEL: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// Begins a session for a page without script: a picture with a cookie.
#[utoipa::path(
    get, path = "/functions/v1/form-session", tag = "session",
    responses((status = 200, description = "One transparent pixel, and the cookie `form_session` unless it was sent", content_type = "image/gif")),
)]
pub(crate) async fn begin_session(State(intake): State<Arc<Intake>>, headers: HeaderMap) -> Response {
    let mut answer = ([(header::CONTENT_TYPE, "image/gif")], PIXEL).into_response();
    if visit_of(&intake, &headers).is_none() {
        let now = intake.clock.now();
        let token = intake.session_keys.issue(&new_visit(&intake), Purpose::Access, now);
        let seconds = ACCESS_LIFETIME.num_seconds();
        let cookie =
            format!("{COOKIE}={token}; Path=/functions/v1; Max-Age={seconds}; HttpOnly; SameSite=Strict");
        // A token is made of letters, digits, dots, dashes and underscores.
        if let Ok(cookie) = cookie.parse() {
            answer.headers_mut().insert(header::SET_COOKIE, cookie);
        }
    }
    answer
}

/// Whether a request is the form's own, and not the script's.
pub(super) fn is_posted(headers: &HeaderMap) -> bool {
    let essence = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()?.split(';').next());
    essence.is_some_and(|it| it.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded"))
}

/// Registers interest like the JSON call. The answer leads to another address, so that a reload posts nothing.
pub(super) async fn submit(intake: &Intake, request: Request) -> Response {
    let headers = request.headers().clone();
    let body = match Bytes::from_request(request, &()).await {
        Ok(body) => body,
        Err(rejection) => return refused(&unreadable(&rejection), ""),
    };
    let form = Posted::read(&body);
    let suffix = if form.language == "zh" { "&lang=zh" } else { "" };
    match accept(intake, &headers, &body, form.clone()).await {
        Ok(reference) => see(&format!("/registered?reference={reference}{suffix}")),
        Err(error) => refused(&error, suffix),
    }
}

/// Leads to the page that names the mistakes, or says that it failed.
pub(super) fn refused(error: &ApiError, suffix: &str) -> Response {
    let errors = match error {
        ApiError::ValidationFailed(broken) => {
            let first = |field: &&str| broken.get(*field)?.first().map(|rule| rule.code());
            FIELDS.iter().filter_map(first).collect::<Vec<_>>().join(",")
        }
        ApiError::MalformedJson
        | ApiError::UnknownField
        | ApiError::IdempotencyKeyInvalid
        | ApiError::ApikeyInvalid
        | ApiError::CanaryKeyInvalid
        | ApiError::TokenMissing
        | ApiError::TokenInvalid
        | ApiError::TokenExpired
        | ApiError::NotFound
        | ApiError::MethodNotAllowed
        | ApiError::BodyTooLarge
        | ApiError::UnsupportedMediaType
        | ApiError::Unavailable => "failed".to_owned(),
    };
    let mut answer = see(&format!("/not-registered?errors={errors}{suffix}"));
    // For the counter, which sees only the response.
    answer.extensions_mut().insert(Refusal(error.code()));
    answer
}

fn see(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
}

async fn accept(
    intake: &Intake,
    headers: &HeaderMap,
    body: &[u8],
    form: Posted,
) -> Result<Reference, ApiError> {
    let known = visit_of(intake, headers);
    let now = intake.clock.now();
    let circumstances = Circumstances {
        id: id_of(key(known.as_ref(), now, body)),
        submitted_at: now,
        language: language(&form.language),
        privacy_policy_version: policy_version(&form.privacy_policy_version),
        // Who posts without having opened the page has been there for no time at all.
        visit: known.unwrap_or_else(|| new_visit(intake)),
        is_canary: false,
    };
    let own = form.broken();
    let is_trapped = !form.website.is_empty();
    let mut lead = match form.into_body()?.into_lead(circumstances) {
        Ok(lead) if own.is_empty() => lead,
        Ok(_) => return Err(ApiError::ValidationFailed(own)),
        Err(broken) => return Err(ApiError::ValidationFailed(broken.into_iter().chain(own).collect())),
    };
    if is_trapped {
        lead.signals.push(SpamSignal::Trapped);
    }
    let reference = lead.reference.clone();
    intake.submitter.submit(&lead.into(), TraceParent::current().as_ref()).await?;
    Ok(reference)
}

/// The fields as they were posted; those that are not there are empty.
#[derive(Clone, Default)]
struct Posted {
    interests: Vec<String>,
    name: String,
    mobile: String,
    email: String,
    questions: String,
    anti_spam: String,
    accepts_privacy: bool,
    language: String,
    privacy_policy_version: String,
    website: String,
}

impl Posted {
    /// Passes over fields that are not the form's: programs of the visitor's may add some.
    fn read(body: &[u8]) -> Self {
        let mut form = Self::default();
        for (field, value) in form_urlencoded::parse(body) {
            let value = value.into_owned();
            match &*field {
                "interests" => form.interests.push(value),
                "name" => form.name = value,
                "mobile" => form.mobile = value,
                "email" => form.email = value,
                // Browsers post line breaks as two characters, and count one.
                "questions" => form.questions = value.replace("\r\n", "\n"),
                "antiSpam" => form.anti_spam = value,
                "privacyAccepted" => form.accepts_privacy = true,
                "language" => form.language = value,
                "privacyPolicyVersion" => form.privacy_policy_version = value,
                "website" => form.website = value,
                _ => {}
            }
        }
        form
    }

    /// The rules that the site's script checks before it sends.
    fn broken(&self) -> Broken {
        let sum = (self.anti_spam != SUM).then_some(("antiSpam".into(), vec![Rule::AntiSpamWrong]));
        let privacy =
            (!self.accepts_privacy).then_some(("privacyAccepted".into(), vec![Rule::PrivacyRequired]));
        sum.into_iter().chain(privacy).collect()
    }

    fn into_body(self) -> Result<RegistrationBody, ApiError> {
        let Self { interests, name, mobile, email, questions, .. } = self;
        let body = json!({ "interests": interests, "name": name, "mobile": mobile, "email": email, "questions": questions });
        serde_json::from_value(body).map_err(|_| ApiError::UnknownField)
    }
}

/// The same for the same form of the same visit, or of the same day where no visit is known: pressed twice, it is one
/// lead.
fn key(visit: Option<&Visit>, now: DateTime<Utc>, body: &[u8]) -> Uuid {
    let mut hash = Context::new(&SHA256);
    match visit {
        Some(visit) => hash.update(visit.id.as_bytes()),
        None => hash.update(now.date_naive().to_string().as_bytes()),
    }
    hash.update(body);
    let hash = hash.finish();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_ref()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

fn new_visit(intake: &Intake) -> Visit {
    Visit { id: intake.ids.next(), started_at: intake.clock.now(), attribution: Attribution::default() }
}

/// The visit of the cookie, if it was given here and has not expired.
fn visit_of(intake: &Intake, headers: &HeaderMap) -> Option<Visit> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    let token = cookies.split(';').find_map(|it| it.trim().strip_prefix(COOKIE)?.strip_prefix('='))?;
    intake.session_keys.verify(token, Purpose::Access, intake.clock.now()).ok()
}
