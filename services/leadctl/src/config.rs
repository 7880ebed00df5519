//! Reads the configuration file, which contains addresses, secrets and the time zone.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use chrono_tz::Tz;
use crm_client::{Address, Encryption, Token};
use secrecy::SecretString;
use serde::Deserialize;

use crate::error::{Error, Exit};

/// Path of the configuration file, relative to the current directory or one of its parents.
const FILE: &str = ".local/leadctl.toml";

/// The group may read the file, because a Secret mounted in a pod belongs to the pod's group.
const READABLE_BY_OTHERS: u32 = 0o004;

pub(crate) struct Config {
    /// Path of the configuration file, for error messages.
    pub(crate) path: PathBuf,
    /// The CRM's address.
    pub(crate) address: Address,
    pub(crate) token: Token,
    /// The broker, `amqp://user:password@host:port/vhost`; only needed for dead letters.
    pub(crate) amqp: Option<SecretString>,
    /// Zone of displayed and typed times. The default is Asia/Singapore.
    pub(crate) time_zone: Tz,
    pub(crate) canary: Option<Canary>,
}

/// The site, and the keys for sending canaries.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Canary {
    pub(crate) site: String,
    /// The public key that the site's pages send. `None`: the site publishes it.
    pub(crate) anon_key: Option<String>,
    pub(crate) key: SecretString,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    address: String,
    /// PEM file with the CA certificates for an `https://` address.
    ca_file: Option<PathBuf>,
    /// Allows `http://` to other machines, because the network encrypts.
    #[serde(default)]
    plaintext: bool,
    token: SecretString,
    amqp: Option<SecretString>,
    time_zone: Option<String>,
    canary: Option<Canary>,
}

impl Config {
    /// Reads the configuration file in `directory` or the nearest parent directory with one.
    pub(crate) fn find(directory: &Path) -> Result<Self, Error> {
        let mut candidates = directory.ancestors().map(|ancestor| ancestor.join(FILE));
        let path = candidates.find(|path| path.exists()).ok_or_else(|| {
            Exit::Usage.error(format!(
                "no {FILE} in {} or its parent directories.\n\
                 Start the system with `cargo xtask up`, which writes one, or name a file with --config FILE.",
                directory.display()
            ))
        })?;
        Self::from_file(path)
    }

    /// Whether `cargo xtask up` writes this file.
    pub(crate) fn is_local(&self) -> bool {
        self.path.ends_with(FILE)
    }

    pub(crate) fn from_file(path: PathBuf) -> Result<Self, Error> {
        let shown = path.display().to_string();
        let file = fs::metadata(&path)
            .and_then(|metadata| Ok((metadata.mode(), fs::read_to_string(&path)?)));
        let (mode, text) = file.map_err(|error| {
            Exit::Usage.error(format!("cannot read the configuration {shown}: {error}"))
        })?;
        if mode & READABLE_BY_OTHERS != 0 {
            return Err(Exit::Usage.error(format!(
                "{shown} contains a token and is readable by other users: run chmod 600 {shown}"
            )));
        }
        Self::parse(path, &text)
            .map_err(|reason| Exit::Usage.error(format!("{shown} is invalid: {reason}")))
    }

    pub(crate) fn parse(path: PathBuf, text: &str) -> Result<Self, String> {
        // The parser's full message quotes the line, which may contain the token.
        let file: File = toml::from_str(text).map_err(|error| {
            let before = error
                .span()
                .and_then(|span| text.get(..span.start))
                .unwrap_or_default();
            format!(
                "line {}: {}",
                before.matches('\n').count() + 1,
                hide_values(error.message())
            )
        })?;
        let encryption = Encryption {
            crm_ca_file: file.ca_file,
            grpc_plaintext: file.plaintext,
        };
        let address = Address::new(&file.address, &encryption)
            .map_err(|invalid| format!("`address` {invalid} (`ca_file`, or `plaintext = true`)"))?;
        let token = Token::new(&file.token).map_err(|invalid| format!("`token` {invalid}"))?;
        let time_zone = file
            .time_zone
            .map_or(Ok(Tz::Asia__Singapore), |name| name.parse());
        let time_zone = time_zone
            .map_err(|_| "`time_zone` must be a zone such as Asia/Singapore or UTC".to_owned())?;
        Ok(Self {
            path,
            address,
            token,
            amqp: file.amqp,
            time_zone,
            canary: file.canary,
        })
    }
}

