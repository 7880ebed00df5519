//! Arguments shared by several commands.

use std::{error::Error, str::FromStr};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clap::{
    ArgGroup, Args,
    builder::{
        BoolishValueParser, NonEmptyStringValueParser, PossibleValue, PossibleValuesParser,
        TypedValueParser,
    },
};
use contracts::crm::v1::{LeadFilter, VisitorEmailFilter};
use lead::{ClosingReason, Interest, Language, LeadState, Plan, VisitTime, field::timestamp};

use crate::time::TimePoint;

/// A lead passes when it meets every condition given.
#[derive(Args)]
pub(crate) struct Filter {
    /// Part of a name, email address, phone number or reference
    #[arg(value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    text: Option<String>,
    /// Submitted since then: 30m, 2h, 1d, today, 2026-03-01, or "2026-03-01 12:05"
    #[arg(long, value_name = "TIME")]
    since: Option<TimePoint>,
    /// Submitted before this time, or up to the end of this day
    #[arg(long, value_name = "TIME")]
    until: Option<TimePoint>,
    /// With this interest
    #[arg(long, value_parser = one_of(Interest::ALL))]
    interest: Option<Interest>,
    /// Submitted in this language
    #[arg(long, value_parser = one_of(Language::ALL))]
    language: Option<Language>,
    /// In this state
    #[arg(long, value_parser = one_of(LeadState::ALL))]
    state: Option<LeadState>,
    /// From this source (utm_source); an empty text for none
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// From this campaign (utm_campaign); an empty text for none
    #[arg(long, value_name = "CAMPAIGN")]
    campaign: Option<String>,
    /// Referred by a page of this host; an empty text for none
    #[arg(long, value_name = "HOST")]
    referrer: Option<String>,
    /// About one of these floor plans; repeat or separate by commas
    #[arg(long, value_name = "PLAN", value_delimiter = ',', value_parser = plan)]
    plan: Vec<String>,
    /// Closed for this reason; an empty text for none
    #[arg(long, value_name = "REASON", value_parser = reason)]
    reason: Option<Reason>,
    /// About a visit at this time, such as weekday-evenings
    #[arg(long, value_name = "TIME", value_parser = visit_time)]
    visit_time: Option<String>,
    /// Assigned to this person; an empty text for nobody
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Ever contacted, or never (no)
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = BoolishValueParser::new(), hide_possible_values = true)]
    contacted: Option<bool>,
    /// With a visit that was ever booked, or without one (no)
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = BoolishValueParser::new(), hide_possible_values = true)]
    visit_booked: Option<bool>,
    /// With such an email to the visitor: confirmation or brochure, and delivered, waiting, failed or cancelled, such as
    /// confirmation-failed
    #[arg(long, value_name = "KIND-STATE", value_parser = visitor_email)]
    visitor_email: Option<VisitorEmailFilter>,
    /// With spam signals, or without them (no)
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = BoolishValueParser::new(), hide_possible_values = true)]
    spam: Option<bool>,
    /// Emailed to at least one recipient, or to none (no)
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = BoolishValueParser::new(), hide_possible_values = true)]
    delivered: Option<bool>,
    /// With the visitor's request for erasure, or without one (no)
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = BoolishValueParser::new(), hide_possible_values = true)]
    erasure_requested: Option<bool>,
}

/// Which failed deliveries or dead letters.
#[derive(Args)]
#[group(skip)]
#[command(group = ArgGroup::new("which").required(true).args(["name", "all", "since"]))]
pub(crate) struct Selection {
    /// Id or reference, as the list prints it
    #[arg(value_name = "ID")]
    pub(crate) name: Option<String>,
    /// Select all
    #[arg(long)]
    all: bool,
    /// Select those that failed since then: 30m, 2h, 1d, today, a date, or a date and time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<TimePoint>,
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
            closing_reason: ClosingReason::number(self.reason.and_then(|it| it.0)),
            closed_with_reason: self.reason.and_then(|it| it.0.is_none().then_some(false)),
            visit_time: self.visit_time.unwrap_or_default(),
            assigned: (self.owner.as_deref() == Some("")).then_some(false),
            owner: self.owner.unwrap_or_default(),
            contacted: self.contacted,
            visit_booked: self.visit_booked,
            visitor_email: self.visitor_email,
            search: self.text.unwrap_or_default(),
            spam: self.spam,
            erasure_requested: self.erasure_requested,
            source: self.source,
            campaign: self.campaign,
            referrer: self.referrer,
            plans: self.plan,
            ..LeadFilter::default()
        }
    }
}

