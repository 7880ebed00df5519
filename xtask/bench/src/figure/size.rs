//! Size of each released program; release builds are stripped.

use std::fs;

use xtask::error::{Error, Result};

use crate::row::{Goal, Row, Unit};
use crate::system::System;

const GOAL: Goal = Goal::AtMost(15.0);
const PROGRAMS: [&str; 4] = ["lead-intake", "crm-sync", "notifier", "leadctl"];

pub(crate) fn measure(system: &System<'_>) -> Result<Vec<Row>> {
    let row = |program: &str| {
        let path = system.programs.join(program);
        let found = fs::metadata(&path).map_err(|error| Error::file("read", &path, &error))?;
        let megabytes = found.len() as f64 / 1e6;
        Ok(Row::alone(format!("size of {program}"), Unit::Megabytes, megabytes, GOAL))
    };
    PROGRAMS.into_iter().map(row).collect()
}
