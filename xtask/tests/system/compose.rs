//! Secrets, backups and containers of docker-compose.yml, without containers.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use parking_lot::Mutex;
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

/// `deploy/secrets` for these users of leadctl.
fn secrets_script(directory: &Path, users: &str, arguments: &[&str]) -> Command {
    let mut script = Command::new(root().join("deploy/secrets"));
    script
        .args(arguments)
        .env("SECRETS", directory)
        .env("LEADCTL_USERS", users)
        .env(
            "DEFINITIONS",
            root().join("deploy/rabbitmq/definitions.json"),
        );
    script
}

/// Runs `deploy/secrets`. Returns a function that reads a secret.
fn make_secrets(directory: &Path, users: &str, arguments: &[&str]) -> impl Fn(&str) -> String {
    output(&mut secrets_script(directory, users, arguments)).expect("the secrets");
    |name| {
        fs::read_to_string(directory.join(name))
            .expect("a secret")
            .trim_end()
            .to_owned()
    }
}

#[test]
fn rotation_keeps_old_keys_unless_leaked() {
    const KEYS: [&str; 4] = [
        "desk/magic-link-keys",
        "desk/desk-session-keys",
        "lead-intake/session-keys",
        "lead-intake/canary-keys",
    ];
    const KEPT: [&str; 2] = ["crm-sync/suppression-key", "lead-intake/withdrawal-keys"];
    let directory = tempfile::tempdir().unwrap();
    let make = |arguments: &[&str]| {
        let read = make_secrets(directory.path(), "", arguments);
        assert_eq!(
            read("notifier/magic-link-keys"),
            read("desk/magic-link-keys")
        );
        assert_eq!(
            read("crm-sync/desk-session-keys"),
            read("desk/desk-session-keys")
        );
        let signing_canary_key = read("lead-intake/canary-key");
        assert!(read("canary/leadctl.toml").contains(&signing_canary_key));
        assert!(read("lead-intake/canary-keys").starts_with(&signing_canary_key));
        (
            KEYS.map(|name| read(name).split(',').map(str::to_owned).collect::<Vec<_>>()),
            KEPT.map(&read),
            read("desk/crm-token"),
            read("crm-sync/crm-tokens"),
        )
    };
    let first = make(&[]);
    for keys in &first.0 {
        assert_eq!(keys.len(), 2, "the key that signs and the next one");
        assert!(keys.iter().all(|key| key.len() >= 32), "{keys:?}");
    }
    assert_eq!(make(&[]), first, "existing secrets are kept");

    let rotated = make(&["rotate"]);
    for (old, new) in first.0.iter().zip(&rotated.0) {
        assert_eq!(new[0], old[1], "running programs accept the key that signs");
        assert!(!old.contains(&new[1]), "the next key is new");
        assert_eq!(new[2..], old[..1], "what was signed before stays valid");
    }
    assert_ne!(rotated.2, first.2);
    let accepts = |tokens: &str, token: &str| tokens.contains(&format!("desk:desk={token}"));
    assert!(
        accepts(&rotated.3, &first.2) && accepts(&rotated.3, &rotated.2),
        "clients restart after crm-sync"
    );

    let replaced = make(&["rotate", "--leaked"]);
    for (old, new) in rotated.0.iter().zip(&replaced.0) {
        assert_eq!(new.len(), 2);
        assert!(
            !new.iter().any(|key| old.contains(key)),
            "{new:?} after {old:?}"
        );
    }
    assert!(!accepts(&replaced.3, &first.2) && !accepts(&replaced.3, &rotated.2));
    assert_eq!(
        (&rotated.1, &replaced.1),
        (&first.1, &first.1),
        "hashes and links in emails do not expire"
    );
}

#[test]
fn secrets_of_an_earlier_version_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let canary = "c".repeat(64);
    let session = "s".repeat(64);
    fs::create_dir(directory.path().join("all")).unwrap();
    for (file, key) in [("canary-key", &canary), ("session-keys", &session)] {
        fs::write(directory.path().join("all").join(file), format!("{key}\n")).unwrap();
    }
    let read = make_secrets(directory.path(), "", &[]);
    assert_eq!(read("lead-intake/canary-key"), canary);
    for (file, key) in [("canary-keys", &canary), ("session-keys", &session)] {
        let keys = read(&format!("lead-intake/{file}"));
        assert!(keys.starts_with(&format!("{key},")), "{keys}");
    }
}

