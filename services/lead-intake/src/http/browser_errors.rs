//! Accepts reports of errors in visitors' browsers. Reports contain no message, which may contain personal data.

use std::sync::{Arc, LazyLock};

use axum::{extract::State, http::StatusCode};
use opentelemetry::KeyValue;
use regex::Regex;
use serde::Deserialize;
use strum::IntoStaticStr;
use tracing::warn;
use utoipa::ToSchema;

use super::{Intake, body::JsonBody};

/// An error in a page of the site.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BrowserError {
    /// How the error was noticed.
    kind: Kind,
    /// Class of the error, such as `TypeError`. A name of another form is stored as `other`.
    name: String,
    /// Position in a script of the site, such as `assets/app-1a2b.js:1:200`; empty when unknown. Another form is stored
    /// as empty.
    place: String,
    /// The page with the error.
    page: Page,
}

#[derive(Clone, Copy, Deserialize, IntoStaticStr, ToSchema)]
#[serde(rename_all = "camelCase")]
#[strum(serialize_all = "camelCase")]
enum Kind {
    Caught,
    Uncaught,
    Recoverable,
    Rejection,
}

#[derive(Clone, Copy, Deserialize, IntoStaticStr, ToSchema)]
#[serde(rename_all = "camelCase")]
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
pub(crate) async fn report(
    State(intake): State<Arc<Intake>>,
    JsonBody(error): JsonBody<BrowserError>,
) -> StatusCode {
    let (kind, page): (&str, &str) = (error.kind.into(), error.page.into());
    let (name, place) = (error.known_name(), error.known_place());
    intake.browser_errors.add(1, &[KeyValue::new("kind", kind)]);
    warn!(kind, name, place, page, "browser error reported");
    StatusCode::NO_CONTENT
}

impl BrowserError {
    fn known_name(&self) -> &str {
        static NAME: LazyLock<Regex> = LazyLock::new(|| pattern("[A-Za-z]{1,40}"));
        if NAME.is_match(&self.name) {
            &self.name
        } else {
            "other"
        }
    }

    fn known_place(&self) -> &str {
        static PLACE: LazyLock<Regex> =
            LazyLock::new(|| pattern(r"assets/[\w.-]{1,60}\.js(:\d{1,7}){0,2}"));
        if PLACE.is_match(&self.place) {
            &self.place
        } else {
            ""
        }
    }
}

fn pattern(whole: &str) -> Regex {
    Regex::new(&format!(r"\A(?-u:{whole})\z")).expect("a constant that every test compiles")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn report(kind: &str, name: &str, place: &str, page: &str) -> Value {
        json!({ "kind": kind, "name": name, "place": place, "page": page })
    }

    #[test]
    fn keeps_no_visitor_text() {
        let place = "assets/app-1a_B.js:1:2345";
        for (name, given, kept) in [
            ("TypeError", place, ("TypeError", place)),
            ("TypeError: wei@example.com", place, ("other", place)),
            ("Érror", "assets/app.js", ("other", "assets/app.js")),
            (
                "TypeError\n",
                "https://elsewhere.example/assets/app.js",
                ("other", ""),
            ),
            ("", "assets/wei@example.com.js", ("other", "")),
            ("E", "assets/app.js:1:2 wei", ("E", "")),
        ] {
            let error: BrowserError =
                serde_json::from_value(report("uncaught", name, given, "home")).unwrap();
            assert_eq!(
                (error.known_name(), error.known_place()),
                kept,
                "{name:?} {given:?}"
            );
        }
        for (kind, page) in [("wei@example.com", "home"), ("caught", "wei@example.com")] {
            let report = report(kind, "TypeError", place, page);
            assert!(
                serde_json::from_value::<BrowserError>(report).is_err(),
                "{kind} {page}"
            );
        }
    }
}
