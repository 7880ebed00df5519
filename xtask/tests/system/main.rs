//! Tests the files of `deploy` and `k8s` with the real programs, and the supervisor. One binary, because most tests spend
//! their time waiting.

mod compose;
mod k8s;
mod nginx;
mod supervisor;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use xtask::builds;
use xtask::process::{command, output};
use xtask::session::Session;

/// The directory of our programs. `cargo test -p xtask` builds none, and would test old ones.
static PROGRAMS: LazyLock<PathBuf> =
    LazyLock::new(|| builds::programs(&Session::in_test()).expect("the programs"));

/// Installs a script with `install`, because Linux does not run a file that a child of another test has open for writing.
fn install_stand_in(directory: &Path, name: &str, script: &str) {
    let text = directory.join(format!("{name}.sh"));
    fs::write(&text, script).expect("the stand-in");
    let mut install = Command::new("install");
    assert!(
        install.args(["-m", "755"]).args([text, directory.join(name)]).status().is_ok_and(|it| it.success())
    );
}

/// Creates `tls.crt` and `tls.key`.
fn create_certificate(directory: &Path, host: &str) {
    let mut openssl = command("openssl");
    openssl.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "1",
    ]);
    openssl.args(["-subj", &format!("/CN={host}"), "-addext", &format!("subjectAltName=DNS:{host}")]);
    openssl.args(["-keyout", "tls.key", "-out", "tls.crt"]).current_dir(directory);
    output(&mut openssl).expect("a certificate");
}
