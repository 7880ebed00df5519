//! A private PostgreSQL on loopback, with passwords and without a Unix socket.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use fs_err as fs;
use rustix::process::Signal;

use crate::files;
use crate::packages;
use crate::process::Invocation;
use crate::stack::plan::Storage;
use crate::stack::secrets::random_secret;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(60);
const SUPERUSER: &str = "postgres";
/// Failed statements and their rows may contain personal data, so PostgreSQL does not log them. Production sets the same.
pub const LOG_SETTINGS: [(&str, &str); 2] =
    [("log_min_error_statement", "panic"), ("log_error_verbosity", "terse")];

/// A PostgreSQL with an initialised data directory.
pub struct Postgres {
    directory: PathBuf,
    user: Option<&'static str>,
    port: u16,
    /// Of the superuser and of all other roles.
    password: String,
    storage: Storage,
}

impl Postgres {
    /// Uses the data below `directory`, or initialises it.
    pub fn initialise(directory: &Path, port: u16, storage: Storage) -> Result<Self> {
        // PostgreSQL refuses to run as root.
        let user = rustix::process::geteuid().is_root().then_some(SUPERUSER);
        let directory = reachable(directory, user)?;
        let mut postgres = Self { directory, user, port, password: String::new(), storage };
        let password_file = postgres.directory.join("password");
        if storage == Storage::Lasting && postgres.data().join("PG_VERSION").exists() {
            postgres.password = fs::read_to_string(&password_file)?.trim().to_owned();
            return Ok(postgres);
        }
        files::remove(&postgres.data())?;
        postgres.password = random_secret()?;
        files::replace(&password_file, postgres.password.as_bytes(), files::PRIVATE)?;
        chown(user, &password_file)?;
        let authentication = match storage {
            Storage::Lasting => "--auth=scram-sha-256",
            // SCRAM is so slow in debug builds that many simultaneous connections would time out.
            Storage::Fresh | Storage::Fast => "--auth=md5",
        };
        postgres
            .program("initdb")?
            .arguments(["--username", SUPERUSER, authentication, "--encoding=UTF8", "--locale=C", "--pgdata"])
            .argument(postgres.data())
            .argument("--pwfile")
            .argument(password_file)
            .output()?;
        Ok(postgres)
    }

    /// The URL of a database for the superuser.
    pub fn url(&self, database: &str) -> String {
        self.url_of(SUPERUSER, database, self.port)
    }

    /// The URL of a database for a role, through a port that leads to this server.
    pub fn url_of(&self, role: &str, database: &str, port: u16) -> String {
        format!("postgres://{role}:{}@127.0.0.1:{port}/{database}", self.password)
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
            let unsafe_settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
            settings.extend(unsafe_settings.map(str::to_owned));
        }
        let server = self.program("postgres")?.argument("-D").argument(self.data());
        let server =
            settings.into_iter().fold(server, |server, setting| server.argument("-c").argument(setting));
        let mut service = Service::new("postgres", server, logs);
        service.stop_signal = Signal::INT;
        supervisor.start(service, TIMEOUT, || self.accepts())
    }

    /// Creates a database, and a role of the same name that owns it, if it does not exist.
    pub fn ensure_database(&self, name: &str) -> Result<()> {
        if self.sql(name, "SELECT 1").is_ok() {
            return Ok(());
        }
        self.sql("postgres", &format!("CREATE ROLE {name} LOGIN PASSWORD '{}'", self.password))?;
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER {name}")).map(drop)
    }

    /// Runs statements as superuser, also while the database is read-only; returns one line per row with tabs between
    /// columns.
    pub fn sql(&self, database: &str, statements: &str) -> Result<String> {
        self.client("psql")?
            .env("PGDATABASE", database)
            .env("PGOPTIONS", "-c default_transaction_read_only=off")
            .env("PGCONNECT_TIMEOUT", "5")
            .arguments(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator=\t"])
            .arguments(["--set=ON_ERROR_STOP=1", "--command", statements])
            .output()
    }

    /// Deletes the data; the server must be stopped.
    pub fn remove(&self) -> Result<()> {
        files::remove(&self.directory)
    }

    pub fn accepts(&self) -> bool {
        self.client("pg_isready").is_ok_and(|client| client.succeeds())
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

    fn client(&self, name: &str) -> Result<Invocation> {
        let environment = self.client_environment();
        Ok(self.program(name)?.envs(environment.iter().map(|(name, value)| (*name, value.as_str()))))
    }

    fn program(&self, name: &str) -> Result<Invocation> {
        Ok(Invocation::new::<&str>(packages::find(name)?, [])
            .directory(&self.directory)
            .user(self.user)
            .env("LC_ALL", "C")
            .env_remove("PGDATA")
            .env_remove("PGSERVICE"))
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }
}

/// A directory that the user owns and can access: `wanted`, otherwise one below /var/tmp.
fn reachable(wanted: &Path, user: Option<&'static str>) -> Result<PathBuf> {
    files::private_directory(wanted)?;
    chown(user, wanted)?;
    let test = Invocation::new("test", ["-w"]).argument(wanted).directory(Path::new("/")).user(user);
    if test.succeeds() {
        return Ok(wanted.to_owned());
    }
    let mut hash = DefaultHasher::new();
    wanted.hash(&mut hash);
    let elsewhere = Path::new("/var/tmp").join(format!("zyon-grand-postgres-{:016x}", hash.finish()));
    match fs::create_dir(&elsewhere) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.into()),
        Ok(()) | Err(_) => {}
    }
    // Anyone can create entries in /var/tmp, so an existing one must be ours.
    let owner = |path: &Path| fs::symlink_metadata(path).map(|found| (found.is_dir(), found.uid()));
    let is_ours = owner(&elsewhere)
        .is_ok_and(|found| found == (true, 0) || owner(wanted).is_ok_and(|wanted| found == wanted));
    if !is_ours {
        bail!("{} belongs to another user: remove it", elsewhere.display());
    }
    files::private_directory(&elsewhere)?;
    chown(user, &elsewhere)?;
    Ok(elsewhere)
}

fn chown(user: Option<&'static str>, path: &Path) -> Result<()> {
    let Some(user) = user else { return Ok(()) };
    Invocation::new("chown", [format!("{user}:")]).argument(path).output().map(drop)
}
