//! The service as a whole: leads in, by queue and from the ledger; mail out; reports out.

use std::sync::Arc;

use messaging::{Batching, Consumer, Publisher, topology};
use runtime::service::Context;

use crate::{
    config::Config,
    handler::LeadHandler,
    metrics::Metrics,
    morning::MorningMail,
    reconciler::Reconciler,
    smtp::{Mailer, TlsSetupError},
    telling::{Rules, Teller},
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
    let Config { broker, smtp, letterhead, routes, acknowledgements, digests, morning, crm, reconciliation } =
        config;
    let mailer = Mailer::new(smtp, usize::from(CONCURRENCY))?;
    let publisher = Publisher::start(broker.clone(), context);
    let ledger = Arc::new(Ledger::new(crm, context.ids.next(), reconciliation.lease));
    let metrics = Metrics::new(context.metrics.meter());
    let (schedule, clock) = (broker.retry_after.clone(), context.clock.clone());
    let (time_zone, recipients) = (letterhead.time_zone, routes.default_recipients().to_vec());
    let rules = Rules { letterhead, routes, visitors: acknowledgements, digests, schedule: schedule.clone() };
    let (teller, acknowledger) =
        Teller::new(rules, mailer, publisher.clone(), Arc::clone(&ledger), metrics.clone(), context);
    let teller = Arc::new(teller);
    acknowledger.start(Arc::clone(&teller), context);
    if let Some(morning) = morning {
        let (teller, ledger) = (Arc::clone(&teller), Arc::clone(&ledger));
        let (clock, metrics) = (clock.clone(), metrics.clone());
        MorningMail { morning, time_zone, recipients, teller, ledger, clock, metrics }.start(context);
    }
    let handler = LeadHandler {
        teller: Arc::clone(&teller),
        schedule: schedule.clone(),
        on_top: reconciliation.untold_after,
        lifecycle: context.lifecycle.clone(),
    };
    Reconciler { teller, ledger, publisher: publisher.clone(), schedule, reconciliation, clock, metrics }
        .start(context);
    let batching = Batching { size: 1, concurrency: CONCURRENCY };
    Consumer { subscription: topology::NOTIFIER, batching, handler }.start(broker, publisher, context);
    Ok(())
}
