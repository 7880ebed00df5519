//! Takes reports of errors in visitors' browsers: kinds and places alone, as a message may hold what was typed.

use std::sync::{Arc, LazyLock};

use axum::{extract::State, http::StatusCode};
use opentelemetry::KeyValue;
use regex::Regex;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr};
use tracing::warn;
use utoipa::ToSchema;

use super::{Intake, body::JsonBody, error::ApiError};

/// An error in a page of the site.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BrowserError {
    /// How the error was noticed.
    #[schema(value_type = Kind)]
    kind: String,
    /// Class of the error, such as `TypeError`. A name of another form is stored as `other`.
    name: String,
    /// Position in a script of the site, such as `assets/app-1a2b.js:1:200`; empty when unknown. Another form is stored
    /// as empty.
    place: String,
    /// The page with the error.
    #[schema(value_type = Page)]
    page: String,
}

#[derive(Clone, Copy, EnumString, IntoStaticStr, ToSchema)]
#[schema(rename_all = "camelCase")]
#[strum(serialize_all = "camelCase")]
enum Kind {
    Caught,
    Uncaught,
    Recoverable,
    Rejection,
}

#[derive(Clone, Copy, EnumString, IntoStaticStr, ToSchema)]
#[schema(rename_all = "camelCase")]
#[strum(serialize_all = "camelCase")]
enum Page {
    Home,
    FloorPlans,
    NotFound,
}

/// Counts and logs an error in a page of the site.
#[utoipa::path(
    post, path = "/functions/v1/browser-error", tag = "operations", operation_id = "reportBrowserError",
    request_body = BrowserError, security(()),
    responses(
        (status = 204, description = "The error was counted"),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn take(
    State(intake): State<Arc<Intake>>,
    JsonBody(report): JsonBody<BrowserError>,
) -> Result<StatusCode, ApiError> {
    let Known { kind, name, place, page } = report.known().ok_or(ApiError::MalformedJson)?;
    intake.browser_errors.add(1, &[KeyValue::new("kind", kind)]);
    warn!(kind, name, place, page, "browser error reported");
    Ok(StatusCode::NO_CONTENT)
}

/// What is kept of a report.
#[derive(Debug, PartialEq, Eq)]
struct Known<'a> {
    kind: &'static str,
    name: &'a str,
    place: &'a str,
    page: &'static str,
}

impl BrowserError {
    /// `None` for a kind or page that the site does not have.
    fn known(&self) -> Option<Known<'_>> {
        Some(Known {
            kind: self.kind.parse::<Kind>().ok()?.into(),
            name: if NAME.is_match(&self.name) { &self.name } else { "other" },
            place: if PLACE.is_match(&self.place) { &self.place } else { "" },
            page: self.page.parse::<Page>().ok()?.into(),
        })
    }
}

static NAME: LazyLock<Regex> = LazyLock::new(|| pattern("[A-Za-z]{1,40}"));
static PLACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"assets/[\w.-]{1,60}\.js(:\d{1,7}){0,2}"));

fn pattern(whole: &str) -> Regex {
    Regex::new(&format!(r"\A(?-u:{whole})\z")).expect("a constant that every test compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(kind: &str, name: &str, place: &str, page: &str) -> Option<(String, String)> {
        let [kind, name, place, page] = [kind, name, place, page].map(str::to_owned);
        let report = BrowserError { kind, name, place, page };
        report.known().map(|it| (it.name.to_owned(), it.place.to_owned()))
    }

    #[test]
    fn nothing_that_a_visitor_typed_is_kept() {
        let place = "assets/app-1a_B.js:1:2345";
        for (name, given, kept) in [
            ("TypeError", place, ("TypeError", place)),
            ("TypeError: wei@example.com", place, ("other", place)),
            ("Érror", "assets/app.js", ("other", "assets/app.js")),
            ("TypeError\n", "https://elsewhere.example/assets/app.js", ("other", "")),
            ("", "assets/wei@example.com.js", ("other", "")),
            ("E", "assets/app.js:1:2 wei", ("E", "")),
        ] {
            let expected = Some((kept.0.to_owned(), kept.1.to_owned()));
            assert_eq!(known("uncaught", name, given, "home"), expected, "{name:?} {given:?}");
        }
        assert_eq!(known("wei@example.com", "TypeError", place, "home"), None);
        assert_eq!(known("caught", "TypeError", place, "wei@example.com"), None);
    }
}
