//! Wires the service: leads from the queue and the CRM, mails, and reports.

use std::sync::Arc;

use lead::Telephone;
use messaging::{Batching, Consumer, Publisher, topology};
use runtime::service::Context;

use crate::{
    config::Config,
    crm::ledger::Ledger,
    delivery::deliverer::{Deliverer, DelivererSettings, SALES_MAILS},
    metrics::Metrics,
    morning::MorningMail,
    smtp::{Mailer, TlsSetupError},
    sources::{
        pending::PendingLeads,
        queue::{CONCURRENCY, LeadHandler},
    },
};

/// Starts delivering leads in background tasks.
///
/// # Errors
/// [`TlsSetupError`] when TLS cannot be set up.
pub fn start(config: Config, context: &Context) -> Result<(), TlsSetupError> {
    let Config { broker, smtp, mail_context, routes, acknowledges, visitors, .. } = config;
    let Config { morning, crm, retry_delays, pending, .. } = config;
    if !smtp.delivers {
        context.readiness.warn("emails are not delivered: SMTP_HOST is the mail catcher");
    }
    let lease = smtp.claim();
    let mailer = Mailer::new(smtp, SALES_MAILS)?;
    let publisher = Publisher::start(broker.clone(), context);
    let ledger = Arc::new(Ledger::new(crm, context.ids.next(), lease, visitors));
    let (metrics, clock) = (Metrics::new(context.metrics.meter()), context.clock.clone());
    let time_zone = mail_context.time_zone;
    let settings = DelivererSettings { mail_context, routes, acknowledges, retry_delays };
    let deliverer =
        Deliverer::new(settings, mailer, publisher.clone(), Arc::clone(&ledger), metrics.clone(), context);
    let deliverer = Arc::new(deliverer);
    if let Some(morning) = morning {
        let (deliverer, ledger, metrics) = (Arc::clone(&deliverer), Arc::clone(&ledger), metrics.clone());
        MorningMail { morning, time_zone, deliverer, ledger, clock, metrics }.start(context);
    }
    Telephone::load_data();
    let handler = LeadHandler { deliverer: Arc::clone(&deliverer), lifecycle: context.lifecycle.clone() };
    PendingLeads { deliverer, ledger, pending, metrics }.start(context);
    let batching = Batching { size: 1, concurrency: CONCURRENCY };
    Consumer { subscription: topology::NOTIFIER, batching, handler }.start(broker, publisher, context);
    Ok(())
}
