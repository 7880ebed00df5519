//! Statements of few lengths.

/// The most rows or keys in one statement.
const MOST: usize = 64;

/// Splits what a statement is about into parts of 64, then 32, 16 and so on: every statement that was prepared is kept
/// for its connection, here and in the database, and of each length there would be another.
pub(super) fn parts<T>(mut rest: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let power = rest.len().min(MOST).checked_ilog2()?;
        let (part, others) = rest.split_at(1 << power);
        rest = others;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_in_one_part_and_lengths_are_few() {
        let items: Vec<u32> = (0..173).collect();
        let lengths: Vec<_> = parts(&items).map(<[u32]>::len).collect();
        assert_eq!(lengths, [64, 64, 32, 8, 4, 1]);
        assert_eq!(parts(&items).flatten().copied().collect::<Vec<_>>(), items);
        assert_eq!(parts::<u32>(&[]).count(), 0);
    }
}
