//! Secrets and PostgreSQL of docker-compose.yml, without containers.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;
use xtask::{
    builds,
    checkout::root,
    packages,
    ports::free_ports,
    session::{Interrupt, Session},
    stack::{
        plan::Storage,
        postgres::{LOG_SETTINGS, Postgres},
    },
    supervisor::Supervisor,
};

struct Secrets(TempDir);

impl Secrets {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn make(&self, arguments: &[&str]) {
        self.make_for("", arguments);
    }

    /// Runs the generator for these users of leadctl.
    fn make_for(&self, users: &str, arguments: &[&str]) {
        let ran = Command::new(root().join("deploy/secrets"))
            .args(arguments)
            .env("SECRETS", self.0.path())
            .env("DEFINITIONS", root().join("deploy/rabbitmq/definitions.json"))
            .env("ANON_KEY", "x")
            .env("LEADCTL_USERS", users)
            .output()
            .expect("bash starts");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
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
    secrets.make(&[]);
    let all = ["desk/magic-link-keys", "desk/desk-session-keys", "lead-intake/session-keys"];
    let first = all.map(|name| secrets.keys(name));
    assert!(first.iter().all(|keys| keys.len() == 1 && keys[0].len() >= 32), "{first:?}");
    secrets.make(&[]);
    assert_eq!(all.map(|name| secrets.keys(name)), first, "existing secrets are kept");
    let suppression = secrets.read("crm-sync/suppression-key");
    let withdrawal = secrets.read("notifier/withdrawal-keys");
    let token = secrets.read("desk/crm-token");
    secrets.make(&["rotate"]);
    let rotated = all.map(|name| secrets.keys(name));
    for (rotated, first) in rotated.iter().zip(&first) {
        assert!(rotated.len() == 2 && rotated[1] == first[0] && rotated[0] != first[0], "{rotated:?}");
    }
    assert_ne!(secrets.read("desk/crm-token"), token);
    let accepted = |token: &str| secrets.read("crm-sync/crm-tokens").contains(&format!("desk:desk={token}"));
    assert!(accepted(&token) && accepted(&secrets.read("desk/crm-token")), "clients restart after crm-sync");
    let rotated_token = secrets.read("desk/crm-token");
    secrets.make(&["rotate", "--leaked"]);
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
    secrets.make_for("mei daniel", &[]);
    let tokens = secrets.read("crm-sync/crm-tokens");
    for user in ["mei", "daniel"] {
        let token = tokens.lines().find_map(|line| line.strip_prefix(&format!("sales:{user}=")));
        let file = secrets.read(&format!("leadctl/{user}.toml"));
        assert!(file.contains(&format!("token = \"{}\"", token.expect("an entry"))), "{file}");
    }
    secrets.make_for("mei", &[]);
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
    server.supervisor.stop_all();
    let log = fs::read_to_string(server.directory.path().join("postgres.log")).expect("the log");
    for error in ["duplicate key value", "violates check constraint"] {
        assert!(log.contains(error), "{log}");
    }
    assert!(!log.contains("Mei Lin") && !log.contains("INSERT"), "{log}");
}

#[test]
fn restore_brings_back_the_backup_or_changes_nothing() {
    let server = Server::start();
    server.sql("postgres", "CREATE ROLE crm");
    server.sql("postgres", "CREATE DATABASE crm OWNER crm");
    server.sql("crm", "CREATE TABLE lead (name text)");
    server.sql("crm", "INSERT INTO lead VALUES ('before the backup')");
    let backup = server.directory.path().join("crm.dump").display().to_string();
    assert_eq!(server.script("backup", &[&backup]), Ok(format!("{backup}\n")));
    server.sql("crm", "INSERT INTO lead VALUES ('after the backup')");

    let broken = server.directory.path().join("broken.dump");
    let bytes = fs::read(&backup).expect("the backup");
    fs::write(&broken, &bytes[..bytes.len() / 2]).expect("half of it");
    assert!(server.script("restore", &[&broken.display().to_string()]).is_err());
    assert_eq!(server.sql("crm", "SELECT name FROM lead"), "before the backup\nafter the backup\n");
    assert_eq!(server.composed(), "");

    assert!(server.script("restore", &[&backup]).is_ok());
    assert_eq!(server.sql("crm", "SELECT name FROM lead"), "before the backup\n");
    assert_eq!(server.composed(), "stop crm-sync\nrun -T --rm --no-deps migrate\nstart crm-sync\n");
    assert_eq!(server.sql("postgres", "SELECT datname FROM pg_database WHERE datname LIKE 'crm_%'"), "");
}

#[test]
fn restore_repeats_erasures_and_suppressions() {
    let server = Server::start();
    server.sql("postgres", "CREATE ROLE crm");
    server.sql("postgres", "CREATE ROLE crm_sync");
    server.sql("postgres", "CREATE DATABASE crm OWNER crm");
    let programs = builds::programs(&Session::in_test()).expect("the programs");
    let mut migrate = Command::new(programs.join("crm-sync"));
    migrate.arg("migrate").env("DATABASE_URL", server.postgres.url("crm"));
    assert!(migrate.env("DATABASE_SERVICE_ROLE", "crm_sync").status().expect("crm-sync starts").success());
    let columns = server.sql(
        "crm",
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'lead' AND is_nullable = 'NO'
            AND data_type = 'text'",
    );
    let columns: Vec<&str> =
        columns.lines().filter(|column| !matches!(*column, "email_key" | "digits")).collect();
    let (texts, values) = (columns.join(", "), vec!["'x'"; columns.len()].join(", "));
    for (number, email) in
        [(1, "mei@x.test"), (2, "erased@x.test"), (3, "shared@x.test"), (4, "shared@x.test")]
    {
        let id = format!("'00000000-0000-0000-0000-00000000000{number}'");
        let lead = format!(
            "INSERT INTO lead (id, submitted_at, contact_id, email_key, digits, open, leases, brochure, {texts})
                VALUES ({id}, now(), {id}, '{email}', '659{number}', FALSE, 0, FALSE, {values})"
        );
        for statement in [
            lead,
            format!("INSERT INTO contact_key VALUES ('{email}', {id}) ON CONFLICT DO NOTHING"),
            format!("INSERT INTO contact_key VALUES ('+659{number} mei', {id})"),
            format!(
                "INSERT INTO delivery (lead_id, recipient, requested, state, holder, attempts, reason_class,
                reason_detail, mail_message_id, server_reply)
                VALUES ({id}, 'visitor', FALSE, '', '', 1, '', '', '', '')"
            ),
        ] {
            server.postgres.sql("crm", &statement).expect("a row");
        }
    }
    server.sql("crm", "INSERT INTO suppression VALUES ('before', '2026-01-01', 'do_not_contact')");
    let backup = server.directory.path().join("crm.dump").display().to_string();
    assert_eq!(server.script("backup", &[&backup]), Ok(format!("{backup}\n")));

