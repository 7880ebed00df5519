//! Secrets and PostgreSQL of docker-compose.yml, without containers.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use xtask::files::root;
use xtask::packages;
use xtask::ports::free_ports;
use xtask::process::output;
use xtask::session::Interrupt;
use xtask::stack::plan::Storage;
use xtask::stack::postgres::{LOG_SETTINGS, Postgres};
use xtask::supervisor::Supervisor;

use crate::{PROGRAMS, install_stand_in};

struct Secrets(TempDir);

impl Secrets {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    /// Runs the generator for these users of leadctl.
    fn make(&self, users: &str, arguments: &[&str]) {
        let mut generator = Command::new(root().join("deploy/secrets"));
        generator
            .args(arguments)
            .env("SECRETS", self.0.path())
            .env("DEFINITIONS", root().join("deploy/rabbitmq/definitions.json"))
            .env("ANON_KEY", "x")
            .env("LEADCTL_USERS", users);
        output(&mut generator).expect("the secrets");
    }

    fn read(&self, name: &str) -> String {
        let text = fs::read_to_string(self.0.path().join(name)).expect("a secret");
        text.trim_end().to_owned()
    }

    fn keys(&self, name: &str) -> Vec<String> {
        self.read(name).split(',').map(str::to_owned).collect()
    }
}

#[test]
fn rotation_keeps_old_keys_unless_leaked() {
    let secrets = Secrets::new();
    secrets.make("", &[]);
    let all = ["desk/magic-link-keys", "desk/desk-session-keys", "lead-intake/session-keys"];
    let first = all.map(|name| secrets.keys(name));
    assert!(first.iter().all(|keys| keys.len() == 1 && keys[0].len() >= 32), "{first:?}");
    secrets.make("", &[]);
    assert_eq!(all.map(|name| secrets.keys(name)), first, "existing secrets are kept");
    let suppression = secrets.read("crm-sync/suppression-key");
    let withdrawal = secrets.read("notifier/withdrawal-keys");
    let token = secrets.read("desk/crm-token");
    secrets.make("", &["rotate"]);
    let rotated = all.map(|name| secrets.keys(name));
    for (rotated, first) in rotated.iter().zip(&first) {
        assert!(rotated.len() == 2 && rotated[1] == first[0] && rotated[0] != first[0], "{rotated:?}");
    }
    assert_ne!(secrets.read("desk/crm-token"), token);
    let accepted = |token: &str| secrets.read("crm-sync/crm-tokens").contains(&format!("desk:desk={token}"));
    assert!(accepted(&token) && accepted(&secrets.read("desk/crm-token")), "clients restart after crm-sync");
    let rotated_token = secrets.read("desk/crm-token");
    secrets.make("", &["rotate", "--leaked"]);
    assert!(!accepted(&token) && !accepted(&rotated_token));
    for (name, rotated) in all.iter().zip(&rotated) {
        let keys = secrets.keys(name);
        assert!(keys.len() == 1 && !rotated.contains(&keys[0]), "{keys:?} after {rotated:?}");
    }
    assert_eq!(secrets.read("crm-sync/suppression-key"), suppression);
    assert_eq!(secrets.read("lead-intake/withdrawal-keys"), withdrawal, "links in emails do not expire");
    assert_eq!(secrets.keys("notifier/magic-link-keys"), secrets.keys("desk/magic-link-keys"));
    assert_eq!(secrets.keys("crm-sync/desk-session-keys"), secrets.keys("desk/desk-session-keys"));
}

#[test]
fn each_user_of_leadctl_has_a_token() {
    let secrets = Secrets::new();
    secrets.make("mei daniel", &[]);
    let tokens = secrets.read("crm-sync/crm-tokens");
    for user in ["mei", "daniel"] {
        let token = tokens.lines().find_map(|line| line.strip_prefix(&format!("sales:{user}=")));
        let file = secrets.read(&format!("leadctl/{user}.toml"));
        assert!(file.contains(&format!("token = \"{}\"", token.expect("an entry"))), "{file}");
    }
    secrets.make("mei", &[]);
    assert_eq!(
        secrets.read("crm-sync/crm-tokens"),
        tokens.lines().filter(|it| !it.contains("daniel")).collect::<Vec<_>>().join("\n")
    );
    assert!(!secrets.0.path().join("leadctl/daniel.toml").exists());
}

