//! Draws bar charts.

use unicode_width::UnicodeWidthStr;

use super::columns::indented;

/// Longest bar, in cells: what 80 columns leave beside labels and numbers.
const CELLS: u64 = 48;

/// One to seven eighths of a cell.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// One bar per row, from zero and on one scale, which the title gives in `unit` (singular and plural).
pub(crate) fn chart(title: &str, unit: (&str, &str), rows: &[(String, u64)], in_unicode: bool) -> String {
    let most = rows.iter().map(|(_, number)| *number).max().unwrap_or(0);
    let per_cell = scale(most);
    let label = rows.iter().map(|(label, _)| label.width()).max().unwrap_or(0);
    let digits = most.to_string().len();
    let row = |(name, number): &(String, u64)| {
        let bar = bar(*number, per_cell, in_unicode);
        let gap = " ".repeat(label - name.width());
        format!("{name}{gap}  {number:digits$}  {bar}").trim_end().to_owned()
    };
    let lines = rows.iter().map(row).collect::<Vec<_>>().join("\n");
    let cell = if in_unicode { '█' } else { '#' };
    let unit = if per_cell == 1 { unit.0 } else { unit.1 };
    format!("{title} ({cell} is {per_cell} {unit})\n{}", indented(&lines))
}

/// Units per cell: the least of 1, 2, 5, 10, 20, 50, ... with which the longest bar fits.
fn scale(most: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            let per_cell = power.saturating_mul(factor);
            if per_cell.saturating_mul(CELLS) >= most {
                return per_cell;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// A number too small for a mark still gets the smallest one.
fn bar(number: u64, per_cell: u64, in_unicode: bool) -> String {
    let (full, rest) = (number / per_cell, number % per_cell);
    let (cell, least) = if in_unicode { ('█', EIGHTHS[0]) } else { ('#', '.') };
    let eighths = rest.saturating_mul(8) / per_cell;
    let index = eighths.checked_sub(1).and_then(|index| usize::try_from(index).ok());
    let end = index.filter(|_| in_unicode).and_then(|index| EIGHTHS.get(index).copied());
    let end = end.or((full == 0 && rest > 0).then_some(least));
    (0..full).map(|_| cell).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_lets_the_longest_fit() {
        for (most, per_cell) in
            [(0, 1), (1, 1), (48, 1), (49, 2), (96, 2), (97, 5), (241, 10), (1_000_000, 50_000)]
        {
            assert_eq!(scale(most), per_cell, "{most}");
        }
        assert!(bar(u64::MAX, scale(u64::MAX), true).chars().count() <= 48);
    }

    #[test]
    fn bars_are_as_long_as_what_they_stand_for() {
        for (number, unicode, ascii) in
            [(0, "", ""), (1, "▏", "."), (5, "▌", "."), (10, "█", "#"), (19, "█▉", "#"), (25, "██▌", "##")]
        {
            assert_eq!(bar(number, 10, true), unicode, "{number}");
            assert_eq!(bar(number, 10, false), ascii, "{number}");
        }
        assert_eq!(bar(1, 100, true), "▏");
    }
}
