//! No released field changes its number, type or name.

use std::{collections::BTreeMap, fs};

use prost_types::{DescriptorProto, FileDescriptorSet};

use crate::{is_update, path, record::HOW_TO_UPDATE};

#[cfg(feature = "generator")]
use crate::generator::descriptors;

/// The descriptors that the last run of the generator committed.
#[cfg(not(feature = "generator"))]
fn descriptors() -> FileDescriptorSet {
    prost::Message::decode(contracts::FILE_DESCRIPTOR_SET).unwrap()
}

/// `fields.txt` lists every released field, with one `message number type name` in each line.
#[test]
fn fields_keep_number_and_type() {
    let now = fields(&descriptors());
    let history_file = path("src/gen/fields.txt");
    let history = fs::read_to_string(&history_file).unwrap_or_default();
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
    if is_update() {
        fs::write(&history_file, &current).unwrap();
    } else {
        assert_eq!(history, current, "new fields: {HOW_TO_UPDATE}");
    }
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
        // Without the service, because callers of the previous version use the name of the former service.
        for service in &file.service {
            for method in &service.method {
                let key = format!("{}/{}", file.package(), method.name());
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
                let twin = fields.insert(key, value);
                assert_eq!(twin, None, "{} is in two services", method.name());
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
