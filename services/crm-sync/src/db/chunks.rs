//! Splits lists for statements of few distinct lengths.

use std::iter;

const MOST: usize = 128;

/// Splits items into as few parts as possible. A part has 1, 2, 3, 4, 6, 8, 12 and so on items; shorter ones repeat
/// their last item, which must be harmless. Prepared statements are cached for each connection, one for each length.
pub(crate) fn chunks<T>(items: &[T]) -> impl Iterator<Item = Vec<&T>> {
    items.chunks(MOST).map(|part| {
        let step = (part.len().next_power_of_two() / 4).max(1);
        let length = part.len().next_multiple_of(step);
        part.iter().chain(part.last().into_iter().flat_map(iter::repeat)).take(length).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_is_there_and_only_the_last_of_a_part_comes_again() {
        let items: Vec<usize> = (0..MOST + 5).collect();
        let found: Vec<_> = chunks(&items).collect();
        assert_eq!(found[0], items[..MOST].iter().collect::<Vec<_>>());
        assert_eq!(found[1], [128, 129, 130, 131, 132, 132].iter().collect::<Vec<_>>());
        assert_eq!(found.len(), 2);
        assert_eq!(super::chunks::<u32>(&[]).count(), 0);
    }

    #[test]
    fn lengths_are_few_and_hardly_longer() {
        let mut lengths = BTreeSet::new();
        for count in 1..=MOST {
            let length = chunks(&vec![(); count]).map(|part| part.len()).sum::<usize>();
            assert!((count..=count * 3 / 2).contains(&length), "{count} became {length}");
            lengths.insert(length);
        }
        assert_eq!(
            lengths.into_iter().collect::<Vec<_>>(),
            [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
        );
    }
}
