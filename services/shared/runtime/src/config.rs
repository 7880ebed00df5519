//! Settings as clap options with environment variables: the value of `--http-addr <HTTP_ADDR>` can also come from the
//! variable `HTTP_ADDR`, or from the file named by `HTTP_ADDR_FILE`.

use std::{env, ffi::OsString, fs, process::ExitCode};

use clap::{
    Arg, ArgMatches, Command, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
    parser::ValueSource,
};

/// Exit status for a wrong configuration (`EX_USAGE` of sysexits.h).
const EXIT_CONFIG: u8 = 64;

/// Help heading of secret options. Errors and [`Parsed::settings`] never contain their values.
pub const SECRETS: &str = "Secrets";

/// The text after the help of a command with settings.
pub(crate) const HELP: &str = "Each option can also be set by the environment variable NAME in its angle brackets, or by a file \
                        whose path is in the variable NAME_FILE. Set secrets in one of these two ways.";

/// The rules that concern several settings. clap checks each setting alone.
pub trait Validate {
    /// Checks the rules; the default has none.
    ///
    /// # Errors
    /// A message that names the variables and contains no secret.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The name and the displayed value of an option with an environment variable.
pub struct Setting {
    pub name: String,
    /// Does not contain the value of a secret.
    pub value: String,
}

pub struct Parsed<C> {
    pub command: C,
    /// The settings of the command, in the order of its help.
    pub settings: Vec<Setting>,
}

/// Parses the command line and the environment of this process and runs the command. Prints help and errors.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where the environment is read"
)]
pub fn run<C: Parser>(run: impl FnOnce(C, &[Setting]) -> ExitCode) -> ExitCode {
    match parse_from(env::args_os(), |name| env::var(name).ok()) {
        Ok(parsed) => run(parsed.command, &parsed.settings),
        Err(error) => print(&error),
    }
}

/// Validates the settings. Prints the broken rule.
///
/// # Errors
/// The exit status for a wrong configuration.
pub(crate) fn validate(settings: &impl Validate) -> Result<(), ExitCode> {
    settings.validate().map_err(|message| {
        let message = format!("{message}\n");
        print(&clap::Error::raw(ErrorKind::ValueValidation, message))
    })
}

/// Prints help or an error. Returns the exit status.
fn print(error: &clap::Error) -> ExitCode {
    // A failed write to the terminal cannot be reported.
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(EXIT_CONFIG)
    } else {
        ExitCode::SUCCESS
    }
}

/// Parses a command line, with the program's name first, and the variables of `source`. An empty variable counts as
/// unset.
///
/// # Errors
/// [`clap::Error`] with all missing options, or with the first invalid option.
pub fn parse_from<C: Parser>(
    arguments: impl IntoIterator<Item: Into<OsString>>,
    source: impl Fn(&str) -> Option<String>,
) -> Result<Parsed<C>, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let mut command =
        C::command().mut_subcommands(|subcommand| subcommand.args_override_self(true));
    // Otherwise clap builds only the called subcommand, and the options of the others cannot be displayed.
    command.build();
    if let Some(subcommand) = arguments
        .get(1)
        .and_then(|name| command.find_subcommand(name))
    {
        let options = list_variables(subcommand)
            .filter_map(|(variable, option)| to_argument(&variable, option, &source).transpose())
            .collect::<Result<Vec<_>, _>>();
        let options =
            options.map_err(|message| command.error(ErrorKind::ValueValidation, message))?;
        // Before the options on the command line: the last value wins.
        arguments.splice(2..2, options);
    }
    let parsed = command.try_get_matches_from_mut(arguments);
    let matches = parsed.map_err(|error| hide_secret(error, &command))?;
    let settings = matches.subcommand().and_then(|(name, matches)| {
        let options = list_variables(command.find_subcommand(name)?);
        let settings = options.map(|(name, option)| Setting {
            name,
            value: display_value(option, matches),
        });
        Some(settings.collect())
    });
    Ok(Parsed {
        command: C::from_arg_matches(&matches)?,
        settings: settings.unwrap_or_default(),
    })
}

/// Options whose value has the name of the option, such as `--http-addr <HTTP_ADDR>`, with the name of the variable.
fn list_variables(command: &Command) -> impl Iterator<Item = (String, &Arg)> {
    command.get_arguments().filter_map(|option| {
        let variable = option.get_long()?.to_uppercase().replace('-', "_");
        let is_named = option.get_value_names()?.first()?.as_str() == variable;
        is_named.then_some((variable, option))
    })
}

/// The command-line argument that sets the option to the value of `source`, if there is a value.
fn to_argument(
    variable: &str,
    option: &Arg,
    source: impl Fn(&str) -> Option<String>,
) -> Result<Option<OsString>, String> {
    let value = |name: &str| source(name).filter(|value| !value.is_empty());
    let file_variable = format!("{variable}_FILE");
    let value = match (value(variable), value(&file_variable)) {
        (value, None) => value,
        (Some(_), Some(_)) => {
            return Err(format!(
                "{variable} and {file_variable} are both set: remove one"
            ));
        }
        (None, Some(path)) => {
            let content = fs::read_to_string(&path)
                .map_err(|error| format!("{file_variable}: cannot read {path}: {error}"))?;
            Some(content.trim_end().to_owned()).filter(|value| !value.is_empty())
        }
    };
    let long = option.get_long().unwrap_or_default();
    Ok(value.map(|value| format!("--{long}={value}").into()))
}

