//! Remembers the leads that a watcher has seen lately.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::lookup::Position;

/// Maximum delay until a lead becomes visible: its time is taken when it is inserted, and it is visible once that is
/// committed.
const OVERLAP: TimeDelta = TimeDelta::seconds(30);

/// Maximum number of remembered leads; with more within the overlap, the overlap is shorter.
const CAPACITY: usize = 20_000;

/// Distinguishes new leads from those seen within the overlap.
pub(crate) struct Window {
    seen: BTreeSet<Position>,
    floor: Position,
    capacity: usize,
}

impl Window {
    /// Ends at `latest`, when the latest lead was recorded; nothing in it is seen yet.
    pub(crate) fn new(latest: Option<DateTime<Utc>>) -> Self {
        let floor = start(latest.map_or(DateTime::UNIX_EPOCH, |latest| latest - OVERLAP));
        Self { seen: BTreeSet::new(), floor, capacity: CAPACITY }
    }

    /// Where to read from: no new lead appears up to here.
    pub(crate) fn floor(&self) -> Position {
        self.floor
    }

    /// Whether a lead after the floor is new.
    pub(crate) fn is_new(&self, place: &Position) -> bool {
        !self.seen.contains(place)
    }

    /// Remembers leads, and forgets those older than the overlap.
    pub(crate) fn see(&mut self, places: impl IntoIterator<Item = Position>) {
        self.seen.extend(places);
        let Some(newest) = self.seen.last() else { return };
        let floor = start(newest.recorded_at - OVERLAP);
        if floor > self.floor {
            self.seen = self.seen.split_off(&floor);
            self.floor = floor;
        }
        while self.seen.len() > self.capacity {
            if let Some(oldest) = self.seen.pop_first() {
                self.floor = oldest;
            }
        }
    }
}

/// The first position at a time.
fn start(recorded_at: DateTime<Utc>) -> Position {
    Position { recorded_at, id: Uuid::nil() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(seconds: i64, id: u128) -> Position {
        Position { recorded_at: DateTime::from_timestamp(seconds, 0).unwrap(), id: Uuid::from_u128(id) }
    }

    #[test]
    fn a_lead_is_new_once() {
        let mut window = Window::new(None);
        assert!(window.is_new(&place(100, 1)));
        window.see([place(100, 1)]);
        assert!(!window.is_new(&place(100, 1)));
        assert!(window.is_new(&place(100, 2)), "another of the same moment");
        assert!(window.is_new(&place(99, 3)), "one that was committed late");
    }

    #[test]
    fn it_looks_back_a_little_and_forgets_the_rest() {
        let mut window = Window::new(Some(place(100, 0).recorded_at));
        assert_eq!(window.floor(), place(70, 0));
        window.see([place(80, 1), place(100, 2), place(120, 3)]);
        assert_eq!(window.floor(), place(90, 0));
        assert_eq!(window.seen.len(), 2);
        window.see([place(95, 4)]);
        assert_eq!(window.floor(), place(90, 0), "an older one does not bring the past back");
    }

    #[test]
    fn a_flood_does_not_fill_the_memory() {
        let mut window = Window { capacity: 3, ..Window::new(None) };
        window.see((1..=5).map(|id| place(100, id)));
        assert_eq!(window.seen.len(), 3);
        assert_eq!(window.floor(), place(100, 2));
        assert!(!window.is_new(&place(100, 3)));
    }
}
