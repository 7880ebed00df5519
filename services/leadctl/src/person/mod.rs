//! What is held about one person: given out, or erased.

mod erase;
mod export;
mod key;

#[cfg(test)]
pub(crate) use erase::DeadLetters;
pub(crate) use erase::{Erased, Found};
pub(crate) use key::Person;

use runtime::clock::Clock;

use crate::{cli::PersonCommand, config::Config, error::Error, output::Output};

/// Carries a command out.
pub(crate) async fn run(
    command: PersonCommand,
    config: &Config,
    clock: &impl Clock,
    output: &mut Output,
) -> Result<(), Error> {
    match command {
        PersonCommand::Export { person, output: file } => {
            export::run(&person.parse()?, file.as_deref(), config, clock, output).await
        }
        PersonCommand::Erase { person, yes, without_queues } => {
            erase::run(&person.parse()?, yes, without_queues, config, output).await
        }
    }
}
