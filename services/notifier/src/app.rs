//! Connects the parts of the service: sources of leads, mail server, CRM and broker.

use std::sync::Arc;

use anyhow::Context as _;
use lead::PhoneNumber;
use lru::LruCache;
use messaging::{Batching, Consumer, Publisher, topology};
use parking_lot::Mutex;
use runtime::service::Context;

use crate::{
    config::Config,
    crm::Ledger,
    daily_summary,
    delivery::{
        breaker::CircuitBreaker,
        deliverer::{Deliverer, MAX_SENT_LEADS, Permits},
    },
    metrics::Metrics,
    smtp::Mailer,
    sources::{
        pending,
        queue::{CONCURRENCY, LeadHandler},
    },
    webhook::WebhookClient,
};

/// Starts delivering leads in background tasks.
pub fn start(Config(options): Config, context: &Context) -> anyhow::Result<()> {
    if options.smtp.is_mail_catcher() {
        context
            .readiness
            .warn("emails are not delivered: SMTP_HOST is the mail catcher");
    }
    let metrics = Metrics::new(&context.metrics);
    let (broker, publisher) = (
        options.broker.clone(),
        Publisher::start(options.broker.clone(), context),
    );
    let mailer = Mailer::new(
        options.smtp.clone(),
        options.mail_context.mail_from.email.clone(),
    );
    let deliverer = Arc::new(Deliverer {
        mailer: mailer.context("cannot set up TLS for the mail server")?,
        ledger: Ledger::new(&options, metrics.clone(), context),
        breaker: CircuitBreaker::new(metrics.paused.clone()),
        publisher: publisher.clone(),
        webhook_client: WebhookClient::default(),
        clock: context.clock.clone(),
        metrics,
        sent: Mutex::new(LruCache::new(MAX_SENT_LEADS)),
        permits: Permits::default(),
        options,
    });
    if let Some(at) = deliverer.options.daily_summary_at {
        daily_summary::start(at, Arc::clone(&deliverer), context);
    }
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
