//! The committed code matches the `.proto` files, and no field has changed its number or type.

use std::{collections::BTreeMap, env, fs, path::Path};

use prost::Message;
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};
use testkit::crates::{
    protox,
    tonic_prost_build::{self, Builder},
};

const FILES: [&str; 2] = ["leads/v1/leads.proto", "crm/v1/crm.proto"];
const HISTORY: &str = "src/gen/fields.txt";

#[test]
fn generated_code_matches_proto_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fresh = tempfile::tempdir().unwrap();
    let descriptors = protox::compile(FILES, [root]).unwrap();
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

    for name in ["leads.v1.rs", "crm.v1.rs", "descriptors.bin"] {
        let committed = root.join("src/gen").join(name);
        let expected = fs::read(fresh.path().join(name)).unwrap();
        if update() {
            fs::write(&committed, &expected).unwrap();
        }
        assert!(
            fs::read(&committed).unwrap_or_default() == expected,
            "{} is stale: run `UPDATE_CONTRACTS=1 cargo test -p contracts`",
            committed.display(),
        );
    }
}

const SERIALIZE: &str = "#[derive(serde::Serialize)]";
const DESERIALIZE: &str = "#[derive(serde::Deserialize)]";

/// Messages that the CRM stores as JSON. A field that an older version has not stored gets its default.
const STORED: [&str; 2] = [".crm.v1.TimelineEntry", ".leads.v1.Reason"];

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
                with(&format!("names::<{name}, _>"))
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

/// `fields.txt` lists every released field, with one `message number type name` in each line.
#[test]
fn fields_keep_number_and_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = fields(&protox::compile(FILES, [root]).unwrap());
    let path = root.join(HISTORY);
    let history = fs::read_to_string(&path).unwrap_or_default();
    for line in history.lines() {
        let (key, released) = line.split_once(": ").unwrap();
        assert_eq!(
            now.get(key).map(String::as_str),
            Some(released),
            "{key} was released as `{released}`, which messages in queues and old clients still use",
        );
    }
    let current: String = now
        .iter()
        .map(|(key, field)| format!("{key}: {field}\n"))
        .collect();
    if update() {
        fs::write(&path, &current).unwrap();
    } else {
        assert_eq!(
            history, current,
            "new fields: record them with `UPDATE_CONTRACTS=1 cargo test -p contracts`"
        );
    }
}

fn update() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "a developer's switch of this test alone"
    )]
    env::var_os("UPDATE_CONTRACTS").is_some()
}

fn fields(descriptors: &FileDescriptorSet) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    for file in descriptors
        .file
        .iter()
        .filter(|file| !file.package().starts_with("google."))
    {
        for message in &file.message_type {
            collect(
                &format!("{}.{}", file.package(), message.name()),
                message,
                &mut fields,
            );
        }
        for values in &file.enum_type {
            for value in &values.value {
                let key = format!("{}.{} {}", file.package(), values.name(), value.number());
                fields.insert(key, value.name().to_owned());
            }
        }
        for service in &file.service {
            for method in &service.method {
                let key = format!("{}.{}/{}", file.package(), service.name(), method.name());
                let value = format!(
                    "{} -> {}{}",
                    method.input_type(),
                    if method.server_streaming() {
                        "stream "
                    } else {
                        ""
                    },
                    method.output_type(),
                );
                fields.insert(key, value);
            }
        }
    }
    fields
}

fn collect(path: &str, message: &DescriptorProto, fields: &mut BTreeMap<String, String>) {
    for field in &message.field {
        let kind = format!(
            "{:?} {:?} {}",
            field.label(),
            field.r#type(),
            field.type_name()
        );
        fields.insert(
            format!("{path} {:03}", field.number()),
            format!("{} {}", kind.trim_end(), field.name()),
        );
    }
    for nested in &message.nested_type {
        collect(&format!("{path}.{}", nested.name()), nested, fields);
    }
}
