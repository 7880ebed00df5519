//! `deploy/release`, with stand-ins for the programs that need a registry.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;
use xtask::files::root;
use xtask::process::{command, output};

use crate::install_stand_in;

const REGISTRY: &str = "registry.test/zyon-grand";

/// Records its arguments. Writes the metadata of a build, and fails when it signs the image in `$UNSIGNED`.
const STAND_IN: &str = r#"#!/bin/sh
set -eu
echo "${0##*/} $*" >>"$CALLS"
case "$*" in
*"sign "*"/${UNSIGNED:-none}@"*) exit 1 ;;
"buildx inspect"*) exit 1 ;;
esac
while [ $# -gt 0 ]; do
    [ "$1" != --metadata-file ] || echo '  "containerimage.digest": "sha256:0123abc",' >"$2"
    shift
done
"#;

/// A clone with a clean work tree, whose third-party images have digests.
struct Clone(TempDir);

impl Clone {
    fn new() -> Self {
        let clone = Self(tempfile::tempdir().unwrap());
        let tree = clone.0.path().join("tree");
        git(&["clone", "--quiet", "--depth", "1", "--no-local"], |git| {
            git.arg(root()).arg(&tree);
        });
        // The working copy may differ from the commit.
        fs::copy(root().join("deploy/release"), tree.join("deploy/release")).unwrap();
        fs::write(tree.join("deploy/pin-images"), "#!/bin/sh\n").unwrap();
        let author = ["-c", "user.name=Test", "-c", "user.email=test@zyon.test"];
        let commit = ["commit", "--quiet", "--all", "--message", "Pin images"];
        git(&[&author[..], &commit].concat(), |git| {
            git.current_dir(&tree);
        });
        fs::create_dir(clone.0.path().join("bin")).unwrap();
        for program in ["docker", "cosign", "cargo", "cargo-deny", "npm"] {
            install_stand_in(&clone.0.path().join("bin"), program, STAND_IN);
        }
        clone
    }

    fn release(&self, variables: &[(&str, &str)]) -> Output {
        let path = output(command("sh").args(["-c", "echo $PATH"])).unwrap();
        let bin = self.0.path().join("bin");
        command(self.0.path().join("tree/deploy/release"))
            .args([REGISTRY, "1.4.0"])
            .env("PATH", format!("{}:{}", bin.display(), path.trim()))
            .env("CALLS", self.0.path().join("calls"))
            .env("GIT_AUTHOR_NAME", "Test")
            .env("GIT_AUTHOR_EMAIL", "test@zyon.test")
            .env("GIT_COMMITTER_NAME", "Test")
            .env("GIT_COMMITTER_EMAIL", "test@zyon.test")
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    }

    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.0.path().join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    fn tags(&self) -> String {
        git(&["tag"], |git| {
            git.current_dir(self.0.path().join("tree"));
        })
    }
}

fn git(arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> String {
    let mut git = command("git");
    git.args(arguments);
    prepare(&mut git);
    output(&mut git).unwrap()
}

fn positions(calls: &[String], part: &str) -> Vec<usize> {
    let found = calls
        .iter()
        .enumerate()
        .filter(|(_, call)| call.contains(part));
    found.map(|(index, _)| index).collect()
}

#[test]
fn release_publishes_tags_after_all_images_are_signed() {
    let clone = Clone::new();
    let released = clone.release(&[]);
    assert!(released.status.success(), "{released:?}");
    let calls = clone.calls();
    let steps = [" buildx build ", "cosign sign ", "imagetools create --tag"];
    let [built, signed, tagged] = steps.map(|step| positions(&calls, step));
    assert_eq!(
        [built.len(), signed.len(), tagged.len()],
        [6; 3],
        "{calls:#?}"
    );
    assert!(built.last() < signed.first() && signed.last() < tagged.first());
    let site = calls.iter().find(|call| call.contains("site.Dockerfile"));
    for setting in ["ORIGIN", "PLAN_DOWNLOADS", "MAP_ADDRESS", "MAP_LOADING"] {
        assert!(site.is_some_and(|call| call.contains(setting)), "{setting}");
    }
    assert_eq!(clone.tags(), "v1.4.0\n");
    assert!(clone.release(&[]).status.success(), "a repeated release");
}

#[test]
fn failed_signature_publishes_no_tag() {
    let clone = Clone::new();
    let failed = clone.release(&[("UNSIGNED", "site")]);
    assert!(!failed.status.success(), "{failed:?}");
    assert_eq!(positions(&clone.calls(), "--tag"), [0; 0]);
    assert_eq!(clone.tags(), "");
}

#[test]
fn dry_run_builds_everything_and_publishes_nothing() {
    let clone = Clone::new();
    let built = clone.release(&[("DRY_RUN", "1")]);
    assert!(built.status.success(), "{built:?}");
    let calls = clone.calls();
    assert_eq!(positions(&calls, " buildx build ").len(), 6);
    for step in ["push=true", "cosign", "--tag"] {
        assert_eq!(positions(&calls, step), [0; 0], "{step}");
    }
    assert_eq!(clone.tags(), "");
}
