use clap::Args;
use contracts::crm::v1::{LeadState, SetLeadStateRequest};
use serde_json::json;

use crate::{
    arguments::bounded,
    context::Context,
    error::Error,
    leads::{FullLead, Lead, Progress, State},
    terminal::{Render, View, json},
};

/// Longest name of an owner that the CRM takes, in UTF-16 code units.
const LONGEST_OWNER: usize = 100;

/// Say how far you have come with a lead, or whose it is.
#[derive(Args)]
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
    #[arg(long, value_name = "NAME", value_parser = |text: &str| bounded(text, LONGEST_OWNER), conflicts_with = "no_owner")]
    owner: Option<String>,
    /// It is nobody's now.
    #[arg(long)]
    no_owner: bool,
}

struct Changed {
    lead: Lead,
    progress: Progress,
}

impl SetState {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let mut crm = context.crm().await?;
        let lead = FullLead::find(&mut crm, &self.lead).await?.lead;
        let request = SetLeadStateRequest {
            lead_id: lead.submission.id.to_string(),
            state: self.state.map_or(LeadState::Unspecified, Into::into).into(),
            owner: if self.no_owner { Some(String::new()) } else { self.owner },
        };
        let answer = crm.call(async |crm| crm.set_lead_state(request).await).await?;
        context.terminal.show(&Changed { lead, progress: Progress::read(answer.progress)? })
    }
}

impl Render for Changed {
    fn text(&self, view: &View) -> String {
        format!("{}  {}", self.lead.submission.reference, self.progress.texts(view).join("; "))
    }

    fn json(&self) -> String {
        let submission = &self.lead.submission;
        json::line(
            &json!({ "id": submission.id, "reference": submission.reference, "progress": self.progress }),
        )
    }
}
