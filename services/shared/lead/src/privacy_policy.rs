//! The versions of the privacy policy that visitors can accept, from the site's content.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::Deserialize;

/// Newest first. The site contains the text of each version.
static VERSIONS: LazyLock<Vec<Version>> = LazyLock::new(|| {
    let json = include_str!("../../../../frontend/site/content/privacy/versions.json");
    serde_json::from_str(json).expect("embedded at build time and read by a test")
});

/// How long visitors can accept a version after its successor was published, because they keep pages open.
const OVERLAP: TimeDelta = TimeDelta::days(7);

#[derive(Deserialize)]
struct Version {
    /// The date of publication, e.g. `2026-11-28`.
    version: String,
}

impl Version {
    fn published(&self) -> NaiveDate {
        self.version
            .parse()
            .expect("embedded at build time and read by a test")
    }
}

/// Why a visitor cannot accept a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionError {
    /// The site has never published it.
    Unknown,
    /// Its successor was published more than a week ago.
    Outdated,
}

/// Checks that a visitor can accept a version at this time.
///
/// # Errors
/// [`VersionError::Unknown`] also for an empty text.
pub fn check(version: &str, now: DateTime<Utc>) -> Result<(), VersionError> {
    check_among(&VERSIONS, version, now)
}

fn check_among(versions: &[Version], text: &str, now: DateTime<Utc>) -> Result<(), VersionError> {
    let index = versions
        .iter()
        .position(|known| known.version == text)
        .ok_or(VersionError::Unknown)?;
    let successor = index
        .checked_sub(1)
        .map(|newer| versions[newer].published());
    match successor {
        Some(published) if now.date_naive() > published + OVERLAP => Err(VersionError::Outdated),
        Some(_) | None => Ok(()),
    }
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

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_listed_newest_first_and_others_are_unknown() {
        let now = DateTime::UNIX_EPOCH;
        for (older, newer) in VERSIONS.iter().skip(1).zip(VERSIONS.iter()) {
            assert!(older.published() < newer.published());
        }
        assert_eq!(check(current(), now), Ok(()));
        assert_eq!(check("2099-never-existed", now), Err(VersionError::Unknown));
        assert_eq!(check("", now), Err(VersionError::Unknown));
    }

    #[test]
    fn replaced_version_is_valid_for_seven_days() {
        let versions = ["2026-12-01", "2026-11-20", "2026-11-01"].map(|text| Version {
            version: text.to_owned(),
        });
        let check = |version, day: &str| {
            let evening = date(day).and_hms_opt(23, 59, 59).unwrap().and_utc();
            check_among(&versions, version, evening)
        };
        assert_eq!(check("2026-12-01", "2030-01-01"), Ok(()));
        assert_eq!(check("2026-11-20", "2026-12-08"), Ok(()));
        assert_eq!(
            check("2026-11-20", "2026-12-09"),
            Err(VersionError::Outdated)
        );
        assert_eq!(check("2026-11-01", "2026-11-27"), Ok(()));
        assert_eq!(
            check("2026-11-01", "2026-11-28"),
            Err(VersionError::Outdated)
        );
    }
}