#[test]
fn each_user_of_leadctl_has_a_token() {
    let directory = tempfile::tempdir().unwrap();
    let read = make_secrets(directory.path(), "mei daniel", &[]);
    let tokens = read("crm-sync/crm-tokens");
    for user in ["mei", "daniel"] {
        let token = tokens
            .lines()
            .find_map(|line| line.strip_prefix(&format!("sales:{user}=")));
        let file = read(&format!("leadctl/{user}.toml"));
        assert!(
            file.contains(&format!("token = \"{}\"", token.expect("an entry"))),
            "{file}"
        );
    }
    let read = make_secrets(directory.path(), "mei", &[]);
    let others: Vec<&str> = tokens
        .lines()
        .filter(|token| !token.contains("daniel"))
        .collect();
    assert_eq!(read("crm-sync/crm-tokens"), others.join("\n"));
    assert!(!directory.path().join("leadctl/daniel.toml").exists());
}

#[test]
fn named_operator_replaces_the_shared_token() {
    let directory = tempfile::tempdir().unwrap();
    let read = make_secrets(directory.path(), "mei", &[]);
    let is_shared = |tokens: &str| tokens.contains("operator:leadctl=");
    let shared = directory.path().join("leadctl/leadctl.toml");
    assert!(is_shared(&read("crm-sync/crm-tokens")) && shared.exists());

    let read = make_secrets(directory.path(), "mei operator:anna", &[]);
    let tokens = read("crm-sync/crm-tokens");
    assert!(!is_shared(&tokens) && !shared.exists(), "{tokens}");
    let token = tokens
        .lines()
        .find_map(|line| line.strip_prefix("operator:anna="))
        .expect("an entry");
    let anna = read("leadctl/anna.toml");
    let mei = read("leadctl/mei.toml");
    assert!(anna.contains(&format!("token = \"{token}\"")), "{anna}");
    assert!(anna.contains("amqp = ") && !mei.contains("amqp = "));

    for wrong in [
        "desk",
        "retention",
        "admin:anna",
        "Anna",
        "operator:",
        "mei operator:mei",
    ] {
        let mut script = secrets_script(directory.path(), wrong, &[]);
        assert!(output(&mut script).is_err(), "{wrong}");
    }
    assert_eq!(read("crm-sync/crm-tokens"), tokens, "nothing has changed");
}

#[test]
fn postgres_logs_neither_statements_nor_rows() {
    for (file, [before, between, after]) in [
        ("docker-compose.yml", ["- ", "=", "\n"]),
        (
            "k8s/overlays/production/postgresql/cluster.yaml",
            [" ", ": ", "\n"],
        ),
    ] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        for (name, value) in LOG_SETTINGS {
            assert!(
                text.contains(&format!("{before}{name}{between}{value}{after}")),
                "{name} in {file}"
            );
        }
    }

    let server = SERVER.lock();
    let statements = [
        "CREATE TABLE lead (name text PRIMARY KEY, mobile text CHECK (mobile <> name))",
        "INSERT INTO lead VALUES ('Mei Lin', '9123'), ('Mei Lin', '9123')",
        "INSERT INTO lead VALUES ('Mei Lin', 'Mei Lin')",
    ];
    let outcomes = statements.map(|statement| server.postgres.sql("postgres", statement).is_ok());
    assert_eq!(outcomes, [true, false, false]);
    let log = fs::read_to_string(server.file("postgres.log")).unwrap();
    for error in ["duplicate key value", "violates check constraint"] {
        assert!(log.contains(error), "{log}");
    }
    assert!(!log.contains("Mei Lin") && !log.contains("INSERT"), "{log}");
}

