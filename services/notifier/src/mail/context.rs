//! Settings common to all mails, and the links made from them.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lettre::{Address, message::Mailbox};
use tokens::{MagicLink, SigningKeys, Team};
use uuid::Uuid;

use super::brochure::Brochure;

#[derive(Clone)]
pub struct MailContext {
    pub sender: Mailbox,
    /// Envelope sender of acknowledgements, by default the sender's.
    pub bounces: Option<Address>,
    /// Where replies to acknowledgements go, by default the sender's.
    pub replies: Option<Address>,
    /// The zone of all times in mails.
    pub time_zone: Tz,
    /// Base of all links to the site.
    pub site: SiteUrl,
    /// `None`: the site has none yet.
    pub brochure: Option<Brochure>,
    /// Signs the links by which visitors withdraw their consent.
    pub withdrawal_keys: SigningKeys,
    /// `None`: mails link to no desk.
    pub desk: Option<Desk>,
}

/// What a link to the desk is made of. Not `Debug`, as it holds a secret.
#[derive(Clone)]
pub struct Desk {
    pub keys: SigningKeys,
    pub people: Team,
}

impl MailContext {
    /// The link of one person to one lead; `None` where there is no desk, or the recipient is nobody's own mailbox.
    pub(super) fn desk_link(
        &self,
        recipient: &Address,
        lead: Uuid,
        signs_in: Option<Uuid>,
        now: DateTime<Utc>,
    ) -> Option<String> {
        let desk = self.desk.as_ref()?;
        let person = desk.people.with_email(recipient.as_ref())?.id();
        let key = MagicLink { person, lead, signs_in }.sign(&desk.keys, now);
        // In the fragment, which reaches no server's log and no other site.
        Some(format!("{}/desk#{key}", self.site))
    }
}

/// Scheme, host and any explicit port of the site, e.g. `https://zyongrand.example`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteUrl(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be https:// and a host, without a path; http:// only for localhost")]
pub struct InvalidSiteUrl;

impl SiteUrl {
    /// Without the scheme; includes any explicit port.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.split_once("://").map_or(self.0.as_str(), |(_, host)| host)
    }
}

impl FromStr for SiteUrl {
    type Err = InvalidSiteUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once("://").ok_or(InvalidSiteUrl)?;
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        };
        let is_label = |label: &str| {
            label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let is_host = host.split('.').all(is_label);
        let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
        let is_safe = match scheme {
            "https" => true,
            "http" => host == "localhost" || host == "127.0.0.1",
            _ => false,
        };
        if is_host && is_port && is_safe {
            Ok(Self(format!("{scheme}://{}", authority.to_ascii_lowercase())))
        } else {
            Err(InvalidSiteUrl)
        }
    }
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_scheme_and_a_host() {
        for (text, url, host) in [
            ("https://zyongrand.example", "https://zyongrand.example", "zyongrand.example"),
            ("https://WWW.zyongrand.example/", "https://www.zyongrand.example", "www.zyongrand.example"),
            ("http://localhost:8080", "http://localhost:8080", "localhost:8080"),
        ] {
            let site: SiteUrl = text.parse().unwrap();
            assert_eq!((site.to_string().as_str(), site.host()), (url, host));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "zyongrand.example",
            "http://zyongrand.example",
            "ftp://zyongrand.example",
            "https://",
            "https://zyongrand.example/site",
            "https://zyongrand.example?x",
            "https://user@zyongrand.example",
            "https://zyongrand.example:0",
            "https://zyongrand.example:port",
            "https://zyon grand.example",
            "https://-.example",
            "https://zyongrand.example\"><b>",
        ] {
            assert_eq!(text.parse::<SiteUrl>(), Err(InvalidSiteUrl), "{text}");
        }
    }
}
