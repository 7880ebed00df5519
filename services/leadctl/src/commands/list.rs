use anyhow::Result;
use clap::Args;
use contracts::crm::v1::{Lead, ListLeadsRequest};

use crate::{arguments::Filter, context::Context, crm::may_contact, output::Column};

/// The largest page that the CRM returns.
const LARGEST_PAGE: u32 = 500;

/// Minimum width of a table with language and plan, in cells.
const WIDE: u16 = 110;

/// Minimum width of a table with all columns, in cells.
const WIDEST: u16 = 134;

const COLUMNS: [Column; 11] = [
    ("reference", 0),
    ("submitted_at", 0),
    ("name", 6),
    ("mobile", 14),
    ("interests", 9),
    ("progress.state", 0),
    ("progress.owner", 6),
    ("language", 0),
    ("plan", 0),
    ("session.campaign.source", 6),
    ("session.campaign.name", 6),
];

/// List leads, newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl list --state new --since 1d
  leadctl list 4567
  leadctl list --interest showflat --owner Mei
  leadctl list --campaign launch --plan C2N
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
        let filter = self.filter.into_contract(context.output.now, output.zone);
        let mut crm = context.crm();
        let (mut leads, mut page_token, mut wanted) = (Vec::new(), String::new(), self.limit);
        loop {
            let page_size = wanted.min(LARGEST_PAGE);
            let request = ListLeadsRequest {
                page_size,
                page_token,
                filter: Some(filter.clone()),
                ..ListLeadsRequest::default()
            };
            let page = crm.leads.list_leads(request).await?.into_inner();
            wanted = wanted.saturating_sub(u32::try_from(page.leads.len()).unwrap_or(u32::MAX));
            page_token = page.next_page_token;
            leads.extend(page.leads);
            if wanted == 0 || page_token.is_empty() {
                break;
            }
        }
        if !output.is_json {
            leads.iter_mut().for_each(hide_mobile);
        }
        output.print_rows(&leads, shown_columns(output.width), "No leads.")
    }
}

fn shown_columns(width: u16) -> &'static [Column] {
    match width {
        ..WIDE => &COLUMNS[..6],
        WIDE..WIDEST => &COLUMNS[..9],
        WIDEST.. => &COLUMNS,
    }
}

/// Prints "do not contact" instead of the number if the visitor must not be contacted. `leadctl show` prints the number.
fn hide_mobile(lead: &mut Lead) {
    if !may_contact(lead)
        && let Some(submission) = &mut lead.submission
    {
        submission.mobile = "do not contact".to_owned();
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use lead::Interest;

    use super::*;
    use crate::{
        output::Output,
        tests::{NARROW, full_lead},
    };

    fn lead(name: &str, mobile: &str, interests: &[Interest]) -> Lead {
        let mut lead = full_lead();
        lead.progress.as_mut().unwrap().do_not_contact_at = None;
        let submission = lead.submission.as_mut().unwrap();
        (submission.name, submission.mobile) = (name.into(), mobile.into());
        submission.interests = interests
            .iter()
            .map(|interest| Interest::number(*interest))
            .collect();
        lead
    }

    fn render(leads: &[Lead], width: u16, zone: Tz) -> String {
        let mut leads = leads.to_vec();
        leads.iter_mut().for_each(hide_mobile);
        Output {
            width,
            zone,
            ..NARROW
        }
        .format_rows(&leads, shown_columns(width))
        .unwrap()
    }

    /// Returns the width in cells; Chinese characters occupy two.
    fn cells(text: &str) -> usize {
        text.chars()
            .map(|c| if c > '\u{2e80}' { 2 } else { 1 })
            .sum()
    }

    #[test]
    fn tables_fit_the_terminal_and_columns_line_up() {
        let all = Interest::ALL;
        let leads = [
            lead("陈伟", "+65 9123 4567", &all[..1]),
            lead(
                "Tan Mei Ling Bernadette Alexandra",
                "+65 9123 4567 ext 1",
                all,
            ),
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
