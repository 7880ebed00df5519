//! A private PostgreSQL on loopback, with a password and without a Unix socket.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;

use crate::error::{Error, Result};
use crate::files;
use crate::interrupt::Interrupt;
use crate::process::{Invocation, User};
use crate::random;
use crate::supervisor::{Service, Supervisor};
use crate::system::{tools, users};

const TIMEOUT: Duration = Duration::from_secs(60);
const SUPERUSER: &str = "postgres";
const PASSWORD_FILE: &str = "password";
/// Failed statements and their rows may contain personal data, so PostgreSQL does not log them. Production sets the same.
pub const LOG_SETTINGS: [(&str, &str); 2] =
    [("log_min_error_statement", "panic"), ("log_error_verbosity", "terse")];

/// Lifetime and durability of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Kept between runs, durable.
    Lasting,
    /// Recreated, durable.
    Fresh,
    /// Recreated, not durable: a crash may lose committed data.
    Fast,
}

/// A PostgreSQL with an initialised data directory.
pub struct Postgres {
    programs: PathBuf,
    directory: PathBuf,
    user: Option<User>,
    port: u16,
    password: String,
    storage: Storage,
}

impl Postgres {
    /// Uses the data below `directory`, or initialises it.
    pub fn prepare(
        directory: &Path,
        port: u16,
        storage: Storage,
        log: &Path,
        interrupt: &Interrupt,
    ) -> Result<Self> {
        let programs = tools::postgres_programs()?;
        let user = unprivileged_user()?;
        let directory = reachable(directory, user)?;
        let mut postgres = Self { programs, directory, user, port, password: String::new(), storage };
        let password_file = postgres.directory.join(PASSWORD_FILE);
        if storage == Storage::Lasting && postgres.data().join("PG_VERSION").exists() {
            postgres.password = files::read(&password_file)?.trim().to_owned();
            return Ok(postgres);
        }
        files::remove(&postgres.data())?;
        postgres.password = random::secret()?;
        files::replace(&password_file, postgres.password.as_bytes(), files::PRIVATE)?;
        if let Some(user) = user {
            chown(&password_file, Some(user.uid), Some(user.gid))
                .map_err(|error| Error::file("change the owner of", &password_file, &error))?;
        }
        let authentication = match storage {
            Storage::Lasting => "--auth=scram-sha-256",
            // SCRAM is so slow in debug builds that many simultaneous connections would time out.
            Storage::Fresh | Storage::Fast => "--auth=md5",
        };
        let arguments = [
            OsStr::new("--pgdata"),
            postgres.data().as_os_str(),
            OsStr::new("--pwfile"),
            password_file.as_os_str(),
        ]
        .map(OsStr::to_owned)
        .into_iter()
        .chain(
            ["--username", SUPERUSER, authentication, "--encoding=UTF8", "--locale=C"].map(OsString::from),
        );
        postgres.program("initdb", arguments).run(log, interrupt)?;
        Ok(postgres)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{SUPERUSER}:{}@127.0.0.1:{}/{database}", self.password, self.port)
    }

    /// Starts the server and waits until it accepts connections.
    pub fn start(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        let mut settings = vec![
            format!("port={}", self.port),
            "listen_addresses=127.0.0.1".to_owned(),
            "unix_socket_directories=".to_owned(),
            "max_connections=300".to_owned(),
        ];
        settings.extend(LOG_SETTINGS.map(|(name, value)| format!("{name}={value}")));
        if self.storage == Storage::Fast {
            settings
                .extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"].map(str::to_owned));
        }
        let mut arguments = vec!["-D".to_owned(), self.data().display().to_string()];
        arguments.extend(settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
        let mut service = Service::new("postgres", self.program("postgres", arguments), logs);
        service.stop_signal = Signal::INT;
        supervisor.start(service, TIMEOUT, || self.accepts())
    }

    /// Creates a database if it does not exist.
    pub fn ensure_database(&self, name: &str, log: &Path, interrupt: &Interrupt) -> Result<()> {
        let exists =
            self.client("psql").env("PGDATABASE", name).argument("--command=SELECT 1").quiet_success();
        if exists { Ok(()) } else { self.client("createdb").argument(name).run(log, interrupt) }
    }

    /// Deletes the data; the server must be stopped.
    pub fn remove(&self) -> Result<()> {
        files::remove(&self.directory)
    }

    pub fn accepts(&self) -> bool {
        self.client("pg_isready").quiet_success()
    }

    /// The environment of PostgreSQL's client programs.
    pub fn client_environment(&self) -> [(&'static str, String); 4] {
        [
            ("PGHOST", "127.0.0.1".to_owned()),
            ("PGPORT", self.port.to_string()),
            ("PGUSER", SUPERUSER.to_owned()),
            ("PGPASSWORD", self.password.clone()),
        ]
    }

    fn client(&self, name: &str) -> Invocation {
        let environment = self.client_environment().into_iter();
        environment.fold(self.program::<&str>(name, []), |program, (name, value)| program.env(name, value))
    }

    fn program<A: AsRef<OsStr>>(&self, name: &str, arguments: impl IntoIterator<Item = A>) -> Invocation {
        Invocation::new(self.programs.join(name), arguments)
            .directory(&self.directory)
            .user(self.user)
            .env("LC_ALL", "C")
            .env_remove("PGDATA")
            .env_remove("PGSERVICE")
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }
}

/// PostgreSQL refuses to run as root, so root runs it as an unprivileged user.
fn unprivileged_user() -> Result<Option<User>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    users::find(&["postgres", "_postgres", "nobody"]).map(Some).ok_or_else(|| {
        Error::failed(
            "PostgreSQL does not run as root: create the user postgres, or run this command as another user",
        )
    })
}

/// A directory that the user owns and can access: `wanted`, otherwise one below /var/tmp.
fn reachable(wanted: &Path, user: Option<User>) -> Result<PathBuf> {
    files::private_directory(wanted)?;
    let Some(user) = user else { return Ok(wanted.to_owned()) };
    own(wanted, user)?;
    if Invocation::new("test", ["-w", &wanted.display().to_string()])
        .directory(Path::new("/"))
        .user(Some(user))
        .quiet_success()
    {
        return Ok(wanted.to_owned());
    }
    let mut hash = DefaultHasher::new();
    wanted.hash(&mut hash);
    let elsewhere = Path::new("/var/tmp").join(format!("zyon-grand-postgres-{:016x}", hash.finish()));
    match fs::create_dir(&elsewhere) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(Error::file("create", &elsewhere, &error));
        }
        Ok(()) | Err(_) => {}
    }
    // Anyone can create entries in /var/tmp, so an existing one must be ours.
    let found = fs::symlink_metadata(&elsewhere).map_err(|error| Error::file("read", &elsewhere, &error))?;
    if !found.is_dir() || (found.uid() != 0 && found.uid() != user.uid) {
        return Err(Error::failed(format!("{} belongs to another user: remove it", elsewhere.display())));
    }
    files::private_directory(&elsewhere)?;
    own(&elsewhere, user)?;
    Ok(elsewhere)
}

fn own(path: &Path, user: User) -> Result<()> {
    chown(path, Some(user.uid), Some(user.gid))
        .map_err(|error| Error::file("change the owner of", path, &error))
}
