use anyhow::Result;
use clap::Args;
use contracts::crm::v1::{Lead, ListLeadsRequest};
use lead::text::single_line;

use crate::{
    arguments::Filter,
    cli::Context,
    leads::{interest_names, language_name, or_dash, state_name, submission},
    output::{Output, json},
};

/// The largest page that the CRM returns.
const LARGEST_PAGE: u32 = 500;

/// Minimum width of a table with all columns, in cells.
const WIDE: u16 = 110;

/// List leads, newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl list --state new --since 1d
  leadctl list chen
  leadctl list 4567
  leadctl list --interest showflat --owner Mei
  leadctl list --spam --limit 500
  leadctl list --limit 5000 --json | jq -r .email")]
pub(crate) struct List {
    #[command(flatten)]
    filter: Filter,
    /// Maximum number of leads
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl List {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let output = &context.output;
        let filter = Some(context.filter(self.filter));
        let mut crm = context.crm().await?;
        let (mut leads, mut page_token, mut wanted) = (Vec::new(), String::new(), self.limit);
        loop {
            let page_size = wanted.min(LARGEST_PAGE);
            let request = ListLeadsRequest { page_size, page_token, filter: filter.clone() };
            let page = crm.call(async |crm| crm.list_leads(request).await).await?;
            wanted = wanted.saturating_sub(u32::try_from(page.leads.len()).unwrap_or(u32::MAX));
            page_token = page.next_page_token;
            if output.is_json {
                page.leads.iter().try_for_each(|lead| output.print(&json(lead)?))?;
            } else {
                leads.extend(page.leads);
            }
            if wanted == 0 || page_token.is_empty() {
                break;
            }
        }
        match &leads[..] {
            _ if output.is_json => Ok(()),
            [] => output.print("No leads."),
            leads => output.print(&table(leads, output)),
        }
    }
}

fn table(leads: &[Lead], output: &Output) -> String {
    let is_wide = output.width >= WIDE;
    let submitted = output.heading("SUBMITTED", leads.first().and_then(|lead| submission(lead).submitted_at));
    let mut header = vec!["REFERENCE", &submitted, "NAME", "MOBILE", "INTERESTS", "STATE"];
    if is_wide {
        header.extend(["OWNER", "LANG", "SENT"]);
    }
    let rows = leads.iter().map(|lead| row(lead, is_wide, output));
    output.table(header, &["NAME", "INTERESTS", "OWNER"], rows)
}

fn row(lead: &Lead, is_wide: bool, output: &Output) -> Vec<String> {
    let (submission, progress) = (submission(lead), lead.progress.clone().unwrap_or_default());
    let mobile = match progress.do_not_contact_at {
        // `show` has the number.
        Some(_) => "do not contact".to_owned(),
        None => single_line(&submission.mobile),
    };
    let mut row = vec![
        single_line(&submission.reference),
        output.minute(submission.submitted_at),
        single_line(&submission.name),
        mobile,
        interest_names(&submission.interests).join(" "),
        state_name(progress.state),
    ];
    if is_wide {
        let sent = match lead.deliveries.len() {
            0 => "-".to_owned(),
            number => number.to_string(),
        };
        let owner = or_dash(single_line(&progress.owner));
        row.extend([owner, language_name(submission.language).to_owned(), sent]);
    }
    row
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use lead::Interest;

    use super::*;
    use crate::leads::full_lead;

    fn lead(name: &str, mobile: &str, interests: &[Interest]) -> Lead {
        let mut lead = full_lead();
        lead.progress.as_mut().unwrap().do_not_contact_at = None;
        let submission = lead.submission.as_mut().unwrap();
        (submission.name, submission.mobile) = (name.into(), mobile.into());
        submission.interests = interests.iter().map(|interest| Interest::number(*interest)).collect();
        lead
    }

    fn render(leads: &[Lead], width: u16, zone: Tz) -> String {
        table(leads, &Output { is_json: false, width, zone })
    }

    /// The width in cells; Chinese characters take two.
    fn cells(text: &str) -> usize {
        text.chars().map(|c| if c > '\u{2e80}' { 2 } else { 1 }).sum()
    }

    #[test]
    fn tables_fit_the_terminal_and_columns_line_up() {
        let all = Interest::ALL;
        let leads = [
            lead("陈伟", "+65 9123 4567", &all[..1]),
            lead("Tan Mei Ling Bernadette Alexandra", "+65 9123 4567 ext 1", all),
            lead(&"欧阳".repeat(20), "12345678", &all[1..]),
        ];
        for width in [80, 100, 120, 140] {
            let table = render(&leads, width, Tz::Asia__Singapore);
            let interests = table.lines().next().unwrap().find("INTERESTS").unwrap();
            for line in table.lines() {
                assert!(cells(line) <= usize::from(width), "{width}: {line}");
            }
            for row in table.lines().filter(|line| line.starts_with("ZG-")) {
                let at = row.find(['b', 'p']).unwrap();
                assert_eq!(cells(&row[..at]), interests, "{width}: {row}");
            }
        }
    }

    #[test]
    fn wide_tables_show_more_columns() {
        let mut silent = lead("Lim Hui", "+65 9123 4567", &[Interest::Brochure]);
        silent.progress.as_mut().unwrap().do_not_contact_at = silent.recorded_at;
        let leads = [
            lead("陈伟", "+65 9123 4567", &[Interest::Purchase]),
            lead("B", "12345678", &[Interest::Showflat]),
            silent,
        ];
        insta::assert_snapshot!("list_80", render(&leads, 80, Tz::Asia__Singapore));
        insta::assert_snapshot!("list_120", render(&leads, 120, Tz::Europe__Berlin));
    }
}
