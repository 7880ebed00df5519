//! The schedule of faults, determined by seed and length.

use std::time::Duration;

use fastrand::Rng;

use crate::fault::Fault;

/// A scheduled fault. It begins later if another fault has the same target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) at: Duration,
    pub(crate) lasts: Duration,
    pub(crate) fault: Fault,
}

/// One more round of faults for each such length of the run.
const ROUND: Duration = Duration::from_secs(3 * 60);
/// A round of this length has faults of one to four seconds; others are scaled.
const SHORT_ROUND: Duration = Duration::from_secs(60);

/// Schedules rounds of faults within `length`, each in random order.
pub(crate) fn write(seed: u64, length: Duration) -> Vec<Step> {
    let mut random = Rng::with_seed(seed);
    let rounds = u32::try_from(length.as_secs() / ROUND.as_secs()).unwrap_or(u32::MAX).max(1);
    let round = length / rounds;
    let scale = (round.as_secs_f64() / SHORT_ROUND.as_secs_f64()).clamp(0.25, 4.0);
    let mut steps = Vec::new();
    for number in 0..rounds {
        let mut order = Fault::round(&mut random);
        random.shuffle(&mut order);
        let slot = round / u32::try_from(order.len()).unwrap_or(u32::MAX);
        for (place, fault) in (0_u32..).zip(order) {
            let at = round * number + slot.mul_f64(f64::from(place) + random.f64() * 0.8);
            let lasts = Duration::from_secs_f64((1.0 + 3.0 * random.f64()) * scale);
            steps.push(Step { at, lasts, fault });
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_makes_the_same_script() {
        const MINUTE: Duration = Duration::from_secs(60);
        assert_eq!(write(7, MINUTE), write(7, MINUTE));
        assert_ne!(write(7, MINUTE), write(8, MINUTE));
    }
}
