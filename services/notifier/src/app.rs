//! Wires the service: leads from the queue and the CRM, emails, and reports.

use std::sync::Arc;

use crm_client::CrmClient;
use lead::PhoneNumber;
use messaging::{Batching, Consumer, Publisher, topology};
use runtime::service::Context;

use crate::{
    config::{Config, Options},
    crm::ledger::Ledger,
    daily_summary::DailySummary,
    delivery::{
        CircuitBreaker, SentMails,
        deliverer::{Deliverer, Permits},
    },
    metrics::Metrics,
    smtp::{Mailer, TlsSetupError},
    sources::{
        pending::PendingLeads,
        queue::{CONCURRENCY, LeadHandler},
    },
    webhook::WebhookClient,
};

/// Starts delivering leads in background tasks.
///
/// # Errors
/// [`TlsSetupError`] when TLS cannot be set up.
pub fn start(Config(options): Config, context: &Context) -> Result<(), TlsSetupError> {
    let Options { mail_context, smtp, broker, .. } = options;
    if !smtp.delivers() {
        context.readiness.warn("emails are not delivered: SMTP_HOST is the mail catcher");
    }
    let (metrics, lease) = (Metrics::new(&context.metrics), smtp.claim());
    let crm = CrmClient::new(options.crm);
    crm.watch_token(context);
    let (limits, process) = (options.visitor_limits, context.ids.next());
    let publisher = Publisher::start(broker.clone(), context);
    let deliverer = Arc::new(Deliverer {
        mailer: Mailer::new(smtp, mail_context.mail_from.email.clone())?,
        ledger: Ledger::new(crm, process, lease, limits, metrics.clone()),
        breaker: CircuitBreaker::new(metrics.paused.clone()),
        publisher: publisher.clone(),
        mail_context,
        routes: options.routes_file,
        confirms: options.visitor_confirmation,
        retry_delays: options.retry_delays,
        webhook_client: WebhookClient::default(),
        clock: context.clock.clone(),
        metrics,
        sent: SentMails::default(),
        permits: Permits::default(),
    });
    if let Some(at) = options.daily_summary_at {
        let (interval, deliverer) = (options.daily_summary_interval, Arc::clone(&deliverer));
        DailySummary { at, interval, deliverer }.start(context);
    }
    PhoneNumber::load_data();
    let (grace, interval) = (options.pending_grace, options.poll_interval);
    PendingLeads { deliverer: Arc::clone(&deliverer), grace, interval }.start(context);
    let handler = LeadHandler { deliverer, lifecycle: context.lifecycle.clone() };
    let batching = Batching { size: 1, concurrency: CONCURRENCY };
    Consumer { subscription: topology::NOTIFIER, batching, handler }.start(broker, publisher, context);
    Ok(())
}
