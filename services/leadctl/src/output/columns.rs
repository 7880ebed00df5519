//! Texts side by side, each wrapped within the width of its column. Chinese characters are two wide.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width, presets};

/// Narrower than this nothing can be read.
const NARROWEST: u16 = 80;

/// Wider than this the eye loses the row.
const WIDEST: u16 = 140;

/// What stands between columns.
pub(super) const GAP: u16 = 2;

/// How wide to write on a terminal of this width.
pub(super) fn usable(width: u16) -> u16 {
    width.clamp(NARROWEST, WIDEST)
}

/// Rows, one below the other. The widths are fixed, so that rows that come later stand below those before.
pub(super) fn columns<const N: usize>(
    rows: impl IntoIterator<Item = [String; N]>,
    widths: [u16; N],
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.add_rows(rows.into_iter().map(Row::from));
    for (index, (column, width)) in table.column_iter_mut().zip(widths).enumerate() {
        let gap = if index + 1 == N { 0 } else { GAP };
        column.set_padding((0, gap)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + gap)));
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Moves every line that is not empty to the right.
pub(super) fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("  {line}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
