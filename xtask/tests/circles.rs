//! The files of a crate import each other without a circle, and so do its folders.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

type Imports = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The source folders of all crates but the generated contracts.
fn crates(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("Cargo.toml").is_file() && folder.join("src").is_dir() {
        found.push(folder.join("src"));
    }
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if entry.is_dir() && !["src", "tests", "target", "node_modules"].contains(&name.as_str()) {
            crates(&entry, found);
        }
    }
}

/// Modules by their path in the crate (`a::b`), with the text of each without its tests.
fn modules(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_stem().expect("a name").to_string_lossy().into_owned();
        let module = if prefix.is_empty() { name.clone() } else { format!("{prefix}::{name}") };
        if entry.is_dir() {
            modules(&entry, &module, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&entry).expect("a text file");
            let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
            let module = match name.as_str() {
                "lib" | "main" => continue,
                "mod" => prefix.to_owned(),
                _ => module,
            };
            found.insert(module, text);
        }
    }
}

/// Splits `a::{b, c::{d}}` into `a::b` and `a::c::d`.
fn flatten(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let inner = rest.strip_suffix('}').unwrap_or(rest);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(flatten).map(|part| format!("{head}{part}")).collect()
}

/// The paths that a text imports by `use`.
fn imported(text: &str) -> impl Iterator<Item = String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let uses: Vec<String> = code
        .split(';')
        .filter_map(|statement| statement.rsplit_once("use ").map(|(before, tree)| (before.to_owned(), tree)))
        .filter(|(before, _)| !before.ends_with(|last: char| last.is_alphanumeric()))
        .flat_map(|(_, tree)| flatten(tree))
        .collect();
    uses.into_iter()
}

/// The module of the crate that a path starts with, if it starts with one.
fn resolve(from: &str, path: &str, modules: &BTreeMap<String, String>) -> Option<String> {
    let mut place: Vec<&str> = from.split("::").collect();
    let mut segments = path.split("::").map(str::trim).peekable();
    match segments.peek().copied() {
        Some("crate") => {
            place.clear();
            segments.next();
        }
        Some("self") => {
            segments.next();
        }
        Some("super") => {
            while segments.next_if_eq(&"super").is_some() {
                place.pop();
            }
        }
        _ => return None,
    }
    let mut found = modules.contains_key(&place.join("::")).then(|| place.join("::"));
    for segment in segments {
        place.push(segment);
        match modules.contains_key(&place.join("::")) {
            true => found = Some(place.join("::")),
            false => break,
        }
    }
    found.filter(|module| module != from)
}

fn imports(modules: &BTreeMap<String, String>) -> Imports {
    let of = |(module, text): (&String, &String)| {
        let targets = imported(text).filter_map(|path| resolve(module, &path, modules));
        (module.clone(), targets.collect())
    };
    modules.iter().map(of).collect()
}

/// The imports between the folders at the top of a crate, and the files beside them.
fn between_folders(imports: &Imports) -> Imports {
    let top = |module: &String| module.split("::").next().unwrap_or_default().to_owned();
    let mut folders = Imports::new();
    for (module, targets) in imports {
        let targets = targets.iter().map(top).filter(|target| *target != top(module));
        folders.entry(top(module)).or_default().extend(targets);
    }
    folders
}

/// What is left when modules that import nothing of the rest, or that nothing of the rest imports, are taken away again
/// and again.
fn circle(mut imports: Imports) -> BTreeSet<String> {
    loop {
        let targets: BTreeSet<String> = imports.values().flatten().cloned().collect();
        let before = imports.len();
        imports.retain(|module, own| !own.is_empty() && targets.contains(module));
        if imports.len() == before {
            return imports.into_keys().collect();
        }
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        imports.values_mut().for_each(|targets| targets.retain(|target| left.contains(target)));
    }
}

#[test]
fn neither_files_nor_folders_of_a_crate_import_each_other_in_a_circle() {
    let mut folders = Vec::new();
    for folder in ["services", "xtask"] {
        crates(&root().join(folder), &mut folders);
    }
    assert!(folders.len() > 10, "{folders:?}");
    let circles = folders.into_iter().map(|folder| {
        let mut found = BTreeMap::new();
        modules(&folder, "", &mut found);
        let imports = imports(&found);
        (folder, circle(between_folders(&imports)), circle(imports))
    });
    let circles: Vec<_> =
        circles.filter(|(_, folders, files)| !folders.is_empty() || !files.is_empty()).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn a_circle_is_found() {
    let text = |imports: &str| format!("{imports}\nfn it() {{}}\n");
    let files = [
        ("a", "use crate::{b::{c::One, Two}};"),
        ("b", "use super::d;"),
        ("b::c", ""),
        ("d", "use crate::a;"),
    ];
    let modules = files.map(|(module, imports)| (module.to_owned(), text(imports))).into();
    assert_eq!(circle(imports(&modules)), ["a", "b", "d"].map(str::to_owned).into());
}
