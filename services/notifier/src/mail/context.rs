//! Settings of all emails, and the links in emails.

use std::{fmt, fs, str::FromStr};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use lead::{Language, Words};
use lettre::{Address, address::AddressError, message::Mailbox};
use runtime::config::SECRETS;
use tokens::{Login, MagicLink, Person, SigningKeys, Team};
use uuid::Uuid;

use crate::webhook::Url;

/// The site's content file: `null`, or the address of the e-brochure in each language.
const CONTENT: &str = include_str!("../../../../frontend/site/content/brochure.json");

#[derive(Clone, clap::Args)]
#[group(skip)]
pub struct MailContext {
    /// Sender of all emails: an email address, or Name <address>
    #[arg(long, env, value_parser = parse_sender)]
    pub mail_from: Mailbox,
    /// Time zone of the sales team, used in emails
    #[arg(long, env, default_value = "Asia/Singapore")]
    pub time_zone: Tz,
    /// Envelope sender of emails to visitors; unset: MAIL_FROM. A separate domain protects the reputation of sales emails
    #[arg(long, env)]
    pub visitor_bounces_to: Option<Address>,
    /// Reply-To of emails to visitors: a mailbox that somebody reads, because the emails invite replies. Required unless
    /// SMTP_HOST is the mail catcher
    #[arg(long, env)]
    pub visitor_reply_to: Option<Address>,
    /// Public address of the site for links in emails, e.g. https://www.example.com
    #[arg(long, env)]
    pub site_url: SiteUrl,
    /// Selector of the mail server's DKIM key; check-config looks up its record
    #[arg(long, env)]
    pub dkim_selector: Option<String>,
    /// JSON file with the addresses of the e-brochure, {"en": .., "zh": ..}; unset: the addresses in the site's content
    #[arg(long, env, value_parser = load_brochure)]
    pub brochure_file: Option<Brochure>,
    /// Keys of the links with which visitors withdraw consent, the same as for lead-intake, comma separated, at least 32
    /// characters each: the first signs. Keep old keys, because the links never expire
    #[arg(long, env, help_heading = SECRETS)]
    pub withdrawal_keys: SigningKeys,
    /// Keys of magic links to the desk, comma separated, at least 32 characters each: the first signs. Unset: emails have
    /// no magic links
    #[arg(long, env, help_heading = SECRETS)]
    pub magic_link_keys: Option<SigningKeys>,
    /// The people of the routes, whose emails have magic links.
    #[arg(skip)]
    pub people: Team,
}

impl MailContext {
    /// The magic link of a person to a lead; `None` without keys of magic links or without a person.
    pub(super) fn desk_link(
        &self,
        person: Option<&Person>,
        lead: Uuid,
        login: Option<Login>,
        now: DateTime<Utc>,
    ) -> Option<String> {
        let key = MagicLink {
            person: person?.id(),
            lead,
            login,
        }
        .sign(self.magic_link_keys.as_ref()?, now);
        // In the fragment, which browsers send to no server.
        Some(format!("{}/desk#{key}", self.site_url))
    }

    pub(super) fn brochure_link(&self, language: Language) -> Option<String> {
        let built_in = || {
            CONTENT
                .parse()
                .expect("the site's brochure.json is null or two addresses")
        };
        self.brochure_file
            .clone()
            .unwrap_or_else(built_in)
            .link(language, &self.site_url)
    }

    pub(crate) fn has_brochure(&self) -> bool {
        self.brochure_link(Language::English).is_some()
    }
}

fn parse_sender(text: &str) -> Result<Mailbox, String> {
    let sender: Mailbox = text
        .parse()
        .map_err(|error: AddressError| error.to_string())?;
    if sender.email.to_string().is_ascii() {
        return Ok(sender);
    }
    Err("the address must be ASCII; write its domain as xn--...".to_owned())
}

fn load_brochure(path: &str) -> Result<Brochure, String> {
    fs::read_to_string(path)
        .map_err(|error| error.to_string())?
        .parse()
}

/// The address of the e-brochure in each language, if the site has one: a path on the site, or an `https://` address.
#[derive(Clone)]
pub struct Brochure(Option<Words>);

