use anyhow::Result;
use clap::{Args, Subcommand};
use contracts::crm::v1::{SendBrochureRequest, SendBrochureResponse};
use crm_client::Crm;
use lead::Interest;
use tonic::Status;

use crate::{context::Context, output::format_count, time::TimePoint};

/// Number of emails that one call requests.
const BATCH: u64 = 500;

/// Send emails to visitors
#[derive(Subcommand)]
pub(crate) enum Send {
    Brochure(SendBrochure),
}

/// Send the e-brochure to visitors who requested it and have not received it
#[derive(Args)]
#[command(after_help = "\
leadctl counts the addresses that asked for the brochure and asks for confirmation. Each address receives one email in
the language of its enquiry. Excluded are visitors without consent, marked do-not-contact, with spam signals, with only
invalid leads, and those whose confirmation email already had the link.

The notifier sends the emails even if leadctl stops. Run the command again to see the progress. Brochures use at most
half of VISITOR_EMAILS_PER_HOUR and wait until the site has a brochure. `notifier preview` shows the email.

Examples:
  leadctl send brochure
  leadctl send brochure --since 2026-03-01 --yes")]
pub(crate) struct SendBrochure {
    /// Only leads submitted since then: 30m, 2h, 1d, today, a date, or a date and time
    #[arg(long, value_name = "TIME")]
    since: Option<TimePoint>,
}

impl SendBrochure {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let (mut crm, output) = (context.crm(), &context.output);
        let mut count = self.request_batch(0, &mut crm, context).await?;
        if count.left > 0 && !context.is_confirmed {
            eprintln!("{}", output.format_pairs(output.format_fields(&count)?));
            let addresses = format_count(count.left, "address", "addresses");
            context
                .confirm(&format!("Send the brochure to {addresses}?"))
                .await?;
        }
        // Sends only the confirmed number, although other visitors may request the brochure meanwhile.
        let (confirmed, mut requested) = (count.left, 0);
        while requested < confirmed {
            let batch = self
                .request_batch(BATCH.min(confirmed - requested), &mut crm, context)
                .await?;
            requested += batch.requested;
            if batch.left == 0 {
                break;
            }
        }
        if requested > 0 {
            count = SendBrochureResponse {
                requested,
                ..self.request_batch(0, &mut crm, context).await?
            };
        }
        output.print_fields(&count)
    }

    /// Requests at most `limit` emails. With a limit of 0, the CRM only counts.
    async fn request_batch(
        &self,
        limit: u64,
        crm: &mut Crm,
        context: &Context,
    ) -> Result<SendBrochureResponse, Status> {
        let request = SendBrochureRequest {
            interest: Interest::number(Interest::Brochure),
            submitted_from: context.to_timestamp(self.since),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
        };
        Ok(crm.deliveries.send_brochure(request).await?.into_inner())
    }
}