#[test]
fn postgres_logs_neither_statements_nor_rows() {
    let compose = fs::read_to_string(root().join("docker-compose.yml")).expect("its text");
    let cluster = root().join("k8s/overlays/production/postgresql/cluster.yaml");
    let cluster = fs::read_to_string(cluster).expect("its text");
    for (name, value) in LOG_SETTINGS {
        assert!(compose.contains(&format!("- {name}={value}\n")), "{name}");
        assert!(cluster.contains(&format!(" {name}: {value}\n")), "{name}");
    }

    let server = Server::start();
    for statement in [
        "CREATE TABLE lead (name text PRIMARY KEY, mobile text CHECK (mobile <> name))",
        "INSERT INTO lead VALUES ('Mei Lin', '9123'), ('Mei Lin', '9123')",
        "INSERT INTO lead VALUES ('Mei Lin', 'Mei Lin')",
    ] {
        server.sql("postgres", statement);
    }
    let log = fs::read_to_string(server.file("postgres.log")).expect("the log");
    for error in ["duplicate key value", "violates check constraint"] {
        assert!(log.contains(error), "{log}");
    }
    assert!(!log.contains("Mei Lin") && !log.contains("INSERT"), "{log}");
}

#[test]
fn restore_brings_back_the_backup_or_changes_nothing() {
    let server = Server::start();
    server.create_database("CREATE TABLE lead (name text); INSERT INTO lead VALUES ('before the backup')");
    let backup = server.back_up();
    server.sql("crm", "INSERT INTO lead VALUES ('after the backup')");

    let broken = server.file("broken.dump");
    let bytes = fs::read(&backup).expect("the backup");
    fs::write(&broken, &bytes[..bytes.len() / 2]).expect("half of it");
    assert!(server.script("restore", &[&broken]).is_err());
    assert_eq!(server.sql("crm", "SELECT name FROM lead"), "before the backup\nafter the backup\n");
    assert_eq!(server.composed(), "");

    server.script("restore", &[&backup]).expect("a restore");
    assert_eq!(server.sql("crm", "SELECT name FROM lead"), "before the backup\n");
    assert_eq!(server.composed(), "stop crm-sync\nrun -T --rm --no-deps migrate\nstart crm-sync\n");
    assert_eq!(server.sql("postgres", "SELECT datname FROM pg_database WHERE datname LIKE 'crm_%'"), "");
}

