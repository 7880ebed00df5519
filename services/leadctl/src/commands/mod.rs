//! One module for each command, with its arguments, calls, text and JSON.

mod canary;
mod dead_letters;
mod deliveries;
mod export;
mod list;
mod person;
mod send;
mod show;
mod stats;
mod update;

use anyhow::Result;
use clap::Subcommand;

use self::{
    canary::Canary, dead_letters::DeadLetters, deliveries::Deliveries, export::Export, list::List,
    person::Person, send::Send, show::Show, stats::Stats, update::Update,
};
use crate::cli::Context;

#[derive(Subcommand)]
pub(crate) enum Command {
    List(List),
    Show(Show),
    Update(Update),
    Stats(Stats),
    Export(Export),
    #[command(subcommand)]
    Person(Person),
    #[command(subcommand)]
    Send(Send),
    Deliveries(Deliveries),
    DeadLetters(DeadLetters),
    Canary(Canary),
}

impl Command {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        match self {
            Self::List(list) => list.run(context).await,
            Self::Show(show) => show.run(context).await,
            Self::Update(update) => update.run(context).await,
            Self::Stats(stats) => stats.run(context).await,
            Self::Export(export) => export.run(context).await,
            Self::Person(Person::Export(export)) => export.run(context).await,
            Self::Person(Person::Erase(erase)) => erase.run(context).await,
            Self::Person(Person::Merge(merge)) => merge.run(context).await,
            Self::Person(Person::Split(split)) => split.run(context).await,
            Self::Send(Send::Brochure(brochure)) => brochure.run(context).await,
            Self::Deliveries(deliveries) => deliveries.run(context).await,
            Self::DeadLetters(dead_letters) => dead_letters.run(context).await,
            Self::Canary(canary) => canary.run(context).await,
        }
    }
}
