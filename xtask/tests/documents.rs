//! Checks that the files, headings and commands that documents name exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use clap::Parser;
use clap::error::ErrorKind;
use xtask::cli::Cli;
use xtask::files::root;
use xtask::process::output;

/// The files of this repository.
fn files() -> Vec<String> {
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root());
    let listed = output(&mut list).expect("the files");
    listed.lines().map(str::to_owned).collect()
}

/// The path and text of each document.
fn documents() -> Vec<(String, String)> {
    let paths = files().into_iter().filter(|path| path.ends_with(".md"));
    let documents: Vec<_> = paths
        .map(|path| {
            let text = fs::read_to_string(root().join(&path)).expect("a document");
            (path, text)
        })
        .collect();
    assert!(documents.len() > 15, "{} documents", documents.len());
    documents
}

/// The lines of code blocks, and the code in sentences.
fn code_in(document: &str) -> Vec<String> {
    let parts: Vec<_> = document.split("```").collect();
    let blocks = parts.iter().skip(1).step_by(2);
    let lines = blocks.flat_map(|block| block.lines().map(str::to_owned));
    let sentences = parts.iter().step_by(2);
    let spans = sentences.flat_map(|text| text.split('`').skip(1).step_by(2));
    lines
        .chain(spans.map(|span| span.replace('\n', " ")))
        .collect()
}

/// The anchor of a heading, as GitHub computes it.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

fn has_heading(text: &str, wanted: &str) -> bool {
    text.lines()
        .filter(|line| line.starts_with('#'))
        .any(|line| anchor(line) == wanted)
}

#[test]
fn links_lead_to_existing_files_and_headings() {
    let mut checked = 0;
    for (path, text) in documents() {
        let folder = Path::new(&path).parent().expect("a folder");
        for link in text.split("](").skip(1) {
            let (link, _) = link.split_once(')').expect("the end of a link");
            if link.starts_with("http") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => root().join(&path),
                file => root().join(folder).join(file),
            };
            assert!(target.exists(), "{path} links to {link}");
            if !heading.is_empty() {
                let target = fs::read_to_string(target).expect("a document");
                assert!(has_heading(&target, heading), "{path} links to {link}");
            }
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} links");
}

/// Expands `a/{b,c}` to `a/b` and `a/c`.
fn expand(path: &str) -> Vec<String> {
    let Some((before, (choices, after))) = path
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return vec![path.to_owned()];
    };
    choices
        .split(',')
        .flat_map(|choice| expand(&format!("{before}{choice}{after}")))
        .collect()
}

/// Whether a path is a file or a folder. `*` and words in capitals, such as `OVERLAY`, stand for any name.
fn is_in(files: &[String], path: &str) -> bool {
    let wanted: Vec<_> = path.trim_end_matches('/').split('/').collect();
    files.iter().any(|file| {
        let parts: Vec<_> = file.split('/').collect();
        parts.len() >= wanted.len()
            && wanted
                .iter()
                .zip(parts)
                .all(|(wanted, part)| is_name(wanted, part))
    })
}

fn is_name(wanted: &str, name: &str) -> bool {
    match wanted.split_once('*') {
        Some((start, end)) => name.starts_with(start) && name.ends_with(end),
        None => wanted == name || wanted.starts_with("OVERLAY"),
    }
}

/// Builds create these.
const GENERATED: [&str; 2] = ["frontend/dist", "frontend/documents"];

