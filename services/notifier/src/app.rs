//! Connects the parts of the service: sources of leads, mail server, CRM and broker.

use std::sync::Arc;

use anyhow::Context as _;
use lead::PhoneNumber;
use messaging::{Batching, Consumer, Publisher, topology};
use runtime::service::Context;

use crate::{
    config::Config,
    crm::LedgerClient,
    daily_summary,
    delivery::{
        breaker::CircuitBreaker,
        deliverer::Deliverer,
        sender::{Permits, Sender},
    },
    metrics::Metrics,
    reminders,
    smtp::Mailer,
    sources::{
        pending,
        queue::{CONCURRENCY, LeadHandler},
    },
    webhook::WebhookClient,
};

/// Starts delivering leads in background tasks.
pub fn start(config: Config, context: &Context) -> anyhow::Result<()> {
    if config.smtp.is_mail_catcher() {
        context
            .readiness
            .warn("emails are not delivered: SMTP_HOST is the mail catcher");
    }
    let metrics = Metrics::new(&context.metrics);
    let broker = config.broker.clone();
    let publisher = Publisher::start(broker.clone(), context);
    let daily_summary_at = config.daily_summary_at;
    let mailer = Mailer::new(
        config.smtp.clone(),
        config.mail_context.mail_from.email.clone(),
    );
    let ledger = LedgerClient::new(&config, metrics.clone(), context);
    let sender = Sender {
        mailer: mailer.context("cannot set up TLS for the mail server")?,
        webhook_client: WebhookClient::default(),
        breaker: CircuitBreaker::new(metrics.paused.clone()),
        clock: context.clock.clone(),
        metrics,
        permits: Permits::default(),
        config,
    };
    let deliverer = Arc::new(Deliverer::new(sender, ledger, publisher.clone()));
    if let Some(at) = daily_summary_at {
        daily_summary::start(at, Arc::clone(&deliverer), context);
    }
    reminders::start(Arc::clone(&deliverer), context);
    PhoneNumber::load_data();
    pending::start(Arc::clone(&deliverer), context);
    let handler = LeadHandler {
        deliverer,
        lifecycle: context.lifecycle.clone(),
    };
    let batching = Batching {
        size: 1,
        concurrency: CONCURRENCY,
    };
    Consumer {
        subscription: topology::NOTIFIER,
        batching,
        handler,
    }
    .start(broker, publisher, context);
    Ok(())
}
