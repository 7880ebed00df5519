//! Counts submissions of leads by result, including submissions that reach no handler.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use opentelemetry::{KeyValue, metrics::Counter};
use runtime::{http::ErrorCode, telemetry::Metrics};
use strum::{IntoStaticStr, VariantNames};

use super::Intake;

/// The path of the form that a script submits.
pub(super) const JSON: &str = "/functions/v1/send-contact-email";
/// The path of the no-JavaScript form.
pub(super) const POSTED_FORM: &str = "/functions/v1/posted-form";

/// The result of a submission. Its snake_case name is a metric label.
#[derive(Clone, Copy, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
enum SubmissionResult {
    Accepted,
    /// The visitor or the client has to change something.
    Rejected,
    /// Neither broker nor CRM stored the lead, or the replica has too many requests.
    Failed,
}

impl From<&Response> for SubmissionResult {
    fn from(response: &Response) -> Self {
        if response.status().is_server_error() {
            Self::Failed
        } else if response.extensions().get::<ErrorCode>().is_some() {
            Self::Rejected
        } else {
            Self::Accepted
        }
    }
}

pub(super) fn counter(metrics: &Metrics) -> Counter<u64> {
    metrics.counter_from_zero(
        "lead_submissions",
        "Submissions of the form, by result: accepted, rejected or failed.",
        "result",
        SubmissionResult::VARIANTS,
    )
}

pub(super) async fn count_submission(
    State(intake): State<Arc<Intake>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let is_submission = path.is_some_and(|path| [JSON, POSTED_FORM].contains(&path.as_str()));
    let response = next.run(request).await;
    if is_submission {
        let result: &str = SubmissionResult::from(&response).into();
        intake
            .submissions
            .add(1, &[KeyValue::new("result", result)]);
    }
    response
}