/// Replaces parser messages that may quote values.
fn hide_values(message: &str) -> &str {
    let is_about_a_name =
        message.starts_with("missing field") || message.starts_with("unknown field");
    if is_about_a_name {
        message
    } else {
        "expected lines such as address = \"...\", token = \"...\" and amqp = \"...\""
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};

    use super::*;

    fn private(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    }

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse("x.toml".into(), text)
    }

    #[test]
    fn requires_only_address_and_token() {
        let text = "address = \"http://127.0.0.1:50051\"\ntoken = \"secret-1\"\n";
        let config = parse(text).ok().unwrap();
        assert_eq!(config.address.endpoint.uri(), "http://127.0.0.1:50051/");
        assert!(config.amqp.is_none());
        assert_eq!(config.time_zone, Tz::Asia__Singapore);
        let text = format!("{text}time_zone = \"Europe/Berlin\"\n");
        let config = parse(&text).ok().unwrap();
        assert_eq!(config.time_zone, Tz::Europe__Berlin);
    }

    #[test]
    fn errors_name_the_setting_and_no_secret() {
        let address = "address = \"http://127.0.0.1:50051\"\n";
        for (text, said) in [
            (address.to_owned(), "missing field `token`"),
            (
                "token = \"secret-1\"\n".to_owned(),
                "missing field `address`",
            ),
            (format!("{address}token = \"secret-1\nmore = 1"), "line 2"),
            (format!("{address}token = secret-1"), "line 2"),
            (format!("{address}token = 51"), "line 2"),
            (
                format!("{address}token = \"secret-1\"\namqp = amqp://a:secret@b"),
                "line 3",
            ),
            (
                format!("{address}token = \"secret-1\"\namqp = 51"),
                "line 3",
            ),
            (
                format!("{address}token = \"secret-1\"\nuser = \"x\""),
                "unknown field `user`",
            ),
            (format!("{address}token = \"\""), "`token` is empty"),
            (
                format!("{address}token = \"secret-1\\n\""),
                "cannot be sent",
            ),
            (
                format!("{address}token = \"secret-1\"\ntime_zone = \"Mars\""),
                "`time_zone` must be a zone",
            ),
            (
                "address = \"https://crm\"\ntoken = \"secret-1\"".to_owned(),
                "needs a file",
            ),
            (
                "address = \"http://crm\"\ntoken = \"secret-1\"".to_owned(),
                "not encrypted",
            ),
            (
                "address = \"127.0.0.1:50051\"\ntoken = \"secret-1\"".to_owned(),
                "is not an address",
            ),
            (
                "address = \"http://a b\"\ntoken = \"secret-1\"".to_owned(),
                "is not an address",
            ),
        ] {
            let error = parse(&text).err().unwrap();
            assert!(error.contains(said), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn finds_the_nearest_file_upwards() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        for (directory, port) in [(root.path(), 1), (&root.path().join("a"), 2)] {
            fs::create_dir_all(directory.join(".local")).unwrap();
            let text = format!("address = \"http://127.0.0.1:{port}\"\ntoken = \"t\"");
            private(&directory.join(FILE), &text);
        }
        fs::create_dir_all(&deep).unwrap();
        let Ok(config) = Config::find(&deep) else {
            panic!("not found")
        };
        assert_eq!(config.path, root.path().join("a").join(FILE));
    }

    #[test]
    fn rejects_file_readable_by_others() {
        let path = tempfile::tempdir().unwrap().keep().join("leadctl.toml");
        private(&path, "address = \"http://127.0.0.1:1\"\ntoken = \"t\"");
        for (mode, is_accepted) in [(0o600, true), (0o440, true), (0o644, false), (0o604, false)] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let outcome = Config::from_file(path.clone());
            assert_eq!(outcome.is_ok(), is_accepted, "{mode:o}");
            let Err(error) = outcome else { continue };
            assert!(error.to_string().contains("chmod 600"), "{error}");
            assert_eq!(error.exit, Exit::Usage);
        }
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn missing_file_says_what_to_do() {
        let root = tempfile::tempdir().unwrap();
        let Err(error) = Config::find(root.path()) else {
            panic!("found")
        };
        let text = error.to_string();
        assert!(
            text.contains("cargo xtask up") && text.contains("--config"),
            "{text}"
        );
        assert_eq!(error.exit, Exit::Usage);
    }
}