#[test]
fn restored_backup_repeats_erasures_or_changes_nothing() {
    let server = SERVER.lock();
    server.create_leads();
    let plain = server.file("crm.dump");
    assert_eq!(
        server.script("backup", &[&plain], "").ok(),
        Some(format!("{plain}\n"))
    );
    let bytes = fs::read(&plain).unwrap();
    fs::write(&plain, &bytes[..bytes.len() / 2]).expect("half of the backup");
    let encrypted = server.file("encrypted.dump");
    let [(identity, recipient), (other, _)] =
        ["identity", "other"].map(|name| server.create_age_key(name));
    let backup = server
        .script("backup", &[&encrypted], &recipient)
        .expect("a backup")
        .trim()
        .to_owned();
    assert_eq!(backup, format!("{encrypted}.age"));
    assert!(
        fs::read(&backup)
            .unwrap()
            .starts_with(b"age-encryption.org/v1")
    );
    assert!(
        [encrypted, format!("{backup}.new")]
            .iter()
            .all(|file| !Path::new(file).exists())
    );

    // Like crm-sync when it erases leads 2 and 3 and a lead that is newer than the backup.
    server.sql(
        "UPDATE lead SET email_key = '', digits = '', number_key = '', name = '', contact_id = NULL,
            erased_at = '2026-02-01' WHERE digits IN ('6592', '6593');
        UPDATE delivery SET recipient = 'erased:crm' WHERE lead_id::text LIKE '%2';
        DELETE FROM delivery WHERE lead_id::text LIKE '%3';
        DELETE FROM contact_key WHERE value IN ('erased@x.test', '+6592 mei', '+6593 mei');
        UPDATE contact_key SET contact_id = '00000000-0000-0000-0000-000000000004' WHERE value = 'shared@x.test';
        INSERT INTO suppression (hash, mailbox_hash, since) VALUES ('after', 'after', '2026-02-01');
        UPDATE suppression SET withdrawn_at = '2026-02-01' WHERE hash = 'before';
        UPDATE lead SET do_not_contact_at = '2026-02-01', contact_changed_at = '2026-02-01',
            erasure_requested_at = '2026-02-01' WHERE digits = '6591';
        INSERT INTO delivery SELECT (json_populate_record(delivery, '{\"recipient\": \"updated:crm#1\"}')).*
            FROM delivery WHERE lead_id::text LIKE '%1';
        INSERT INTO audit (client, action, leads, lead_ids)
            SELECT 'anna', 'erase-person', 1, ARRAY[id] FROM lead WHERE erased_at IS NOT NULL ORDER BY id",
    );
    let audit = "SELECT * FROM audit ORDER BY number";
    let audited = server.sql(audit);
    let leads = "SELECT * FROM lead ORDER BY id";
    let before = server.sql(leads);
    server.sql("UPDATE lead SET name = 'after the backup' WHERE digits = '6594'");
    let changed = server.sql(leads);
    for wrong in [
        vec![plain.as_str()],
        vec![backup.as_str()],
        vec![backup.as_str(), other.as_str()],
    ] {
        assert!(server.script("restore", &wrong, "").is_err());
        assert_eq!(server.composed(), "", "no service was stopped");
        assert_eq!(server.sql(leads), changed);
    }
    // The changes since the backup cannot be repeated.
    server.sql("ALTER TABLE suppression ADD COLUMN unknown boolean");
    assert!(
        server.script("restore", &[&backup, &identity], "").is_err(),
        "an unknown column"
    );
    assert_eq!(server.sql(leads), changed, "the database is used again");
    server.sql("ALTER TABLE suppression DROP COLUMN unknown");
    let composed = "stop crm-sync\nrun -T --rm --no-deps migrate\nstart crm-sync\n";
    assert_eq!(server.composed(), composed);

    let restored = server
        .script("restore", &[&backup, &identity], "")
        .expect("a restore");
    let (repeated, kept) = restored
        .split_once("The replaced database is now ")
        .unwrap();
    assert_eq!(
        repeated,
        "Repeated since the backup: 2 rows of the audit\nRepeated since the backup: 2 suppressions\n\
         Repeated since the backup: 1 requests for erasure\n\
         Repeated since the backup: erasure of 2 leads\n"
    );
    let kept = kept.split_once('.').unwrap().0;
    assert_eq!(server.composed(), composed.repeat(2));
    assert_eq!(server.sql(leads), before);
    for (query, rows) in [
        (
            "SELECT hash, withdrawn_at IS NOT NULL FROM suppression ORDER BY since",
            "before|t\nafter|f\n",
        ),
        (
            "SELECT right(lead_id::text, 1), recipient FROM delivery ORDER BY 1, 2",
            "1|updated:crm#1\n1|visitor\n2|erased:crm\n4|visitor\n",
        ),
        (
            "SELECT value FROM contact_key ORDER BY value COLLATE \"C\"",
            "+6591 mei\n+6594 mei\nmei@x.test\nshared@x.test\n",
        ),
        (
            "SELECT number, client, action, leads, array_to_string(lead_ids, '|') FROM audit WHERE number > 3",
            "4|restore|erase-person|2|00000000-0000-0000-0000-000000000002|00000000-0000-0000-0000-000000000003\n",
        ),
        (
            "SELECT datname FROM pg_database WHERE datname LIKE 'crm_%'",
            &format!("{kept}\n"),
        ),
    ] {
        assert_eq!(server.sql(query), rows, "{query}");
    }

    assert!(
        server.sql(audit).starts_with(&audited),
        "the rows since the backup are kept"
    );

    // A restore was interrupted between the renames and the repeated erasures.
    server.change_databases(&[
        "ALTER DATABASE crm RENAME TO crm_replaced",
        "CREATE DATABASE crm",
    ]);
    let refused = server.script("restore", &[&backup, &identity], "");
    let reason = refused.unwrap_err().to_string();
    assert!(
        reason.contains("An earlier restore was interrupted"),
        "{reason}"
    );
    server.change_databases(&[
        "DROP DATABASE crm",
        "ALTER DATABASE crm_replaced RENAME TO crm",
        &format!("DROP DATABASE {kept}"),
    ]);

    // A new database, before and after its migration.
    for lost in [
        "DROP TABLE suppression",
        "TRUNCATE audit, conflict, contact_key, delivery, lead, suppression, timeline",
    ] {
        server.sql(lost);
        let restored = server
            .script("restore", &[&backup, &identity], "")
            .expect("a restore");
        assert!(
            restored.contains("Erase again everyone erased since the backup"),
            "{lost}: {restored}"
        );
        let (_, kept) = restored.split_once(" is now ").unwrap();
        let (kept, _) = kept.split_once('.').unwrap();
        server.change_databases(&[&format!("DROP DATABASE {kept}")]);
    }
}

