//! Requests reminders of leads that nobody has contacted. The CRM decides which leads get one, and leases them to a notifier
//! like other due deliveries.

use std::sync::Arc;

use runtime::service::Context;
use tokio::time::sleep;
use tonic::Code;
use tracing::{info, warn};

use crate::delivery::deliverer::Deliverer;

/// Requests reminders at intervals until the process stops. Every replica does, because the CRM adds each reminder once.
pub(crate) fn start(deliverer: Arc<Deliverer>, context: &Context) {
    let stop = context.lifecycle.soft_stop();
    context
        .lifecycle
        .spawn_until("reminders", stop, async move {
            let mut is_accepted = true;
            loop {
                sleep(deliverer.sender.config.reminder_interval).await;
                let requested = request(&deliverer).await;
                if requested.is_ok() != is_accepted {
                    is_accepted = requested.is_ok();
                    match requested {
                        Ok(()) => info!("reminders requested again"),
                        Err(error) => warn!(%error, "reminders not requested, retrying"),
                    }
                }
            }
        });
}

/// Requests nothing while the mail server is unavailable, because reminders of leads that sales could not receive are not
/// useful.
async fn request(deliverer: &Deliverer) -> Result<(), Code> {
    let sender = &deliverer.sender;
    let routes = sender.routes();
    let zone = sender.config.mail_context.time_zone;
    let Some(waiting) = routes.find_waiting(sender.clock.now(), zone) else {
        return Ok(());
    };
    if !sender.breaker.is_closed() {
        return Ok(());
    }
    let leads = deliverer
        .ledger
        .request_reminders(waiting, &routes.default)
        .await?;
    if leads > 0 {
        info!(leads, "reminders requested");
    }
    Ok(())
}
