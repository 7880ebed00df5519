mod erase;
mod export;
mod key;
mod merge;

use anyhow::Result;
use clap::Subcommand;

use self::{
    erase::Erase,
    export::Export,
    merge::{Merge, Split},
};
use crate::cli::Context;

/// Export, erase, merge or split people
#[derive(Subcommand)]
pub(crate) enum Person {
    Export(Export),
    Erase(Erase),
    Merge(Merge),
    Split(Split),
}

impl Person {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        match self {
            Self::Export(export) => export.run(context).await,
            Self::Erase(erase) => erase.run(context).await,
            Self::Merge(merge) => merge.run(context).await,
            Self::Split(split) => split.run(context).await,
        }
    }
}
