//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

const AFTER_HELP: &str = "\
Address and token are read from .local/leadctl.toml, looked for in the current directory and
those above it (`cargo xtask up` writes one), or from the file of --config:

  address = \"http://127.0.0.1:50051\"
  token = \"...\"

Exit status: 0 done, 1 no such lead (or several), 64 wrong usage or configuration, 69 the CRM
cannot be reached, 70 it failed, 74 output failed, 77 it does not accept the token.

Examples:
  leadctl list --limit 20
  leadctl show zg-7f3k-2q
  leadctl list --limit 5000 --json | jq -r .email
  leadctl watch";

/// Leads at the command line, for sales and operations.
#[derive(Parser)]
#[command(version, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Read address and token from this file.
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,

    /// Write JSON: an object per line, or for `show` one over several lines.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The latest leads, newest first.
    List {
        /// At most this many.
        #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// All about one lead.
    Show {
        /// Its id, or its reference as you would type it: zg-7f3k-2q, 7F3K2Q, ...
        #[arg(value_name = "ID-or-reference")]
        lead: String,
    },
    /// Leads as they come in, until Ctrl-C.
    Watch,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_list_of_nothing_cannot_be_asked_for() {
        assert!(Cli::try_parse_from(["leadctl", "list", "--limit", "0"]).is_err());
        assert!(Cli::try_parse_from(["leadctl", "list", "--limit", "1", "--json"]).is_ok());
    }
}
