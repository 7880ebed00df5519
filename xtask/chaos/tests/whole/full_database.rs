//! PostgreSQL on a full disk.

use std::{
    fs::{self, File, Permissions},
    io::{self, ErrorKind},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::Command,
};

use reqwest::StatusCode;
use testkit::wait;
use uuid::Uuid;
use xtask::session::line;

use crate::system::{RECIPIENTS, System, form};

/// Enough for PostgreSQL's first files.
const SIZE: &str = "size=128m";

/// Leads that are submitted after crm-sync has paused.
const LEADS: usize = 10;

/// A small file system, which is unmounted on drop.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(directory: PathBuf) -> io::Result<Self> {
        fs::create_dir(&directory)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]);
        let output = mount.arg(&directory).output()?;
        if output.status.success() {
            Ok(Self(directory))
        } else {
            let reason = String::from_utf8_lossy(&output.stderr);
            Err(io::Error::other(reason.trim().to_owned()))
        }
    }

    /// Writes a file until the disk is full.
    fn fill(&self) {
        // PostgreSQL uses another directory if its user cannot reach this one.
        assert!(self.0.join("data").exists(), "{}", self.0.display());
        let mut file = File::create(self.filler()).unwrap();
        let error = io::copy(&mut io::repeat(0), &mut file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
    }

    fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, because programs may still be ending.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn full_database_stops_no_email_and_loses_no_lead() {
    let files = tempfile::tempdir().unwrap();
    // PostgreSQL's user must reach the directory below.
    fs::set_permissions(files.path(), Permissions::from_mode(0o711)).unwrap();
    let disk = match SmallDisk::mount(files.path().join("postgres")) {
        Ok(disk) => disk,
        Err(error) => {
            line(format!(
                "SKIPPED full_database_stops_no_email_and_loses_no_lead, which must mount a file system: {error}"
            ));
            return;
        }
    };
    let system = System::start_in(files, None, &[]).await;
    submit(&system, 0).await;
    wait::until("the first row", async || system.count("lead") == 1).await;

    disk.fill();
    // Existing pages may have room for some leads.
    let mut leads = 1;
    wait::until("crm-sync to pause", async || {
        submit(&system, leads).await;
        leads += 1;
        system
            .log("crm-sync")
            .contains("consumer paused: dependency unavailable")
    })
    .await;
    for _ in 0..LEADS {
        submit(&system, leads).await;
        leads += 1;
    }
    wait::until("the emails", async || {
        system.mailed().len() >= leads * RECIPIENTS.len()
    })
    .await;
    assert!(
        system.count("lead") + LEADS <= leads,
        "the disk is not full"
    );
    system
        .vhost
        .wait_for_messages("crm-sync.dead-letters", 0)
        .await;

    disk.free();
    wait::until("the rows", async || system.count("lead") == leads).await;
    system.wait_for_empty_queues().await;
    wait::until("the deliveries", async || {
        system.count("delivery WHERE state = 'delivered'") == leads * RECIPIENTS.len()
    })
    .await;
    let mut mailed = RECIPIENTS.repeat(leads);
    mailed.sort_unstable();
    assert_eq!(system.mailed(), mailed, "each email is sent once");
}

async fn submit(system: &System, number: usize) {
    let key = Uuid::from_u128(number as u128).to_string();
    assert_eq!(
        system.submit(&key, &form()).await,
        Some(StatusCode::ACCEPTED)
    );
}
