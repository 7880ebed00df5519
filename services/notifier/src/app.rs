//! The service as a whole: queue in, mail out, queue out.

use std::time::Duration;

use messaging::{Batching, Consumer, Publisher, topology};
use runtime::service::Context;

use crate::{
    config::Config,
    handler::Notifier,
    smtp::{Mailer, TlsSetupError},
};

/// How many leads are mailed side by side, and how many connections to the mail server stay open between them.
const CONCURRENCY: u16 = 8;

/// Starts mailing leads, for as long as the process lives.
///
/// # Errors
/// When TLS cannot be set up.
pub fn start(config: Config, context: &Context) -> Result<(), TlsSetupError> {
    let mailer = Mailer::new(config.smtp, usize::from(CONCURRENCY))?;
    let publisher = Publisher::start(config.broker.clone(), context);
    let handler = Notifier::new(config.sender, config.recipients, mailer, publisher.clone(), context);
    let batching = Batching { size: 1, wait: Duration::ZERO, concurrency: CONCURRENCY };
    Consumer { subscription: topology::NOTIFIER, batching, handler }.start(config.broker, publisher, context);
    Ok(())
}
