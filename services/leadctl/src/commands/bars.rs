//! Draws numbers as bars of block characters.

use comfy_table::{Cell, CellAlignment, Table};

use crate::output::Output;

/// Length of the longest bar, in cells.
const LONGEST: u64 = 24;

/// Maximum length of a label, in characters.
const LONGEST_LABEL: usize = 28;

/// Eighths of a cell, from one to seven.
const PARTS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A number with its label, and a note after the bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// Text without characters that control the terminal.
    pub(crate) label: String,
    pub(crate) number: u64,
    pub(crate) note: String,
}

impl Bar {
    pub(crate) fn new(label: String, number: u64) -> Self {
        Self {
            label,
            number,
            note: String::new(),
        }
    }
}

/// Draws the bars below a title. Leaves out zeros; `None` if nothing is left.
pub(crate) fn format_bars(
    title: &str,
    bars: impl IntoIterator<Item = Bar>,
    output: &Output,
) -> Option<String> {
    let bars: Vec<Bar> = bars.into_iter().filter(|bar| bar.number > 0).collect();
    let largest = bars.iter().map(|bar| bar.number).max()?;
    let mut table = Table::new();
    for bar in bars {
        let number = Cell::new(bar.number).set_alignment(CellAlignment::Right);
        table.add_row([
            Cell::new(shorten(bar.label)),
            number,
            Cell::new(draw(bar.number, largest)),
            Cell::new(bar.note),
        ]);
    }
    Some(format!(
        "{}\n{}",
        title.to_uppercase(),
        output.layout(table, [0, 0, 0, 10])
    ))
}

/// A bar whose length is proportional to `number`; at least an eighth of a cell.
fn draw(number: u64, largest: u64) -> String {
    let eighths = (number * LONGEST * 8).div_ceil(largest.max(1));
    let whole = usize::try_from(eighths / 8).unwrap_or(usize::MAX);
    let part = usize::try_from(eighths % 8).unwrap_or(0);
    let last = part.checked_sub(1).map(|place| PARTS[place]);
    "█".repeat(whole).chars().chain(last).collect()
}

fn shorten(label: String) -> String {
    if label.chars().count() <= LONGEST_LABEL {
        return label;
    }
    label.chars().take(LONGEST_LABEL - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::NARROW;

    #[test]
    fn bars_are_proportional_to_the_largest() {
        assert_eq!(draw(48, 48).chars().count(), 24);
        assert_eq!(draw(24, 48), "█".repeat(12));
        assert_eq!(draw(1, 48), "▌");
        assert_eq!(draw(1, 1_000_000), "▏");
    }

    #[test]
    fn zeros_are_left_out() {
        let bars = [("a", 2), ("b", 0), (&*"长".repeat(40), 1)]
            .map(|(label, number)| Bar::new(label.to_owned(), number));
        let text = format_bars("plan", bars, &NARROW).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains('…') && !text.contains('b'), "{text}");
        assert_eq!(
            format_bars("plan", [Bar::new("a".to_owned(), 0)], &NARROW),
            None
        );
    }
}
