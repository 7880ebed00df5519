mod assign;
mod choice;
mod erase;
mod export;
mod key;

use clap::Subcommand;

use self::{
    assign::{Join, Part},
    erase::Erase,
    export::Export,
};
use crate::{context::Context, error::Error};

/// What is held about one person.
#[derive(Subcommand)]
pub(crate) enum Person {
    Export(Export),
    Erase(Erase),
    Join(Join),
    Part(Part),
}

impl Person {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        match self {
            Self::Export(export) => export.run(context).await,
            Self::Erase(erase) => erase.run(context).await,
            Self::Join(join) => join.run(context).await,
            Self::Part(part) => part.run(context).await,
        }
    }
}
