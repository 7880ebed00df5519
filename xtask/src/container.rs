//! Runs programs in Docker containers on the host's network.

use rustix::process::Signal;

use crate::process::Invocation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    name: String,
}

impl Container {
    pub fn new(name: String) -> Self {
        Self { name }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs an image in the foreground as this container, with a volume of the same name mounted at `data`.
    pub fn run(&self, image: &str, data: &str, options: impl IntoIterator<Item = String>) -> Invocation {
        let start = Invocation::new("docker", ["run", "--rm", "--network", "host", "--name", &self.name])
            .argument("--volume")
            .argument(format!("{}:{data}", self.name));
        options.into_iter().fold(start, Invocation::argument).argument(image)
    }

    pub fn exec(&self, user: &str, command: &str) -> Invocation {
        Invocation::new("docker", ["exec", "--user", user, &self.name, command])
    }

    /// Removes the container and its volume, if they exist.
    pub fn remove(&self) {
        // They may not exist.
        let _gone = Invocation::new("docker", ["rm", "--force", &self.name]).quiet_success();
        let _gone = Invocation::new("docker", ["volume", "rm", "--force", &self.name]).quiet_success();
    }

    /// Signals all processes in the container.
    pub fn signal(&self, signal: Signal) {
        let arguments: &[&str] = match signal {
            Signal::STOP => &["pause"],
            Signal::CONT => &["unpause"],
            Signal::KILL => &["kill"],
            _ => &["kill", "--signal", "TERM"],
        };
        // A missing container is ignored.
        let _gone = Invocation::new("docker", arguments).argument(&self.name).quiet_success();
    }
}
