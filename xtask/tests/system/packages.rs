//! The installation of packages leaves no trace on the machine, however it ends.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use xtask::files;
use xtask::session::Interrupt;

use crate::install_stand_in;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Stands in for the programs of a package manager. An installation lasts until the file `end` exists.
const APT_GET: &str = "#!/bin/sh
case $* in *' install '*) touch started; while [ ! -e end ]; do sleep 0.05; done ;; esac
";

#[test]
fn installation_removes_its_policy_after_every_signal() {
    for signal in [
        None,
        Some(Signal::HUP),
        Some(Signal::INT),
        Some(Signal::TERM),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let exists = |name: &str| directory.path().join(name).exists();
        install_stand_in(directory.path(), "apt-get", APT_GET);
        let path = format!("{}:/usr/bin:/bin", directory.path().display());
        let script = fs::read_to_string(files::path("xtask/src/apt-install.sh")).unwrap();
        let mut shell = Command::new("sh")
            .args(["-c", &script, "apt-install", "install", "nginx"])
            .current_dir(&directory)
            .env("PATH", path)
            .env("POLICY", directory.path().join("policy"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Interrupt::default()
            .poll("the installation does not start", TIMEOUT, || {
                Ok(exists("started"))
            })
            .unwrap();
        assert!(exists("policy"), "services could start");

        if let Some(signal) = signal {
            let shell = Pid::from_child(&shell);
            kill_process(shell, signal).unwrap();
        }
        // A shell runs a trap when its program has ended.
        fs::write(directory.path().join("end"), "").unwrap();
        let status = shell.wait().unwrap();
        assert_eq!(status.success(), signal.is_none(), "{signal:?}: {status}");
        assert!(!exists("policy"), "{signal:?} leaves the policy");
    }
}
