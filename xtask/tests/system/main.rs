//! Tests the files of `deploy` and `k8s` with the real programs, the supervisor, and the disposable PostgreSQL. One binary,
//! because most tests spend their time waiting.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod compose;
mod k8s;
mod nginx;
mod packages;
mod postgres;
mod release;
mod supervisor;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use xtask::builds;
use xtask::process::{command, output};
use xtask::session::Session;

/// The directory of our programs. `cargo test -p xtask` builds none, and would test old ones.
static PROGRAMS: LazyLock<PathBuf> =
    LazyLock::new(|| builds::programs(builds::cargo, &Session::in_test()).unwrap());

/// Installs a script with `install`, because Linux does not run a file that a child of another test has open for writing.
fn install_stand_in(directory: &Path, name: &str, script: &str) {
    let text = directory.join(format!("{name}.sh"));
    fs::write(&text, script).unwrap();
    output(
        command("install")
            .args(["-m", "755"])
            .args([text, directory.join(name)]),
    )
    .unwrap();
}

/// Creates `tls.crt` and `tls.key`.
fn create_certificate(directory: &Path, host: &str) {
    const REQUEST: &str = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -keyout tls.key -out tls.crt";
    let mut openssl = command("openssl");
    openssl
        .args(REQUEST.split(' '))
        .args(["-subj", &format!("/CN={host}")]);
    openssl
        .args(["-addext", &format!("subjectAltName=DNS:{host}")])
        .current_dir(directory);
    output(&mut openssl).expect("a certificate");
}
