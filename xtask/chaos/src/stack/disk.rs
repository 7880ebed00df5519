//! Small disks that can be filled: a tmpfs with a ballast file.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::error::{Error, Result};
use xtask::files;

pub(crate) struct Disk {
    directory: PathBuf,
    ballast: PathBuf,
}

/// Whether this process has its own mount namespace, so that its mounts disappear with it.
pub(crate) fn is_possible() -> bool {
    rustix::process::geteuid().is_root()
        && fs::read_link("/proc/self/ns/mnt").ok() != fs::read_link("/proc/1/ns/mnt").ok()
}

/// Mounts a small disk on the directory; `None` where that is not possible.
pub(crate) fn mount(directory: &Path, megabytes: u64) -> Result<Option<Disk>> {
    files::directory(directory)?;
    if !is_possible() {
        return Ok(None);
    }
    let options = format!("size={megabytes}m,mode=0711");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", &options, "zyon-grand-chaos"])
        .arg(directory)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    Ok(mounted.then(|| Disk { directory: directory.to_owned(), ballast: directory.join("ballast") }))
}

impl Disk {
    pub(crate) fn fill(&self, spare_megabytes: u64) -> Result<()> {
        const MEGABYTE: usize = 1 << 20;
        let failed = |error: std::io::Error| Error::file("fill", &self.ballast, &error);
        let mut file = File::create(&self.ballast).map_err(failed)?;
        let block = vec![0; MEGABYTE];
        let mut written = 0;
        while file.write_all(&block).is_ok() {
            written += 1;
        }
        // The last block was written as far as it fitted.
        if spare_megabytes > 0 {
            file.set_len(u64::saturating_sub(written, spare_megabytes) << 20).map_err(failed)?;
        }
        Ok(())
    }

    /// Removes the ballast.
    pub(crate) fn clear(&self) -> Result<()> {
        match fs::remove_file(&self.ballast) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::file("remove", &self.ballast, &error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazy: open files stay usable, and the directory can be removed.
        let _gone = Command::new("umount").arg("--lazy").arg(&self.directory).stderr(Stdio::null()).status();
    }
}
