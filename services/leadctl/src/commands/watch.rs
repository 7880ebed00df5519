use std::slice;

use clap::Args;
use contracts::crm::v1::WatchLeadsRequest;

use crate::{
    arguments::Filter,
    context::Context,
    error::Error,
    leads::{Lead, Leads},
    terminal::one_line,
};

/// Leads as they come in, until Ctrl-C.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl watch
  leadctl watch --language zh --suspicious=no")]
pub(crate) struct Watch {
    #[command(flatten)]
    filter: Filter,
}

impl Watch {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let request = WatchLeadsRequest { filter: Some(context.filter(self.filter)) };
        let mut crm = context.crm().await?;
        let mut stream = crm.call(async |crm| crm.watch_leads(request).await).await?;
        context.terminal.note("Watching for leads; Ctrl-C ends it.")?;
        let ended = |why: &str| Error::WatchEnded(one_line(why));
        let mut is_first = true;
        loop {
            let message = stream.message().await.map_err(|status| ended(status.message()))?;
            let lead = message.and_then(|message| message.lead).ok_or_else(|| ended("the CRM closed it"))?;
            context.terminal.show(&Leads { leads: slice::from_ref(&Lead::read(lead)?), is_first })?;
            is_first = false;
        }
    }
}
