use anyhow::Result;
use clap::Args;
use contracts::crm::v1::{MergePeopleRequest, SplitPersonRequest};
use serde_json::json;

use super::key::People;
use crate::{
    cli::Context,
    crm::Crm,
    leads::submission,
    output::{confirm, counted},
};

/// Merge two people
#[derive(Args)]
#[command(after_help = "\
All leads of both people then belong to the person of the first lead. Later leads with any of their email addresses, or
with their phone number and name, belong to that person too. `leadctl person split` separates leads again.

Example:
  leadctl person merge zg-7f3k-2q zg-4m2p-9k")]
pub(crate) struct Merge {
    /// Id or reference of a lead of the person to keep
    #[arg(value_name = "LEAD")]
    lead: String,
    /// Id or reference of a lead of the person to merge into the first
    #[arg(value_name = "OTHER_LEAD")]
    other: String,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

/// Move leads of one person to a new person
#[derive(Args)]
#[command(after_help = "\
Example:
  leadctl person split zg-7f3k-2q zg-4m2p-9k")]
pub(crate) struct Split {
    /// Ids or references of leads of one person
    #[arg(value_name = "LEAD", required = true)]
    leads: Vec<String>,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl Merge {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut crm = context.crm().await?;
        let leads = [self.lead, self.other];
        let [lead_id, other_lead_id] = <[String; 2]>::try_from(find_leads(&mut crm, &leads, context).await?)
            .expect("one id for each lead");
        if !self.yes {
            confirm("Merge these people?").await?;
        }
        let request = MergePeopleRequest { lead_id, other_lead_id };
        let moved = crm.call(async |crm| crm.merge_people(request).await).await?.moved_lead_ids;
        report(&moved, context)
    }
}

impl Split {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut crm = context.crm().await?;
        let lead_ids = find_leads(&mut crm, &self.leads, context).await?;
        if !self.yes {
            confirm("Move these leads to a new person?").await?;
        }
        let request = SplitPersonRequest { lead_ids };
        let moved = crm.call(async |crm| crm.split_person(request).await).await?.moved_lead_ids;
        report(&moved, context)
    }
}

/// Prints the people behind the leads and returns the ids of the leads, in order.
async fn find_leads(crm: &mut Crm, leads: &[String], context: &Context) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for lead in leads {
        found.push(crm.find_lead(lead).await?);
    }
    let people: People = found.iter().map(submission).collect();
    context.output.announce(&json!({ "found": people.json() }), &people.text())?;
    Ok(found.iter().map(|lead| submission(lead).lead_id.clone()).collect())
}

fn report(moved: &[String], context: &Context) -> Result<()> {
    let text = match moved.len() {
        0 => "Nothing changed.".to_owned(),
        count => format!("Moved {}.", counted(count, "lead", "leads")),
    };
    context.output.say(&json!({ "moved": moved }), &text)
}
