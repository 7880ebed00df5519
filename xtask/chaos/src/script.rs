//! The schedule of faults, determined by seed, length and faults.

use std::collections::HashMap;
use std::time::Duration;

use fastrand::Rng;

use crate::fault::{Fault, Target};

/// A scheduled fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) at: Duration,
    pub(crate) lasts: Duration,
    pub(crate) fault: Fault,
}

/// One more round of faults for each such length of the run.
const ROUND: Duration = Duration::from_secs(3 * 60);
/// A round of this length has faults of one to four seconds; others are scaled.
const SHORT_ROUND: Duration = Duration::from_secs(60);
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(4);
/// Recovery time between faults with the same target.
const RECOVERY: Duration = Duration::from_secs(2);

/// Schedules rounds of faults within `length`, each in random order. Without `faults`, the seed selects them.
pub(crate) fn write(seed: u64, length: Duration, faults: &[Fault]) -> Vec<Step> {
    let mut random = Rng::with_seed(seed);
    let rounds = u32::try_from(length.as_secs() / ROUND.as_secs()).unwrap_or(u32::MAX).max(1);
    let round = length / rounds;
    let scale = (round.as_secs_f64() / SHORT_ROUND.as_secs_f64()).clamp(0.25, 4.0);
    let mut free: HashMap<Target, Duration> = HashMap::new();
    let mut steps = Vec::new();
    for number in 0..rounds {
        let mut order = if faults.is_empty() { Fault::round(&mut random) } else { faults.to_vec() };
        random.shuffle(&mut order);
        let slot = round / u32::try_from(order.len().max(1)).unwrap_or(u32::MAX);
        for (place, fault) in (0_u32..).zip(order) {
            let planned = round * number + slot.mul_f64(f64::from(place) + random.f64() * 0.8);
            let lasts = milliseconds(length_between(SHORTEST, LONGEST, random.f64()).mul_f64(scale));
            let earliest = free.get(&fault.target()).copied().unwrap_or_default();
            let at =
                Duration::from_millis(u64::try_from(planned.max(earliest).as_millis()).unwrap_or(u64::MAX));
            free.insert(fault.target(), at + lasts + RECOVERY);
            steps.push(Step { at, lasts, fault });
        }
    }
    steps.sort_by_key(|step| step.at);
    steps
}

fn length_between(shortest: Duration, longest: Duration, share: f64) -> Duration {
    shortest + (longest - shortest).mul_f64(share)
}

/// Truncates to whole milliseconds.
fn milliseconds(duration: Duration) -> Duration {
    Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn same_seed_makes_the_same_script() {
        assert_eq!(write(7, MINUTE, &[]), write(7, MINUTE, &[]));
        assert_ne!(write(7, MINUTE, &[]), write(8, MINUTE, &[]));
    }

    #[test]
    fn faults_overlap_but_not_on_the_same_target() {
        let steps = write(3, MINUTE, &[]);
        let end = |step: &Step| step.at + step.lasts;
        let mut overlapping = 0;
        for (place, step) in steps.iter().enumerate() {
            for later in &steps[place + 1..] {
                if later.at < end(step) {
                    assert_ne!(step.fault.target(), later.fault.target(), "{} {}", step.fault, later.fault);
                    overlapping += 1;
                }
            }
        }
        assert!(overlapping > 5, "{overlapping}");
    }
}
