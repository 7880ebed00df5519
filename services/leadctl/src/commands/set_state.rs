use clap::{ArgGroup, Args};
use contracts::crm::v1::{self as crm, LeadState, UpdateLeadRequest};
use lead::field::timestamp;
use runtime::clock::Clock;
use serde_json::json;

use crate::{
    arguments::bounded,
    context::Context,
    error::Error,
    leads::{ClosingReason, FullLead, Progress, State},
    when::When,
};

/// Longest owner's name that the CRM accepts, in UTF-16 code units.
const LONGEST_OWNER: usize = 100;

const LONGEST_NOTE: usize = 2000;

/// Say how far you have come with a lead, whose it is, or what is to be known about it.
#[derive(Args)]
#[command(group = ArgGroup::new("whose").args(["owner", "no_owner"]))]
#[command(group = ArgGroup::new("contact").args(["do_not_contact", "may_contact"]))]
#[command(after_help = "\
Examples:
  leadctl set-state zg-7f3k-2q contacted
  leadctl set-state zg-7f3k-2q visit-booked --owner Mei
  leadctl set-state zg-7f3k-2q new --next 2h
  leadctl set-state zg-7f3k-2q contacted --next 2026-03-02T10:00
  leadctl set-state zg-7f3k-2q closed --reason bought --note \"Unit 12-04\"
  leadctl set-state zg-7f3k-2q --do-not-contact
  leadctl set-state zg-7f3k-2q --no-owner")]
pub(crate) struct SetState {
    /// The lead's id or reference.
    #[arg(value_name = "ID-or-reference")]
    lead: String,
    /// How far. May be left out when something else is said.
    #[arg(value_name = "STATE", required_unless_present_any = ["owner", "no_owner", "next", "note", "do_not_contact", "may_contact"])]
    state: Option<State>,
    /// It is this one's now, who is mailed if the routes name them.
    #[arg(long, value_name = "NAME", value_parser = |text: &str| bounded(text, LONGEST_OWNER))]
    owner: Option<String>,
    /// It is nobody's now.
    #[arg(long)]
    no_owner: bool,
    /// When to do what comes next: in 30m, 2h or 1d, a date, or a time. With new: try again; contacted: call again; visit-booked:
    /// the visit.
    #[arg(long, value_name = "T", value_parser = When::next)]
    next: Option<When>,
    /// Why it is closed; only with closed.
    #[arg(long, value_name = "REASON")]
    reason: Option<ClosingReason>,
    /// Kept in its timeline.
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| bounded(text, LONGEST_NOTE))]
    note: Option<String>,
    /// Nobody is to call or write to the visitor.
    #[arg(long)]
    do_not_contact: bool,
    /// They may be contacted again.
    #[arg(long)]
    may_contact: bool,
}

impl SetState {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        if self.reason.is_some() && !matches!(self.state, Some(State::Closed)) {
            return Err(Error::ReasonWithoutClosed);
        }
        let (mut crm, now) = (context.crm().await?, context.clock.now());
        let lead = FullLead::find(&mut crm, &self.lead).await?.lead.submission;
        let request = UpdateLeadRequest {
            lead_id: lead.id.to_string(),
            state: self.state.map_or(LeadState::Unspecified, Into::into).into(),
            owner: if self.no_owner { Some(String::new()) } else { self.owner },
            next_step_at: self.next.map(|next| timestamp(next.begins(now, context.config.time_zone))),
            closing_reason: self.reason.map_or(crm::ClosingReason::Unspecified, Into::into).into(),
            note: self.note.unwrap_or_default(),
            do_not_contact: (self.do_not_contact || self.may_contact).then_some(self.do_not_contact),
            seen: None,
        };
        let answer = crm.call(async |crm| crm.update_lead(request).await).await?;
        let (progress, reference) = (Progress::read(answer.progress)?, &lead.reference);
        let text = format!("{reference}  {}", progress.texts(&context.terminal.view).join("; "));
        context.terminal.say(&text, &json!({ "id": lead.id, "reference": reference, "progress": progress }))
    }
}
