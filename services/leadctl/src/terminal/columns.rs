//! Lays texts out side by side, each wrapped within its column. Chinese characters are two cells wide.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width, presets};

use super::view::View;

/// Cells between columns.
pub(crate) const GAP: u16 = 2;

/// Cells before every line but the title.
pub(crate) const INDENT: u16 = 2;

/// The length of the longest label.
pub(crate) const LABEL: u16 = 9;

pub(crate) type Field = (&'static str, String);

/// Rows, one below the other. The widths are fixed, so that later rows line up with earlier ones.
pub(crate) fn columns<const N: usize>(
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

pub(crate) fn table<const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    widths: [u16; N],
) -> String {
    columns(std::iter::once(header.map(str::to_owned)).chain(rows), widths)
}

/// Fields, one below the other; empty ones are omitted.
pub(crate) fn fields(fields: impl IntoIterator<Item = Field>, view: &View) -> String {
    let filled = fields.into_iter().filter(|(_, value)| !value.is_empty());
    let value = view.width - INDENT - LABEL - GAP;
    indented(&columns(filled.map(|(label, value)| [label.to_owned(), value]), [LABEL, value]))
}

/// By two cells; empty lines stay empty.
pub(crate) fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("  {line}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
