//! A copy of `k8s/` and the files that it uses from `deploy/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

pub(crate) const OVERLAYS: [&str; 3] = ["dev", "plain", "production"];

pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lives in the repository")
}

pub(crate) struct Copy(tempfile::TempDir);

impl Copy {
    /// Copies the files and fills in all required settings.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let copied = Command::new("cp")
            .args([
                "-r",
                "--parents",
                "k8s",
                "deploy/secrets",
                "deploy/rabbitmq",
                "deploy/prometheus",
                "--target-directory",
            ])
            .arg(directory.path())
            .current_dir(repository())
            .status();
        assert!(copied.expect("cp").success());
        let copy = Self(directory);
        for overlay in ["plain", "production"] {
            copy.edit(&format!("k8s/overlays/{overlay}/site.env"), |text| {
                text.replace("\nREAL_IP_FROM=\n", "\nREAL_IP_FROM=set_real_ip_from 10.244.0.0/16;\n")
            });
            copy.edit(&format!("k8s/overlays/{overlay}/notifier.env"), |text| {
                text.replace(".example", ".test")
            });
        }
        for file in ["settings.env", "routes.toml"] {
            copy.edit(&format!("k8s/base/notifier/{file}"), |text| text.replace(".example", ".test"));
        }
        copy
    }

    fn edit(&self, file: &str, change: impl Fn(&str) -> String) {
        let text = fs::read_to_string(self.path(file)).expect("its settings");
        fs::write(self.path(file), change(&text)).expect("its settings");
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    /// A shell command in the copy.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command.current_dir(self.0.path());
        command
    }

    /// All objects of an overlay.
    pub(crate) fn render(&self, overlay: &str) -> Vec<Value> {
        objects(&text(self.shell(&format!("k8s/render {overlay}")).output().expect("the script starts")))
    }
}

/// All objects of an overlay in a copy that no test has changed.
pub(crate) fn rendered(overlay: &str) -> &'static [Value] {
    static RENDERED: OnceLock<BTreeMap<&str, Vec<Value>>> = OnceLock::new();
    let render = || {
        let copy = Copy::new();
        OVERLAYS.map(|overlay| (overlay, copy.render(overlay))).into()
    };
    &RENDERED.get_or_init(render)[overlay]
}

/// Installs a program with `install`, because Linux does not run a file that a child of another test has open for
/// writing.
pub(crate) fn stand_in(folder: &Path, name: &str, script: &str) {
    let text = folder.join(format!("{name}.sh"));
    fs::write(&text, script).expect("the stand-in");
    let mut install = Command::new("install");
    install.args(["-m", "755"]).args([text, folder.join(name)]);
    assert!(install.status().is_ok_and(|status| status.success()), "{name} is not installed");
}

/// The output of a command that must succeed.
pub(crate) fn text(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub(crate) fn objects(yaml: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(yaml).expect("manifests")
}

pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

pub(crate) fn of_kind<'a>(
    objects: &'a [Value],
    kinds: &'a [&'a str],
) -> impl Iterator<Item = &'a Value> + 'a {
    objects.iter().filter(|object| kinds.iter().any(|kind| object["kind"] == *kind))
}

/// The elements of an array, none if there is no array.
pub(crate) fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
