//! The figures, one file each.

mod acknowledged;
mod counts;
mod growth;
mod latency;
mod mailed;
mod memory;
mod published;
mod replicas;
mod size;
mod start;
mod stored;

use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::row::Row;
use crate::system::System;

/// A figure to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    Nginx,
    Intake,
    Counts,
    Publish,
    Store,
    Mail,
    Latency,
    Memory,
    Start,
    Size,
    Replicas,
    Growth,
}

impl Figure {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 12] = [
        Self::Nginx,
        Self::Intake,
        Self::Counts,
        Self::Publish,
        Self::Store,
        Self::Mail,
        Self::Latency,
        Self::Memory,
        Self::Start,
        Self::Size,
        Self::Replicas,
        Self::Growth,
    ];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Intake => "intake",
            Self::Counts => "counts",
            Self::Publish => "publish",
            Self::Store => "store",
            Self::Mail => "mail",
            Self::Latency => "latency",
            Self::Memory => "memory",
            Self::Start => "start",
            Self::Size => "size",
            Self::Replicas => "replicas",
            Self::Growth => "growth",
        }
    }

    /// The named figures in the order of the table; all without names.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name.
    pub(crate) fn chosen(names: &[String]) -> Result<Vec<Self>> {
        let all = Self::ALL.map(Self::name);
        if let Some(name) = names.iter().find(|name| !all.contains(&name.as_str())) {
            return Err(Error::Usage(format!("there is no figure {name}; there are {}", all.join(", "))));
        }
        let is_wanted = |figure: &Self| names.is_empty() || names.iter().any(|name| name == figure.name());
        Ok(Self::ALL.into_iter().filter(is_wanted).collect())
    }

    /// Measures the figure and shows the progress in `line`.
    pub(crate) async fn measure(self, system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
        match self {
            Self::Nginx => acknowledged::through_nginx(system, line).await,
            Self::Intake => acknowledged::without_nginx(system, line).await,
            Self::Counts => counts::measure(system, line).await,
            Self::Publish => published::measure(system, line).await,
            Self::Store => stored::measure(system, line).await,
            Self::Mail => mailed::measure(system, line).await,
            Self::Latency => latency::measure(system, line).await,
            Self::Memory => memory::measure(system, line).await,
            Self::Start => start::measure(system, line).await,
            Self::Size => size::measure(system),
            Self::Replicas => replicas::measure(system, line).await,
            Self::Growth => growth::measure(system, line).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_chosen_by_their_names() {
        let chosen =
            |names: &[&str]| Figure::chosen(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(chosen(&[]).unwrap(), Figure::ALL);
        assert_eq!(chosen(&["size", "mail"]).unwrap(), [Figure::Mail, Figure::Size]);
        assert!(chosen(&["speed"]).unwrap_err().to_string().contains("there is no figure speed"));
    }

    #[test]
    fn every_figure_has_a_line_of_help() {
        let help = xtask::cli::help("bench");
        for figure in Figure::ALL {
            assert!(help.contains(&format!("\n  {} ", figure.name())), "{}", figure.name());
        }
    }
}
