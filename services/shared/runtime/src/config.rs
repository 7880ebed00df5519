//! Settings from the environment, documented where they are read; all errors are reported at once.
//!
//! ```
//! # use std::{collections::BTreeMap, net::SocketAddr};
//! use runtime::config::{self, Invalid, Vars};
//!
//! struct Config { http_addr: SocketAddr }
//!
//! fn read(vars: &mut Vars<'_>) -> Result<Config, Invalid> {
//!     let http_addr = vars.or("HTTP_ADDR", "127.0.0.1:9001", "HTTP listen address.");
//!     Ok(Config { http_addr: http_addr? })
//! }
//!
//! let source = BTreeMap::from([("HTTP_ADDR".to_owned(), "0.0.0.0:80".to_owned())]);
//! assert_eq!(config::load(&source, read).unwrap().http_addr.port(), 80);
//! ```

use std::{collections::BTreeMap, env, fmt, fs, str::FromStr};

use secrecy::{ExposeSecret, SecretString};

/// Exit status for a wrong configuration (`EX_USAGE` of sysexits.h).
pub const EXIT_CONFIG: u8 = 64;

/// A source of variables.
pub trait Source {
    /// The variable's value; empty counts as absent.
    fn var(&self, name: &str) -> Option<String>;
}

/// The environment of this process.
#[derive(Clone, Copy, Debug)]
pub struct ProcessEnvironment;

impl Source for ProcessEnvironment {
    #[expect(clippy::disallowed_methods, reason = "the one place where the environment is read")]
    fn var(&self, name: &str) -> Option<String> {
        env::var(name).ok().filter(|value| !value.is_empty())
    }
}

impl Source for BTreeMap<String, String> {
    fn var(&self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !value.is_empty()).cloned()
    }
}

/// A value is missing or wrong; the [`Vars`] it was read from has recorded the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid;

/// All errors of a configuration, one per line, without values of secrets.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(pub Vec<String>);

/// Reads variables and records their documentation and errors.
pub struct Vars<'a> {
    source: &'a dyn Source,
    documented: Vec<Documented>,
    errors: Vec<String>,
}

struct Documented {
    name: &'static str,
    default: Option<&'static str>,
    doc: &'static str,
    secret: bool,
}

/// Reads a configuration from `source`.
///
/// # Errors
/// [`ConfigError`] with every variable that is missing or wrong.
pub fn load<T>(
    source: &dyn Source,
    read: impl FnOnce(&mut Vars<'_>) -> Result<T, Invalid>,
) -> Result<T, ConfigError> {
    let mut vars = Vars { source, documented: Vec::new(), errors: Vec::new() };
    match read(&mut vars) {
        Ok(config) if vars.errors.is_empty() => Ok(config),
        Ok(_) | Err(Invalid) => Err(ConfigError(vars.errors)),
    }
}

/// The variables read by `read`, as text for `--help`.
pub fn describe<T>(read: impl FnOnce(&mut Vars<'_>) -> Result<T, Invalid>) -> String {
    let source = BTreeMap::new();
    let mut vars = Vars { source: &source, documented: Vec::new(), errors: Vec::new() };
    // Errors are expected, as nothing is set; only the documentation is used.
    let _ = read(&mut vars);
    let lines = vars.documented.iter().map(Documented::to_string).collect::<Vec<_>>();
    format!(
        "Environment variables (set NAME_FILE to a path to read the secret NAME from a file):\n{}",
        lines.join("\n")
    )
}

impl fmt::Display for Documented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<23} {}", self.name, self.doc)?;
        match self.default {
            _ if self.secret => write!(f, " [secret]"),
            Some("") => write!(f, " [optional]"),
            Some(default) => write!(f, " [default: {default}]"),
            None => write!(f, " [required]"),
        }
    }
}

