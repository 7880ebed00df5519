//! Settings are clap options with an environment variable, `#[arg(long, env)]`: the value of `--http-addr` can also come
//! from the variable `HTTP_ADDR`, or from the file whose path is in `HTTP_ADDR_FILE`.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    process::ExitCode,
};

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
pub(crate) const HELP: &str = "Each option can also be set by its environment variable, shown as [env: NAME], or by a file whose \
                        path is in the variable NAME_FILE. Set secrets in one of these two ways.";

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
/// [`clap::Error`] with the help, with all missing options, or with the first invalid option.
pub fn parse_from<C: Parser>(
    arguments: impl IntoIterator<Item: Into<OsString>>,
    source: impl Fn(&str) -> Option<String>,
) -> Result<Parsed<C>, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let mut documented = documented_command::<C>();
    let subcommand = arguments
        .get(1)
        .and_then(|name| documented.find_subcommand(name));
    let variables = subcommand.map(list_variables).unwrap_or_default();
    let values = variables
        .iter()
        .filter_map(|variable| variable.to_argument(&source).transpose())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|message| documented.error(ErrorKind::ValueValidation, message))?;

    // The options of the command line follow the variables, because the last value wins.
    let (command, options) = arguments.split_at(arguments.len().min(2));
    let complete = [command, &values, options].concat();
    let parsed = parsing_command::<C>().try_get_matches_from(complete);
    let matches = parsed.map_err(|error| {
        if error.kind() != ErrorKind::DisplayHelp {
            return hide_secret(error, &variables);
        }
        let help = documented.try_get_matches_from(arguments);
        help.err().unwrap_or(error)
    })?;
    let settings = match matches.subcommand() {
        Some((_, matches)) => variables
            .iter()
            .map(|variable| variable.to_setting(matches))
            .collect(),
        None => Vec::new(),
    };
    Ok(Parsed {
        command: C::from_arg_matches(&matches)?,
        settings,
    })
}

/// The command that prints the help, which names the variables without their values.
fn documented_command<C: Parser>() -> Command {
    let mut command = C::command()
        .mut_subcommands(|subcommand| subcommand.mut_args(|option| option.hide_env_values(true)));
    // Otherwise the options of the subcommands cannot be displayed.
    command.build();
    command
}

/// The command that parses. It has no variables: clap reads them only from the environment of the process, also in tests,
/// and an empty variable is a value for clap.
fn parsing_command<C: Parser>() -> Command {
    C::command().mut_subcommands(|subcommand| {
        subcommand
            .args_override_self(true)
            .mut_args(|option| option.env(None))
    })
}

/// An option with an environment variable.
struct Variable {
    name: String,
    option: Arg,
}

fn list_variables(subcommand: &Command) -> Vec<Variable> {
    let variables = subcommand.get_arguments().filter_map(|option| {
        Some(Variable {
            name: option.get_env()?.to_str()?.to_owned(),
            option: option.clone(),
        })
    });
    variables.collect()
}

impl Variable {
    /// The value of the variable, or of the file whose path is in `NAME_FILE`.
    fn read(&self, source: impl Fn(&str) -> Option<String>) -> Result<Option<String>, String> {
        let name = &self.name;
        let file_variable = format!("{name}_FILE");
        let non_empty = |name: &str| source(name).filter(|value| !value.is_empty());
        match (non_empty(name), non_empty(&file_variable)) {
            (value, None) => Ok(value),
            (None, Some(path)) => {
                let content = fs::read_to_string(&path)
                    .map_err(|error| format!("{file_variable}: cannot read {path}: {error}"))?;
                let value = content.trim_end().to_owned();
                Ok(Some(value).filter(|value| !value.is_empty()))
            }
            (Some(_), Some(_)) => Err(format!(
                "{name} and {file_variable} are both set: remove one"
            )),
        }
    }

    /// The command-line argument that sets the option to the value of the variable, if there is a value.
    fn to_argument(
        &self,
        source: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<OsString>, String> {
        let long = self.option.get_long().unwrap_or_default();
        let value = self.read(source)?;
        Ok(value.map(|value| format!("--{long}={value}").into()))
    }

    fn is_secret(&self) -> bool {
        self.option.get_help_heading() == Some(SECRETS)
    }

    /// The setting for the output of check-config.
    fn to_setting(&self, matches: &ArgMatches) -> Setting {
        let id = self.option.get_id().as_str();
        let value = match matches.get_raw(id) {
            None => "not set".to_owned(),
            Some(_) if self.is_secret() => "set, not shown".to_owned(),
            Some(values) => {
                let values: Vec<_> = values.map(OsStr::to_string_lossy).collect();
                let is_default = matches.value_source(id) == Some(ValueSource::DefaultValue);
                values.join(",") + if is_default { " (default)" } else { "" }
            }
        };
        Setting {
            name: self.name.clone(),
            value,
        }
    }
}

/// Removes a secret from the error, because clap's errors contain the invalid value.
fn hide_secret(mut error: clap::Error, variables: &[Variable]) -> clap::Error {
    let mut secrets = variables.iter().filter(|variable| variable.is_secret());
    if let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg)
        && secrets.any(|secret| secret.option.to_string() == *wrong)
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
        #[arg(long, env, default_value = "127.0.0.1:9001")]
        http_addr: SocketAddr,
        #[arg(long, env)]
        retries: u32,
        #[arg(long, env, help_heading = SECRETS, value_parser = long_enough)]
        amqp_url: SecretString,
        #[arg(long, env)]
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
        let variables: BTreeMap<_, _> = variables.iter().copied().collect();
        let arguments = ["service", "serve"].iter().chain(arguments);
        let parsed = parse_from(arguments, |name| {
            variables.get(name).map(|value| (*value).to_owned())
        });
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
    fn ignores_the_environment_of_the_process() {
        #[derive(Parser)]
        enum Cli {
            Serve {
                /// A variable of every process
                #[arg(long, env)]
                path: Option<String>,
            },
        }

        let parsed = parse_from(["service", "serve"], |_| None);
        let Cli::Serve { path } = parsed.unwrap().command;
        assert_eq!(path, None);
    }

    #[test]
    fn help_names_variables_without_values() {
        let help = load(&["--help"], &[("RETRIES", "3")]).unwrap_err();
        for line in [
            "--http-addr <HTTP_ADDR>  Listen address [env: HTTP_ADDR] [default: 127.0.0.1:9001]",
            "--retries <RETRIES>      [env: RETRIES]",
            "--amqp-url <AMQP_URL>  [env: AMQP_URL]",
        ] {
            assert!(help.contains(line), "{line} is not in\n{help}");
        }
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

    #[test]
    fn unreadable_file_is_an_error() {
        let error = load(&[], &[("RETRIES", "3"), ("AMQP_URL_FILE", "/nowhere")]).unwrap_err();
        assert!(
            error.contains("AMQP_URL_FILE: cannot read /nowhere: No such file"),
            "{error}"
        );
    }
}
