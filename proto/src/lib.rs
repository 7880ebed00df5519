//! The contracts between processes: the broker's events ([`leads`]) and the CRM's gRPC service ([`crm`]).
//!
//! `src/gen` is generated from the `.proto` files and committed, so that no build needs a protobuf compiler. Regenerate
//! it with `UPDATE_CONTRACTS=1 cargo test -p contracts`.

#![warn(missing_docs)]

/// Events about leads sent through the broker.
pub mod leads {
    /// Version 1.
    pub mod v1 {
        include!("gen/leads.v1.rs");
    }
}

/// The CRM's gRPC service with client and server.
pub mod crm {
    /// Version 1.
    #[expect(clippy::allow_attributes, clippy::allow_attributes_without_reason, reason = "generated")]
    pub mod v1 {
        include!("gen/crm.v1.rs");
    }
}

/// How deliveries name recipients that are not addresses of the sales team.
pub mod recipient {
    /// The visitor, who is thanked. Replaces their address, so that no address is stored twice.
    pub const VISITOR: &str = "visitor";

    /// The visitor, who gets the brochure.
    pub const BROCHURE: &str = "brochure";

    /// Begins the name of a system.
    pub const WEBHOOK: &str = "webhook:";

    /// Begins the name of a person of the routes whom somebody asked to have mailed; `NAME#NUMBER` follows, as one mail must
    /// be told from another.
    pub const PERSON: &str = "person:";
}

/// All contracts as a `google.protobuf.FileDescriptorSet`, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("gen/descriptors.bin");