#[test]
fn runbook_query_finds_the_people_that_a_client_saw() {
    let server = SERVER.lock();
    server.create_leads();
    server.sql(
        "INSERT INTO audit (client, action, leads, lead_ids)
            SELECT 'mei', 'list', 2, array_agg(id) FROM lead WHERE digits IN ('6591', '6592');
        INSERT INTO audit (client, action, leads, lead_ids) SELECT 'Mei', 'read', 1, ARRAY[id] FROM lead WHERE digits = '6592';
        INSERT INTO audit (client, action, leads, lead_ids) SELECT 'daniel', 'read', 1, ARRAY[id] FROM lead WHERE digits = '6593';
        UPDATE lead SET email = email_key",
    );
    let runbook = fs::read_to_string(root().join("docs/runbook.md")).unwrap();
    let start = runbook.find("select reference, name, email").unwrap();
    let (query, _) = runbook[start..].split_once(';').unwrap();
    assert!(query.contains("client in ('mei', 'Mei', 'Mei (link)')"));
    let query = query.replace("2026-03-01", "2020-01-01");
    assert_eq!(
        server.sql(&format!(
            "SELECT email, calls FROM ({query}) AS people ORDER BY 1"
        )),
        "erased@x.test|list, read\nmei@x.test|list\n"
    );
}

