//! Leads for people, a row each. Columns have widths of their own, so that rows that come later stand below.

use super::{
    columns::{GAP, columns, usable},
    text::one_line,
};
use crate::lead::Lead;

const HEADER: [&str; 7] = ["REFERENCE", "SUBMITTED (UTC)", "NAME", "MOBILE", "INTERESTS", "LANG", "TOLD"];

/// Some rows, with or without the header above them.
pub(super) fn render(leads: &[Lead], width: u16, with_header: bool) -> String {
    let header = with_header.then(|| HEADER.map(str::to_owned));
    columns(header.into_iter().chain(leads.iter().map(row)), widths(width))
}

fn row(lead: &Lead) -> [String; 7] {
    let submission = &lead.submission;
    let told = match lead.notifications.len() {
        0 => "-".to_owned(),
        number => number.to_string(),
    };
    [
        one_line(&submission.reference),
        submission.submitted_at.format("%Y-%m-%d %H:%M").to_string(),
        one_line(&submission.form.name),
        one_line(&submission.form.mobile),
        submission.form.interests.join(" "),
        submission.form.language.to_owned(),
        told,
    ]
}

/// Names get what is left; mobile numbers and interests would like 19 and 26.
fn widths(total: u16) -> [u16; 7] {
    let (reference, submitted, language, told) = (10, 16, 4, 4);
    let gaps = 6 * GAP;
    let left = usable(total) - reference - submitted - language - told - gaps;
    let mobile = (left / 3).clamp(14, 19);
    let interests = ((left - mobile) / 2).clamp(9, 26);
    [reference, submitted, left - mobile - interests, mobile, interests, language, told]
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::lead::{Form, Submission};

    fn lead(name: &str, mobile: &str, interests: &[&'static str]) -> Lead {
        Lead {
            submission: Submission {
                id: String::new(),
                reference: "ZG-7F3K-2Q".to_owned(),
                submitted_at: DateTime::from_timestamp(1_763_654_400, 0).unwrap(),
                form: Form {
                    name: name.to_owned(),
                    mobile: mobile.to_owned(),
                    email: String::new(),
                    questions: String::new(),
                    interests: interests.to_vec(),
                    language: "zh",
                },
                privacy_policy_version: String::new(),
                session: None,
            },
            recorded_at: DateTime::UNIX_EPOCH,
            notifications: Vec::new(),
        }
    }

    /// Columns a text takes, where Chinese takes two a character.
    fn columns(text: &str) -> usize {
        text.chars().map(|letter| if letter > '\u{2e80}' { 2 } else { 1 }).sum()
    }

    #[test]
    fn rows_fit_the_terminal_and_columns_stand_below_each_other() {
        let all = ["brochure", "purchase", "showflat"];
        let leads = [
            lead("陈伟", "+65 9123 4567", &all[..1]),
            lead("Tan Mei Ling Bernadette Alexandra", "+65 9123 4567 ext 1", &all),
            lead(&"欧阳".repeat(20), "12345678", &all[1..]),
        ];
        for width in [80, 100, 120, 200] {
            let table = render(&leads, width, true);
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
        let (one, two) = (lead("陈伟", "+65 9123 4567", &["purchase"]), lead("B", "12345678", &["showflat"]));
        let apart = format!("{}\n{}", render(&[one], 100, true), render(&[two], 100, false));
        let (one, two) = (lead("陈伟", "+65 9123 4567", &["purchase"]), lead("B", "12345678", &["showflat"]));
        assert_eq!(apart, render(&[one, two], 100, true));
    }
}
