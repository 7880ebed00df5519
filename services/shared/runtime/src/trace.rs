//! W3C trace context, carried from the browser through the queue.

use std::{fmt, str::FromStr};

/// A well-formed `traceparent` of version 00.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceParent(String);

/// Not a `traceparent` of version 00.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("not a W3C traceparent of version 00")]
pub struct InvalidTraceParent;

impl TraceParent {
    /// The trace's id: 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.0[3..35]
    }

    /// The header's value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hex = |part: &str, length| {
            part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_set = |part: &str| part.bytes().any(|byte| byte != b'0');
        match *text.split('-').collect::<Vec<_>>() {
            ["00", trace, parent, flags]
                if hex(trace, 32) && hex(parent, 16) && hex(flags, 2) && is_set(trace) && is_set(parent) =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err(InvalidTraceParent),
        }
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_contexts_pass() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(good.parse::<TraceParent>().unwrap().trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        for bad in [
            "",
            "00",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        ] {
            assert_eq!(bad.parse::<TraceParent>(), Err(InvalidTraceParent), "{bad}");
        }
    }
}
