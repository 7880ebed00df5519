//! Faults of the mail server.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use xtask::error::Result;

use crate::fault::Made;
use crate::lead;
use crate::mail_server::{self, Trouble};
use crate::run::{Run, last};
use crate::stack::RECIPIENTS;

pub(super) async fn trouble(
    run: &Run,
    trouble: Trouble,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    mail_server::tell(run.stack.mail_control, Some(trouble)).await?;
    last(lasts, over).await;
    mail_server::tell(run.stack.mail_control, None).await?;
    Ok(Made::Done)
}

/// Sends a lead with one refused recipient: that delivery must become failed, the other delivered.
pub(super) async fn refuse_recipient(run: &Run) -> Result<Made> {
    let key = run.next_key();
    let mail = lead::mail_id(lead::id(key), RECIPIENTS[1]);
    mail_server::refuse(run.stack.mail_control, mail).await?;
    run.refuse(lead::id(key));
    run.visitors.send_one(key);
    Ok(Made::Done)
}
