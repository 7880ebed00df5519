//! The e-brochure's addresses, read from the site's content.

use serde::Deserialize;

use super::context::SiteUrl;
use lead::Language;

/// The site's content file: `null`, or an address per language.
const CONTENT: &str = include_str!("../../../../frontend/src/content/brochure.json");

#[derive(Clone)]
pub struct Brochure {
    english: Place,
    chinese: Place,
}

/// A path on the site, or an `https://` address.
#[derive(Clone)]
enum Place {
    Path(String),
    Elsewhere(String),
}

#[derive(Debug, thiserror::Error)]
pub enum InvalidBrochure {
    #[error("neither null nor an address for each language")]
    Json(#[from] serde_json::Error),
    #[error("an address that begins neither with / nor with https://")]
    Address,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    en: String,
    zh: String,
}

impl Brochure {
    /// The e-brochure of the site's content; `None` until the site has one.
    #[must_use]
    pub fn published() -> Option<Self> {
        // Embedded at build time and checked by a test.
        Self::read(CONTENT).expect("the site's brochure.json is null or two addresses")
    }

    /// # Errors
    /// [`InvalidBrochure`] when the JSON has another shape, or an address begins neither with `/` nor with `https://`.
    pub fn read(json: &str) -> Result<Option<Self>, InvalidBrochure> {
        let Some(Content { en, zh }) = serde_json::from_str(json)? else { return Ok(None) };
        Ok(Some(Self { english: Place::read(en)?, chinese: Place::read(zh)? }))
    }

    pub(super) fn link(&self, language: Language, site: &SiteUrl) -> String {
        let place = match language {
            Language::English => &self.english,
            Language::Chinese => &self.chinese,
        };
        match place {
            Place::Path(path) => format!("{site}{path}"),
            Place::Elsewhere(address) => address.clone(),
        }
    }
}

impl Place {
    fn read(address: String) -> Result<Self, InvalidBrochure> {
        if address.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(InvalidBrochure::Address);
        }
        if address.starts_with("https://") {
            Ok(Self::Elsewhere(address))
        } else if address.starts_with('/') && !address.starts_with("//") {
            Ok(Self::Path(address))
        } else {
            Err(InvalidBrochure::Address)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sites_own_file_can_be_read() {
        assert!(Brochure::read(CONTENT).is_ok());
    }

    #[test]
    fn it_is_on_the_site_or_elsewhere() {
        let site = "https://zyongrand.example".parse().unwrap();
        let brochure = Brochure::read(r#"{"en": "/brochure.pdf", "zh": "https://b.example/zh.pdf"}"#);
        let brochure = brochure.unwrap().unwrap();
        assert_eq!(brochure.link(Language::English, &site), "https://zyongrand.example/brochure.pdf");
        assert_eq!(brochure.link(Language::Chinese, &site), "https://b.example/zh.pdf");
        assert!(Brochure::read("null").unwrap().is_none());
    }

    #[test]
    fn other_addresses_are_refused() {
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
            assert!(Brochure::read(json).is_err(), "{json}");
        }
    }
}
