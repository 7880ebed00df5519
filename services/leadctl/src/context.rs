//! What every command uses: the configuration, the output, and questions before a change.

use std::io::{self, IsTerminal, Write};

use anyhow::{Result, bail};
use crm_client::Crm;
use lead::field::timestamp;
use prost_types::Timestamp;
use tokio::task::spawn_blocking;

use crate::{config::Config, crm, error::Exit, output::Output, time::TimePoint};

/// The configuration and the output of a command.
pub(crate) struct Context {
    pub(crate) config: Config,
    pub(crate) output: Output,
    /// Whether to skip questions.
    pub(crate) is_confirmed: bool,
}

impl Context {
    pub(crate) fn crm(&self) -> Crm {
        crm::connect(&self.config)
    }

    /// A client for calls that may change all leads of a person.
    pub(crate) fn crm_for_person(&self) -> Crm {
        crm::connect_for_person(&self.config)
    }

    /// Fails if the user declines a change, or without a terminal.
    pub(crate) async fn confirm(&self, question: &str) -> Result<()> {
        self.ask(question, "nothing changed").await
    }

    /// Fails with the error `declined` if the user declines, or without a terminal. Waits in another thread, because the
    /// broker closes a connection that sends no heartbeat for 20 s.
    pub(crate) async fn ask(&self, question: &str, declined: &str) -> Result<()> {
        if self.is_confirmed {
            return Ok(());
        }
        if !io::stdin().is_terminal() {
            bail!(Exit::Usage.error(format!(
                "{declined}: pass --yes to confirm without a terminal"
            )));
        }
        write!(io::stderr(), "{question} [y/N] ")?;
        let read_line = || {
            io::stdin()
                .lines()
                .next()
                .unwrap_or_else(|| Ok(String::new()))
        };
        let answer = spawn_blocking(read_line).await??;
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => bail!(Exit::NoMatch.error(declined)),
        }
    }

    /// Converts the start of a typed time for the contract.
    pub(crate) fn to_timestamp(&self, time: Option<TimePoint>) -> Option<Timestamp> {
        time.map(|time| timestamp(time.start(self.output.now, self.config.time_zone)))
    }
}
