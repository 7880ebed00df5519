//! Lists, replays and deletes dead letters in the broker.

use std::{collections::HashSet, path::PathBuf};

use clap::ValueEnum;
use lead::text::single_line;
use messaging::{
    ConnectionError, Settings,
    dead_letters::{DeadLetter, DeadLetters, DeadLettersError, Selection},
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};
use secrecy::ExposeSecret;
use tonic::transport::Uri;

use super::message::Message;
use crate::{config::Config, crm::unreachable, error::Error};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    /// Leads that could not be decoded or processed
    Notifier,
    /// Leads and delivery reports that could not be decoded or stored
    CrmSync,
}

pub(crate) struct DeadLetterQueues {
    queues: Vec<(Subscription, DeadLetters)>,
    /// Without user and password.
    address: String,
    /// The file that contains the address, for errors.
    path: PathBuf,
}

impl DeadLetterQueues {
    /// Opens the queue of one service, or of all.
    pub(crate) async fn open(config: &Config, only: Option<Service>) -> Result<Self, Error> {
        let path = config.path.clone();
        let Some(url) = &config.amqp else {
            return Err(Error::Usage(format!(
                "{} has no `amqp` entry, which dead letters require.\n\
                 Add amqp = \"amqp://operator:PASSWORD@HOST:PORT/%2f\" with the password of the operator user.",
                path.display()
            )));
        };
        let mut all = Self { queues: Vec::new(), address: address(url.expose_secret()), path };
        for (service, subscription) in [(Service::Notifier, NOTIFIER), (Service::CrmSync, CRM_SYNC)] {
            if only.is_none_or(|only| only == service) {
                let letters = DeadLetters::connect(Settings::new(url.clone()), subscription).await;
                all.queues.push((subscription, letters.map_err(|error| all.open_error(&error))?));
            }
        }
        Ok(all)
    }

    /// The messages of all queues in turn, each oldest first.
    pub(crate) async fn list(&self) -> Result<Vec<Message>, Error> {
        let mut messages = Vec::new();
        for (subscription, letters) in &self.queues {
            messages.extend(self.messages(*subscription, letters.list().await)?);
        }
        Ok(messages)
    }

    /// Returns messages to the queues of their services. Also returns those moved before an error.
    pub(crate) async fn replay(&self, messages: &[Message]) -> (Vec<Message>, Result<(), Error>) {
        self.for_each_queue(messages, async |letters, selection| letters.replay(&selection).await).await
    }

    /// Also returns the messages deleted before an error.
    pub(crate) async fn delete(&self, messages: &[Message]) -> (Vec<Message>, Result<(), Error>) {
        self.for_each_queue(messages, async |letters, selection| letters.discard(&selection).await).await
    }

    async fn for_each_queue(
        &self,
        messages: &[Message],
        action: impl AsyncFn(&DeadLetters, Selection) -> Result<Vec<DeadLetter>, DeadLettersError>,
    ) -> (Vec<Message>, Result<(), Error>) {
        let mut done = Vec::new();
        for (subscription, letters) in &self.queues {
            let own = messages.iter().filter(|message| message.queue == subscription.service);
            let fingerprints: HashSet<_> = own.map(|message| message.fingerprint).collect();
            if fingerprints.is_empty() {
                continue;
            }
            match self.messages(*subscription, action(letters, Selection::These(fingerprints)).await) {
                Ok(messages) => done.extend(messages),
                Err(error) => return (done, Err(error)),
            }
        }
        (done, Ok(()))
    }

    fn messages(
        &self,
        subscription: Subscription,
        letters: Result<Vec<DeadLetter>, DeadLettersError>,
    ) -> Result<Vec<Message>, Error> {
        match letters {
            Ok(letters) => Ok(letters.into_iter().map(|it| Message::new(subscription, it)).collect()),
            Err(DeadLettersError::Connection(error)) if error.is_refusal() => Err(self.refusal(&error)),
            Err(error) => Err(Error::Failed(format!("the broker failed: {}", cause(&error)))),
        }
    }

    fn open_error(&self, error: &ConnectionError) -> Error {
        if matches!(error, ConnectionError::Address(_)) {
            return Error::Usage(format!(
                "{} is invalid: `amqp` must be amqp://USER:PASSWORD@HOST:PORT/VHOST",
                self.path.display()
            ));
        }
        if error.is_refusal() {
            return self.refusal(error);
        }
        unreachable("the broker", &self.address, &cause(error), &self.path)
    }

    fn refusal(&self, error: &ConnectionError) -> Error {
        Error::Denied(format!(
            "the broker at {} rejected the user in {}: {}.\n\
             The user needs read access to the dead-letter queues and, to replay, write access to the default exchange.",
            self.address,
            self.path.display(),
            cause(error)
        ))
    }
}

/// The broker's errors may contain the user's name, never the password.
fn cause(error: &impl ToString) -> String {
    single_line(&error.to_string())
}

/// `host:port` of an AMQP address, without the user and the password.
fn address(url: &str) -> String {
    let uri = url.parse::<Uri>().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or("the address of `amqp`");
    match uri.as_ref().and_then(Uri::port_u16) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_omits_user_and_password() {
        for (url, shown) in [
            ("amqp://operator:secret@rabbit:5672/%2f", "rabbit:5672"),
            ("amqps://operator:secret@10.0.0.1/%2f", "10.0.0.1"),
            ("amqp://operator:sec ret@rabbit", "the address of `amqp`"),
        ] {
            assert_eq!(address(url), shown);
        }
    }
}
