//! Arguments shared by several commands.

use std::{error::Error, str::FromStr};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clap::{
    ArgGroup, Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use contracts::crm::v1::LeadFilter;
use lead::{Interest, Language, LeadState, field::timestamp};

use crate::{leads::state_name, time::TimePoint};

/// Longest search text that the CRM accepts, in UTF-16 code units.
const LONGEST_SEARCH: usize = 255;

/// A lead passes when it meets every condition given.
#[derive(Args)]
pub(crate) struct Filter {
    /// Part of a name, email address, phone number or reference
    #[arg(value_name = "TEXT", value_parser = |text: &str| parse_bounded(text, LONGEST_SEARCH), conflicts_with = "search")]
    text: Option<String>,
    /// Same as TEXT
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| parse_bounded(text, LONGEST_SEARCH))]
    search: Option<String>,
    /// Submitted since then: 30m, 2h, 1d, today, 2026-03-01, or "2026-03-01 12:05"
    #[arg(long, value_name = "TIME")]
    since: Option<TimePoint>,
    /// Submitted before this time, or up to the end of this day
    #[arg(long, value_name = "TIME")]
    until: Option<TimePoint>,
    /// With this interest
    #[arg(long, value_parser = one_of(Interest::ALL, interest_value))]
    interest: Option<Interest>,
    /// Submitted in this language
    #[arg(long, value_parser = one_of(Language::ALL, language_value))]
    language: Option<Language>,
    /// In this state
    #[arg(long, value_parser = one_of(LeadState::ALL, lead_state_value))]
    state: Option<LeadState>,
    /// Assigned to this person
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// With spam signals, or without them (no)
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = yes_or_no())]
    spam: Option<bool>,
    /// Emailed to at least one recipient, or to none (no)
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = yes_or_no())]
    delivered: Option<bool>,
}

/// Which failed deliveries or dead letters.
#[derive(Args)]
#[group(skip)]
#[command(group = ArgGroup::new("which").required(true).args(["name", "all", "since"]))]
pub(crate) struct Selection {
    /// Id or reference of the lead
    #[arg(value_name = "LEAD")]
    pub(crate) name: Option<String>,
    /// Select all
    #[arg(long)]
    all: bool,
    /// Select those that failed since then: 30m, 2h, 1d, today, a date, or a date and time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<TimePoint>,
    /// Do not ask for confirmation with --all
    #[arg(long)]
    yes: bool,
}

impl Filter {
    pub(crate) fn into_contract(self, now: DateTime<Utc>, zone: Tz) -> LeadFilter {
        LeadFilter {
            interest: Interest::number(self.interest),
            language: Language::number(self.language),
            submitted_from: self.since.map(|time| timestamp(time.start(now, zone))),
            submitted_before: self.until.map(|time| timestamp(time.end(now, zone))),
            delivered: self.delivered,
            state: LeadState::number(self.state),
            owner: self.owner.unwrap_or_default(),
            search: self.text.or(self.search).unwrap_or_default(),
            spam: self.spam,
            ..LeadFilter::default()
        }
    }
}

impl Selection {
    /// Whether the user has to confirm first.
    pub(crate) fn needs_confirmation(&self) -> bool {
        self.all && !self.yes
    }
}

fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["yes", "no"]).map(|answer| answer == "yes")
}

pub(crate) fn interest_value(interest: Interest) -> PossibleValue {
    let help = match interest {
        Interest::Brochure => "E-brochure, floor plans and pricing",
        Interest::Purchase => "Purchase",
        Interest::Showflat => "Show flat preview",
    };
    PossibleValue::new(interest.id()).help(help)
}

fn language_value(language: Language) -> PossibleValue {
    let help = match language {
        Language::English => "English",
        Language::Chinese => "Chinese",
    };
    PossibleValue::new(language.id()).help(help)
}

pub(crate) fn lead_state_value(state: LeadState) -> PossibleValue {
    let help = match state {
        LeadState::New => "Not contacted yet",
        LeadState::Contacted => "The visitor was contacted",
        LeadState::VisitBooked => "A visit to the show flat is booked",
        LeadState::Closed => "Nothing is left to do",
        LeadState::Invalid => "Not a real enquiry",
    };
    PossibleValue::new(state_name(LeadState::number(state))).help(help)
}

/// Names may be typed with a dash for each underscore.
pub(crate) fn one_of<T>(all: &'static [T], value: fn(T) -> PossibleValue) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().copied().map(value)).try_map(|typed| typed.replace('-', "_").parse())
}

/// Trims a text; an error when it is empty or longer than `longest` UTF-16 code units.
pub(crate) fn parse_bounded(text: &str, longest: usize) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("must not be empty".to_owned());
    }
    if lead::text::length(text) > longest {
        return Err(format!("must be at most {longest} characters"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        filter: Filter,
    }

    #[test]
    fn filter_has_every_condition() {
        let now: DateTime<Utc> = "2026-03-01T04:05:06Z".parse().unwrap();
        let line = "x --since today --until 2026-03-01 --interest purchase --language zh --state visit-booked \
                    --owner Mei --spam --delivered=no 陈";
        let filter = Only::parse_from(line.split_whitespace()).filter.into_contract(now, Tz::Asia__Singapore);
        let at = |text: &str| text.parse::<DateTime<Utc>>().map(timestamp).ok();
        assert_eq!(
            filter,
            LeadFilter {
                interest: Interest::number(Interest::Purchase),
                language: Language::number(Language::Chinese),
                submitted_from: at("2026-02-28T16:00:00Z"),
                submitted_before: at("2026-03-01T16:00:00Z"),
                delivered: Some(false),
                state: LeadState::number(Some(LeadState::VisitBooked)),
                owner: "Mei".to_owned(),
                search: "陈".to_owned(),
                spam: Some(true),
                ..LeadFilter::default()
            }
        );
        let none = Only::parse_from(["x"]).filter.into_contract(now, Tz::Asia__Singapore);
        assert_eq!(none, LeadFilter::default());
    }
}
