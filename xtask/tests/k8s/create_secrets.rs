//! `k8s/create-secrets` against a stand-in of kubectl that keeps each key of a Secret in a file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::copy::{repository, stand_in};

const KUBECTL: &str = r#"#!/bin/sh
set -eu
[ "$1" != apply ] || exit 0
shift 2
case "$1 $2" in
"get secret")
    case $6 in
    name) [ ! -d "$SECRETS/$3" ] || echo "secret/$3" ;;
    *)
        key=${6#*index .data \"}
        file=$SECRETS/$3/${key%%\"*}
        [ ! -f "$file" ] || cat "$file" ;;
    esac ;;
"create --filename" | "patch secret")
    awk -v into="$SECRETS" -v name="${3:-}" '
        /^metadata:/ { sub(/.*name: /, ""); sub(/}.*/, ""); name = $0 }
        /^    / { sub(/^    /, ""); printf "%s%s", (first ? "" : "\n"), $0 > file; first = 0; next }
        /^  [^ ]+: / {
            if (name != made) { system("mkdir -p " into "/" name); made = name }
            key = $1; sub(/:$/, "", key); file = into "/" name "/" key; first = 1
            if ($2 ~ /^"/) { sub(/^[^"]*"/, ""); sub(/"$/, ""); printf "%s", $0 > file }
        }' ;;
esac
"#;

pub(crate) type Secrets = BTreeMap<String, String>;

pub(crate) struct Cluster(tempfile::TempDir);

impl Cluster {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        stand_in(directory.path(), "kubectl", KUBECTL);
        fs::create_dir(directory.path().join("secrets")).expect("its folder");
        Self(directory)
    }

    fn secrets_in(&self) -> PathBuf {
        self.0.path().join("secrets")
    }

    /// What the script printed.
    pub(crate) fn create_secrets(&self, overlay: &str) -> String {
        self.create_secrets_for("", overlay)
    }

    /// Likewise, with these users of leadctl.
    fn create_secrets_for(&self, users: &str, overlay: &str) -> String {
        let script = repository().join("k8s/create-secrets");
        let ran = Command::new("sh")
            .args(["-c", r#"PATH="$0:$PATH" exec "$@""#])
            .args([self.0.path(), &script, Path::new(overlay)])
            .env("SECRETS", self.secrets_in())
            .env("LEADCTL_USERS", users)
            .output()
            .expect("the script starts");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).expect("UTF-8")
    }

    /// Every key's value by `secret/key`.
    pub(crate) fn secrets(&self) -> Secrets {
        let mut found = Secrets::new();
        for secret in fs::read_dir(self.secrets_in()).expect("the folder").flatten() {
            for key in fs::read_dir(secret.path()).expect("a Secret").flatten() {
                let name = format!("{}/{}", secret.file_name().display(), key.file_name().display());
                found.insert(name, fs::read_to_string(key.path()).expect("a value"));
            }
        }
        found
    }

    fn remove(&self, secret: &str) {
        fs::remove_dir_all(self.secrets_in().join(secret)).expect("a Secret that is there");
    }
}

/// Clients and crm-sync must know the same tokens, canary and lead-intake the same key, as must notifier and desk.
fn assert_fits(secrets: &Secrets) {
    let tokens: Vec<&str> = secrets["crm-sync/crm-tokens"].split(',').collect();
    for (role, key) in [
        ("intake:lead-intake", "lead-intake/crm-token"),
        ("notifier:notifier", "notifier/crm-token"),
        ("desk:desk", "desk/crm-token"),
        ("operator:leadctl", "leadctl/crm-token"),
    ] {
        assert!(tokens.contains(&format!("{role}={}", secrets[key]).as_str()), "{role}: {tokens:?}");
    }
    assert_eq!(secrets["desk/magic-link-keys"], secrets["notifier/magic-link-keys"]);
    assert_eq!(secrets["desk/desk-session-keys"], secrets["crm-sync/desk-session-keys"]);
    assert_eq!(secrets["lead-intake/withdrawal-keys"], secrets["notifier/withdrawal-keys"]);
    let canary = &secrets["canary/leadctl.toml"];
    let token = tokens.iter().find_map(|token| token.strip_prefix("canary:canary=")).expect("its token");
    assert!(canary.contains(&format!("token = \"{token}\"")), "{canary}");
    assert!(canary.contains(&format!("key = \"{}\"", secrets["lead-intake/canary-key"])), "{canary}");
    for (name, uri) in secrets.iter().filter(|(name, _)| name.ends_with("/uri")) {
        let password = &secrets[&name.replace("/uri", "/password")];
        assert!(uri.contains(&format!(":{password}@")), "{name}");
    }
}

