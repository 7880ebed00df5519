//! What crosses a process: the events of the queue ([`leads`]) and the CRM's gRPC service ([`crm`]).
//!
//! Everything under `src/gen` is generated from the `.proto` files beside it and committed, so that no build needs
//! a protobuf compiler. `UPDATE_CONTRACTS=1 cargo test -p contracts` writes it again after a change.

#![warn(missing_docs)]

/// Events about leads, as they travel through the broker.
pub mod leads {
    /// Version 1.
    pub mod v1 {
        include!("gen/leads.v1.rs");
    }
}

/// The CRM's service, its client and its server.
pub mod crm {
    /// Version 1.
    #[expect(clippy::allow_attributes, clippy::allow_attributes_without_reason, reason = "generated")]
    pub mod v1 {
        include!("gen/crm.v1.rs");
    }
}

/// All of the above as a `google.protobuf.FileDescriptorSet`, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("gen/descriptors.bin");
