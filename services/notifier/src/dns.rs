//! Looks up the DNS records with which receivers verify our emails, for check-config. `docs/email.md` explains them.

use std::{io, time::Duration};

use futures_util::future::join_all;
use hickory_resolver::{
    ResolverBuilder, TokioResolver,
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::RData,
};
use lettre::Address;
use tokio::runtime;

use crate::mail::MailContext;

/// Time limit of each lookup.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Top-level domains without records (RFC 2606), as in the settings of development and tests.
const RESERVED: [&str; 4] = ["test", "example", "invalid", "localhost"];

const NO_ANSWER: &str = "not checked: no resolver answered";

/// Looks up the records with the resolver of this machine.
pub fn describe_records(context: &MailContext) -> io::Result<String> {
    let domain = context.mail_from.email.domain();
    if RESERVED
        .iter()
        .any(|reserved| domain.rsplit('.').next() == Some(*reserved))
    {
        return Ok(format!(
            "  not checked: {domain} is a reserved domain without records\n"
        ));
    }
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(async {
        match TokioResolver::builder_tokio() {
            Ok(resolver) => look_up_records(resolver, context).await,
            Err(_) => format!("  {NO_ANSWER}\n"),
        }
    }))
}

/// Looks up the records of the sender domains, and returns one line for each record.
pub async fn look_up_records(
    mut resolver: ResolverBuilder<TokioRuntimeProvider>,
    context: &MailContext,
) -> String {
    let options = resolver.options_mut();
    (options.timeout, options.attempts) = (TIMEOUT, 1);
    let Ok(resolver) = resolver.build() else {
        return format!("  {NO_ANSWER}\n");
    };
    let domain = context.mail_from.email.domain();
    let bounces = context.visitor_bounces_to.as_ref().map(Address::domain);
    let mut records = vec![("SPF", domain.to_owned(), "v=spf1")];
    records.extend(
        bounces
            .filter(|it| *it != domain)
            .map(|it| ("SPF", it.to_owned(), "v=spf1")),
    );
    let selector = context.dkim_selector.as_ref();
    records
        .extend(selector.map(|selector| ("DKIM", format!("{selector}._domainkey.{domain}"), "p=")));
    records.push(("DMARC", format!("_dmarc.{domain}"), "v=DMARC1"));
    let lines = records.iter().map(async |(kind, name, tag)| {
        let found = match find_text(&resolver, name, tag).await {
            Ok(Some(text)) => text,
            Ok(None) => "not found".to_owned(),
            Err(_) => NO_ANSWER.to_owned(),
        };
        format!("  {kind:<6}{name}  {found}\n")
    });
    let lines = join_all(lines).await.concat();
    let hint = "  DKIM  not checked: set DKIM_SELECTOR to the selector of the mail server's key\n";
    if selector.is_some() {
        lines
    } else {
        lines + hint
    }
}

/// The TXT record of this name that contains `tag`.
async fn find_text(
    resolver: &TokioResolver,
    name: &str,
    tag: &str,
) -> Result<Option<String>, NetError> {
    // The dot makes the name absolute, so the resolver appends no search domain.
    let answers = match resolver.txt_lookup(format!("{name}.")).await {
        Ok(lookup) => lookup.answers().to_vec(),
        Err(error) if error.is_no_records_found() => return Ok(None),
        Err(error) => return Err(error),
    };
    let texts = answers.iter().filter_map(|record| {
        let RData::TXT(text) = &record.data else {
            return None;
        };
        Some(text.to_string()).filter(|text| text.contains(tag))
    });
    Ok(texts.into_iter().next())
}