impl Selection {
    pub(crate) fn needs_confirmation(&self) -> bool {
        self.all || self.since.is_some()
    }
}

/// A closing reason; `None` for leads closed without one.
#[derive(Clone, Copy)]
struct Reason(Option<ClosingReason>);

fn reason(typed: &str) -> Result<Reason, String> {
    if typed.is_empty() {
        return Ok(Reason(None));
    }
    let parsed = typed.replace('-', "_").parse();
    parsed.map(|reason| Reason(Some(reason))).map_err(|_| {
        let names = ClosingReason::ALL
            .iter()
            .map(|reason| reason.id().replace('_', "-"));
        format!(
            "must be empty or one of {}",
            names.collect::<Vec<_>>().join(", ")
        )
    })
}

fn visit_time(typed: &str) -> Result<String, String> {
    let known = VisitTime::known_from_contract(&[typed]);
    known
        .first()
        .map(|time| time.id.clone())
        .ok_or_else(|| "is not a time of the site, such as weekday-evenings".to_owned())
}

/// Parses the kind and the state of an email. The CRM checks both.
fn visitor_email(typed: &str) -> Result<VisitorEmailFilter, String> {
    let (kind, state) = typed
        .split_once('-')
        .ok_or_else(|| "must be a kind and a state, such as confirmation-failed".to_owned())?;
    Ok(VisitorEmailFilter {
        kind: kind.to_owned(),
        state: state.to_owned(),
        changed_from: None,
    })
}

/// Accepts the id of a plan in any case.
fn plan(typed: &str) -> Result<String, String> {
    let plan = Plan::find(&typed.to_uppercase());
    plan.map(|plan| plan.id.clone())
        .ok_or_else(|| "is not a floor plan of the site, such as C2N".to_owned())
}

/// Accepts the names of the contract, with dashes or underscores.
pub(crate) fn one_of<T>(all: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static>
        + Into<&'static str>
        + Copy
        + Send
        + Sync
        + 'static,
{
    let names = all.iter().map(|value| (*value).into());
    let names = names.map(|name| PossibleValue::new(name.replace('_', "-")).alias(name));
    PossibleValuesParser::new(names).try_map(|typed| typed.replace('-', "_").parse())
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
    fn every_filter_option_becomes_a_condition() {
        let now: DateTime<Utc> = "2026-03-01T04:05:06Z".parse().unwrap();
        let line = "x --since today --until 2026-03-01 --interest purchase --language zh --state visit-booked \
                    --owner Mei --spam --delivered=no --erasure-requested --source news --campaign launch \
                    --referrer news.example --plan c2n,A1 --plan PH1 --reason bought-elsewhere \
                    --visit-time weekday-evenings --contacted --visit-booked=no --visitor-email brochure-failed 陈";
        let filter = Only::parse_from(line.split_whitespace())
            .filter
            .into_contract(now, Tz::Asia__Singapore);
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
                erasure_requested: Some(true),
                source: Some("news".to_owned()),
                campaign: Some("launch".to_owned()),
                referrer: Some("news.example".to_owned()),
                plans: ["C2N", "A1", "PH1"].map(str::to_owned).into(),
                closing_reason: ClosingReason::number(ClosingReason::BoughtElsewhere),
                visit_time: "weekday-evenings".to_owned(),
                contacted: Some(true),
                visit_booked: Some(false),
                visitor_email: Some(VisitorEmailFilter {
                    kind: "brochure".to_owned(),
                    state: "failed".to_owned(),
                    changed_from: None,
                }),
                ..LeadFilter::default()
            }
        );
        let without = Only::parse_from(["x", "--owner", "", "--reason", ""])
            .filter
            .into_contract(now, Tz::Asia__Singapore);
        assert_eq!(
            without,
            LeadFilter {
                assigned: Some(false),
                closed_with_reason: Some(false),
                ..LeadFilter::default()
            }
        );
        let none = Only::parse_from(["x"])
            .filter
            .into_contract(now, Tz::Asia__Singapore);
        assert_eq!(none, LeadFilter::default());
    }
}
