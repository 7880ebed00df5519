//! Calls the CRM.

use std::{iter, time::Duration};

use anyhow::Result;
use contracts::{
    crm::v1::{GetLeadRequest, Lead, get_lead_request::Key},
    leads::v1::LeadSubmitted,
};
use crm_client::{Crm, should_fail_over};
use lead::text::single_line;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::{
    config::Config,
    error::{Error, Exit},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// Timeout of a call that may change all leads of a person. The CRM erases thousands of leads in batches.
const PERSON_CALL_TIMEOUT: Duration = Duration::from_mins(10);

/// Interval of HTTP/2 pings during a long export.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// In bytes; several times the size of the largest page.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// Returns a client that connects on the first call.
pub(crate) fn connect(config: &Config) -> Crm {
    connect_within(CALL_TIMEOUT, config)
}

/// Like [`connect`], for calls that may change all leads of a person.
pub(crate) fn connect_for_person(config: &Config) -> Crm {
    connect_within(PERSON_CALL_TIMEOUT, config)
}

fn connect_within(timeout: Duration, config: &Config) -> Crm {
    let mut server = config.address.clone();
    server.endpoint = server
        .endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_while_idle(true);
    crm_client::connect(server.connect_lazy(), config.token.clone())
        .max_response_size(LARGEST_ANSWER)
}

/// Finds a lead by id or reference.
pub(crate) async fn find_lead(typed: &str, crm: &mut Crm) -> Result<Lead> {
    let key = match Uuid::try_parse(typed.trim()) {
        Ok(id) => Key::LeadId(id.to_string()),
        Err(_) => Key::Reference(typed.to_owned()),
    };
    let lead = crm
        .leads
        .get_lead(GetLeadRequest { key: Some(key) })
        .await?
        .into_inner()
        .lead;
    lead.ok_or_else(|| {
        Exit::Failed
            .error("the CRM's response contains no lead")
            .into()
    })
}

/// Finds the form of a lead. Returns an empty form if the CRM's response contains none.
pub(crate) async fn find_form(typed: &str, crm: &mut Crm) -> Result<LeadSubmitted> {
    Ok(find_lead(typed, crm).await?.submission.unwrap_or_default())
}

/// Finds the id of a lead, which is never empty, because an empty id would select all leads. Does not look up a typed id,
/// because the CRM may not have the lead.
pub(crate) async fn find_lead_id(typed: &str, crm: &mut Crm) -> Result<String> {
    if let Ok(id) = Uuid::try_parse(typed.trim()) {
        return Ok(id.to_string());
    }
    let id = find_form(typed, crm).await?.lead_id;
    Uuid::try_parse(&id)
        .map_err(|_| Exit::Failed.error("the CRM's response contains a lead without an id"))?;
    Ok(id)
}

/// Returns false if the person is marked do-not-contact.
pub(crate) fn may_contact(lead: &Lead) -> bool {
    lead.progress
        .as_ref()
        .is_none_or(|progress| progress.do_not_contact_at.is_none())
}

/// Explains a failed call to the user. Returns other errors unchanged.
pub(crate) fn explain(error: anyhow::Error, config: &Config) -> anyhow::Error {
    let Some(status) = error.downcast_ref::<Status>() else {
        return error;
    };
    let (message, path) = (single_line(status.message()), config.path.display());
    let address = config.address.endpoint.uri().to_string();
    let address = address.trim_end_matches('/');
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "gRPC's list of codes does not grow"
    )]
    let explained = match status.code() {
        Code::Cancelled | Code::DeadlineExceeded => Exit::Unreachable.error(format!(
            "the CRM at {address} did not answer in time: {message}.\n\
             It may have made a change, or a part of it: run the command again to complete the change."
        )),
        _ if should_fail_over(status) => {
            // The innermost cause is the operating system's message.
            let source = std::error::Error::source(status);
            let cause = iter::successors(source, |cause| cause.source()).last();
            let cause = cause.map_or(message, ToString::to_string);
            unreachable_error("the CRM", address, &cause, config)
        }
        Code::Unauthenticated | Code::PermissionDenied => Exit::Denied.error(format!(
            "permission denied: the CRM at {address} rejected this call for the token in {path}.\n\
             Ask an operator of the CRM for a token with the required role."
        )),
        Code::NotFound => {
            Exit::NoMatch.error(format!("{message}: `leadctl list` shows the stored leads"))
        }
        Code::FailedPrecondition => Exit::NoMatch.error(message),
        Code::InvalidArgument | Code::OutOfRange => {
            Exit::Usage.error(format!("the CRM rejected the request: {message}"))
        }
        _ => Exit::Failed.error(format!("the CRM failed: {message}")),
    };
    explained.into()
}

pub(crate) fn unreachable_error(
    service: &str,
    address: &str,
    cause: &str,
    config: &Config,
) -> Error {
    let start = if config.is_local() {
        "`cargo xtask up` starts it. "
    } else {
        ""
    };
    Exit::Unreachable.error(format!(
        "{service} at {address} is unreachable: {cause}.\n\
         {start}The address comes from {}.",
        config.path.display()
    ))
}

#[cfg(test)]
mod tests {
    use contracts::crm::v1::CheckTokenRequest;
    use tokio::net::TcpListener;

    use super::*;

    fn config(address: &str) -> Config {
        let text = format!("address = \"http://{address}\"\ntoken = \"secret-1\"");
        Config::parse(".local/leadctl.toml".into(), &text)
            .ok()
            .unwrap()
    }

    #[tokio::test]
    async fn late_crm_is_not_unreachable() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let config = config(&silent.local_addr().unwrap().to_string());
        let mut crm = connect_within(Duration::from_millis(100), &config);
        let late = crm
            .access
            .check_token(CheckTokenRequest {})
            .await
            .unwrap_err();
        let explained = explain(late.into(), &config).to_string();
        assert!(explained.contains("did not answer in time"), "{explained}");
        assert!(!explained.contains("xtask up"), "{explained}");
    }

    #[test]
    fn erased_lead_offers_the_list() {
        let erased = Status::not_found("lead 1 was erased");
        let explained = explain(erased.into(), &config("127.0.0.1:1")).to_string();
        assert_eq!(
            explained,
            "lead 1 was erased: `leadctl list` shows the stored leads"
        );
    }
}
