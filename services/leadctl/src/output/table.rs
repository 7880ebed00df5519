//! Leads for people, a row each. Columns have widths of their own, so that rows that come later stand below.

use chrono_tz::Tz;

use super::{
    columns::{GAP, columns, usable},
    text::{heading, minute, one_line},
};
use crate::lead::Lead;

/// From here on there is room for state and owner.
const WIDE: u16 = 110;

/// As wide as the longest state.
const STATE: u16 = 10;

const OWNER: u16 = 10;

/// Some rows, with or without the header above them.
pub(super) fn render(leads: &[Lead], width: u16, zone: Tz, with_header: bool) -> String {
    let submitted = heading("SUBMITTED", leads.first().map(|lead| lead.submission.submitted_at), zone);
    let header = ["REFERENCE", &submitted, "NAME", "MOBILE", "INTERESTS", "LANG", "MAIL"].map(str::to_owned);
    let header = with_header.then_some(header);
    if width < WIDE {
        let rows = leads.iter().map(|lead| row(lead, zone));
        return columns(header.into_iter().chain(rows), widths(usable(width)));
    }
    let header = header.map(|header| with_work(header, ["STATE", "OWNER"].map(str::to_owned)));
    let rows = leads.iter().map(|lead| with_work(row(lead, zone), work(lead)));
    let [reference, submitted, name, mobile, interests, language, mail] =
        widths(usable(width) - STATE - OWNER - 2 * GAP);
    let widths = [reference, submitted, name, mobile, interests, language, mail, STATE, OWNER];
    columns(header.into_iter().chain(rows), widths)
}

fn row(lead: &Lead, zone: Tz) -> [String; 7] {
    let submission = &lead.submission;
    let mail = match lead.deliveries.len() {
        0 => "-".to_owned(),
        number => number.to_string(),
    };
    [
        submission.reference.to_string(),
        minute(submission.submitted_at, zone),
        one_line(&submission.name),
        one_line(&submission.mobile),
        submission.interests.iter().map(|it| it.id()).collect::<Vec<_>>().join(" "),
        submission.language.tag().to_owned(),
        mail,
    ]
}

fn work(lead: &Lead) -> [String; 2] {
    let owner = one_line(&lead.progress.owner);
    let owner = if owner.is_empty() { "-".to_owned() } else { owner };
    [lead.progress.state.as_str().to_owned(), owner]
}

fn with_work(row: [String; 7], work: [String; 2]) -> [String; 9] {
    let [reference, submitted, name, mobile, interests, language, mail] = row;
    let [state, owner] = work;
    [reference, submitted, name, mobile, interests, language, mail, state, owner]
}

/// Names get what is left; mobile numbers and interests would like 19 and 26.
fn widths(width: u16) -> [u16; 7] {
    let (reference, submitted, language, mail) = (10, 16, 4, 4);
    let gaps = 6 * GAP;
    let left = width - reference - submitted - language - mail - gaps;
    let mobile = (left / 3).clamp(14, 19);
    let interests = ((left - mobile) / 2).clamp(9, 26);
    [reference, submitted, left - mobile - interests, mobile, interests, language, mail]
}

#[cfg(test)]
mod tests {
    use ::lead::Interest;

    use super::*;
    use crate::output::samples;

    fn lead(name: &str, mobile: &str, interests: &[Interest]) -> Lead {
        let mut lead = samples::full_lead().lead;
        (lead.submission.name, lead.submission.mobile) = (name.into(), mobile.into());
        lead.submission.interests = interests.to_vec();
        lead
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
