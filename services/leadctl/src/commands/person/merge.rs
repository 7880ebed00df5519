use anyhow::Result;
use clap::Args;
use contracts::{
    crm::v1::{MergePeopleRequest, SplitPersonRequest},
    leads::v1::LeadSubmitted,
};
use serde_json::json;

use super::people::People;
use crate::{context::Context, crm::find_form, output::format_count};

/// Merge two people
#[derive(Args)]
#[command(after_help = "\
All leads of both people then belong to the person of the first lead. Later leads with any of their email addresses, or
with their phone number and name, belong to that person too. `leadctl person split` separates leads again.")]
pub(crate) struct Merge {
    /// Id or reference of a lead of the person to keep
    #[arg(value_name = "LEAD")]
    lead: String,
    /// Id or reference of a lead of the person to merge into the first
    #[arg(value_name = "OTHER_LEAD")]
    other: String,
}

/// Move leads of one person to a new person
#[derive(Args)]
pub(crate) struct Split {
    /// Ids or references of leads of one person
    #[arg(value_name = "LEAD", required = true)]
    leads: Vec<String>,
}

impl Merge {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut crm = context.crm_for_person();
        let leads = [
            find_form(&self.lead, &mut crm).await?,
            find_form(&self.other, &mut crm).await?,
        ];
        confirm_people("Merge these people?", &leads, context).await?;
        let [lead_id, other_lead_id] = leads.map(|lead| lead.lead_id);
        let request = MergePeopleRequest {
            lead_id,
            other_lead_id,
        };
        report(
            &crm.people
                .merge_people(request)
                .await?
                .into_inner()
                .moved_lead_ids,
            context,
        )
    }
}

impl Split {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut crm = context.crm_for_person();
        let mut leads = Vec::new();
        for lead in &self.leads {
            leads.push(find_form(lead, &mut crm).await?);
        }
        confirm_people("Move these leads to a new person?", &leads, context).await?;
        let lead_ids = leads.into_iter().map(|lead| lead.lead_id).collect();
        let request = SplitPersonRequest { lead_ids };
        report(
            &crm.people
                .split_person(request)
                .await?
                .into_inner()
                .moved_lead_ids,
            context,
        )
    }
}

/// Prints the people behind the leads and asks for confirmation.
async fn confirm_people(question: &str, leads: &[LeadSubmitted], context: &Context) -> Result<()> {
    eprintln!("{}", leads.iter().collect::<People>().format());
    context.confirm(question).await
}

fn report(moved: &[String], context: &Context) -> Result<()> {
    let leads = format_count(moved.len(), "lead", "leads");
    context
        .output
        .print(&json!({ "moved": moved }), || Ok(format!("Moved {leads}.")))
}
