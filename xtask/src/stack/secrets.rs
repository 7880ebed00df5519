//! Secrets of a stack, made by the script that Compose and Kubernetes use: a directory for each service.

use std::path::{Path, PathBuf};

use anyhow::Result;
use fs_err as fs;

use crate::checkout;
use crate::files;
use crate::process::{command, output};
use crate::stack::services::ANON_KEY;

pub struct Secrets {
    directory: PathBuf,
}

impl Secrets {
    /// Creates what is missing in the directory `secrets` below `stack`.
    pub fn create_in(stack: &Path) -> Result<Self> {
        let directory = stack.join("secrets");
        files::private_directory(&directory)?;
        let mut script = command(checkout::path("deploy/secrets"));
        script.env("SECRETS", &directory).env("ANON_KEY", ANON_KEY).env("LEADCTL_USERS", "");
        output(script.env("DEFINITIONS", checkout::path("deploy/rabbitmq/definitions.json")))?;
        Ok(Self { directory })
    }

    pub fn read_secret(&self, name: &str) -> Result<String> {
        Ok(fs::read_to_string(self.directory.join(name))?.trim().to_owned())
    }

    /// Replaces a secret by a value that depends on the stack, such as a URL with a port.
    pub fn replace(&self, name: &str, value: &str) -> Result<()> {
        files::replace(&self.directory.join(name), value.as_bytes(), files::PRIVATE)
    }

    /// The settings of a service that name files, such as `AMQP_URL_FILE`, with the files. Certificates have an extension
    /// and are not used on loopback.
    pub fn settings(&self, service: &str) -> Result<Vec<(String, PathBuf)>> {
        let files = fs::read_dir(self.directory.join(service))?.flatten().map(|entry| entry.path());
        let secrets = files.filter(|path| path.is_file() && path.extension().is_none());
        let setting = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        Ok(secrets.map(|path| (format!("{}_FILE", setting(&path).replace('-', "_")), path)).collect())
    }
}
