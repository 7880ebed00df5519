//! The width, time zone and character set of texts.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use runtime::config::Source;

/// Narrower tables cannot be read.
const NARROWEST: u16 = 80;

/// Rows of wider tables are hard to follow.
const WIDEST: u16 = 140;

pub(crate) struct View {
    /// In cells, between [`NARROWEST`] and [`WIDEST`].
    pub(crate) width: u16,
    pub(crate) zone: Tz,
    pub(crate) in_unicode: bool,
}

impl View {
    pub(crate) fn new(width: u16, zone: Tz, environment: &dyn Source) -> Self {
        Self { width: width.clamp(NARROWEST, WIDEST), zone, in_unicode: shows_unicode(environment) }
    }

    /// To the second, with the zone's name.
    pub(crate) fn zoned(&self, time: DateTime<Utc>) -> String {
        format!("{} {}", self.second(time), self.zone.name())
    }

    pub(crate) fn second(&self, time: DateTime<Utc>) -> String {
        time.with_timezone(&self.zone).format("%Y-%m-%d %H:%M:%S").to_string()
    }

    pub(crate) fn minute(&self, time: DateTime<Utc>) -> String {
        time.with_timezone(&self.zone).format("%Y-%m-%d %H:%M").to_string()
    }

    /// The heading of a column of times, with the zone's abbreviation at the first of them.
    pub(crate) fn heading(&self, name: &str, first: Option<DateTime<Utc>>) -> String {
        match first {
            Some(time) => format!("{name} ({})", time.with_timezone(&self.zone).format("%Z")),
            None => name.to_owned(),
        }
    }
}

/// Reads the locale's variables in the order of C programs.
fn shows_unicode(environment: &dyn Source) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| environment.var(name));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
pub(crate) use self::tests::NARROW;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Eighty columns in Singapore.
    pub(crate) const NARROW: View = View { width: NARROWEST, zone: Tz::Asia__Singapore, in_unicode: true };

    #[test]
    fn the_locale_says_whether_there_is_more_than_ascii() {
        let with = |vars: &[(&str, &str)]| {
            let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            shows_unicode(&vars.collect::<BTreeMap<_, _>>())
        };
        assert!(with(&[("LANG", "en_SG.UTF-8")]) && with(&[("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
        assert!(
            !with(&[]) && !with(&[("LANG", "C")]) && !with(&[("LC_ALL", "POSIX"), ("LANG", "en_SG.UTF-8")])
        );
    }
}
