use clap::Args;
use contracts::crm::v1::ListLeadsRequest;

use crate::{
    arguments::Filter,
    context::Context,
    error::Error,
    leads::{Lead, Leads, all},
};

/// The largest page the CRM gives.
const LARGEST_PAGE: u32 = 500;

/// The latest leads, newest first.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl list --state new --since \"1d ago\"      what nobody has seen to since yesterday
  leadctl list chen                              who is called chen..., or writes from chen...
  leadctl list 4567                              whose number ends with these digits
  leadctl list --interest showflat --owner Mei
  leadctl list --suspicious --limit 500
  leadctl list --limit 5000 --json | jq -r .email")]
pub(crate) struct List {
    #[command(flatten)]
    filter: Filter,
    /// At most this many.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl List {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let filter = Some(context.filter(self.filter));
        let mut crm = context.crm().await?;
        let (mut page_token, mut wanted, mut is_first) = (String::new(), self.limit, true);
        loop {
            let page_size = wanted.min(LARGEST_PAGE);
            let request = ListLeadsRequest { page_size, page_token, filter: filter.clone() };
            let page = crm.call(async |crm| crm.list_leads(request).await).await?;
            let leads = all(page.leads, Lead::read)?;
            wanted = wanted.saturating_sub(u32::try_from(leads.len()).unwrap_or(u32::MAX));
            page_token = page.next_page_token;
            let is_last = wanted == 0 || page_token.is_empty();
            if !leads.is_empty() || is_first && is_last {
                context.terminal.show(&Leads { leads: &leads, is_first })?;
                is_first = false;
            }
            if is_last {
                return Ok(());
            }
        }
    }
}
