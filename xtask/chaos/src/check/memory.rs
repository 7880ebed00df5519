//! Checks that the services released their memory.

use super::Row;
use crate::memory::Usage;
use crate::run::Run;

const MEGABYTE: Usage = 1024;
/// Allowance for memory that the allocator keeps.
const SLACK: Usage = 24 * MEGABYTE;

pub(super) fn row(run: &Run) -> Row {
    let findings = run.findings();
    let mut usages: Vec<_> = findings.memory.iter().collect();
    usages.sort_by_key(|(process, _)| **process);
    let kept = !usages.is_empty() && usages.iter().all(|(_, (before, after))| is_back(*before, *after));
    let numbers: Vec<String> = usages
        .iter()
        .map(|(process, (before, after))| {
            format!("{} {} -> {}", process.name(), before / MEGABYTE, after / MEGABYTE)
        })
        .collect();
    Row::new(
        "memory returns close to its level before the faults",
        kept,
        format!("MB: {}", numbers.join(", ")),
    )
}

fn is_back(before: Usage, after: Usage) -> bool {
    after <= (before + before / 2).max(before + SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_process_may_grow_by_a_heap_and_a_large_one_by_half() {
        assert!(is_back(10 * MEGABYTE, 34 * MEGABYTE) && !is_back(10 * MEGABYTE, 35 * MEGABYTE));
        assert!(is_back(100 * MEGABYTE, 150 * MEGABYTE) && !is_back(100 * MEGABYTE, 151 * MEGABYTE));
    }
}
