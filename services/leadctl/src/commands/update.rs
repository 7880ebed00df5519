use anyhow::{Result, bail};
use clap::{ArgGroup, Args, builder::PossibleValue};
use contracts::crm::v1::UpdateLeadRequest;
use lead::{ClosingReason, LeadState, text::single_line};
use serde_json::json;

use crate::{
    arguments::{lead_state_value, one_of, parse_bounded},
    cli::Context,
    error::Error,
    leads::{closing_reason_name, progress_texts, submission},
    time::TimePoint,
};

/// Longest owner's name that the CRM accepts, in UTF-16 code units.
const LONGEST_OWNER: usize = 100;

const LONGEST_NOTE: usize = 2000;

/// Update a lead: its state, owner, follow-up, note or contact preference
#[derive(Args)]
#[command(group = ArgGroup::new("assignee").args(["owner", "no_owner"]))]
#[command(group = ArgGroup::new("contact").args(["do_not_contact", "may_contact"]))]
#[command(group = ArgGroup::new("change").required(true).multiple(true)
    .args(["state", "owner", "no_owner", "follow_up", "note", "do_not_contact", "may_contact"]))]
#[command(after_help = "\
Examples:
  leadctl update zg-7f3k-2q --state contacted
  leadctl update zg-7f3k-2q --state visit-booked --owner Mei --follow-up 2026-03-07T11:00
  leadctl update zg-7f3k-2q --state closed --reason bought --note \"Unit 12-04\"
  leadctl update zg-7f3k-2q --follow-up 2h
  leadctl update zg-7f3k-2q --do-not-contact")]
pub(crate) struct Update {
    /// Id or reference of the lead
    #[arg(value_name = "LEAD")]
    lead: String,
    /// Set the state
    #[arg(long, value_name = "STATE", value_parser = one_of(LeadState::ALL, lead_state_value))]
    state: Option<LeadState>,
    /// Assign the lead; the new owner receives an email if the routes list them
    #[arg(long, value_name = "NAME", value_parser = |text: &str| parse_bounded(text, LONGEST_OWNER))]
    owner: Option<String>,
    /// Unassign the lead
    #[arg(long)]
    no_owner: bool,
    /// Set the time of the next call or visit: 30m, 2h, 1d, a date, or a date and time
    #[arg(long, value_name = "TIME", value_parser = TimePoint::parse_future)]
    follow_up: Option<TimePoint>,
    /// Why the lead is closed; requires --state closed
    #[arg(long, value_name = "REASON", value_parser = one_of(ClosingReason::ALL, closing_reason_value))]
    reason: Option<ClosingReason>,
    /// Add a note to the timeline
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| parse_bounded(text, LONGEST_NOTE))]
    note: Option<String>,
    /// Forbid calls and emails to the visitor, for all leads of this person
    #[arg(long)]
    do_not_contact: bool,
    /// Allow calls and emails to the visitor again
    #[arg(long)]
    may_contact: bool,
}

impl Update {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        if self.reason.is_some() && !matches!(self.state, Some(LeadState::Closed)) {
            bail!(Error::Usage("--reason requires --state closed".to_owned()));
        }
        let mut crm = context.crm().await?;
        let lead = crm.find_lead(&self.lead).await?;
        let submission = submission(&lead);
        let request = UpdateLeadRequest {
            lead_id: submission.lead_id.clone(),
            state: LeadState::number(self.state),
            owner: if self.no_owner { Some(String::new()) } else { self.owner },
            next_step_at: context.timestamp(self.follow_up),
            closing_reason: ClosingReason::number(self.reason),
            note: self.note.unwrap_or_default(),
            do_not_contact: (self.do_not_contact || self.may_contact).then_some(self.do_not_contact),
            seen: None,
        };
        let answer = crm.call(async |crm| crm.update_lead(request).await).await?;
        let progress = answer.progress.unwrap_or_default();
        let (id, reference) = (&submission.lead_id, single_line(&submission.reference));
        let text = format!("{reference}  {}", progress_texts(&progress, &context.output).join("; "));
        context.output.say(&json!({ "lead_id": id, "reference": reference, "progress": progress }), &text)
    }
}

fn closing_reason_value(reason: ClosingReason) -> PossibleValue {
    let help = match reason {
        ClosingReason::Bought => "The visitor bought a home here",
        ClosingReason::BoughtElsewhere => "The visitor bought elsewhere",
        ClosingReason::NotInterested => "The visitor does not want to buy",
        ClosingReason::Unreachable => "The visitor never answered",
        ClosingReason::Other => "Another reason; add it as a note",
    };
    PossibleValue::new(closing_reason_name(reason)).help(help)
}
