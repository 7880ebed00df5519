//! The versions of the privacy policy that visitors can accept, from the site's content.

use std::sync::LazyLock;

use serde::Deserialize;

/// Newest first. The site contains the text of each version.
static VERSIONS: LazyLock<Vec<Version>> = LazyLock::new(|| {
    let json = include_str!("../../../../frontend/src/content/privacy/versions.json");
    serde_json::from_str(json).expect("embedded at build time and read by a test")
});

#[derive(Deserialize)]
struct Version {
    version: String,
}

/// Whether the site has asked visitors to accept this version.
pub fn is_known(version: &str) -> bool {
    VERSIONS.iter().any(|known| known.version == version)
}

/// The version that the site currently asks visitors to accept.
pub fn current() -> &'static str {
    VERSIONS
        .first()
        .map_or("", |newest| newest.version.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_match_the_site() {
        assert!(is_known(current()) && !current().is_empty());
        assert!(!is_known("2099-never-existed") && !is_known(""));
    }
}
