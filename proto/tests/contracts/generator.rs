//! Compiles the `.proto` files and generates the committed code.

use std::fs;

use prost::Message;
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};
use tonic_prost_build::Builder;

use crate::{
    is_update, path,
    record::{self, GENERATED, PROTO_FILES},
};

pub(crate) fn descriptors() -> FileDescriptorSet {
    protox::compile(PROTO_FILES, [path("")]).unwrap()
}

#[test]
fn generated_code_matches_proto_files() {
    let fresh = tempfile::tempdir().unwrap();
    let descriptors = descriptors();
    fs::write(
        fresh.path().join("descriptors.bin"),
        descriptors.encode_to_vec(),
    )
    .unwrap();
    let mut builder = tonic_prost_build::configure();
    for file in &descriptors.file {
        let path = |name: &str| format!(".{}.{name}", file.package());
        for values in &file.enum_type {
            let snake_case =
                format!("{SERIALIZE} {DESERIALIZE} #[serde(rename_all = \"snake_case\")]");
            builder = builder.enum_attribute(path(values.name()), snake_case);
        }
        // Requests have no `Debug`.
        for message in file
            .message_type
            .iter()
            .filter(|message| !message.name().ends_with("Request"))
        {
            let path = path(message.name());
            // Also applies to nested messages and oneofs.
            builder = serialize_fields(builder.type_attribute(&path, SERIALIZE), &path, message);
        }
    }
    for stored in STORED {
        let deserialize = format!("{DESERIALIZE} #[serde(default)]");
        builder = builder
            .message_attribute(stored, deserialize)
            .enum_attribute(stored, DESERIALIZE);
    }
    builder
        .out_dir(fresh.path())
        .compile_fds(descriptors)
        .unwrap();

    for generated in GENERATED {
        let committed = path(generated);
        let expected = fs::read(fresh.path().join(committed.file_name().unwrap())).unwrap();
        if is_update() {
            fs::write(&committed, &expected).unwrap();
        }
        assert!(
            fs::read(&committed).unwrap_or_default() == expected,
            "{generated} is stale: {}",
            record::HOW_TO_UPDATE
        );
    }
    if is_update() {
        fs::write(path(record::FILE), record::current()).unwrap();
    }
    record::check();
}

const SERIALIZE: &str = "#[derive(serde::Serialize)]";
const DESERIALIZE: &str = "#[derive(serde::Deserialize)]";

/// Messages that the CRM stores as JSON. A field that an older version has not stored gets its default.
const STORED: [&str; 3] = [
    ".crm.v1.TimelineEntry",
    ".crm.v1.DncCheck",
    ".leads.v1.Reason",
];

/// Adds the serde attributes of a message, as `contracts` describes them.
fn serialize_fields(mut builder: Builder, path: &str, message: &DescriptorProto) -> Builder {
    for field in &message.field {
        if let Some(attribute) = field_attribute(path, field) {
            builder = builder.field_attribute(format!("{path}.{}", field.name()), attribute);
        }
    }
    // protoc makes a oneof for each optional field, whose name begins with an underscore.
    for oneof in message
        .oneof_decl
        .iter()
        .filter(|oneof| !oneof.name().starts_with('_'))
    {
        let (path, tag) = (format!("{path}.{}", oneof.name()), oneof.name());
        let tagged = format!("#[serde(rename_all = \"snake_case\", tag = \"{tag}\")]");
        // Without its leading dot, the path matches only the field, not the variants below it.
        builder = builder
            .field_attribute(&path[1..], "#[serde(flatten)]")
            .enum_attribute(&path, tagged);
    }
    message.nested_type.iter().fold(builder, |builder, nested| {
        serialize_fields(builder, &format!("{path}.{}", nested.name()), nested)
    })
}

fn field_attribute(message: &str, field: &FieldDescriptorProto) -> Option<String> {
    let with = |function: &str| format!("#[serde(serialize_with = \"crate::json::{function}\")]");
    let both_with = |function: &str| {
        format!(
            "#[serde(serialize_with = \"crate::json::{function}\", deserialize_with = \"crate::json::parse_{function}\")]"
        )
    };
    match (field.r#type(), field.type_name()) {
        (Type::Enum, name) => {
            let name = format!("crate{}", name.replace('.', "::"));
            let is_list = field.label() == Label::Repeated;
            Some(if is_list {
                both_with(&format!("names::<{name}, _>"))
            } else {
                both_with(&format!("name::<{name}, _>"))
            })
        }
        (_, ".google.protobuf.Timestamp") => Some(both_with("time")),
        (_, ".google.protobuf.Duration") => {
            let name = field.name();
            Some(format!(
                "#[serde(rename = \"{name}_seconds\")] {}",
                with("seconds")
            ))
        }
        _ if format!("{message}.{}", field.name()) == ".crm.v1.Lead.submission" => {
            Some("#[serde(flatten)]".to_owned())
        }
        _ => None,
    }
}
