//! Bars, side by side with what they stand for.

use super::columns::indented;

/// Room for bars, in cells: what eighty columns leave beside labels and numbers.
const CELLS: u64 = 48;

/// Parts of a cell, the smallest first.
const PARTS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

const PARTS_OF_A_CELL: u64 = 8;

/// A bar each, from nought and on one scale, which the title says.
pub(super) fn render(title: &str, rows: &[(String, u64)], in_unicode: bool) -> String {
    let most = rows.iter().map(|(_, number)| *number).max().unwrap_or(0);
    let per_cell = scale(most);
    let label = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let digits = most.to_string().len();
    let row = |(name, number): &(String, u64)| {
        let bar = bar(*number, per_cell, in_unicode);
        format!("{name:label$}  {number:digits$}  {bar}").trim_end().to_owned()
    };
    let lines = rows.iter().map(row).collect::<Vec<_>>().join("\n");
    let cell = if in_unicode { '█' } else { '#' };
    let leads = if per_cell == 1 { "lead" } else { "leads" };
    format!("{title} ({cell} is {per_cell} {leads})\n{}", indented(&lines))
}

/// How many a cell stands for: 1, 2, 5, 10, 20, 50, ..., as few as let the longest bar fit.
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

/// As long as the number is large; the least there is for what is too few to be seen.
fn bar(number: u64, per_cell: u64, in_unicode: bool) -> String {
    let (full, rest) = (number / per_cell, number % per_cell);
    let (cell, part) = if in_unicode { ('█', part(rest, per_cell)) } else { ('#', None) };
    let part = if rest == 0 { None } else { part };
    let least = if full == 0 && rest > 0 && part.is_none() {
        Some(if in_unicode { PARTS[0] } else { '.' })
    } else {
        part
    };
    (0..full).map(|_| cell).chain(least).collect()
}

fn part(rest: u64, per_cell: u64) -> Option<char> {
    let eighths = rest.saturating_mul(PARTS_OF_A_CELL) / per_cell;
    usize::try_from(eighths.checked_sub(1)?).ok().and_then(|index| PARTS.get(index).copied())
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
