//! CPU time of the machine: total, idle and stolen.

use std::fs;

/// CPU time since boot, in kernel ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuUsage {
    total: u64,
    idle: u64,
    stolen: u64,
}

impl CpuUsage {
    /// The usage until now; zero without `/proc/stat`.
    pub fn now() -> Self {
        Self::read(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. Guest times are
    /// already included in user and nice (proc_stat(5)).
    fn read(stat: &str) -> Self {
        let line = stat.lines().next().unwrap_or_default();
        let ticks: Vec<u64> =
            line.split_whitespace().skip(1).take(8).map_while(|it| it.parse().ok()).collect();
        let tick = |index: usize| ticks.get(index).copied().unwrap_or_default();
        Self { total: ticks.iter().sum(), idle: tick(3) + tick(4), stolen: tick(7) }
    }

    /// The share taken by other virtual machines since `before`, from 0 to 1.
    pub fn stolen_since(self, before: Self) -> f64 {
        self.share_since(before, |usage| usage.stolen)
    }

    /// The idle share since `before`, from 0 to 1.
    pub fn idle_since(self, before: Self) -> f64 {
        self.share_since(before, |usage| usage.idle)
    }

    fn share_since(self, before: Self, part: impl Fn(Self) -> u64) -> f64 {
        let total = self.total.saturating_sub(before.total).max(1);
        part(self).saturating_sub(part(before)) as f64 / total as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_time() {
        let before = CpuUsage::read("cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n");
        assert_eq!(before, CpuUsage { total: 1000, idle: 810, stolen: 35 });
        let now = CpuUsage::read("cpu  150 0 50 810 10 0 5 75 9 0\n");
        assert_eq!((now.stolen_since(before), now.idle_since(before)), (0.4, 0.1));
        assert_eq!(CpuUsage::read("").stolen_since(before), 0.0);
    }
}