fn is_secret(option: &Arg) -> bool {
    option.get_help_heading() == Some(SECRETS)
}

/// The value for the output of check-config, without secrets.
fn display_value(option: &Arg, matches: &ArgMatches) -> String {
    let id = option.get_id().as_str();
    let Some(values) = matches.get_raw(id) else {
        return "not set".to_owned();
    };
    if is_secret(option) {
        return "set, not shown".to_owned();
    }
    let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
    let is_default = matches.value_source(id) == Some(ValueSource::DefaultValue);
    values.join(",") + if is_default { " (default)" } else { "" }
}

/// Removes a secret from the error, because clap's errors contain the invalid value.
fn hide_secret(mut error: clap::Error, command: &Command) -> clap::Error {
    let mut secrets = command
        .get_subcommands()
        .flat_map(Command::get_arguments)
        .filter(|it| is_secret(it));
    if let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg)
        && secrets.any(|secret| secret.to_string() == *wrong)
    {
        error.insert(
            ContextKind::InvalidValue,
            ContextValue::String("(secret)".to_owned()),
        );
    }
    error
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, io::Write, net::SocketAddr};

    use secrecy::{ExposeSecret, SecretString};

    use super::*;

    #[derive(Parser)]
    enum Cli {
        Serve(Settings),
        CheckConfig(Settings),
    }

    #[derive(Debug, clap::Args)]
    #[group(skip)]
    struct Settings {
        /// Listen address
        #[arg(long, default_value = "127.0.0.1:9001")]
        http_addr: SocketAddr,
        #[arg(long)]
        retries: u32,
        #[arg(long, help_heading = SECRETS, value_parser = long_enough)]
        amqp_url: SecretString,
        #[arg(long)]
        note: Option<String>,
    }

    fn long_enough(text: &str) -> Result<SecretString, &'static str> {
        if text.len() < 8 {
            Err("too short")
        } else {
            Ok(text.into())
        }
    }

    fn load(
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<(Settings, Vec<String>), String> {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let variables: BTreeMap<_, _> = variables.collect();
        let arguments = ["service", "serve"].iter().chain(arguments);
        let parsed = parse_from(arguments, |name| variables.get(name).cloned());
        let Parsed {
            command: Cli::Serve(settings) | Cli::CheckConfig(settings),
            settings: shown,
        } = parsed.map_err(|error| error.to_string())?;
        let shown = shown
            .iter()
            .map(|setting| format!("{} {}", setting.name, setting.value));
        Ok((settings, shown.collect()))
    }

    #[test]
    fn empty_variables_are_ignored() {
        let variables = [
            ("RETRIES", "3"),
            ("AMQP_URL", "amqp://x"),
            ("NOTE", ""),
            ("HTTP_ADDR", ""),
        ];
        let (settings, shown) = load(&[], &variables).unwrap();
        assert_eq!(settings.http_addr.port(), 9001);
        assert_eq!(settings.retries, 3);
        assert_eq!(settings.amqp_url.expose_secret(), "amqp://x");
        assert_eq!(settings.note, None);
        assert_eq!(
            shown,
            [
                "HTTP_ADDR 127.0.0.1:9001 (default)",
                "RETRIES 3",
                "AMQP_URL set, not shown",
                "NOTE not set"
            ]
        );
    }

    #[test]
    fn command_line_overrides_variables() {
        let variables = [("RETRIES", "3"), ("AMQP_URL", "amqp://x")];
        assert_eq!(load(&["--retries", "4"], &variables).unwrap().0.retries, 4);
    }

    #[test]
    fn reports_all_missing_options() {
        let error = load(&[], &[]).unwrap_err();
        assert!(
            error.contains("--retries <RETRIES>") && error.contains("--amqp-url <AMQP_URL>"),
            "{error}"
        );
        let error = load(&[], &[("RETRIES", "many"), ("AMQP_URL", "amqp://x")]).unwrap_err();
        assert!(
            error.contains("'many' for '--retries <RETRIES>': invalid digit"),
            "{error}"
        );
    }

    #[test]
    fn reads_secrets_from_files_without_the_line_end() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "amqp://from-a-file").unwrap();
        let path = file.path().to_str().unwrap();
        let (settings, _) = load(&[], &[("RETRIES", "3"), ("AMQP_URL_FILE", path)]).unwrap();
        assert_eq!(settings.amqp_url.expose_secret(), "amqp://from-a-file");
        let empty = tempfile::NamedTempFile::new().unwrap();
        let error = load(
            &[],
            &[
                ("RETRIES", "3"),
                ("AMQP_URL_FILE", empty.path().to_str().unwrap()),
            ],
        );
        assert!(error.unwrap_err().contains("not provided"));
    }

    #[test]
    fn errors_contain_no_secret() {
        let error = load(&[], &[("RETRIES", "3"), ("AMQP_URL", "hidden")]).unwrap_err();
        assert!(
            error.contains("'--amqp-url <AMQP_URL>': too short") && !error.contains("hidden"),
            "{error}"
        );
        let both = [
            ("RETRIES", "3"),
            ("AMQP_URL", "hidden-url"),
            ("AMQP_URL_FILE", "/nowhere"),
        ];
        let error = load(&[], &both).unwrap_err();
        assert!(
            error.contains("AMQP_URL and AMQP_URL_FILE are both set") && !error.contains("hidden"),
            "{error}"
        );
    }
}
