//! What stands in the mail, as text and as HTML.

use askama::Template;
use chrono::{DateTime, FixedOffset, Utc};

use crate::domain::{Lead, dialable};

/// Singapore's time, where the sales team is; it has not changed since 1982.
const SINGAPORE_SECONDS_EAST: i32 = 8 * 60 * 60;

/// The same mail twice.
pub(super) struct Bodies {
    pub(super) text: String,
    pub(super) html: String,
}

#[derive(Template)]
#[template(path = "lead.txt")]
struct Text<'a> {
    lead: &'a Lead,
    times: &'a Times,
    can_reply: bool,
}

#[derive(Template)]
#[template(path = "lead.html")]
struct Html<'a> {
    lead: &'a Lead,
    times: &'a Times,
    can_reply: bool,
    telephone: Option<String>,
    mailbox: Option<(&'a str, &'a str)>,
}

pub(super) fn render(lead: &Lead, can_reply: bool) -> Result<Bodies, askama::Error> {
    let times = &Times::of(lead.submitted_at);
    let telephone = dialable(lead.mobile.as_str());
    let mailbox = lead.email.as_str().rsplit_once('@');
    Ok(Bodies {
        text: Text { lead, times, can_reply }.render()?,
        html: Html { lead, times, can_reply, telephone, mailbox }.render()?,
    })
}

/// One point in time, where it matters.
struct Times {
    singapore: String,
    utc: String,
}

impl Times {
    fn of(time: DateTime<Utc>) -> Self {
        let singapore = FixedOffset::east_opt(SINGAPORE_SECONDS_EAST).expect("less than a day");
        Self {
            singapore: time.with_timezone(&singapore).format("%a %-d %b %Y, %H:%M SGT").to_string(),
            utc: time.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_name_their_zone() {
        let times = Times::of(DateTime::from_timestamp(1_772_337_906, 0).unwrap());
        assert_eq!(times.singapore, "Sun 1 Mar 2026, 12:05 SGT");
        assert_eq!(times.utc, "2026-03-01 04:05:06 UTC");
    }
}