impl Vars<'_> {
    /// Reads a required variable.
    ///
    /// # Errors
    /// [`Invalid`] when it is missing or does not parse.
    pub fn required<T: FromStr<Err: fmt::Display>>(
        &mut self,
        name: &'static str,
        doc: &'static str,
    ) -> Result<T, Invalid> {
        self.document(name, None, doc, false);
        match self.source.var(name) {
            Some(value) => self.parse(name, &value),
            None => self.reject(format!("{name} is not set: {doc}")),
        }
    }

    /// Reads a variable; `default` is parsed when it is not set.
    ///
    /// # Errors
    /// [`Invalid`] when it is set and does not parse.
    pub fn or<T: FromStr<Err: fmt::Display>>(
        &mut self,
        name: &'static str,
        default: &'static str,
        doc: &'static str,
    ) -> Result<T, Invalid> {
        self.document(name, Some(default), doc, false);
        let value = self.source.var(name).unwrap_or_else(|| default.to_owned());
        self.parse(name, &value)
    }

    /// Reads an optional variable.
    ///
    /// # Errors
    /// [`Invalid`] when it is set and does not parse.
    pub fn optional<T: FromStr<Err: fmt::Display>>(
        &mut self,
        name: &'static str,
        doc: &'static str,
    ) -> Result<Option<T>, Invalid> {
        self.document(name, Some(""), doc, false);
        self.source.var(name).map(|value| self.parse(name, &value)).transpose()
    }

    /// Reads a required secret from `NAME`, or from the file named by `NAME_FILE`.
    ///
    /// # Errors
    /// [`Invalid`] when neither or both are set, or the file cannot be read.
    pub fn secret(&mut self, name: &'static str, doc: &'static str) -> Result<SecretString, Invalid> {
        match self.optional_secret(name, doc)? {
            Some(secret) => Ok(secret),
            None => self.reject(format!("neither {name} nor {name}_FILE is set: {doc}")),
        }
    }

    /// Reads an optional secret, like [`Vars::secret`]. An empty file counts as absent.
    ///
    /// # Errors
    /// [`Invalid`] when both are set, or the file cannot be read.
    pub fn optional_secret(
        &mut self,
        name: &'static str,
        doc: &'static str,
    ) -> Result<Option<SecretString>, Invalid> {
        self.document(name, None, doc, true);
        let file_name = format!("{name}_FILE");
        match (self.source.var(name), self.source.var(&file_name)) {
            (None, None) => Ok(None),
            (Some(value), None) => Ok(Some(value.into())),
            (Some(_), Some(_)) => self.reject(format!("{name} and {file_name} are both set: remove one")),
            (None, Some(path)) => match fs::read_to_string(&path) {
                Ok(content) => {
                    let value = content.trim_end();
                    Ok((!value.is_empty()).then(|| value.to_owned().into()))
                }
                Err(error) => self.reject(format!("{file_name}: cannot read {path}: {error}")),
            },
        }
    }

    /// Reads a required secret, like [`Vars::secret`], and parses it. Errors do not contain its value.
    ///
    /// # Errors
    /// [`Invalid`] when it is missing, cannot be read or does not parse.
    pub fn parsed_secret<T: FromStr<Err: fmt::Display>>(
        &mut self,
        name: &'static str,
        doc: &'static str,
    ) -> Result<T, Invalid> {
        let secret = self.secret(name, doc)?;
        secret.expose_secret().parse().or_else(|error| self.reject(format!("{name}: {error}")))
    }

    /// Records an error about one or several values; `message` must name the variables.
    ///
    /// # Errors
    /// Always [`Invalid`].
    pub fn reject<T>(&mut self, message: impl Into<String>) -> Result<T, Invalid> {
        self.errors.push(message.into());
        Err(Invalid)
    }

    fn parse<T: FromStr<Err: fmt::Display>>(&mut self, name: &str, value: &str) -> Result<T, Invalid> {
        match value.parse() {
            Ok(parsed) => Ok(parsed),
            Err(error) => self.reject(format!("{name}={value:?}: {error}")),
        }
    }

    fn document(
        &mut self,
        name: &'static str,
        default: Option<&'static str>,
        doc: &'static str,
        secret: bool,
    ) {
        self.documented.push(Documented { name, default, doc, secret });
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, net::SocketAddr};

    use super::*;

    struct Config {
        http_addr: SocketAddr,
        retries: u32,
        amqp_url: SecretString,
        note: Option<String>,
    }

    fn read(vars: &mut Vars<'_>) -> Result<Config, Invalid> {
        let http_addr = vars.or("HTTP_ADDR", "127.0.0.1:9001", "Listen address.");
        let retries = vars.required("RETRIES", "Number of retries.");
        let amqp_url = vars.secret("AMQP_URL", "Broker address.");
        let note = vars.optional("NOTE", "Anything.");
        Ok(Config { http_addr: http_addr?, retries: retries?, amqp_url: amqp_url?, note: note? })
    }

    fn source(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn defaults_fill_what_is_not_set_and_empty_is_not_set() {
        let config = load(
            &source(&[("RETRIES", "3"), ("AMQP_URL", "amqp://x"), ("NOTE", ""), ("HTTP_ADDR", "")]),
            read,
        )
        .unwrap();
        assert_eq!(config.http_addr.to_string(), "127.0.0.1:9001");
        assert_eq!(config.retries, 3);
        assert_eq!(config.amqp_url.expose_secret(), "amqp://x");
        assert_eq!(config.note, None);
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let Err(ConfigError(errors)) = load(&source(&[("HTTP_ADDR", "here"), ("RETRIES", "many")]), read)
        else {
            panic!("accepted")
        };
        assert_eq!(
            errors,
            [
                r#"HTTP_ADDR="here": invalid socket address syntax"#,
                r#"RETRIES="many": invalid digit found in string"#,
                "neither AMQP_URL nor AMQP_URL_FILE is set: Broker address.",
            ]
        );
    }

    #[test]
    fn a_secret_may_come_from_a_file_without_its_last_line_end() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "amqp://from-a-file").unwrap();
        let path = file.path().to_str().unwrap();
        let config = load(&source(&[("RETRIES", "3"), ("AMQP_URL_FILE", path)]), read).unwrap();
        assert_eq!(config.amqp_url.expose_secret(), "amqp://from-a-file");
    }

    #[test]
    fn a_secret_in_an_empty_file_is_not_set() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let source = source(&[("SECRET_FILE", file.path().to_str().unwrap())]);
        let read = |vars: &mut Vars<'_>| vars.optional_secret("SECRET", "A secret.");
        assert!(load(&source, read).unwrap().is_none());
    }

    #[test]
    fn a_secret_given_twice_is_refused_without_being_printed() {
        let vars = source(&[("RETRIES", "3"), ("AMQP_URL", "amqp://hidden"), ("AMQP_URL_FILE", "/nowhere")]);
        let Err(error) = load(&vars, read) else { panic!("accepted") };
        assert_eq!(error.to_string(), "AMQP_URL and AMQP_URL_FILE are both set: remove one");
    }

    #[test]
    fn help_lists_every_variable() {
        let help = describe(read);
        for line in [
            "  HTTP_ADDR               Listen address. [default: 127.0.0.1:9001]",
            "  RETRIES                 Number of retries. [required]",
            "  AMQP_URL                Broker address. [secret]",
            "  NOTE                    Anything. [optional]",
        ] {
            assert!(help.lines().any(|l| l == line), "{help}");
        }
    }
}
