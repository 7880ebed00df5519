use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};
use contracts::crm::v1::{SendBrochureRequest, SendBrochureResponse};
use lead::Interest;
use tokio::time::sleep;

use crate::{
    arguments::{interest_value, one_of},
    cli::Context,
    crm::Crm,
    error::Error,
    output::{confirm, counted, progress},
    time::TimePoint,
};

/// Number of emails that one call requests.
const BATCH: u32 = 500;

/// Interval of the counts with `--wait`.
const POLL: Duration = Duration::from_secs(2);

/// Send emails to visitors
#[derive(Subcommand)]
pub(crate) enum Send {
    Brochure(SendBrochure),
}

/// Send the e-brochure to visitors who requested it and have not received it
#[derive(Args)]
#[command(after_help = "\
leadctl counts the recipients, lists the exclusions and asks for confirmation. Each address receives one email in the
language of its enquiry. Excluded are visitors without consent, marked do-not-contact, with spam signals, with only
invalid leads, and those whose confirmation email already had the link.

The notifier sends the emails even if leadctl stops. Run the command again to see the progress. Brochures use at most
half of VISITOR_EMAILS_PER_HOUR and wait until the site has a brochure. `notifier preview` shows the email.

Examples:
  leadctl send brochure
  leadctl send brochure --since 2026-03-01 --wait
  leadctl send brochure --interest brochure --yes")]
pub(crate) struct SendBrochure {
    /// Interest of the recipients; only brochure has an email
    #[arg(long, default_value = "brochure", value_parser = one_of(&[Interest::Brochure], interest_value))]
    interest: Interest,
    /// Only leads submitted since then: 30m, 2h, 1d, today, a date, or a date and time
    #[arg(long, value_name = "TIME")]
    since: Option<TimePoint>,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    /// Wait until every email is sent
    #[arg(long)]
    wait: bool,
}

impl SendBrochure {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut crm = context.crm().await?;
        let mut count = self.call(&mut crm, 0, context).await?;
        if count.left > 0 {
            if !self.yes {
                context.output.note(&text(&count))?;
                let addresses = counted(count.left, "address", "addresses");
                confirm(&format!("Send the brochure to {addresses}?")).await?;
            }
            let requested = self.request(&mut crm, count.left, context).await?;
            count = SendBrochureResponse { requested, ..self.call(&mut crm, 0, context).await? };
        }
        if self.wait {
            let progress = progress("emails sent");
            while count.waiting > 0 {
                progress.set_length(count.delivered + count.waiting);
                progress.set_position(count.delivered);
                sleep(POLL).await;
                let requested = count.requested;
                count = SendBrochureResponse { requested, ..self.call(&mut crm, 0, context).await? };
            }
        }
        context.output.show(&count, || text(&count))
    }

    /// Requests as many emails as were confirmed, in batches. Returns the number.
    async fn request(&self, crm: &mut Crm, confirmed: u64, context: &Context) -> Result<u64, Error> {
        let mut requested = 0;
        while requested < confirmed {
            let limit = u32::try_from(confirmed - requested).unwrap_or(BATCH).min(BATCH);
            let batch = self.call(crm, limit, context).await?;
            requested += batch.requested;
            if batch.left == 0 {
                break;
            }
        }
        Ok(requested)
    }

    /// Only counts with a limit of 0.
    async fn call(
        &self,
        crm: &mut Crm,
        limit: u32,
        context: &Context,
    ) -> Result<SendBrochureResponse, Error> {
        let interest = Interest::number(self.interest);
        let request = SendBrochureRequest { interest, submitted_from: context.timestamp(self.since), limit };
        crm.call(async |crm| crm.send_brochure(request).await).await
    }
}

fn text(count: &SendBrochureResponse) -> String {
    let SendBrochureResponse { asked, waiting, delivered, failed, do_not_contact, left, requested: _ } =
        *count;
    let excluded = asked.saturating_sub(waiting + delivered + failed + do_not_contact + left);
    let lines = [
        (delivered, "received it"),
        (waiting, "waiting to be sent"),
        (failed, "failed: leadctl deliveries list --failed --recipient brochure"),
        (do_not_contact, "marked do-not-contact"),
        (excluded, "excluded: no consent, spam signals, invalid lead or address"),
        (left, "not sent yet"),
    ];
    let lines = lines.iter().filter(|(count, _)| *count > 0);
    let lines: String = lines.map(|(count, text)| format!("\n{count:>8}  {text}")).collect();
    format!("{} requested the brochure.{lines}", counted(asked, "address", "addresses"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_counts_recipients_and_exclusions() {
        let count = SendBrochureResponse {
            asked: 312,
            requested: 0,
            waiting: 3,
            delivered: 40,
            failed: 1,
            do_not_contact: 5,
            left: 261,
        };
        insta::assert_snapshot!("send_brochure", text(&count));
    }
}