#[test]
fn paths_in_documents_exist() {
    let files = files();
    let folders: BTreeSet<_> = files
        .iter()
        .filter_map(|file| file.rsplit_once('/'))
        .flat_map(|(folder, _)| Path::new(folder).ancestors())
        .filter_map(Path::to_str)
        .filter(|folder| !folder.is_empty())
        .collect();
    let is_part_of_path =
        |letter: char| letter.is_ascii_alphanumeric() || "/._-{},*@".contains(letter);
    let mut checked = 0;
    for (document, text) in documents() {
        let (beside, _) = document.rsplit_once('/').unwrap_or_default();
        for word in text.split(|letter| !is_part_of_path(letter)) {
            let path = word.trim_end_matches(['.', ',']);
            let Some((folder, _)) = path.split_once('/') else {
                continue;
            };
            // Documents name files from the root of the repository, or from their own folder.
            let nearby = format!("{beside}/{path}");
            let path = match (
                folders.contains(folder),
                folders.contains(format!("{beside}/{folder}").as_str()),
            ) {
                (_, true) => nearby.as_str(),
                (true, false) => path,
                (false, false) => continue,
            };
            if GENERATED
                .iter()
                .any(|generated| path.starts_with(generated))
            {
                continue;
            }
            for path in expand(path) {
                assert!(is_in(&files, &path), "{document} names {path}");
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked} paths");
}

#[test]
fn xtask_commands_in_documents_parse() {
    let mut checked = 0;
    for (document, text) in documents() {
        for code in code_in(&text) {
            let Some((_, arguments)) = code.split_once("cargo xtask ") else {
                continue;
            };
            let arguments: Vec<_> = arguments
                .split(['#', '|', ';', '&'])
                .next()
                .into_iter()
                .flat_map(str::split_whitespace)
                .map(|argument| match argument {
                    "PART" => "rust",
                    "N" => "1",
                    argument => argument,
                })
                .collect();
            let parsed = Cli::try_parse_from([&["xtask"], arguments.as_slice()].concat());
            let is_known = parsed
                .err()
                .is_none_or(|error| error.kind() == ErrorKind::DisplayHelp);
            assert!(is_known, "{document} names {code}");
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked} commands");
}

#[test]
fn tests_quoted_in_the_page_of_the_site_exist() {
    let files = files();
    let page = fs::read_to_string(root().join("frontend/README.md")).expect("the page");
    let parts: Vec<_> = page.split("` \"").collect();
    assert!(parts.len() > 10, "{} titles", parts.len());
    for (before, after) in parts.iter().zip(parts.iter().skip(1)) {
        let (_, name) = before.rsplit_once('`').expect("a file");
        let (title, _) = after.split_once('"').expect("the end of a title");
        let file = files
            .iter()
            .find(|file| file.starts_with("frontend/") && file.ends_with(&format!("/{name}")))
            .expect(name);
        let tests = fs::read_to_string(root().join(file)).expect("tests");
        assert!(
            tests.contains(title.trim_matches('\'')),
            "{file} has no {title}"
        );
    }
}

/// The numbers of a text, such as `5,772` and `8.4`.
fn numbers_in(text: &str) -> impl DoubleEndedIterator<Item = f64> {
    text.split_whitespace()
        .filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .filter_map(|word| {
            word.trim_end_matches(['.', ',', ';'])
                .replace(',', "")
                .parse()
                .ok()
        })
}

#[test]
fn measured_figures_are_those_of_the_benchmarks() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect(path);
    let section = |text: &str, heading: &str| {
        let (_, after) = text.split_once(heading).expect("the section");
        after.split("\n## ").next().unwrap_or_default().to_owned()
    };
    let benchmarks = read("docs/benchmarks.md");
    let readme = read("README.md");
    let scaling = read("docs/scaling.md");
    let table = section(&benchmarks, "## The figures");
    let (_, commit) = table.split_once(" at commit ").expect("the commit");
    let commit = commit.split(',').next().expect("the commit");
    let measured: Vec<_> = numbers_in(&table).collect();
    let is_measured = |figure: f64| {
        measured.iter().any(|known| {
            [*known, known.round()]
                .iter()
                .any(|known| (known - figure).abs() < 1e-9)
        })
    };

    let comparison = section(&readme, "## How it compares");
    let figures: Vec<_> = comparison
        .lines()
        .filter(|line| line.contains("/s |") || line.contains("µs/lead") || line.contains(" ms |"))
        .flat_map(numbers_in)
        .collect();
    assert!(figures.len() > 15, "{figures:?}");
    for figure in figures {
        assert!(is_measured(figure), "README has {figure}");
    }

    let mut marked = scaling.split("(measured)").collect::<Vec<_>>();
    marked.pop();
    assert!(marked.len() > 4, "{} measured figures", marked.len());
    for text in marked {
        let figure = numbers_in(text).next_back().expect("a figure");
        assert!(is_measured(figure), "scaling.md has {figure}");
    }
    for (path, text) in [("README.md", readme), ("docs/scaling.md", scaling)] {
        assert!(
            text.contains(&format!("commit {commit}")),
            "{path} names another commit than {commit}"
        );
    }
}
