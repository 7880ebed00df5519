//! The table of results, and the document that contains it.

use std::fs;
use std::path::Path;

use xtask::error::Result;
use xtask::files;

use crate::row::{Goal, Row};

const COLUMNS: usize = 8;
const HEAD: [&str; COLUMNS] =
    ["figure", "ours", "ceiling", "ratio", "against itself", "stolen", "to reach", ""];
/// The part of the document from this heading on is written by hand and kept.
const BY_HAND: &str = "## Misses\n";
const HOW_TO_READ: &str = include_str!("how-to-read.md");

/// The rows as a Markdown table with aligned columns.
pub(crate) fn table(rows: &[Row]) -> String {
    let head = HEAD.map(str::to_owned);
    let cells: Vec<[String; COLUMNS]> = rows.iter().map(cells).collect();
    let width = |column: usize| {
        let lengths = cells.iter().chain([&head]).map(|row| row[column].chars().count());
        // Markdown requires at least three dashes.
        lengths.max().unwrap_or_default().max(3)
    };
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |row: &[String; COLUMNS]| {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = widths.map(|width| "-".repeat(width));
    [line(&head), line(&rule)].into_iter().chain(cells.iter().map(line)).collect()
}

/// One line per row, for a run that only checks that figures come out.
pub(crate) fn lines(rows: &[Row]) -> String {
    rows.iter().map(|row| format!("ok    {}: {}\n", row.what, row.unit.show(row.ours))).collect()
}

/// Writes the document and keeps its manual part. `when` describes date and rounds.
pub(crate) fn write(path: &Path, rows: &[Row], machine: &[(&'static str, String)], when: &str) -> Result<()> {
    let before = fs::read_to_string(path).unwrap_or_default();
    files::replace(path, document(&before, rows, machine, when).as_bytes(), files::PUBLIC)
}

fn document(before: &str, rows: &[Row], machine: &[(&'static str, String)], when: &str) -> String {
    let machine: String = machine.iter().map(|(name, value)| format!("| {name} | {value} |\n")).collect();
    let by_hand =
        before.split_once(BY_HAND).map(|(_, text)| format!("\n{BY_HAND}{text}")).unwrap_or_default();
    format!(
        "# Benchmarks\n\n{HOW_TO_READ}\n## The machine\n\nMeasured {when}.\n\n| | |\n|---|---|\n{machine}\n\
         ## The figures\n\n{}{by_hand}",
        table(rows)
    )
}

fn cells(row: &Row) -> [String; COLUMNS] {
    let none = || "–".to_owned();
    let against = row.against.as_ref();
    let verdict = match row.is_reached() {
        Some(true) => "ok",
        Some(false) => "MISS",
        None => "",
    };
    let itself = against.and_then(|compared| compared.itself);
    [
        row.what.clone(),
        row.unit.show(row.ours),
        against.map_or_else(none, |compared| row.unit.show(compared.ceiling)),
        against.map_or_else(none, |compared| format!("{:.2}", compared.ratio)),
        itself.map_or_else(none, |(least, most)| format!("{least:.2} to {most:.2}")),
        row.stolen.map_or_else(none, |share| format!("{:.0} %", share * 100.0)),
        match row.goal {
            Goal::Share(share) => format!("≥ {share}"),
            Goal::Times(times) => format!("≤ {times}"),
            Goal::AtMost(most) => format!("≤ {}", row.unit.show(most)),
            Goal::None => none(),
        },
        verdict.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Compared;
    use crate::row::Unit;

    fn rows() -> Vec<Row> {
        let compared = Compared { ours: 800.0, ceiling: 1000.0, ratio: 0.8, itself: Some((0.98, 1.031)) };
        vec![
            Row::beside("mails", Unit::PerSecond, compared, Goal::Share(0.9)).while_stolen(0.021),
            Row::alone("size", Unit::Megabytes, 11.0, Goal::AtMost(12.0)),
        ]
    }

    #[test]
    fn misses_are_printed_as_misses() {
        let expected = "\
| figure | ours    | ceiling | ratio | against itself | stolen | to reach  |      |
| ------ | ------- | ------- | ----- | -------------- | ------ | --------- | ---- |
| mails  | 800 /s  | 1000 /s | 0.80  | 0.98 to 1.03   | 2 %    | ≥ 0.9     | MISS |
| size   | 11.0 MB | –       | –     | –              | –      | ≤ 12.0 MB | ok   |
";
        assert_eq!(table(&rows()), expected);
    }

    #[test]
    fn what_was_written_by_hand_stays() {
        let when = "on 2026-11-22, 3 rounds";
        let first = document("", &rows(), &[("cores", "2".to_owned())], when);
        assert!(first.contains("| cores | 2 |") && first.ends_with("| ok   |\n"), "{first}");
        let explained = format!("{first}\n{BY_HAND}\nMails wait for the ledger.\n");
        assert_eq!(document(&explained, &rows(), &[("cores", "2".to_owned())], when), explained);
    }
}
