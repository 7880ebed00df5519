use clap::{ArgGroup, Args};
use contracts::crm::v1::{LeadState, SetLeadStateRequest};
use serde_json::json;

use crate::{
    arguments::bounded,
    context::Context,
    error::Error,
    leads::{FullLead, Progress, State},
};

/// Longest owner's name that the CRM accepts, in UTF-16 code units.
const LONGEST_OWNER: usize = 100;

/// Say how far you have come with a lead, or whose it is.
#[derive(Args)]
#[command(group = ArgGroup::new("whose").args(["owner", "no_owner"]))]
#[command(after_help = "\
Examples:
  leadctl set-state zg-7f3k-2q contacted
  leadctl set-state zg-7f3k-2q visiting --owner Mei
  leadctl set-state zg-7f3k-2q --no-owner")]
pub(crate) struct SetState {
    /// The lead's id or reference.
    #[arg(value_name = "ID-or-reference")]
    lead: String,
    /// How far. May be left out when only the owner changes.
    #[arg(value_name = "STATE", required_unless_present_any = ["owner", "no_owner"])]
    state: Option<State>,
    /// It is this one's now.
    #[arg(long, value_name = "NAME", value_parser = |text: &str| bounded(text, LONGEST_OWNER))]
    owner: Option<String>,
    /// It is nobody's now.
    #[arg(long)]
    no_owner: bool,
}

impl SetState {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let mut crm = context.crm().await?;
        let lead = FullLead::find(&mut crm, &self.lead).await?.lead.submission;
        let request = SetLeadStateRequest {
            lead_id: lead.id.to_string(),
            state: self.state.map_or(LeadState::Unspecified, Into::into).into(),
            owner: if self.no_owner { Some(String::new()) } else { self.owner },
        };
        let answer = crm.call(async |crm| crm.set_lead_state(request).await).await?;
        let (progress, reference) = (Progress::read(answer.progress)?, &lead.reference);
        let text = format!("{reference}  {}", progress.texts(&context.terminal.view).join("; "));
        context.terminal.say(&text, &json!({ "id": lead.id, "reference": reference, "progress": progress }))
    }
}
