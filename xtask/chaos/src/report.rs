//! The table of results.

use crate::check::Row;

/// One line per row: `ok` or `MISS`, the promise, the numbers.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or_default();
    let line = |row: &Row| {
        let mark = if row.kept { "ok" } else { "MISS" };
        format!("{mark:<6}{:<width$}  {}\n", row.what, row.numbers)
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_line_and_misses_stand_out() {
        let row = |kept, what| Row { kept, what, numbers: "1".to_owned() };
        let table = table(&[row(true, "none is lost"), row(false, "no")]);
        assert_eq!(table, "ok    none is lost  1\nMISS  no            1\n");
    }
}
