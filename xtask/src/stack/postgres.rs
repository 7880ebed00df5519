//! A private PostgreSQL on loopback, with passwords and without a Unix socket.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;
use rustix::process::Signal;

use crate::files;
use crate::packages;
use crate::process::{command, command_with, output};
use crate::stack::plan::Storage;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(60);
const SUPERUSER: &str = "postgres";
/// Failed statements and their rows may contain personal data, so PostgreSQL does not log them. Production sets the same.
pub const LOG_SETTINGS: [(&str, &str); 2] = [
    ("log_min_error_statement", "panic"),
    ("log_error_verbosity", "terse"),
];

/// A PostgreSQL with an initialised data directory.
pub struct Postgres {
    directory: PathBuf,
    user: Option<&'static str>,
    port: u16,
    /// The password of every role.
    password: String,
    storage: Storage,
}

impl Postgres {
    /// Uses the data below `directory`, or initialises it.
    pub fn initialise(directory: &Path, port: u16, storage: Storage) -> Result<Self> {
        // PostgreSQL refuses to run as root.
        let user = rustix::process::geteuid().is_root().then_some(SUPERUSER);
        let directory = reachable(directory, user)?;
        let mut postgres = Self {
            directory,
            user,
            port,
            password: String::new(),
            storage,
        };
        let password_file = postgres.directory.join("password");
        if storage == Storage::Lasting && postgres.data().join("PG_VERSION").exists() {
            postgres.password = fs::read_to_string(&password_file)?.trim().to_owned();
            return Ok(postgres);
        }
        files::remove(&postgres.data())?;
        postgres.password = output(command("openssl").args(["rand", "-hex", "32"]))?
            .trim()
            .to_owned();
        files::write_private(&password_file, &postgres.password)?;
        chown(user, &password_file)?;
        let mut initdb = postgres.program("initdb")?;
        // SCRAM is so slow in debug builds that many simultaneous connections would time out.
        initdb.args([
            "--username",
            SUPERUSER,
            "--auth=md5",
            "--encoding=UTF8",
            "--locale=C",
            "--pgdata",
        ]);
        output(
            initdb
                .arg(postgres.data())
                .arg("--pwfile")
                .arg(password_file),
        )?;
        Ok(postgres)
    }

    /// The URL of a database for the superuser.
    pub fn url(&self, database: &str) -> String {
        self.url_of(SUPERUSER, database, self.port)
    }

    /// The URL of a database for a role. `port` is the port of this server or of a proxy.
    pub fn url_of(&self, role: &str, database: &str, port: u16) -> String {
        format!(
            "postgres://{role}:{}@127.0.0.1:{port}/{database}",
            self.password
        )
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
        if self.storage != Storage::Lasting {
            // With the data, which are removed even after kill -9. POSIX shared memory would stay.
            settings.push("dynamic_shared_memory_type=mmap".to_owned());
        }
        if self.storage == Storage::Fast {
            let unsafe_settings = [
                "fsync=off",
                "synchronous_commit=off",
                "full_page_writes=off",
            ];
            settings.extend(unsafe_settings.map(str::to_owned));
        }
        let mut server = self.program("postgres")?;
        server.arg("-D").arg(self.data());
        server.args(settings.iter().flat_map(|setting| ["-c", setting]));
        let mut service = Service::new("postgres", server, logs);
        service.stop_signal = Signal::INT;
        // Killed, it would leave a System V segment in the kernel, which has room for 4,096.
        service.kill_signal = Signal::QUIT;
        supervisor.start(service, TIMEOUT, || self.accepts())
    }

    /// Creates a database, and a role of the same name that owns it, if it does not exist.
    pub fn ensure_database(&self, name: &str) -> Result<()> {
        if self.sql(name, "SELECT 1").is_ok() {
            return Ok(());
        }
        self.sql(
            "postgres",
            &format!("CREATE ROLE {name} LOGIN PASSWORD '{}'", self.password),
        )?;
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER {name}"))
            .map(drop)
    }

    /// Runs statements as superuser, also while the database is read-only. Returns one line per row, with tabs between
    /// columns.
    pub fn sql(&self, database: &str, statements: &str) -> Result<String> {
        let mut psql = self.client("psql")?;
        psql.env("PGDATABASE", database)
            .env("PGOPTIONS", "-c default_transaction_read_only=off")
            .env("PGCONNECT_TIMEOUT", "5")
            .args([
                "--no-psqlrc",
                "--quiet",
                "--tuples-only",
                "--no-align",
                "--field-separator=\t",
            ])
            .args(["--set=ON_ERROR_STOP=1", "--command", statements]);
        output(&mut psql)
    }

    /// Deletes the data; the server must be stopped.
    pub fn remove(&self) -> Result<()> {
        files::remove(&self.directory)
    }

    pub fn accepts(&self) -> bool {
        self.client("pg_isready")
            .and_then(|mut client| output(&mut client))
            .is_ok()
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

    fn client(&self, name: &str) -> Result<Command> {
        let mut client = self.program(name)?;
        client.envs(self.client_environment());
        Ok(client)
    }

    fn program(&self, name: &str) -> Result<Command> {
        let mut program = as_user(self.user, packages::find(name)?);
        program
            .current_dir(&self.directory)
            .env("LC_ALL", "C")
            .env_remove("PGDATA")
            .env_remove("PGSERVICE");
        Ok(program)
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }
}

/// A directory that the user owns and can access: `wanted`, or a directory in the user's home directory.
fn reachable(wanted: &Path, user: Option<&'static str>) -> Result<PathBuf> {
    files::private_directory(wanted)?;
    chown(user, wanted)?;
    if output(as_user(user, "test").arg("-w").arg(wanted).current_dir("/")).is_ok() {
        return Ok(wanted.to_owned());
    }
    // Only this user and root can create entries there.
    let name = wanted.display().to_string().replace('/', "-");
    let elsewhere = Path::new("/var/lib/postgresql").join(format!("zyon-grand{name}"));
    files::private_directory(&elsewhere)?;
    chown(user, &elsewhere)?;
    Ok(elsewhere)
}

fn chown(user: Option<&'static str>, path: &Path) -> Result<()> {
    let Some(user) = user else { return Ok(()) };
    output(command("chown").arg(format!("{user}:")).arg(path)).map(drop)
}

/// A program that runs as another user and the group of the same name, which requires root.
fn as_user(user: Option<&str>, program: impl AsRef<OsStr>) -> Command {
    let Some(user) = user else {
        return command(program);
    };
    command_with(
        &[
            "--pdeathsig=KILL",
            "--reuid",
            user,
            "--regid",
            user,
            "--clear-groups",
        ],
        program,
    )
}