/// Runs leadctl with the canary's configuration. Its exit status is 69 when it accepts the file, as no CRM runs here.
fn assert_readable(canary: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("leadctl.toml");
    fs::write(&file, canary).expect("the file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("its mode");
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--workspace", "--bin", "leadctl"]).current_dir(repository());
    assert!(build.status().expect("cargo starts").success());
    let tests = std::env::current_exe().expect("the path of this test");
    let leadctl = tests.ancestors().nth(2).expect("the target folder").join("leadctl");
    let ran = Command::new(leadctl).args(["list", "--config"]).arg(file).output().expect("leadctl starts");
    assert_eq!(ran.status.code(), Some(69), "{}", String::from_utf8_lossy(&ran.stderr));
}

fn names(secrets: &Secrets) -> Vec<String> {
    let mut names: Vec<String> =
        secrets.keys().filter_map(|key| Some(key.split_once('/')?.0.to_owned())).collect();
    names.dedup();
    names
}

#[test]
fn a_second_run_changes_nothing() {
    for (overlay, count) in [("dev", 11), ("plain", 11), ("production", 12)] {
        let cluster = Cluster::new();
        cluster.create_secrets(overlay);
        let before = cluster.secrets();
        assert_eq!(names(&before).len(), count, "{overlay}: {:?}", names(&before));
        assert_fits(&before);
        assert_readable(&before["canary/leadctl.toml"]);
        let said = cluster.create_secrets(overlay);
        assert_eq!(said.lines().filter(|line| line.starts_with("unchanged")).count(), count, "{said}");
        assert_eq!(said.lines().count(), count, "{said}");
        assert_eq!(cluster.secrets(), before, "{overlay}");
    }
}

#[test]
fn users_of_leadctl_are_added() {
    let cluster = Cluster::new();
    cluster.create_secrets("production");
    let said = cluster.create_secrets_for("mei daniel", "production");
    assert!(said.contains("updated   crm-sync: added tokens"), "{said}");
    let secrets = cluster.secrets();
    assert_fits(&secrets);
    for user in ["mei", "daniel"] {
        let entry = format!("sales:{user}={}", secrets[&format!("leadctl-{user}/crm-token")]);
        assert!(secrets["crm-sync/crm-tokens"].split(',').any(|it| it == entry), "{user}");
    }
}

#[test]
fn a_missing_secret_is_made_to_fit_those_that_are_there() {
    let cluster = Cluster::new();
    cluster.create_secrets("production");
    for name in names(&cluster.secrets()) {
        cluster.remove(&name);
        let before = cluster.secrets();
        let said = cluster.create_secrets("production");
        assert!(said.contains(&format!("created   {name}\n")), "{said}");
        let after = cluster.secrets();
        assert!(before.iter().all(|(key, value)| after[key] == *value), "{name}");
        assert_fits(&after);
    }
}

#[test]
fn the_set_of_a_release_without_canary_is_completed() {
    let cluster = Cluster::new();
    cluster.create_secrets("production");
    cluster.remove("canary");
    let secrets = cluster.secrets_in();
    fs::remove_file(secrets.join("lead-intake/canary-key")).expect("the key");
    let tokens = fs::read_to_string(secrets.join("crm-sync/crm-tokens")).expect("the tokens");
    let (old, _) = tokens.split_once(",canary:").expect("the canary's");
    fs::write(secrets.join("crm-sync/crm-tokens"), old).expect("the tokens without it");
    let before = cluster.secrets();

    let said = cluster.create_secrets("production");
    assert!(said.contains("updated   lead-intake: added canary-key\n"), "{said}");
    assert!(said.contains("updated   crm-sync: added tokens. Restart crm-sync.\n"), "{said}");
    let after = cluster.secrets();
    assert!(after["crm-sync/crm-tokens"].starts_with(old), "what was there stays");
    assert!(
        before.iter().all(|(key, value)| after[key] == *value || key == "crm-sync/crm-tokens"),
        "nothing else changed"
    );
    assert_fits(&after);
}
