//! Which leads are meant, and what is said of one.

use std::{error::Error, str::FromStr};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clap::{
    Args, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use contracts::{
    crm::v1::{LeadFilter, LeadState},
    leads::v1,
};
use lead::{Interest, Language, field::timestamp};

use crate::when::When;

/// How long a text to search for may be, in UTF-16 code units: as the CRM takes it.
const LONGEST_SEARCH: usize = 255;

/// How long an owner's name may be, in UTF-16 code units: as the CRM takes it.
const LONGEST_OWNER: usize = 100;

/// A lead passes when it meets every condition given.
#[derive(Args)]
pub(crate) struct Filter {
    /// Whose name, e-mail address or reference begins like this, or whose number begins or ends with these digits.
    #[arg(value_name = "TEXT", value_parser = search, conflicts_with = "search")]
    text: Option<String>,
    /// The same as TEXT.
    #[arg(long, value_name = "TEXT", value_parser = search)]
    search: Option<String>,
    /// Submitted then or later: 30m, 2h, 1d ago, today, a date like 2026-03-01, or a time like "2026-03-01 12:05".
    #[arg(long, value_name = "T")]
    since: Option<When>,
    /// Submitted before that, or on that day.
    #[arg(long, value_name = "T")]
    until: Option<When>,
    /// Asked for this.
    #[arg(long, value_parser = one_of(Interest::ALL, interest))]
    interest: Option<Interest>,
    /// Sent from a page in this language.
    #[arg(long, value_parser = one_of(Language::ALL, language))]
    language: Option<Language>,
    /// In this state.
    #[arg(long)]
    state: Option<State>,
    /// This one's.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// What looks automatic, or with `no` what does not.
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    suspicious: Option<YesNo>,
    /// What was mailed to somebody, or with `no` what was mailed to nobody.
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    delivered: Option<YesNo>,
}

/// Whose a lead is from now on.
#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct Owner {
    /// It is this one's now.
    #[arg(long = "owner", value_name = "NAME", value_parser = owner)]
    name: Option<String>,
    /// It is nobody's now.
    #[arg(long)]
    no_owner: bool,
}

/// What an export looks like; the name of its file may say it too.
#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct ExportFormat {
    /// A table that spreadsheets open: UTF-8, RFC 4180, nothing in it is a formula.
    #[arg(long)]
    pub(crate) csv: bool,
    /// A spreadsheet.
    #[arg(long)]
    pub(crate) xlsx: bool,
}

/// How far sales have come with a lead.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum State {
    /// Nobody has spoken to the visitor.
    New,
    /// Somebody has.
    Contacted,
    /// The visitor comes, or came, to see the show flat.
    Visiting,
    /// Nothing is left to do.
    Closed,
    /// Nobody was behind it.
    NotALead,
}

#[derive(Clone, Copy, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

impl Filter {
    /// What is asked of the CRM.
    pub(crate) fn to_wire(&self, now: DateTime<Utc>, zone: Tz) -> LeadFilter {
        let interest = self.interest.map_or(v1::Interest::Unspecified, Into::into);
        let language = self.language.map_or(v1::Language::Unspecified, Into::into);
        LeadFilter {
            interest: interest.into(),
            language: language.into(),
            submitted_from: self.since.map(|when| timestamp(when.begins(now, zone))),
            submitted_before: self.until.map(|when| timestamp(when.ends(now, zone))),
            delivered: self.delivered.map(YesNo::is_yes),
            state: self.state.map_or(LeadState::Unspecified, State::to_wire).into(),
            owner: self.owner.clone().unwrap_or_default(),
            search: self.text.as_ref().or(self.search.as_ref()).cloned().unwrap_or_default(),
            suspicious: self.suspicious.map(YesNo::is_yes),
        }
    }
}

impl Owner {
    /// The name, empty for nobody's; nothing when it stays whose it is.
    pub(crate) fn to_wire(&self) -> Option<String> {
        if self.no_owner { Some(String::new()) } else { self.name.clone() }
    }
}

impl State {
    /// As the CRM calls it.
    pub(crate) fn to_wire(self) -> LeadState {
        match self {
            Self::New => LeadState::New,
            Self::Contacted => LeadState::Contacted,
            Self::Visiting => LeadState::Visiting,
            Self::Closed => LeadState::Closed,
            Self::NotALead => LeadState::NotALead,
        }
    }
}

impl YesNo {
    fn is_yes(self) -> bool {
        matches!(self, Self::Yes)
    }
}

fn interest(interest: Interest) -> PossibleValue {
    let help = match interest {
        Interest::Brochure => "E-brochure, floor plans and pricing",
        Interest::Purchase => "To purchase",
        Interest::Showflat => "The show flat",
    };
    PossibleValue::new(interest.id()).help(help)
}

fn language(language: Language) -> PossibleValue {
    let help = match language {
        Language::English => "English",
        Language::Chinese => "Chinese",
    };
    PossibleValue::new(language.tag()).help(help)
}

/// One of these values, as it is typed.
fn one_of<T>(all: &'static [T], value: fn(T) -> PossibleValue) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().copied().map(value)).try_map(|typed| typed.parse())
}

fn search(text: &str) -> Result<String, String> {
    bounded(text, LONGEST_SEARCH)
}

fn owner(text: &str) -> Result<String, String> {
    bounded(text, LONGEST_OWNER)
}

/// A text that is not empty and at most so long, in UTF-16 code units, without the spaces around it.
pub(super) fn bounded(text: &str, longest: usize) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    if text.encode_utf16().count() > longest {
        return Err(format!("longer than {longest} characters"));
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
    fn every_condition_reaches_the_crm() {
        let now: DateTime<Utc> = "2026-03-01T04:05:06Z".parse().unwrap();
        let line = "x --since today --until 2026-03-01 --interest purchase --language zh --state visiting \
                    --owner Mei --suspicious --delivered=no 陈";
        let filter = Only::parse_from(line.split_whitespace()).filter.to_wire(now, Tz::Asia__Singapore);
        let at = |text: &str| text.parse::<DateTime<Utc>>().map(timestamp).ok();
        assert_eq!(
            filter,
            LeadFilter {
                interest: v1::Interest::Purchase.into(),
                language: v1::Language::Zh.into(),
                submitted_from: at("2026-02-28T16:00:00Z"),
                submitted_before: at("2026-03-01T16:00:00Z"),
                delivered: Some(false),
                state: LeadState::Visiting.into(),
                owner: "Mei".to_owned(),
                search: "陈".to_owned(),
                suspicious: Some(true),
            }
        );
        let none = Only::parse_from(["x"]).filter.to_wire(now, Tz::Asia__Singapore);
        assert_eq!(none, LeadFilter::default());
    }
}