impl FromStr for Brochure {
    type Err = String;

    fn from_str(json: &str) -> Result<Self, Self::Err> {
        let urls: Option<Words> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let is_url = |url: &str| {
            let is_path = url.starts_with('/') && !url.starts_with("//");
            let has_spaces = url.contains(|c: char| c.is_whitespace() || c.is_control());
            (is_path || url.starts_with("https://")) && !has_spaces
        };
        if urls.iter().all(|urls| {
            Language::ALL
                .iter()
                .all(|language| is_url(urls.get(*language)))
        }) {
            return Ok(Self(urls));
        }
        Err("an address must begin with / or https:// and have no spaces".to_owned())
    }
}

impl Brochure {
    fn link(&self, language: Language, site: &SiteUrl) -> Option<String> {
        let url = self.0.as_ref()?.get(language);
        Some(if url.starts_with('/') {
            format!("{site}{url}")
        } else {
            url.to_owned()
        })
    }
}

/// Scheme, host and any explicit port of the site, e.g. `https://zyongrand.example`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteUrl(String);

impl SiteUrl {
    /// The address without the scheme.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0
            .split_once("://")
            .map_or(self.0.as_str(), |(_, host)| host)
    }
}

impl FromStr for SiteUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const INVALID: &str =
            "must be https:// and a host, without a path; http:// only for localhost";
        let Url(url) = Url::try_from(text.to_owned()).map_err(|_| INVALID)?;
        let port = url
            .port_u16()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        let (scheme, host) = (
            url.scheme_str().unwrap_or_default(),
            url.host().unwrap_or_default(),
        );
        let address = format!("{scheme}://{host}{port}");
        // No user name, path, query or fragment.
        let is_whole = text
            .strip_suffix('/')
            .unwrap_or(text)
            .eq_ignore_ascii_case(&address);
        if is_whole && port != ":0" {
            Ok(Self(address.to_ascii_lowercase()))
        } else {
            Err(INVALID)
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
    fn site_url_has_only_scheme_and_host() {
        for (text, url, host) in [
            (
                "https://zyongrand.example",
                "https://zyongrand.example",
                "zyongrand.example",
            ),
            (
                "https://WWW.zyongrand.example/",
                "https://www.zyongrand.example",
                "www.zyongrand.example",
            ),
            (
                "http://localhost:8080",
                "http://localhost:8080",
                "localhost:8080",
            ),
        ] {
            let site: SiteUrl = text.parse().unwrap();
            assert_eq!((site.to_string().as_str(), site.host()), (url, host));
        }
    }

    #[test]
    fn rejects_other_site_urls() {
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
            "https://zyongrand.example\"><b>",
        ] {
            assert!(text.parse::<SiteUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn brochure_file_of_the_site_is_valid() {
        assert!(CONTENT.parse::<Brochure>().is_ok());
    }

    #[test]
    fn brochure_url_may_be_relative_or_absolute() {
        let site = "https://zyongrand.example".parse().unwrap();
        let links = |json: &str| {
            let brochure: Brochure = json.parse().unwrap();
            [Language::English, Language::Chinese].map(|language| brochure.link(language, &site))
        };
        let [english, chinese] =
            links(r#"{"en": "/brochure.pdf", "zh": "https://b.example/zh.pdf"}"#);
        assert_eq!(
            english.as_deref(),
            Some("https://zyongrand.example/brochure.pdf")
        );
        assert_eq!(chinese.as_deref(), Some("https://b.example/zh.pdf"));
        assert_eq!(links("null"), [None, None]);
    }

    #[test]
    fn other_brochure_addresses_are_rejected() {
        for json in [
            "",
            "{}",
            r#"{"en": "/a"}"#,
            r#"{"en": "/a", "zh": "b.pdf"}"#,
            r#"{"en": "/a", "zh": "//evil.example"}"#,
            r#"{"en": "/a", "zh": "http://b.example"}"#,
            r#"{"en": "/a", "zh": "/b c"}"#,
            r#"{"en": "/a", "zh": "javascript:alert(1)"}"#,
        ] {
            assert!(json.parse::<Brochure>().is_err(), "{json}");
        }
    }
}
