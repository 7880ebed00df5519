use clap::Args;
use contracts::crm::v1::ListLeadsRequest;

use crate::{
    arguments::Filter,
    context::Context,
    error::Error,
    leads::{Lead, all, state_name},
    terminal::{GAP, View, columns, single_line},
};

/// The largest page that the CRM returns.
const LARGEST_PAGE: u32 = 500;

/// Minimum width of a table with state and owner.
const WIDE: u16 = 110;

/// The length of the longest state.
const STATE: u16 = 12;

const OWNER: u16 = 10;

/// Takes the place of the number, which `show` has.
const DO_NOT_CONTACT: &str = "do not contact";

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
                context.terminal.rows(&leads, "No leads.", |leads, view| rows(leads, is_first, view))?;
                is_first = false;
            }
            if is_last {
                return Ok(());
            }
        }
    }
}

/// Only the first part of a list has a header.
fn rows(leads: &[Lead], is_first: bool, view: &View) -> String {
    let submitted = view.heading("SUBMITTED", leads.first().map(|lead| lead.submission.submitted_at));
    let header = ["REFERENCE", &submitted, "NAME", "MOBILE", "INTERESTS", "LANG", "SENT", "STATE", "OWNER"];
    let header = is_first.then(|| header.map(str::to_owned));
    let rows = header.into_iter().chain(leads.iter().map(|lead| row(lead, view)));
    if view.width < WIDE {
        let narrow = |[reference, submitted, name, mobile, interests, language, mail, _, _]: [String; 9]| {
            [reference, submitted, name, mobile, interests, language, mail]
        };
        return columns(rows.map(narrow), widths(view.width));
    }
    let [reference, submitted, name, mobile, interests, language, mail] =
        widths(view.width - STATE - OWNER - 2 * GAP);
    columns(rows, [reference, submitted, name, mobile, interests, language, mail, STATE, OWNER])
}

fn row(lead: &Lead, view: &View) -> [String; 9] {
    let submission = &lead.submission;
    let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    let mobile = match lead.progress.do_not_contact_at {
        Some(_) => DO_NOT_CONTACT.to_owned(),
        None => single_line(&submission.mobile),
    };
    let mails = Some(lead.deliveries.len()).filter(|number| *number > 0);
    [
        submission.reference.to_string(),
        view.minute(submission.submitted_at),
        single_line(&submission.name),
        mobile,
        submission.interests.iter().map(|it| it.id()).collect::<Vec<_>>().join(" "),
        submission.language.id().to_owned(),
        or_dash(mails.map(|number| number.to_string()).unwrap_or_default()),
        state_name(lead.progress.state),
        or_dash(single_line(&lead.progress.owner)),
    ]
}

/// Mobile numbers take up to 19 cells, interests up to 26, names the rest.
fn widths(width: u16) -> [u16; 7] {
    let (reference, submitted, language, mail) = (10, 16, 4, 4);
    let left = width - reference - submitted - language - mail - 6 * GAP;
    let mobile = (left / 3).clamp(14, 19);
    // The share that fits "purchase showflat" in one line of a table of 120 columns.
    let interests = ((left - mobile) * 17 / 32).clamp(9, 26);
    [reference, submitted, left - mobile - interests, mobile, interests, language, mail]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ::lead::Interest;
    use chrono_tz::Tz;

    use super::*;
    use crate::leads::full_lead;

    fn lead(name: &str, mobile: &str, interests: &[Interest]) -> Lead {
        let mut lead = full_lead().lead;
        lead.progress.do_not_contact_at = None;
        (lead.submission.name, lead.submission.mobile) = (name.into(), mobile.into());
        lead.submission.interests = interests.to_vec();
        lead
    }

    fn render(leads: &[Lead], width: u16, zone: Tz, is_first: bool) -> String {
        rows(leads, is_first, &View::new(width, zone, &BTreeMap::new()))
    }

    /// The width in cells; Chinese characters take two.
    fn columns(text: &str) -> usize {
        text.chars().map(|c| if c > '\u{2e80}' { 2 } else { 1 }).sum()
    }

    #[test]
    fn rows_fit_the_terminal_and_columns_stand_below_each_other() {
        let all = Interest::ALL;
        let leads = [
            lead("陈伟", "+65 9123 4567", &all[..1]),
            lead("Tan Mei Ling Bernadette Alexandra", "+65 9123 4567 ext 1", all),
            lead(&"欧阳".repeat(20), "12345678", &all[1..]),
        ];
        for width in [80, 100, 120, 200] {
            let table = render(&leads, width, Tz::Asia__Singapore, true);
            let interests = table.lines().next().unwrap().find("INTERESTS").unwrap();
            for line in table.lines() {
                assert!(columns(line) <= usize::from(width), "{width}: {line}");
            }
            for row in table.lines().filter(|line| line.starts_with("ZG-")) {
                let at = row.find(['b', 'p']).unwrap();
                assert_eq!(columns(&row[..at]), interests, "{width}: {row}");
            }
        }
    }

    #[test]
    fn rows_that_come_later_stand_below_those_before() {
        let (one, two) = (
            lead("陈伟", "+65 9123 4567", &[Interest::Purchase]),
            lead("B", "12345678", &[Interest::Showflat]),
        );
        let apart = format!(
            "{}\n{}",
            render(&[one], 120, Tz::Asia__Singapore, true),
            render(&[two], 120, Tz::Asia__Singapore, false)
        );
        let (one, two) = (
            lead("陈伟", "+65 9123 4567", &[Interest::Purchase]),
            lead("B", "12345678", &[Interest::Showflat]),
        );
        assert_eq!(apart, render(&[one, two], 120, Tz::Asia__Singapore, true));
    }

    #[test]
    fn state_and_owner_are_there_when_there_is_room() {
        let mut silent = lead("Lim Hui", "+65 9123 4567", &[Interest::Brochure]);
        silent.progress.do_not_contact_at = Some(silent.recorded_at);
        let leads = [
            lead("陈伟", "+65 9123 4567", &[Interest::Purchase]),
            lead("B", "12345678", &[Interest::Showflat]),
            silent,
        ];
        insta::assert_snapshot!("list_80", render(&leads, 80, Tz::Asia__Singapore, true));
        insta::assert_snapshot!("list_120", render(&leads, 120, Tz::Europe__Berlin, true));
    }
}
