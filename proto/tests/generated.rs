//! The committed code is what the `.proto` files say, and no field ever changed its number or type.

use std::{collections::BTreeMap, env, fs, path::Path};

use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorSet};
use testkit::compilers::{protox, tonic_prost_build};

const FILES: [&str; 2] = ["leads/v1/leads.proto", "crm/v1/crm.proto"];
const HISTORY: &str = "src/gen/fields.txt";

#[test]
fn the_committed_code_is_what_the_proto_files_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fresh = tempfile::tempdir().unwrap();
    let descriptors = protox::compile(FILES, [root]).unwrap();
    fs::write(fresh.path().join("descriptors.bin"), descriptors.encode_to_vec()).unwrap();
    // Large, and mostly absent.
    let boxed = tonic_prost_build::configure().boxed(".leads.v1.LeadNotified.lead");
    boxed.out_dir(fresh.path()).compile_fds(descriptors).unwrap();

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

/// Every field that was ever released stands in `fields.txt`, one `message number type name` a line.
#[test]
fn no_field_was_renumbered_retyped_or_removed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = fields(&protox::compile(FILES, [root]).unwrap());
    let path = root.join(HISTORY);
    let history = fs::read_to_string(&path).unwrap_or_default();
    for line in history.lines() {
        let (key, released) = line.split_once(": ").unwrap();
        assert_eq!(
            now.get(key).map(String::as_str),
            Some(released),
            "{key} was released as `{released}`: messages in queues and old clients still say so",
        );
    }
    let current: String = now.iter().map(|(key, field)| format!("{key}: {field}\n")).collect();
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
    #[expect(clippy::disallowed_methods, reason = "a developer's switch of this test alone")]
    env::var_os("UPDATE_CONTRACTS").is_some()
}

fn fields(descriptors: &FileDescriptorSet) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    for file in descriptors.file.iter().filter(|file| !file.package().starts_with("google.")) {
        for message in &file.message_type {
            collect(&format!("{}.{}", file.package(), message.name()), message, &mut fields);
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
                    if method.server_streaming() { "stream " } else { "" },
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
        let kind = format!("{:?} {:?} {}", field.label(), field.r#type(), field.type_name());
        fields
            .insert(format!("{path} {:03}", field.number()), format!("{} {}", kind.trim_end(), field.name()));
    }
    for nested in &message.nested_type {
        collect(&format!("{path}.{}", nested.name()), nested, fields);
    }
}
