//! Leads for people, a row each. Columns have widths of their own, so that rows that come later stand below.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width, presets};

use super::text::one_line;
use crate::lead::Lead;

const HEADER: [&str; 7] = ["REFERENCE", "SUBMITTED (UTC)", "NAME", "MOBILE", "INTERESTS", "LANG", "TOLD"];

/// Narrower than this nothing can be read.
const NARROWEST: u16 = 80;

/// Wider than this the eye loses the row.
const WIDEST: u16 = 140;

/// What stands between columns.
const GAP: u16 = 2;

/// Some rows, with or without the header above them.
pub(super) fn render(leads: &[Lead], width: u16, with_header: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if with_header {
        table.set_header(HEADER);
    }
    table.add_rows(leads.iter().map(row));
    let gaps = [GAP, GAP, GAP, GAP, GAP, GAP, 0];
    for ((column, width), gap) in table.column_iter_mut().zip(widths(width)).zip(gaps) {
        column.set_padding((0, gap)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + gap)));
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn row(lead: &Lead) -> Row {
    let told = match lead.notifications.len() {
        0 => "-".to_owned(),
        number => number.to_string(),
    };
    Row::from([
        one_line(&lead.reference),
        lead.submitted_at.format("%Y-%m-%d %H:%M").to_string(),
        one_line(&lead.name),
        one_line(&lead.mobile),
        lead.interests.join(" "),
        lead.language.to_owned(),
        told,
    ])
}

/// Names get what is left; mobile numbers and interests would like 19 and 26.
fn widths(total: u16) -> [u16; 7] {
    let (reference, submitted, language, told) = (10, 16, 4, 4);
    let gaps = 6 * GAP;
    let left = total.clamp(NARROWEST, WIDEST) - reference - submitted - language - told - gaps;
    let mobile = (left / 3).clamp(14, 19);
    let interests = ((left - mobile) / 2).clamp(9, 26);
    [reference, submitted, left - mobile - interests, mobile, interests, language, told]
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn lead(name: &str, mobile: &str, interests: &[&'static str]) -> Lead {
        Lead {
            id: String::new(),
            reference: "ZG-7F3K-2Q".to_owned(),
            submitted_at: DateTime::from_timestamp(1_763_654_400, 0).unwrap(),
            recorded_at: DateTime::UNIX_EPOCH,
            name: name.to_owned(),
            mobile: mobile.to_owned(),
            email: String::new(),
            questions: String::new(),
            interests: interests.to_vec(),
            language: "zh",
            privacy_policy_version: String::new(),
            session: None,
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
