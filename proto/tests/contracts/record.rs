//! The record of the generator's last run: the versions of the generator, and the SHA-256 of the files that it reads and
//! writes, in the format of `sha256sum`. The generator takes long to compile. As long as the record matches, its result
//! would be the committed code.

use std::fs;

use ring::digest::{SHA256, digest};

use crate::path;

pub(crate) const FILE: &str = "src/gen/record.txt";
pub(crate) const HOW_TO_UPDATE: &str =
    "run `UPDATE_CONTRACTS=1 cargo test -p contracts --features generator`";

pub(crate) const PROTO_FILES: [&str; 2] = ["leads/v1/leads.proto", "crm/v1/crm.proto"];
pub(crate) const GENERATED: [&str; 3] = [
    "src/gen/leads.v1.rs",
    "src/gen/crm.v1.rs",
    "src/gen/descriptors.bin",
];
const GENERATOR: &str = "tests/contracts/generator.rs";
/// Packages that decide what the generated code looks like.
const PACKAGES: [&str; 5] = [
    "prettyplease",
    "prost-build",
    "protox",
    "tonic-build",
    "tonic-prost-build",
];

pub(crate) fn current() -> String {
    let lock = fs::read_to_string(path("../Cargo.lock")).unwrap();
    let versions = PACKAGES.map(|package| {
        let (_, version) = lock
            .split_once(&format!("\nname = \"{package}\"\nversion = \""))
            .unwrap();
        let (version, _) = version.split_once('"').unwrap();
        format!("# {package} {version}\n")
    });
    let files = PROTO_FILES.iter().chain([&GENERATOR]).chain(&GENERATED);
    let checksums = files.map(|file| {
        let sum = digest(&SHA256, &fs::read(path(file)).unwrap());
        let hex: String = sum
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("{hex}  {file}\n")
    });
    versions.into_iter().chain(checksums).collect()
}

pub(crate) fn check() {
    let recorded = fs::read_to_string(path(FILE)).unwrap_or_default();
    let current = current();
    let changed: Vec<_> = current
        .lines()
        .filter(|line| !recorded.lines().any(|it| it == *line))
        .collect();
    assert!(
        recorded == current,
        "changed since the generator's last run: {changed:?}; {HOW_TO_UPDATE}"
    );
}

/// With the generator, `generated_code_matches_proto_files` compares the code itself.
#[cfg(not(feature = "generator"))]
#[test]
fn generated_code_matches_its_record() {
    check();
}