#[test]
fn restore_repeats_erasures_and_suppressions() {
    let server = Server::start();
    server.create_database("CREATE ROLE crm_sync");
    let mut migrate = Command::new(PROGRAMS.join("crm-sync"));
    migrate.arg("migrate").env("DATABASE_URL", server.postgres.url("crm"));
    output(migrate.env("DATABASE_SERVICE_ROLE", "crm_sync")).expect("the migrations");
    let columns = server.sql(
        "crm",
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'lead' AND is_nullable = 'NO'
            AND data_type = 'text'",
    );
    let columns: Vec<&str> =
        columns.lines().filter(|column| !matches!(*column, "email_key" | "digits" | "number_key")).collect();
    let (texts, values) = (columns.join(", "), vec!["'x'"; columns.len()].join(", "));
    for (number, email) in
        [(1, "mei@x.test"), (2, "erased@x.test"), (3, "shared@x.test"), (4, "shared@x.test")]
    {
        let id = format!("'00000000-0000-0000-0000-00000000000{number}'");
        let rows = format!(
            "INSERT INTO lead (id, submitted_at, contact_id, email_key, digits, number_key, open, leases, brochure,
                {texts})
                VALUES ({id}, now(), {id}, '{email}', '659{number}', '+659{number} mei', FALSE, 0, FALSE, {values});
            INSERT INTO contact_key VALUES ('{email}', {id}) ON CONFLICT DO NOTHING;
            INSERT INTO contact_key VALUES ('+659{number} mei', {id});
            INSERT INTO delivery (lead_id, recipient, requested, state, holder, attempts, reason_class,
                reason_detail, mail_message_id, server_reply)
                VALUES ({id}, 'visitor', FALSE, '', '', 1, '', '', '', '')"
        );
        server.postgres.sql("crm", &rows).expect("rows");
    }
    server.sql("crm", "INSERT INTO suppression VALUES ('before', '2026-01-01', 'do_not_contact')");
    let backup = server.back_up();

    // Like crm-sync when it erases leads 2 and 3 and a lead that is newer than the backup.
    let erasures = "
        UPDATE lead SET email_key = '', digits = '', number_key = '', name = '', contact_id = NULL,
            erased_at = '2026-02-01' WHERE digits IN ('6592', '6593');
        UPDATE delivery SET recipient = 'erased:crm' WHERE lead_id::text LIKE '%2';
        DELETE FROM delivery WHERE lead_id::text LIKE '%3';
        DELETE FROM contact_key WHERE value IN ('erased@x.test', '+6592 mei', '+6593 mei');
        UPDATE contact_key SET contact_id = '00000000-0000-0000-0000-000000000004' WHERE value = 'shared@x.test';
        INSERT INTO suppression VALUES ('after', '2026-02-01', 'do_not_contact');
        UPDATE lead SET do_not_contact_at = '2026-02-01' WHERE digits = '6591'";
    server.postgres.sql("crm", erasures).expect("erasures");
    let all = "SELECT * FROM lead ORDER BY id";
    let before = server.sql("crm", all);
    assert_eq!(
        server.script("restore", &[&backup]).expect("a restore"),
        "Repeated since the backup: 1 suppressions\nRepeated since the backup: erasure of 2 leads\n"
    );
    assert_eq!(server.sql("crm", all), before);
    assert_eq!(server.sql("crm", "SELECT hash FROM suppression ORDER BY since"), "before\nafter\n");
    let deliveries = "SELECT right(lead_id::text, 1), recipient FROM delivery ORDER BY 1";
    assert_eq!(server.sql("crm", deliveries), "1|visitor\n2|erased:crm\n4|visitor\n");
    let keys = server.sql("crm", "SELECT value FROM contact_key ORDER BY value COLLATE \"C\"");
    assert_eq!(keys, "+6591 mei\n+6594 mei\nmei@x.test\nshared@x.test\n");
    assert_eq!(server.sql("crm", "SELECT client, action, leads FROM audit"), "restore|erase-person|2\n");
}

#[test]
fn backups_are_encrypted_with_age() {
    let server = Server::start();
    server.create_database("CREATE TABLE lead (name text); INSERT INTO lead VALUES ('Mei Lin')");
    let [identity, other] = ["identity", "other"].map(|name| server.file(name));
    let keygen = |file: &str| {
        let output = Command::new("age-keygen").args(["-o", file]).output().expect("age-keygen starts");
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        text.trim().strip_prefix("Public key: ").expect("a key").to_owned()
    };
    let recipient = keygen(&identity);
    keygen(&other);
    let plain = server.file("crm.dump");
    let backup = server.script_for(&recipient, "backup", &[&plain]).expect("a backup").trim().to_owned();
    assert!(backup.ends_with("/crm.dump.age"), "{backup}");
    assert!(fs::read(&backup).expect("the backup").starts_with(b"age-encryption.org/v1"));
    assert!([plain, format!("{backup}.new")].iter().all(|file| !PathBuf::from(file).exists()));

    server.sql("crm", "DELETE FROM lead");
    for wrong in [vec![backup.as_str()], vec![backup.as_str(), other.as_str()]] {
        assert!(server.script("restore", &wrong).is_err());
        assert_eq!(server.composed(), "", "no service was stopped");
    }
    let restored = server.script("restore", &[&backup, &identity]).expect("a restore");
    assert!(restored.contains("Erase again everyone erased since the backup"), "{restored}");
    assert_eq!(server.sql("crm", "SELECT name FROM lead"), "Mei Lin\n");
}

