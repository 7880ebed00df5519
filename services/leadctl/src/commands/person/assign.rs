use clap::Args;
use contracts::crm::v1::AssignPersonRequest;
use serde_json::json;

use super::choice::People;
use crate::{
    context::Context,
    error::Error,
    leads::{FullLead, Lead},
    terminal::{confirm, counted, json},
};

/// Say that two leads are from one person: all leads of both become that person's.
#[derive(Args)]
#[command(after_help = "\
Who agrees in address, or in number and name, is one person without this. Later leads with any of the addresses, or
numbers and names, are then the person's, too. `leadctl person part` takes leads out again.

Example:
  leadctl person join zg-7f3k-2q zg-4m2p-9k")]
pub(crate) struct Join {
    /// The id or reference of a lead of one person.
    #[arg(value_name = "ID-or-reference")]
    one: String,
    /// The id or reference of a lead of the other.
    #[arg(value_name = "ID-or-reference")]
    other: String,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

/// Say that leads are not from the person they are listed under, but from a person of their own.
#[derive(Args)]
#[command(after_help = "\
Example:
  leadctl person part zg-7f3k-2q zg-4m2p-9k")]
pub(crate) struct Part {
    /// The ids or references of the leads, all of one person now.
    #[arg(value_name = "ID-or-reference", required = true)]
    leads: Vec<String>,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

impl Join {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let to = Some(self.other.as_str());
        assign(context, &[self.one], to, "Are these one person?", self.yes).await
    }
}

impl Part {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        assign(context, &self.leads, None, "Are these a person of their own?", self.yes).await
    }
}

async fn assign(
    context: &Context,
    leads: &[String],
    person_of: Option<&str>,
    question: &str,
    is_sure: bool,
) -> Result<(), Error> {
    let (mut crm, terminal) = (context.crm().await?, &context.terminal);
    let mut found: Vec<Lead> = Vec::new();
    for typed in leads.iter().map(String::as_str).chain(person_of) {
        found.push(FullLead::find(&mut crm, typed).await?.lead);
    }
    let mut people = People::default();
    found.iter().for_each(|it| people.add(&it.submission.name, &it.submission.email));
    if terminal.is_json {
        terminal.print(&json::line(&json!({ "found": people.json() })))?;
    } else {
        // On standard error, as is the question.
        terminal.note(&people.text())?;
    }
    if !is_sure {
        confirm(question).await?;
    }
    let mut lead_ids: Vec<_> = found.iter().map(|it| it.submission.id.to_string()).collect();
    let person_of = person_of.and_then(|_| lead_ids.pop()).unwrap_or_default();
    let request = AssignPersonRequest { lead_ids, person_of };
    let moved = crm.call(async |crm| crm.assign_person(request).await).await?.lead_ids;
    let text = match moved.len() {
        0 => "Nothing to change: it is so already.".to_owned(),
        count => format!("{} changed.", counted(count as u64, "lead", "leads")),
    };
    terminal.say(&text, &json!({ "assigned": moved }))
}
