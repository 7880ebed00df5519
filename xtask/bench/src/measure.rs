//! Rounds, medians and ratios.

use anyhow::Result;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Ours,
    Express,
    Baseline,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Comparison {
    /// The median of our measurements.
    pub(crate) ours: f64,
    pub(crate) express: Option<Other>,
    pub(crate) baseline: Option<Other>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Other {
    /// The median of the measurements.
    pub(crate) value: f64,
    /// The median of the rounds' ratios of ours to the other.
    pub(crate) ratio: f64,
}

/// Measures all of `who` in each round and compares each of the values. Every second round reverses the order.
pub(crate) async fn compare<const N: usize>(
    rounds: usize,
    who: &[Who],
    measure: impl AsyncFn(Who) -> Result<[f64; N]>,
) -> Result<[Comparison; N]> {
    let mut measured = Vec::new();
    for round in 0..rounds {
        let mut order = who.to_vec();
        if round % 2 == 1 {
            order.reverse();
        }
        for who in order {
            measured.push((who, measure(who).await?));
        }
    }
    let median = |values: &[f64]| percentile(values, 50);
    Ok(std::array::from_fn(|index| {
        let values = |of: Who| -> Vec<f64> {
            measured
                .iter()
                .filter(|(who, _)| *who == of)
                .map(|(_, values)| values[index])
                .collect()
        };
        let ours = values(Who::Ours);
        let other = |who: Who| {
            let values = values(who);
            let ratios: Vec<f64> = ours
                .iter()
                .zip(&values)
                .map(|(ours, other)| ours / other)
                .collect();
            (!values.is_empty()).then(|| Other {
                value: median(&values),
                ratio: median(&ratios),
            })
        };
        let (express, baseline) = (other(Who::Express), other(Who::Baseline));
        Comparison {
            ours: median(&ours),
            express,
            baseline,
        }
    }))
}

/// The `percent`-th percentile by nearest rank, or 0 without values.
pub(crate) fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}
