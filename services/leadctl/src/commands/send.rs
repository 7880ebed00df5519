use std::time::Duration;

use clap::{Args, Subcommand};
use contracts::crm::v1::{SendBrochureRequest, SendBrochureResponse};
use lead::Interest;
use serde::Serialize;
use tokio::time::sleep;

use crate::{
    arguments::{interest, one_of},
    context::Context,
    crm::Crm,
    error::Error,
    terminal::{Progress, Render, View, confirm, counted},
    when::When,
};

/// Mails that one call asks for.
const BATCH: u32 = 500;

/// How often the mails under way are counted.
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
    #[arg(long, default_value = "brochure", value_parser = one_of(&[Interest::Brochure], interest))]
    interest: Interest,
    /// Only leads submitted since then: 30m, 2h, 1d, today, a date, or a date and time
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    /// Wait until every email is sent
    #[arg(long)]
    wait: bool,
}

/// Counts addresses.
#[derive(Serialize)]
struct Sent {
    asked: u64,
    requested: u64,
    waiting: u64,
    delivered: u64,
    failed: u64,
    do_not_contact: u64,
    left: u64,
}

impl From<SendBrochureResponse> for Sent {
    fn from(answer: SendBrochureResponse) -> Self {
        let SendBrochureResponse { asked, requested, waiting, delivered, failed, do_not_contact, left } =
            answer;
        Self { asked, requested, waiting, delivered, failed, do_not_contact, left }
    }
}

impl Render for Sent {
    fn text(&self, _: &View) -> String {
        let told = self.waiting + self.delivered + self.failed + self.do_not_contact + self.left;
        let others = self.asked.saturating_sub(told);
        let lines = [
            (self.delivered, "received it"),
            (self.waiting, "waiting to be sent"),
            (self.failed, "failed: leadctl deliveries list --failed --recipient brochure"),
            (self.do_not_contact, "marked do-not-contact"),
            (others, "excluded: no consent, spam signals, invalid lead or address"),
            (self.left, "not sent yet"),
        ];
        let lines = lines.iter().filter(|(count, _)| *count > 0);
        let lines: String = lines.map(|(count, what)| format!("\n{count:>8}  {what}")).collect();
        format!("{} requested the brochure.{lines}", counted(self.asked, "address", "addresses"))
    }
}

impl Send {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        match self {
            Self::Brochure(brochure) => brochure.run(context).await,
        }
    }
}

impl SendBrochure {
    async fn run(self, context: &Context) -> Result<(), Error> {
        let mut crm = context.crm().await?;
        let mut sent = self.call(&mut crm, 0, context).await?;
        if sent.left > 0 {
            if !self.yes {
                context.terminal.note(&sent.text(&context.terminal.view))?;
                confirm(&format!("Send the brochure to {}?", counted(sent.left, "address", "addresses")))
                    .await?;
            }
            sent = self.request(&mut crm, sent.left, context).await?;
        }
        if self.wait {
            let requested = sent.requested;
            sent = Sent { requested, ..self.wait_for(&mut crm, sent, context).await? };
        }
        context.terminal.show(&sent)
    }

    /// Asks for as many mails as were confirmed, and counts.
    async fn request(&self, crm: &mut Crm, confirmed: u64, context: &Context) -> Result<Sent, Error> {
        let mut progress = Progress::new("emails requested", &context.clock);
        let mut requested = 0;
        while requested < confirmed {
            let limit = u32::try_from(confirmed - requested).unwrap_or(BATCH).min(BATCH);
            let sent = self.call(crm, limit, context).await?;
            requested += sent.requested;
            progress.at(requested, confirmed)?;
            if sent.left == 0 {
                break;
            }
        }
        progress.end()?;
        Ok(Sent { requested, ..self.call(crm, 0, context).await? })
    }

    async fn wait_for(&self, crm: &mut Crm, mut sent: Sent, context: &Context) -> Result<Sent, Error> {
        let mut progress = Progress::new("emails sent", &context.clock);
        while sent.waiting > 0 {
            progress.at(sent.delivered, sent.delivered + sent.waiting)?;
            sleep(POLL).await;
            sent = self.call(crm, 0, context).await?;
        }
        progress.end()?;
        Ok(sent)
    }

    async fn call(&self, crm: &mut Crm, limit: u32, context: &Context) -> Result<Sent, Error> {
        let request = SendBrochureRequest {
            interest: Interest::number(self.interest),
            submitted_from: context.since(self.since),
            limit,
        };
        Ok(crm.call(async |crm| crm.send_brochure(request).await).await?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::NARROW;

    #[test]
    fn it_says_whom_it_reaches_and_whom_not() {
        let counted = SendBrochureResponse {
            asked: 312,
            requested: 0,
            waiting: 3,
            delivered: 40,
            failed: 1,
            do_not_contact: 5,
            left: 261,
        };
        insta::assert_snapshot!("send_brochure", Sent::from(counted).text(&NARROW));
    }
}
