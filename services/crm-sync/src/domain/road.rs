//! How something came to us.

/// How a lead came to the CRM first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// Recorded by a version that did not say.
    Unknown,
    /// Through the queue.
    Broker,
    /// By a call of its own.
    Grpc,
    /// By a claim, before its message.
    Claim,
}

impl Road {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::Broker, Self::Grpc, Self::Claim];

    /// Its short name, for the database and for metrics; of [`Road::Unknown`] there is none.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Broker => "broker",
            Self::Grpc => "grpc",
            Self::Claim => "claim",
        }
    }
}
