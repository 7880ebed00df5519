//! The help texts.

/// Which help was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// All commands.
    Overview,
    /// `up`.
    Up,
    /// `test`.
    Test,
    /// `backends`.
    Backends,
    /// `chaos`.
    Chaos,
    /// `bench`.
    Bench,
}

/// The text of a topic.
pub fn text(topic: Topic) -> &'static str {
    match topic {
        Topic::Overview => include_str!("help/overview.txt"),
        Topic::Up => include_str!("help/up.txt"),
        Topic::Test => include_str!("help/test.txt"),
        Topic::Backends => include_str!("help/backends.txt"),
        Topic::Chaos => include_str!("help/chaos.txt"),
        Topic::Bench => include_str!("help/bench.txt"),
    }
    .trim_end()
}
