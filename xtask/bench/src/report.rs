//! The table of results, and the document that contains it.

use std::fs;
use std::path::Path;

use xtask::error::Result;
use xtask::files;

use crate::measure::{Compared, Other};
use crate::row::{Goal, Row};

const COLUMNS: usize = 10;
const HEAD: [&str; COLUMNS] = [
    "figure",
    "ours",
    "baseline",
    "Express app",
    "ours / baseline",
    "ours / Express app",
    "repeatability",
    "CPU steal",
    "target",
    "",
];
/// A run keeps the document from this heading on, which is written by hand.
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

/// One line per row, for a run that only checks that every figure can be measured.
pub(crate) fn lines(rows: &[Row]) -> String {
    rows.iter().map(|row| format!("ok    {}: {}\n", row.what, row.unit.show(row.figure.ours))).collect()
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
    let Compared { ours, ceiling, peer, itself, .. } = row.figure;
    let verdict = match row.is_reached() {
        Some(true) => "ok",
        Some(false) => "MISS",
        None => "",
    };
    let value = |other: Option<Other>| other.map_or_else(none, |other| row.unit.show(other.value));
    let ratio = |other: Option<Other>| other.map_or_else(none, |other| format!("{:.2}", other.ratio));
    [
        row.what.clone(),
        row.unit.show(ours),
        value(ceiling),
        value(peer),
        ratio(ceiling),
        ratio(peer),
        itself.map_or_else(none, |(least, most)| format!("{least:.2} to {most:.2}")),
        row.stolen().map_or_else(none, |share| format!("{:.0} %", share * 100.0)),
        match row.goal {
            Goal::Share(share) => format!("≥ {share}"),
            Goal::ShareAndPeer(share, times) => format!("≥ {share}, ≥ {times} × Express app"),
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
    use crate::row::Unit;

    fn rows() -> Vec<Row> {
        let other = |value, ratio| Some(Other { value, ratio });
        let figure = Compared {
            ours: 800.0,
            ceiling: other(1000.0, 0.8),
            peer: other(400.0, 2.0),
            itself: Some((0.98, 1.031)),
            stolen: 0.021,
        };
        vec![
            Row::beside("emails", Unit::PerSecond, figure, Goal::Share(0.9)),
            Row::alone("size", Unit::Megabytes, 11.0, Goal::AtMost(12.0)),
        ]
    }

    #[test]
    fn misses_are_printed_as_misses() {
        let expected = "\
| figure | ours    | baseline | Express app | ours / baseline | ours / Express app | repeatability | CPU steal | target    |      |
| ------ | ------- | -------- | ----------- | --------------- | ------------------ | ------------- | --------- | --------- | ---- |
| emails | 800 /s  | 1000 /s  | 400 /s      | 0.80            | 2.00               | 0.98 to 1.03  | 2 %       | ≥ 0.9     | MISS |
| size   | 11.0 MB | –        | –           | –               | –                  | –             | –         | ≤ 12.0 MB | ok   |
";
        assert_eq!(table(&rows()), expected);
    }

    #[test]
    fn what_was_written_by_hand_stays() {
        let when = "on 2026-11-22, 3 rounds";
        let first = document("", &rows(), &[("cores", "2".to_owned())], when);
        assert!(first.contains("| cores | 2 |") && first.ends_with("| ok   |\n"), "{first}");
        let explained = format!("{first}\n{BY_HAND}\nEmails wait for the ledger.\n");
        assert_eq!(document(&explained, &rows(), &[("cores", "2".to_owned())], when), explained);
    }
}