/// The names of the files in a directory, sorted.
fn names_in(directory: &str) -> Vec<String> {
    let files = fs::read_dir(directory).unwrap().flatten();
    let mut names: Vec<_> = files
        .map(|file| file.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Creates twenty files named as nightly backups.
fn create_old_backups(directory: &str, extension: &str) {
    for day in 10..30 {
        let file = format!("{directory}/crm-202001{day}T000000Z.{extension}");
        fs::write(file, "old").unwrap();
    }
}

#[test]
fn backups_in_a_directory_keep_the_newest() {
    let server = SERVER.lock();
    server.create_leads();
    let directory = server.file("nightly");
    fs::create_dir(&directory).unwrap();
    create_old_backups(&directory, "dump.age");
    // Of a run that was killed.
    fs::write(format!("{directory}/crm-20200109T000000Z.dump.new"), "").unwrap();
    fs::write(format!("{directory}/notes"), "").unwrap();
    let (_, recipient) = server.create_age_key("nightly-identity");
    for failures in 0..3 {
        if failures > 0 {
            install_stand_in(server.directory.path(), "pg_dump", "#!/bin/sh\nexit 1\n");
        }
        let backup = server.script("backup", &[&directory], &recipient);
        assert_eq!(backup.is_ok(), failures == 0);
    }
    fs::remove_file(server.file("pg_dump")).unwrap();
    let names = names_in(&directory);
    // A backup that fails deletes one more, and no other.
    assert_eq!(names.len(), 14, "{names:?}");
    assert_eq!(names[0], "crm-20200118T000000Z.dump.age");
    assert_eq!(names[13], "notes");
    assert!(names[12].as_str() > "crm-2025", "{names:?}");
}

#[test]
fn nightly_backup_makes_room_on_a_full_volume() {
    let server = SERVER.lock();
    server.create_leads();
    server.mount_backups();
    let backups = server.file("backups");
    create_old_backups(&backups, "dump");
    // The volume is full while it has more than four dumps.
    let df = format!(
        "#!/bin/sh\necho Avail; ls '{backups}' | awk 'END {{ print (NR > 4 ? 5 : 1000000) }}'\n"
    );
    install_stand_in(server.directory.path(), "df", &df);
    let mut backup = Command::new("bash");
    backup
        .arg(server.file("scripts/backup"))
        .env("PATH", server.path());
    output(&mut backup).expect("a backup");
    fs::remove_file(server.file("df")).unwrap();
    let names = names_in(&backups);
    assert_eq!(names.len(), 5, "{names:?}");
    assert_eq!(names[0], "crm-20200126T000000Z.dump");
}

/// The CronJob of the Kubernetes overlay `plain`.
#[test]
fn nightly_backup_can_be_restored() {
    let server = SERVER.lock();
    server.create_leads();
    let backups = server.file("backups");
    server.mount_backups();
    create_old_backups(&backups, "dump");
    // Records the arguments, which every user of a machine can list, and the password.
    let pg_dump = packages::find("pg_dump").expect("PostgreSQL");
    let record = server.file("recorded");
    let script = format!(
        "#!/bin/sh\necho \"$@ $PGPASSWORD\" >'{record}'\nexec '{}' \"$@\"\n",
        pg_dump.display()
    );
    install_stand_in(server.directory.path(), "pg_dump", &script);
    let mut backup = Command::new("bash");
    backup
        .arg(server.file("scripts/backup"))
        .env("PATH", server.path());
    output(&mut backup).expect("a backup");
    fs::remove_file(server.file("pg_dump")).unwrap();
    let recorded = fs::read_to_string(record).unwrap();
    let (arguments, password) = recorded.trim_end().rsplit_once(' ').unwrap();
    assert!(arguments.starts_with("--dbname postgres://"), "{recorded}");
    assert!(!arguments.contains(&password[1..]), "{recorded}");
    assert_eq!(password, server.password());

    let mut dumps: Vec<_> = fs::read_dir(&backups)
        .unwrap()
        .flatten()
        .map(|file| file.path())
        .collect();
    dumps.sort();
    assert_eq!(dumps.len(), 14, "{dumps:?}");
    assert!(
        dumps[0].ends_with("crm-20200117T000000Z.dump"),
        "the oldest"
    );
    let newest = dumps.pop().unwrap();
    let leads = "SELECT * FROM lead ORDER BY id";
    let before = server.sql(leads);
    server.recreate_database();
    let mut restore = Command::new(packages::find("pg_restore").expect("PostgreSQL"));
    restore
        .arg("--dbname")
        .arg(server.postgres.url("crm"))
        .arg("--no-owner")
        .arg(&newest);
    output(&mut restore).expect("a restore");
    assert_eq!(server.sql(leads), before);
}

#[test]
fn containers_run_without_root_and_writable_files() {
    let compose = fs::read_to_string(root().join("docker-compose.yml")).unwrap();
    let compose: Value = serde_saphyr::from_str(&compose).unwrap();
    let services = compose["services"].as_object().expect("services");
    assert!(services.len() >= 15, "{} services", services.len());
    for (name, service) in services {
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(
            service["security_opt"],
            json!(["no-new-privileges:true"]),
            "{name}"
        );
        assert_eq!(service["cap_add"], Value::Null, "{name}");
        // Compose publishes ports only on loopback, and the data networks are internal.
        for port in service["ports"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            assert!(
                ["127.0.0.1:", "${SITE_BIND:-127.0.0.1}:"]
                    .iter()
                    .any(|it| port.starts_with(it)),
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
    let directory = tempfile::tempdir().unwrap();
    let mut copy = Command::new("cp");
    copy.args([
        "-r",
        "--parents",
        "docker-compose.yml",
        "deploy",
        "k8s/components/images",
    ]);
    output(copy.arg(directory.path()).current_dir(root())).expect("a copy");
    let remove = r"find -type f -exec sed -i -E 's/(@|, digest: )sha256:[0-9a-f]{64}//' {} +";
    output(
        Command::new("sh")
            .args(["-c", remove])
            .current_dir(&directory),
    )
    .expect("no digest is left");
    // A stand-in for docker that returns this digest for every image.
    install_stand_in(
        directory.path(),
        "docker",
        &format!("#!/bin/sh\necho {DIGEST}\n"),
    );
    let pin = |arguments: &[&str]| {
        let mut script = Command::new(directory.path().join("deploy/pin-images"));
        let path = format!("{}:/usr/bin:/bin", directory.path().display());
        output(script.args(arguments).env("PATH", path))
    };
    let unpinned = pin(&["--check"])
        .expect_err("images without a digest")
        .to_string();
    pin(&[]).expect("every image gets a digest");
    pin(&["--check"]).expect("no image is left");
    for (file, image) in [
        ("docker-compose.yml", "image: postgres:"),
        (
            "deploy/Dockerfile",
            "FROM gcr.io/distroless/cc-debian12:nonroot",
        ),
        (
            "k8s/components/images/kustomization.yaml",
            "name: curlimages/curl, newTag:",
        ),
    ] {
        let text = fs::read_to_string(directory.path().join(file)).unwrap();
        let mut lines = text.lines().filter(|line| line.contains(image));
        assert!(
            lines.next().is_some_and(|line| line.contains(DIGEST)),
            "{image}"
        );
        assert!(unpinned.contains(&format!("{file}:")), "{unpinned}");
    }
}

/// One PostgreSQL server instead of the container, for one test at a time. It ends with this process.
pub(crate) static SERVER: LazyLock<Mutex<Server>> = LazyLock::new(|| Mutex::new(Server::start()));

pub(crate) struct Server {
    _supervisor: Supervisor,
    directory: TempDir,
    postgres: Postgres,
}

impl Server {
    fn start() -> Self {
        // A static server is not dropped, so its files stay there.
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let supervisor = Supervisor::new(Interrupt::default());
        let (port, data) = (free_ports(1).unwrap()[0], directory.path().join("data"));
        let postgres = Postgres::initialise(&data, port, Storage::Fast).expect("a data directory");
        postgres
            .start(&supervisor, directory.path())
            .expect("PostgreSQL");
        postgres
            .ensure_database("crm")
            .expect("the owner of the database");
        postgres.sql("postgres", "CREATE ROLE crm_sync").unwrap();
        Self {
            _supervisor: supervisor,
            directory,
            postgres,
        }
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    fn change_databases(&self, statements: &[&str]) {
        for statement in statements {
            self.postgres.sql("postgres", statement).unwrap();
        }
    }

    /// Empties the database of leads.
    fn recreate_database(&self) {
        for statement in [
            "DROP DATABASE IF EXISTS crm",
            "CREATE DATABASE crm OWNER crm",
        ] {
            self.postgres.sql("postgres", statement).unwrap();
        }
    }

    /// Creates the database with four leads, of which two share a mailbox, and a suppression.
    pub(crate) fn create_leads(&self) {
        self.recreate_database();
        let mut migrate = Command::new(PROGRAMS.join("crm-sync"));
        migrate
            .arg("migrate")
            .env("DATABASE_URL", self.postgres.url("crm"));
        output(migrate.env("DATABASE_SERVICE_ROLE", "crm_sync")).expect("the migrations");
        let columns = self.sql(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'lead' AND is_nullable = 'NO'
                AND data_type = 'text' AND column_name NOT IN ('email_key', 'digits', 'number_key')",
        );
        let columns: Vec<&str> = columns.lines().collect();
        let (texts, values) = (columns.join(", "), vec!["'x'"; columns.len()].join(", "));
        for (number, email) in [
            (1, "mei@x.test"),
            (2, "erased@x.test"),
            (3, "shared@x.test"),
            (4, "shared@x.test"),
        ] {
            let id = format!("'00000000-0000-0000-0000-00000000000{number}'");
            self.sql(&format!(
                "INSERT INTO lead (id, submitted_at, contact_id, email_key, digits, number_key, open, leases, brochure,
                    {texts})
                    VALUES ({id}, now(), {id}, '{email}', '659{number}', '+659{number} mei', FALSE, 0, FALSE, {values});
                INSERT INTO contact_key VALUES ('{email}', {id}) ON CONFLICT DO NOTHING;
                INSERT INTO contact_key VALUES ('+659{number} mei', {id});
                INSERT INTO delivery (lead_id, recipient, requested, state, holder, attempts, reason_class,
                    reason_detail, mail_message_id, server_reply)
                    VALUES ({id}, 'visitor', FALSE, '', '', 1, '', '', '', '')"
            ));
        }
        self.sql(
            "INSERT INTO suppression (hash, mailbox_hash, since) VALUES ('before', 'before', '2026-01-01');
            INSERT INTO audit (client, action, leads, lead_ids) VALUES ('mei', 'list', 0, '{}')",
        );
    }

    /// Runs statements in the database of leads. Returns the rows with `|` between columns.
    pub(crate) fn sql(&self, statements: &str) -> String {
        self.postgres
            .sql("crm", statements)
            .expect(statements)
            .replace('\t', "|")
    }

    fn password(&self) -> String {
        let [.., (_, password)] = self.postgres.client_environment();
        password
    }

    /// Creates the files of the containers of the CronJob `crm-backup`: an empty volume, the scripts, and the owner's URI.
    pub(crate) fn mount_backups(&self) {
        let [backups, scripts, uri] = ["backups", "scripts", "uri"].map(|name| self.file(name));
        for directory in [&backups, &scripts] {
            drop(fs::remove_dir_all(directory));
            fs::create_dir(directory).unwrap();
        }
        let password = self.password();
        let (first, rest) = password.split_at(1);
        let encoded = format!(":%{:02x}{rest}@", first.as_bytes()[0]);
        let address = self.postgres.url("crm");
        fs::write(&uri, address.replace(&format!(":{password}@"), &encoded)).unwrap();
        for name in ["backup", "connect", "repeat-changes"] {
            let script = root().join("k8s/components/backup").join(name);
            let script = fs::read_to_string(script)
                .unwrap()
                .replace("cd /backups", &format!("cd {backups}"))
                .replace("/run/secrets/database/uri", &uri);
            fs::write(format!("{scripts}/{name}"), script).unwrap();
        }
    }

    /// Creates a key of age. Returns its file and the recipient.
    fn create_age_key(&self, name: &str) -> (String, String) {
        let file = self.file(name);
        let output = Command::new("age-keygen")
            .args(["-o", &file])
            .output()
            .expect("age-keygen starts");
        let text = String::from_utf8(output.stderr).unwrap();
        (
            file,
            text.trim()
                .strip_prefix("Public key: ")
                .expect("a key")
                .to_owned(),
        )
    }

    /// Runs a script of `deploy/compose`, which encrypts for a recipient, with a stand-in for docker, which runs PostgreSQL's
    /// programs and records other commands.
    fn script(&self, name: &str, arguments: &[&str], recipient: &str) -> anyhow::Result<String> {
        const DOCKER: &str = "#!/bin/sh\nshift\nif [ $1 = exec ]; then shift 3; exec \"$@\"; fi\n\
                              echo \"$@\" >>\"$COMPOSED\"\n";
        install_stand_in(self.directory.path(), "docker", DOCKER);
        let mut script = Command::new(root().join("deploy/compose").join(name));
        script
            .args(arguments)
            .env("BACKUP_RECIPIENT", recipient)
            .env("PATH", self.path());
        script
            .env("COMPOSED", self.file("composed"))
            .envs(self.postgres.client_environment());
        output(&mut script)
    }

    /// A PATH with the stand-in for docker and PostgreSQL's programs.
    pub(crate) fn path(&self) -> String {
        let initdb = packages::find("initdb").expect("PostgreSQL");
        let programs = initdb.parent().unwrap().display();
        format!(
            "{}:{programs}:/usr/bin:/bin",
            self.directory.path().display()
        )
    }

    /// The docker compose commands of the scripts, except `exec`.
    fn composed(&self) -> String {
        fs::read_to_string(self.file("composed")).unwrap_or_default()
    }
}
