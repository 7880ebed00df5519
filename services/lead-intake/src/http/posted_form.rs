//! Takes the form as a page without script posts it.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, Request, State},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use lead::{Attribution, Language, Reference, SpamSignal, Visit, id_of, text::ascii_line};
use ring::digest::{SHA256, digest};
use runtime::{http::ErrorCode, trace::TraceParent};
use serde_json::json;
use uuid::Uuid;

use super::{
    Intake,
    body::unreadable,
    error::ApiError,
    leads::{channels, language},
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

/// Starts a session for the no-JavaScript form.
///
/// Returns an image and sets a cookie.
#[utoipa::path(
    get, path = "/functions/v1/form-session", tag = "session", operation_id = "beginFormSession", security(()),
    responses((status = 200, description = "A transparent pixel; sets the cookie `form_session` unless the request has a valid one", content_type = "image/gif")),
)]
pub(crate) async fn begin_session(State(intake): State<Arc<Intake>>, headers: HeaderMap) -> Response {
    let mut answer = ([(header::CONTENT_TYPE, "image/gif")], PIXEL).into_response();
    if visit_of(&intake, &headers).is_none() {
        let now = intake.clock.now();
        let token = intake.session_keys.issue(&new_visit(&intake), Purpose::Access, now);
        let seconds = ACCESS_LIFETIME.num_seconds();
        // nginx sets the header to the scheme in the browser's address.
        let secure = if headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https") {
            "; Secure"
        } else {
            ""
        };
        let cookie = format!(
            "{COOKIE}={token}; Path=/functions/v1; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
        );
        // A token is made of letters, digits, dots, dashes and underscores.
        if let Ok(cookie) = cookie.parse() {
            answer.headers_mut().insert(header::SET_COOKIE, cookie);
        }
    }
    answer
}

/// Registers interest with the no-JavaScript form.
///
/// Redirects to another page, so a reload does not submit the form again. nginx replaces error responses with a page.
#[utoipa::path(
    post, path = "/functions/v1/posted-form", tag = "leads", operation_id = "submitPostedForm", security(()),
    request_body(content = String, content_type = "application/x-www-form-urlencoded", description = "The fields of the form"),
    params(("lang" = Option<String>, Query, description = "Language of the page: `en` or `zh`.")),
    responses(
        (status = 303, description = "Stored durably: redirects to `/registered?reference=`; rules broken: to `/not-registered?errors=`"),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "The lead may not be stored: try again", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn submit(
    State(intake): State<Arc<Intake>>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let language = language_of(request.uri());
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !content_type.is_some_and(is_form) {
        return Err(ApiError::UnsupportedMediaType);
    }
    let body = Bytes::from_request(request, &()).await.map_err(|rejection| unreadable(&rejection))?;
    let suffix = match language {
        Language::English => "",
        Language::Chinese => "&lang=zh",
    };
    match accept(&intake, &headers, language, Posted::read(&body)).await {
        Ok(reference) => Ok(see(&format!("/registered?reference={reference}{suffix}"))),
        Err(ApiError::ValidationFailed(broken)) => {
            let first = |field: &&str| broken.get(*field)?.first().map(|rule| rule.code());
            let errors = FIELDS.iter().filter_map(first).collect::<Vec<_>>().join(",");
            let mut answer = see(&format!("/not-registered?errors={errors}{suffix}"));
            answer.extensions_mut().insert(ErrorCode(ApiError::ValidationFailed(broken).code()));
            Ok(answer)
        }
        Err(error) => Err(error),
    }
}

/// The language that the form's address names.
fn language_of(address: &Uri) -> Language {
    let mut parameters = form_urlencoded::parse(address.query().unwrap_or_default().as_bytes());
    parameters.find(|(name, _)| name == "lang").map_or(Language::English, |(_, tag)| language(&tag))
}

fn is_form(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

fn see(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
}

async fn accept(
    intake: &Intake,
    headers: &HeaderMap,
    language: Language,
    form: Posted,
) -> Result<Reference, ApiError> {
    let known = visit_of(intake, headers);
    let now = intake.clock.now();
    let circumstances = Circumstances {
        id: id_of(form.key(known.as_ref(), now)),
        submitted_at: now,
        language,
        privacy_policy_version: form.privacy_policy_version.clone(),
        channels: channels(form.channels.iter().map(String::as_str)),
        // Who posts without having opened the page has been there for no time at all.
        visit: Some(known.unwrap_or_else(|| new_visit(intake))),
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
#[derive(Default)]
struct Posted {
    interests: Vec<String>,
    name: String,
    mobile: String,
    email: String,
    questions: String,
    anti_spam: String,
    accepts_privacy: bool,
    privacy_policy_version: String,
    channels: Vec<String>,
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
                "questions" => form.questions = value,
                "antiSpam" => form.anti_spam = value,
                "privacyAccepted" => form.accepts_privacy = true,
                "privacyPolicyVersion" => form.privacy_policy_version = value,
                "channels" => form.channels.push(value),
                "website" => form.website = value,
                _ => {}
            }
        }
        form
    }

    /// The same for the same lead of the same visit, or of the same day where no visit is known: pressed twice, it is
    /// one lead.
    fn key(&self, visit: Option<&Visit>, now: DateTime<Utc>) -> Uuid {
        let of = visit.map_or_else(|| now.date_naive().to_string(), |visit| visit.id.to_string());
        let Self { interests, name, mobile, email, questions, .. } = self;
        // As JSON, so that no two leads read the same.
        let lead = json!([of, interests, name, mobile, email, questions]).to_string();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest(&SHA256, lead.as_bytes()).as_ref()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// The rules that the site's script checks before it sends.
    fn broken(&self) -> Broken {
        let sum =
            (ascii_line(&self.anti_spam) != SUM).then_some(("antiSpam".into(), vec![Rule::AntiSpamWrong]));
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

fn new_visit(intake: &Intake) -> Visit {
    Visit { id: intake.ids.next(), started_at: intake.clock.now(), attribution: Attribution::default() }
}

/// The visit of the cookie, if it was given here and has not expired.
fn visit_of(intake: &Intake, headers: &HeaderMap) -> Option<Visit> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    let token = cookies.split(';').find_map(|it| it.trim().strip_prefix(COOKIE)?.strip_prefix('='))?;
    intake.session_keys.verify(token, Purpose::Access, intake.clock.now()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts_sum(answer: &str) -> bool {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("antiSpam", answer), ("privacyAccepted", "on")])
            .finish();
        Posted::read(body.as_bytes()).broken().is_empty()
    }

    #[test]
    fn cleans_the_sum_before_it_is_checked() {
        for answer in ["7", " 7", "7 ", "７", "\u{200e}7\u{3000}"] {
            assert!(accepts_sum(answer), "{answer:?}");
        }
        for answer in ["", "8", "07", "seven", "7 7"] {
            assert!(!accepts_sum(answer), "{answer:?}");
        }
    }
}