/// The CronJob of the Kubernetes overlay `plain`.
#[test]
fn nightly_backup_can_be_restored() {
    let server = Server::start();
    server.create_database("CREATE TABLE lead (name text); INSERT INTO lead VALUES ('Mei Lin')");
    let manifests = fs::read_to_string(root().join("k8s/components/backup/cronjob.yaml")).expect("its text");
    let manifests: Vec<Value> = serde_saphyr::from_multiple(&manifests).expect("manifests");
    let container = &manifests[1]["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0];
    let (uri, backups) = (server.file("uri"), server.file("backups"));
    fs::write(&uri, server.postgres.url("crm")).expect("the address");
    fs::create_dir(&backups).expect("the volume");
    let old = format!("{backups}/crm-20200101T000000Z.dump");
    output(Command::new("touch").args(["-d", "20 days ago", &old])).expect("an old backup");
    let script = container["args"][0].as_str().expect("a script");
    let script =
        script.replace("cd /backups", &format!("cd {backups}")).replace("/run/secrets/database/uri", &uri);
    output(Command::new("sh").args(["-ec", &script]).env("PATH", server.path())).expect("a backup");

    let dumps: Vec<_> = fs::read_dir(&backups).expect("the volume").flatten().map(|it| it.path()).collect();
    assert_eq!(dumps.len(), 1, "{dumps:?}");
    server.sql("postgres", "CREATE DATABASE restored");
    let mut restore = Command::new(packages::find("pg_restore").expect("PostgreSQL"));
    restore.arg("--dbname").arg(server.postgres.url("restored")).arg("--no-owner").arg(&dumps[0]);
    output(&mut restore).expect("a restore");
    assert_eq!(server.sql("restored", "SELECT name FROM lead"), "Mei Lin\n");
}

#[test]
fn containers_run_without_root_and_writable_files() {
    let compose = fs::read_to_string(root().join("docker-compose.yml")).expect("its text");
    let compose: Value = serde_saphyr::from_str(&compose).expect("YAML");
    let services = compose["services"].as_object().expect("services");
    assert!(services.len() >= 15, "{} services", services.len());
    for (name, service) in services {
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(service["security_opt"], json!(["no-new-privileges:true"]), "{name}");
        assert_eq!(service["cap_add"], Value::Null, "{name}");
        // Compose publishes ports only on loopback, and the data networks are internal.
        for port in service["ports"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            assert!(
                ["127.0.0.1:", "${SITE_BIND:-127.0.0.1}:"].iter().any(|it| port.starts_with(it)),
                "{port}"
            );
        }
    }
    for network in ["edge", "services", "database"] {
        assert_eq!(compose["networks"][network]["internal"], true, "{network}");
    }
}

#[test]
fn every_image_of_others_can_be_pinned() {
    const DIGEST: &str = "sha256:0123456789012345678901234567890123456789012345678901234567890123";
    let directory = tempfile::tempdir().expect("a directory");
    let mut copy = Command::new("cp");
    copy.args([
        "-r",
        "--parents",
        "docker-compose.yml",
        "deploy",
        "k8s/components/images",
        "--target-directory",
    ]);
    output(copy.arg(directory.path()).current_dir(root())).expect("a copy");
    // A stand-in for docker that returns this digest for every image.
    install_stand_in(directory.path(), "docker", &format!("#!/bin/sh\necho {DIGEST}\n"));
    let pin = |arguments: &[&str]| {
        let path = format!("{}:/usr/bin:/bin", directory.path().display());
        let mut script = Command::new(directory.path().join("deploy/pin-images"));
        output(script.args(arguments).env("PATH", path))
    };
    let remove = r"find -type f -exec sed -i -E 's/(@|, digest: )sha256:[0-9a-f]{64}//' {} +";
    output(Command::new("sh").args(["-c", remove]).current_dir(&directory)).expect("no digest is left");
    pin(&["--check"]).expect_err("images without a digest");
    pin(&[]).expect("every image gets a digest");
    pin(&["--check"]).expect("no image is left");
    for (file, image) in [
        ("docker-compose.yml", "image: postgres:"),
        ("deploy/Dockerfile", "FROM gcr.io/distroless/cc-debian12:nonroot"),
        ("k8s/components/images/kustomization.yaml", "name: curlimages/curl, newTag:"),
    ] {
        let text = fs::read_to_string(directory.path().join(file)).expect(file);
        let line = text.lines().find(|line| line.contains(image)).expect(image);
        assert!(line.contains(DIGEST), "{line}");
        assert!(!text.contains("zyon-grand/site, newTag: 0.1.0, digest"));
    }
}

/// A PostgreSQL server instead of the container.
struct Server {
    // Dropped first, because it stops the server.
    _supervisor: Supervisor,
    directory: TempDir,
    postgres: Postgres,
}

impl Server {
    fn start() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let supervisor = Supervisor::new(Interrupt::default());
        let (port, data) = (free_ports(1).expect("a port")[0], directory.path().join("data"));
        let postgres = Postgres::initialise(&data, port, Storage::Fast).expect("a data directory");
        postgres.start(&supervisor, directory.path()).expect("PostgreSQL");
        Self { _supervisor: supervisor, directory, postgres }
    }

    fn file(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// Creates the database of leads and its owner, and runs statements in it.
    fn create_database(&self, statements: &str) {
        self.postgres.ensure_database("crm").expect("a database");
        self.postgres.sql("crm", statements).expect("its contents");
    }

    /// The rows with `|` between columns, or no rows if the statement fails.
    fn sql(&self, database: &str, statement: &str) -> String {
        self.postgres.sql(database, statement).unwrap_or_default().replace('\t', "|")
    }

    /// Runs `deploy/compose/backup` and returns the path of the backup.
    fn back_up(&self) -> String {
        let backup = self.file("crm.dump");
        assert_eq!(self.script("backup", &[&backup]).ok(), Some(format!("{backup}\n")));
        backup
    }

    /// Runs a script of `deploy/compose`.
    fn script(&self, name: &str, arguments: &[&str]) -> anyhow::Result<String> {
        self.script_for("", name, arguments)
    }

    /// Runs a script of `deploy/compose`, which encrypts for a recipient, with a stand-in for docker, which runs PostgreSQL's
    /// programs and records other commands.
    fn script_for(&self, recipient: &str, name: &str, arguments: &[&str]) -> anyhow::Result<String> {
        const DOCKER: &str = "#!/bin/sh\nshift\nif [ $1 = exec ]; then shift 3; exec \"$@\"; fi\n\
                              echo \"$@\" >>\"$COMPOSED\"\n";
        install_stand_in(self.directory.path(), "docker", DOCKER);
        let mut script = Command::new(root().join("deploy/compose").join(name));
        script
            .args(arguments)
            .env("BACKUP_RECIPIENT", recipient)
            .env("PATH", self.path())
            .env("COMPOSED", self.file("composed"))
            .envs(self.postgres.client_environment());
        output(&mut script)
    }

    /// A PATH with the stand-in for docker and PostgreSQL's programs.
    fn path(&self) -> String {
        let initdb = packages::find("initdb").expect("PostgreSQL");
        let programs = initdb.parent().expect("a directory").display();
        format!("{}:{programs}:/usr/bin:/bin", self.directory.path().display())
    }

    /// The docker compose commands of the scripts, except `exec`.
    fn composed(&self) -> String {
        fs::read_to_string(self.file("composed")).unwrap_or_default()
    }
}
