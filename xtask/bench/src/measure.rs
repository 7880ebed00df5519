//! Rounds, ratios and medians.

use xtask::error::Result;

/// Number of comparisons of the same build with itself.
const AGAINST_ITSELF: usize = 3;

/// Alternating measurements of ours and its ceiling.
pub(crate) struct Rounds<T> {
    pairs: Vec<(T, T)>,
    itself: Vec<(T, T)>,
}

/// A figure compared with its ceiling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compared {
    /// Median of our measurements.
    pub(crate) ours: f64,
    /// Median of the ceiling's measurements.
    pub(crate) ceiling: f64,
    /// Median of the rounds' ratios of ours to ceiling.
    pub(crate) ratio: f64,
    /// Smallest and largest ratio of the build to itself, if measured.
    pub(crate) itself: Option<(f64, f64)>,
}

/// Alternates the order of ours and ceiling between rounds, starting with ours. With `same`, ours is also compared with
/// itself.
pub(crate) async fn in_turn<T>(
    rounds: usize,
    same: bool,
    ours: impl AsyncFn() -> Result<T>,
    ceiling: impl AsyncFn() -> Result<T>,
) -> Result<Rounds<T>> {
    let (mut pairs, mut itself) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        if round % 2 == 0 {
            let first = ours().await?;
            pairs.push((first, ceiling().await?));
        } else {
            let first = ceiling().await?;
            pairs.push((ours().await?, first));
        }
    }
    if same {
        for _ in 0..AGAINST_ITSELF {
            let first = ours().await?;
            itself.push((first, ours().await?));
        }
    }
    Ok(Rounds { pairs, itself })
}

impl<T> Rounds<T> {
    pub(crate) fn compared(&self, number: impl Fn(&T) -> f64) -> Compared {
        let ratios = |pairs: &[(T, T)]| -> Vec<f64> {
            pairs.iter().map(|(ours, ceiling)| number(ours) / number(ceiling)).collect()
        };
        let itself = ratios(&self.itself);
        let least = itself.iter().copied().reduce(f64::min);
        let most = itself.iter().copied().reduce(f64::max);
        Compared {
            ours: median(self.pairs.iter().map(|(ours, _)| number(ours)).collect()),
            ceiling: median(self.pairs.iter().map(|(_, ceiling)| number(ceiling)).collect()),
            ratio: median(ratios(&self.pairs)),
            itself: least.zip(most),
        }
    }
}

/// The median; 0 for no values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.get(middle), values.len() % 2) {
        (Some(value), 1) => *value,
        (Some(value), _) => f64::midpoint(values[middle - 1], *value),
        (None, _) => 0.0,
    }
}

/// The `percent`-th percentile, by nearest rank; 0 for no values.
pub(crate) fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[tokio::test]
    async fn both_are_measured_in_turn_and_neither_is_always_first() {
        let log = RefCell::new(String::new());
        let say = |what: char, value: f64| {
            log.borrow_mut().push(what);
            Ok(value)
        };
        let rounds = in_turn(3, true, async || say('o', 8.0), async || say('c', 10.0)).await.unwrap();
        assert_eq!(*log.borrow(), "occooc".to_owned() + "oooooo");
        let expected = Compared { ours: 8.0, ceiling: 10.0, ratio: 0.8, itself: Some((1.0, 1.0)) };
        assert_eq!(rounds.compared(|value| *value), expected);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(Vec::new()), 0.0);
    }

    #[test]
    fn percentiles_are_of_what_was_measured() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((percentile(&values, 50), percentile(&values, 99)), (100.0, 198.0));
        assert_eq!((percentile(&[7.0], 99), percentile(&[], 50)), (7.0, 0.0));
    }
}