    // Like crm-sync when it erases leads 2 and 3 and a lead that is newer than the backup.
    let empty = "email_key = '', digits = '', name = '', contact_id = NULL, erased_at = '2026-02-01'";
    for statement in [
        format!("UPDATE lead SET {empty} WHERE digits IN ('6592', '6593')"),
        "UPDATE delivery SET recipient = 'erased:crm' WHERE lead_id::text LIKE '%2'".to_owned(),
        "DELETE FROM delivery WHERE lead_id::text LIKE '%3'".to_owned(),
        "DELETE FROM contact_key WHERE value IN ('erased@x.test', '+6592 mei', '+6593 mei')".to_owned(),
        "UPDATE contact_key SET contact_id = '00000000-0000-0000-0000-000000000004' WHERE value = 'shared@x.test'"
            .to_owned(),
        "INSERT INTO suppression VALUES ('after', '2026-02-01', 'do_not_contact')".to_owned(),
        "UPDATE lead SET do_not_contact_at = '2026-02-01' WHERE digits = '6591'".to_owned(),
    ] {
        server.sql("crm", &statement);
    }
    let all = "SELECT * FROM lead ORDER BY id";
    let before = server.sql("crm", all);
    assert_eq!(
        server.script("restore", &[&backup]).as_deref(),
        Ok("Repeated since the backup: 1 suppressions\n\
            Repeated since the backup: erasure of 2 leads\n")
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
    server.sql("postgres", "CREATE ROLE crm");
    server.sql("postgres", "CREATE DATABASE crm OWNER crm");
    server.sql("crm", "CREATE TABLE lead (name text); INSERT INTO lead VALUES ('Mei Lin')");
    let here = |name: &str| server.directory.path().join(name).display().to_string();
    let (identity, other) = (here("identity"), here("other"));
    let keygen = |file: &str| {
        let output = Command::new("age-keygen").args(["-o", file]).output().expect("age-keygen starts");
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        text.trim().strip_prefix("Public key: ").expect("a key").to_owned()
    };
    let recipient = keygen(&identity);
    keygen(&other);
    let backup = server.script_with(("BACKUP_RECIPIENT", &recipient), "backup", &[&here("crm.dump")]);
    let backup = backup.expect("a backup").trim().to_owned();
    assert!(backup.ends_with("/crm.dump.age"), "{backup}");
    let bytes = fs::read(&backup).expect("the backup");
    assert!(bytes.starts_with(b"age-encryption.org/v1"));
    assert!(
        !fs::exists(here("crm.dump")).expect("a directory")
            && !fs::exists(here("crm.dump.age.new")).expect("it")
    );

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
    server.sql("postgres", "CREATE DATABASE crm");
    server.sql("crm", "CREATE TABLE lead (name text); INSERT INTO lead VALUES ('Mei Lin')");
    let manifests = fs::read_to_string(root().join("k8s/components/backup/cronjob.yaml")).expect("its text");
    let manifests: Vec<serde_json::Value> = serde_saphyr::from_multiple(&manifests).expect("manifests");
    let container = &manifests[1]["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0];
    let directory = server.directory.path();
    let (uri, backups) = (directory.join("uri"), directory.join("backups"));
    fs::write(&uri, server.postgres.url("crm")).expect("the address");
    fs::create_dir(&backups).expect("the volume");
    let old = backups.join("crm-20200101T000000Z.dump");
    fs::write(&old, "").expect("an old backup");
    assert!(
        Command::new("touch").args(["-d", "20 days ago"]).arg(&old).status().is_ok_and(|it| it.success())
    );
    let script = container["args"][0].as_str().expect("a script");
    let script = script
        .replace("cd /backups", &format!("cd {}", backups.display()))
        .replace("/run/secrets/database/uri", &uri.display().to_string());
    let pg_restore = packages::find("pg_restore").expect("PostgreSQL");
    let programs = pg_restore.parent().expect("its directory");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let ran = Command::new("sh").args(["-ec", &script]).env("PATH", &path).output().expect("sh starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

    let dumps: Vec<_> = fs::read_dir(&backups).expect("the volume").flatten().map(|it| it.path()).collect();
    assert_eq!(dumps.len(), 1, "{dumps:?}");
    server.sql("postgres", "CREATE DATABASE restored");
    let mut restore = Command::new(&pg_restore);
    restore.arg("--dbname").arg(server.postgres.url("restored")).arg("--no-owner").arg(&dumps[0]);
    assert!(restore.status().expect("pg_restore starts").success());
    assert_eq!(server.sql("restored", "SELECT name FROM lead"), "Mei Lin\n");
}

#[test]
fn containers_run_without_root_and_writable_files() {
    let compose = fs::read_to_string(root().join("docker-compose.yml")).expect("its text");
    let common = "  read_only: true\n  tmpfs: [/tmp]\n  cap_drop: [ALL]\n  security_opt: [\"no-new-privileges:true\"]\n";
    assert!(compose.contains(&format!("x-container: &container\n{common}")));
    let (_, services) = compose.split_once("\nservices:\n").expect("services");
    let (services, _) = services.split_once("\nnetworks:\n").expect("networks");
    let names = services.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    let mut checked = 0;
    for name in names.filter(|name| !name.starts_with([' ', '#'])) {
        let (_, service) = services.split_once(&format!("  {name}:\n")).expect("the service");
        let is_restricted =
            ["    <<: *container\n", "    <<: *service\n"].iter().any(|it| service.starts_with(it));
        assert!(is_restricted, "{name}");
        checked += 1;
    }
    assert!(checked >= 15, "{checked} services");
    assert!(!services.contains("read_only: false") && !services.contains("cap_add"));
    // Compose publishes ports only on loopback, and the data networks are internal.
    for line in services.lines().filter(|line| line.trim_start().starts_with("ports:")) {
        assert!(line.contains("\"127.0.0.1:") || line.contains("\"${SITE_BIND:-127.0.0.1}:"), "{line}");
    }
    for network in ["edge", "services", "database"] {
        assert!(compose.contains(&format!("\n  {network}: {{internal: true}}\n")), "{network}");
    }
}

#[test]
fn every_image_of_others_can_be_pinned() {
    const DIGEST: &str = "sha256:0123456789012345678901234567890123456789012345678901234567890123";
    let directory = tempfile::tempdir().expect("a directory");
    let copied = Command::new("cp")
        .args([
            "-r",
            "--parents",
            "docker-compose.yml",
            "deploy",
            "k8s/components/images",
            "--target-directory",
        ])
        .arg(directory.path())
        .current_dir(root())
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    // A stand-in for docker that returns this digest for every image.
    install(directory.path(), "docker", &format!("#!/bin/sh\necho {DIGEST}\n"));
    let run = |argument: &str| {
        let mut script = Command::new(directory.path().join("deploy/pin-images"));
        let path = format!("{}:/usr/bin:/bin", directory.path().display());
        let output =
            script.args(argument.split_whitespace()).env("PATH", path).output().expect("bash starts");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let images =
        ["image: postgres:", "FROM gcr.io/distroless/cc-debian12:nonroot", "name: curlimages/curl, newTag:"];
    let read = || {
        ["docker-compose.yml", "deploy/Dockerfile", "k8s/components/images/kustomization.yaml"]
            .map(|file| fs::read_to_string(directory.path().join(file)).expect(file))
            .concat()
    };
    if !read().contains("sha256:") {
        let (code, said) = run("--check");
        assert!(code == Some(1) && images.iter().all(|image| said.contains(image)), "{said}");
    }
    assert_eq!(run("").0, Some(0));
    assert_eq!(run("--check"), (Some(0), String::new()));
    for image in images {
        let text = read();
        let line = text.lines().find(|line| line.contains(image)).expect(image);
        assert!(line.contains(DIGEST), "{line}");
    }
    assert!(!read().contains("zyon-grand/site, newTag: 0.1.0, digest"));
}

#[test]
fn release_requires_its_tools() {
    let directory = tempfile::tempdir().expect("a directory");
    for tool in ["bash", "dirname", "env"] {
        let found =
            ["/usr/bin", "/bin"].iter().map(|bin| Path::new(bin).join(tool)).find(|path| path.exists());
        std::os::unix::fs::symlink(found.expect(tool), directory.path().join(tool)).expect("a link");
    }
    let release = Command::new(root().join("deploy/release"))
        .args(["registry.example/zyon-grand", "1.4.0"])
        .env("PATH", directory.path())
        .output()
        .expect("bash starts");
    assert_eq!(release.status.code(), Some(69));
    let said = String::from_utf8(release.stderr).expect("UTF-8");
    assert_eq!(said, "Not released. Install first: docker cosign cargo-deny npm\n");
}

/// A PostgreSQL server instead of the container.
struct Server {
    directory: TempDir,
    supervisor: Supervisor,
    postgres: Postgres,
}

impl Server {
    fn start() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let supervisor = Supervisor::new(Interrupt::default());
        let (port, data) = (free_ports(1).expect("a port")[0], directory.path().join("data"));
        let postgres = Postgres::initialise(&data, port, Storage::Fast).expect("a data directory");
        postgres.start(&supervisor, directory.path()).expect("PostgreSQL");
        Self { directory, supervisor, postgres }
    }

    /// The rows with `|` between columns, or no rows if the statement fails.
    fn sql(&self, database: &str, statement: &str) -> String {
        self.postgres.sql(database, statement).unwrap_or_default().replace('\t', "|")
    }

    /// Runs a script of `deploy/compose` with a stand-in for docker, which runs PostgreSQL's programs and records
    /// other commands.
    fn script(&self, name: &str, arguments: &[&str]) -> Result<String, String> {
        self.script_with(("BACKUP_RECIPIENT", ""), name, arguments)
    }

    /// Like [`Self::script`], with an environment variable.
    fn script_with(&self, setting: (&str, &str), name: &str, arguments: &[&str]) -> Result<String, String> {
        const DOCKER: &str = "#!/bin/sh\nshift\nif [ $1 = exec ]; then shift 3; exec \"$@\"; fi\n\
                              echo \"$@\" >>\"$COMPOSED\"\n";
        install(self.directory.path(), "docker", DOCKER);
        let initdb = packages::find("initdb").expect("PostgreSQL");
        let programs = initdb.parent().expect("a directory");
        let path = format!("{}:{}:/usr/bin:/bin", self.directory.path().display(), programs.display());
        let output = Command::new(root().join("deploy/compose").join(name))
            .args(arguments)
            .env(setting.0, setting.1)
            .env("PATH", path)
            .env("COMPOSED", self.directory.path().join("composed"))
            .envs(self.postgres.client_environment())
            .output()
            .expect("the script starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    /// The docker compose commands of the scripts, except `exec`.
    fn composed(&self) -> String {
        fs::read_to_string(self.directory.path().join("composed")).unwrap_or_default()
    }
}

/// Installs a program with `install`, because Linux does not run a file that a child of another test has open for
/// writing.
fn install(directory: &Path, name: &str, script: &str) {
    let text = directory.join(format!("{name}.sh"));
    fs::write(&text, script).expect("the stand-in");
    let mut install = Command::new("install");
    install.args(["-m", "755"]).args([text, directory.join(name)]);
    assert!(install.status().is_ok_and(|status| status.success()));
}
