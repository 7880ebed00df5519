//! A program in a container, with the network of this machine: what `docker` is told.

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

    /// Runs an image as this container, with a volume of the same name mounted at `data`. Ends when it does.
    pub fn run(&self, image: &str, data: &str, options: impl IntoIterator<Item = String>) -> Invocation {
        let start = Invocation::new("docker", ["run", "--rm", "--network", "host", "--name", &self.name])
            .argument("--volume")
            .argument(format!("{}:{data}", self.name));
        options.into_iter().fold(start, Invocation::argument).argument(image)
    }

    pub fn exec(&self, user: &str, command: &str) -> Invocation {
        Invocation::new("docker", ["exec", "--user", user, &self.name, command])
    }

    /// Removes what an earlier run left of it, its volume too.
    pub fn remove(&self) {
        // There may be nothing of it.
        let _gone = Invocation::new("docker", ["rm", "--force", &self.name]).quiet_success();
        let _gone = Invocation::new("docker", ["volume", "rm", "--force", &self.name]).quiet_success();
    }

    /// Sends a signal to all that runs in it.
    pub fn signal(&self, signal: Signal) {
        let arguments: &[&str] = match signal {
            Signal::STOP => &["pause"],
            Signal::CONT => &["unpause"],
            Signal::KILL => &["kill"],
            _ => &["kill", "--signal", "TERM"],
        };
        // One that is gone already is fine.
        let _gone = Invocation::new("docker", arguments).argument(&self.name).quiet_success();
    }
}
