use anyhow::{Result, bail};
use clap::{
    ArgGroup, Args,
    builder::{BoolishValueParser, NonEmptyStringValueParser},
};
use contracts::crm::v1::{DncCheck, UpdateLeadRequest};
use lead::{
    Channel, ClosingReason, LeadState,
    field::{optional_time, timestamp},
};

use crate::{
    arguments::one_of,
    context::Context,
    crm::{find_lead, find_lead_id},
    error::Exit,
    time::TimePoint,
};

/// Update a lead: its state, owner, follow-up, note, name, phone number, email address or contact preference
#[derive(Args)]
#[command(group = ArgGroup::new("change").required(true).multiple(true)
    .args(["state", "owner", "follow_up", "note", "name", "phone", "email", "dnc_checked", "do_not_contact"]))]
#[command(after_help = "\
Examples:
  leadctl update zg-7f3k-2q --state visit-booked --owner Mei --follow-up 2026-03-07T11:00
  leadctl update zg-7f3k-2q --state closed --reason bought --note \"Unit 12-04\"
  leadctl update zg-7f3k-2q --follow-up 2h
  leadctl update zg-7f3k-2q --email wei@example.com
  leadctl update zg-7f3k-2q --dnc-checked 2026-03-07 --dnc-listed message
  leadctl update zg-7f3k-2q --do-not-contact
  leadctl update zg-7f3k-2q --do-not-contact=no --note \"Agreed to calls at the gallery on 3 March\"")]
pub(crate) struct Update {
    /// Id or reference of the lead
    #[arg(value_name = "LEAD")]
    lead: String,
    /// Set the state
    #[arg(long, value_name = "STATE", value_parser = one_of(LeadState::ALL))]
    state: Option<LeadState>,
    /// Assign the lead; the new owner receives an email if the routes list them. Empty: no owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Set the time of the next call or visit: 30m, 2h, 1d, a date, or a date and time
    #[arg(long, value_name = "TIME")]
    follow_up: Option<TimePoint>,
    /// Why the lead is closed; requires --state closed
    #[arg(long, value_name = "REASON", value_parser = one_of(ClosingReason::ALL))]
    reason: Option<ClosingReason>,
    /// Add a note to the timeline
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    note: Option<String>,
    /// Correct the name; the timeline keeps the previous name
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// Correct the phone number; the timeline keeps the previous number
    #[arg(long, value_name = "NUMBER", value_parser = NonEmptyStringValueParser::new())]
    phone: Option<String>,
    /// Correct the email address; undelivered emails to the visitor go to the corrected address
    #[arg(long, value_name = "ADDRESS", value_parser = NonEmptyStringValueParser::new())]
    email: Option<String>,
    /// Record when the number was looked up in the Do Not Call registry: a date, a date and time, or 2h
    /// (two hours ago)
    #[arg(long, value_name = "TIME", conflicts_with = "phone")]
    dnc_checked: Option<TimePoint>,
    /// Channels for which the registry lists the number; requires --dnc-checked. Without it, the number is not listed
    #[arg(long, value_name = "CHANNEL", value_delimiter = ',', value_parser = one_of(Channel::ALL), requires = "dnc_checked")]
    dnc_listed: Vec<Channel>,
    /// Forbid calls and emails for all leads of this person, or allow them again (no) for all leads of this mailbox. After a
    /// withdrawal by the visitor, no also requires --note, which says when and how they agreed again
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_missing_value = "yes", value_parser = BoolishValueParser::new(), hide_possible_values = true)]
    do_not_contact: Option<bool>,
}

impl Update {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        if self.reason.is_some() && self.state != Some(LeadState::Closed) {
            bail!(Exit::Usage.error("--reason requires --state closed"));
        }
        let mut crm = context.crm_for_person();
        let follow_up = self
            .follow_up
            .map(|time| time.to_future(context.output.now, context.config.time_zone));
        let mut seen_withdrawn_at = None;
        if self.do_not_contact == Some(false) {
            seen_withdrawn_at = find_lead(&self.lead, &mut crm).await?.withdrawn_at;
            if let Some(at) = optional_time("withdrawn_at", seen_withdrawn_at)?
                && self.note.is_none()
            {
                bail!(Exit::Usage.error(format!(
                    "the visitor withdrew their consent on {}: add --note that says when and how they agreed again",
                    at.with_timezone(&context.config.time_zone).format("%Y-%m-%d %H:%M %Z")
                )));
            }
        }
        let dnc_check = self.dnc_checked.map(|time| DncCheck {
            checked_at: Some(timestamp(
                time.start(context.output.now, context.config.time_zone),
            )),
            listed: self
                .dnc_listed
                .iter()
                .map(|it| Channel::number(*it))
                .collect(),
        });
        let request = UpdateLeadRequest {
            lead_id: find_lead_id(&self.lead, &mut crm).await?,
            state: LeadState::number(self.state),
            owner: self.owner,
            next_step_at: follow_up.map(timestamp),
            closing_reason: ClosingReason::number(self.reason),
            note: self.note.unwrap_or_default(),
            do_not_contact: self.do_not_contact,
            seen_withdrawn_at,
            mobile: self.phone.unwrap_or_default(),
            name: self.name.unwrap_or_default(),
            email: self.email.unwrap_or_default(),
            dnc_check,
            seen: None,
        };
        context
            .output
            .print_fields(crm.leads.update_lead(request).await?.get_ref())
    }
}
