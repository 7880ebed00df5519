//! Rounds, ratios and medians.

use xtask::cpu::CpuUsage;
use xtask::error::Result;

/// Number of comparisons of the same build with itself.
const AGAINST_ITSELF: usize = 3;

/// A measurement with more CPU steal than this share is repeated.
const STOLEN: f64 = 0.10;
/// Most measurements of a figure; the one with the least CPU steal counts.
const TRIES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Ours,
    /// The baseline: the bare libraries.
    Ceiling,
    /// The Express app.
    Peer,
}

impl Who {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Ceiling => "baseline",
            Self::Peer => "Express app",
        }
    }
}

/// How often something is measured.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) rounds: usize,
    /// Whether ours is also compared with itself.
    pub(crate) same: bool,
}

/// Alternating measurements.
pub(crate) struct Rounds<T> {
    measured: Vec<(Who, T)>,
    itself: Vec<(T, T)>,
    stolen: Vec<f64>,
}

/// A figure compared with the baseline and the Express app.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compared {
    /// Median of our measurements.
    pub(crate) ours: f64,
    pub(crate) ceiling: Option<Other>,
    pub(crate) peer: Option<Other>,
    /// Smallest and largest ratio of the build to itself, if measured.
    pub(crate) itself: Option<(f64, f64)>,
    /// Mean CPU steal, from 0 to 1.
    pub(crate) stolen: f64,
}

impl Compared {
    /// Of one measurement each.
    pub(crate) fn once(ours: f64, ceiling: f64) -> Self {
        let ceiling = Some(Other { value: ceiling, ratio: ours / ceiling });
        Self { ours, ceiling, peer: None, itself: None, stolen: 0.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Other {
    /// Median of its measurements.
    pub(crate) value: f64,
    /// Median of the rounds' ratios of ours to it.
    pub(crate) ratio: f64,
}

/// Measures all of `who` in each round, ours first, and backwards in every second.
pub(crate) async fn in_turn<T>(
    plan: Plan,
    who: &[Who],
    measure: impl AsyncFn(Who) -> Result<T>,
) -> Result<Rounds<T>> {
    let mut rounds = Rounds { measured: Vec::new(), itself: Vec::new(), stolen: Vec::new() };
    for round in 0..plan.rounds {
        let mut order = who.to_vec();
        if round % 2 == 1 {
            order.reverse();
        }
        for who in order {
            let (measured, stolen) = undisturbed(async || measure(who).await).await?;
            rounds.measured.push((who, measured));
            rounds.stolen.push(stolen);
        }
    }
    if plan.same {
        for _ in 0..AGAINST_ITSELF {
            let (first, _) = undisturbed(async || measure(Who::Ours).await).await?;
            let (second, _) = undisturbed(async || measure(Who::Ours).await).await?;
            rounds.itself.push((first, second));
        }
    }
    Ok(rounds)
}

/// A measurement and its CPU steal, from 0 to 1.
async fn undisturbed<T>(measure: impl AsyncFn() -> Result<T>) -> Result<(T, f64)> {
    let mut best: Option<(T, f64)> = None;
    for number in 1.. {
        let before = CpuUsage::now();
        let measured = measure().await?;
        let stolen = CpuUsage::now().stolen_since(before);
        let (measured, stolen) = best.take().filter(|best| best.1 <= stolen).unwrap_or((measured, stolen));
        if stolen <= STOLEN || number == TRIES {
            return Ok((measured, stolen));
        }
        best = Some((measured, stolen));
    }
    unreachable!("the loop ends after the last try")
}

impl<T> Rounds<T> {
    pub(crate) fn compared(&self, number: impl Fn(&T) -> f64) -> Compared {
        let of = |whose: Who| -> Vec<f64> {
            self.measured.iter().filter(|(who, _)| *who == whose).map(|(_, it)| number(it)).collect()
        };
        let ours = of(Who::Ours);
        let other = |who: Who| {
            let values = of(who);
            let ratios = ours.iter().zip(&values).map(|(ours, other)| ours / other).collect();
            (!values.is_empty()).then(|| Other { value: median(values), ratio: median(ratios) })
        };
        let itself: Vec<f64> = self.itself.iter().map(|(one, other)| number(one) / number(other)).collect();
        let least = itself.iter().copied().reduce(f64::min);
        let most = itself.iter().copied().reduce(f64::max);
        Compared {
            ceiling: other(Who::Ceiling),
            peer: other(Who::Peer),
            ours: median(ours),
            itself: least.zip(most),
            stolen: self.stolen.iter().sum::<f64>() / self.stolen.len().max(1) as f64,
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
    async fn all_are_measured_in_turn_and_none_is_always_first() {
        let log = RefCell::new(String::new());
        let measure = async |who: Who| {
            log.borrow_mut().push_str(&who.name()[..1]);
            Ok(match who {
                Who::Ours => 8.0,
                Who::Ceiling => 10.0,
                Who::Peer => 4.0,
            })
        };
        let plan = Plan { rounds: 2, same: true };
        let rounds = in_turn(plan, &[Who::Ours, Who::Ceiling, Who::Peer], measure).await.unwrap();
        // CPU steal may add repeated measurements.
        assert!(log.borrow().starts_with("obE") && log.borrow().len() >= 12, "{}", log.borrow());
        let compared = rounds.compared(|value| *value);
        assert_eq!(compared.ceiling, Some(Other { value: 10.0, ratio: 0.8 }));
        assert_eq!(compared.peer, Some(Other { value: 4.0, ratio: 2.0 }));
        assert_eq!((compared.ours, compared.itself), (8.0, Some((1.0, 1.0))));
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
