//! Leads, a row each. Columns have fixed widths, so that rows that come later line up with those before.

use super::lead::Lead;
use crate::terminal::{GAP, Render, View, columns, json, one_line};

/// From this width on there is room for state and owner.
const WIDE: u16 = 110;

/// As wide as the longest state.
const STATE: u16 = 10;

const OWNER: u16 = 10;

/// Some leads of a list.
pub(crate) struct Leads<'a> {
    pub(crate) leads: &'a [Lead],
    /// Only the first part of a list has a header.
    pub(crate) is_first: bool,
}

impl Render for Leads<'_> {
    fn text(&self, view: &View) -> String {
        if self.leads.is_empty() {
            return "No leads.".to_owned();
        }
        let submitted = self.leads.first().map(|lead| lead.submission.submitted_at);
        let submitted = view.heading("SUBMITTED", submitted);
        let header =
            ["REFERENCE", &submitted, "NAME", "MOBILE", "INTERESTS", "LANG", "MAIL", "STATE", "OWNER"];
        let header = self.is_first.then(|| header.map(str::to_owned));
        let rows = header.into_iter().chain(self.leads.iter().map(|lead| row(lead, view)));
        if view.width < WIDE {
            let narrow = |[reference, submitted, name, mobile, interests, language, mail, _, _]: [String;
                              9]| {
                [reference, submitted, name, mobile, interests, language, mail]
            };
            return columns(rows.map(narrow), widths(view.width));
        }
        let [reference, submitted, name, mobile, interests, language, mail] =
            widths(view.width - STATE - OWNER - 2 * GAP);
        columns(rows, [reference, submitted, name, mobile, interests, language, mail, STATE, OWNER])
    }

    fn json(&self) -> String {
        json::lines(self.leads)
    }
}

fn row(lead: &Lead, view: &View) -> [String; 9] {
    let submission = &lead.submission;
    let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    let mails = Some(lead.deliveries.len()).filter(|number| *number > 0);
    [
        submission.reference.to_string(),
        view.minute(submission.submitted_at),
        one_line(&submission.name),
        one_line(&submission.mobile),
        submission.interests.iter().map(|it| it.id()).collect::<Vec<_>>().join(" "),
        submission.language.tag().to_owned(),
        or_dash(mails.map(|number| number.to_string()).unwrap_or_default()),
        lead.progress.state.into_str().to_owned(),
        or_dash(one_line(&lead.progress.owner)),
    ]
}

/// Names get what is left; mobile numbers and interests take up to 19 and 26.
fn widths(width: u16) -> [u16; 7] {
    let (reference, submitted, language, mail) = (10, 16, 4, 4);
    let left = width - reference - submitted - language - mail - 6 * GAP;
    let mobile = (left / 3).clamp(14, 19);
    let interests = ((left - mobile) / 2).clamp(9, 26);
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
        (lead.submission.name, lead.submission.mobile) = (name.into(), mobile.into());
        lead.submission.interests = interests.to_vec();
        lead
    }

    fn render(leads: &[Lead], width: u16, zone: Tz, is_first: bool) -> String {
        Leads { leads, is_first }.text(&View::new(width, zone, &BTreeMap::new()))
    }

    /// Columns a text takes, where Chinese takes two a character.
    fn columns(text: &str) -> usize {
        text.chars().map(|letter| if letter > '\u{2e80}' { 2 } else { 1 }).sum()
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
        let leads = [
            lead("陈伟", "+65 9123 4567", &[Interest::Purchase]),
            lead("B", "12345678", &[Interest::Showflat]),
        ];
        insta::assert_snapshot!("list_80", render(&leads, 80, Tz::Asia__Singapore, true));
        insta::assert_snapshot!("list_120", render(&leads, 120, Tz::Europe__Berlin, true));
    }
}
