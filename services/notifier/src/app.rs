//! The service as a whole: leads in, by queue and from the ledger; mail out; reports out.

use std::{sync::Arc, time::Duration};

use messaging::{Batching, Consumer, Publisher, topology};
use runtime::service::Context;

use crate::{
    config::Config,
    handler::LeadHandler,
    metrics::Metrics,
    reconciler::Reconciler,
    smtp::{Mailer, TlsSetupError},
    telling::Teller,
    wire::Ledger,
};

/// How many leads of the queue are mailed side by side, and how many connections to the mail server stay open
/// between them.
const CONCURRENCY: u16 = 8;

/// Starts mailing leads, for as long as the process lives.
///
/// # Errors
/// When TLS cannot be set up.
pub fn start(config: Config, context: &Context) -> Result<(), TlsSetupError> {
    let Config { broker, smtp, sender, recipients, crm, reconciliation } = config;
    let mailer = Mailer::new(smtp, usize::from(CONCURRENCY))?;
    let publisher = Publisher::start(broker.clone(), context);
    let ledger = Arc::new(Ledger::new(crm, context.ids.next(), reconciliation.lease));
    let metrics = Metrics::new(context.metrics.meter());
    let teller = Arc::new(Teller::new(
        sender,
        recipients,
        mailer,
        publisher.clone(),
        Arc::clone(&ledger),
        metrics.clone(),
        context,
    ));
    let schedule = broker.retry_after.clone();
    let handler = LeadHandler {
        teller: Arc::clone(&teller),
        schedule: schedule.clone(),
        on_top: reconciliation.untold_after,
        lifecycle: context.lifecycle.clone(),
    };
    let clock = context.clock.clone();
    Reconciler { teller, ledger, publisher: publisher.clone(), schedule, reconciliation, clock, metrics }
        .start(context);
    let batching = Batching { size: 1, wait: Duration::ZERO, concurrency: CONCURRENCY };
    Consumer { subscription: topology::NOTIFIER, batching, handler }.start(broker, publisher, context);
    Ok(())
}
