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

/// All contracts as a `google.protobuf.FileDescriptorSet`, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("gen/descriptors.bin");
