//! Reads the routes file. Continues after errors, so that all are reported at once.

use std::{
    fmt, fs, io,
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};

use lead::{Interest, Language};
use lettre::Address;
use tokens::{Person, Team};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Filter, Route, Routes};
use crate::{
    recipients::each_once,
    webhook::{self, Webhook},
};

#[derive(Debug, thiserror::Error)]
pub enum InvalidRoutes {
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error(transparent)]
    Key(#[from] webhook::InvalidKey),
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Wrong>),
}

/// An error in a routes file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Counted from 1.
    pub line: usize,
    pub what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl Routes {
    /// # Errors
    /// [`InvalidRoutes`] when the file cannot be read or contains errors.
    pub fn read(path: &Path) -> Result<Self, InvalidRoutes> {
        let routes: Self = fs::read_to_string(path)?.parse()?;
        webhook::check(routes.all_webhooks())?;
        Ok(routes)
    }

    /// Sends every lead to `recipients`.
    ///
    /// # Errors
    /// [`InvalidRoutes`] when `recipients` is empty.
    pub fn to_all(recipients: Vec<Address>) -> Result<Self, InvalidRoutes> {
        if recipients.is_empty() {
            let what = "`default` must have at least one email address".to_owned();
            return Err(InvalidRoutes::Wrong(vec![Wrong { line: 1, what }]));
        }
        Ok(Self { default: each_once(recipients), ..Self::default() })
    }
}

impl FromStr for Routes {
    type Err = InvalidRoutes;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut reader = Reader { text, wrong: Vec::new() };
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            reader.wrong(error.span().unwrap_or_default(), error.message());
        }
        let routes = reader.routes(document.get_ref());
        if reader.wrong.is_empty() {
            return Ok(routes);
        }
        reader.wrong.sort_by_key(|wrong| wrong.line);
        Err(InvalidRoutes::Wrong(reader.wrong))
    }
}

struct Reader<'a> {
    text: &'a str,
    wrong: Vec<Wrong>,
}

impl Reader<'_> {
    fn routes(&mut self, document: &DeTable<'_>) -> Routes {
        let mut routes = Routes::default();
        let mut has_default = false;
        for (key, value) in document {
            match key.get_ref().as_ref() {
                "default" => {
                    has_default = true;
                    routes.default = self.recipients(key, value);
                }
                "canary" => routes.canary = self.recipients(key, value),
                "route" => routes.routes = self.tables(key, value, Self::route),
                "webhook" => routes.webhooks = self.tables(key, value, Self::webhook),
                "person" => {
                    let people = self.tables(key, value, Self::person);
                    routes.people = Team::new(people).unwrap_or_else(|invalid| {
                        self.wrong(key.span(), &invalid.to_string());
                        Team::default()
                    });
                }
                name => self
                    .wrong(key.span(), &unknown(name, &["default", "canary", "route", "webhook", "person"])),
            }
        }
        if !has_default {
            self.wrong(0..0, "`default` is missing: set the recipients of leads that match no route");
        }
        routes
    }

    /// What each table of `[[key]]` says, without those that are wrong.
    fn tables<T>(
        &mut self,
        key: &Key<'_>,
        value: &Spanned<DeValue<'_>>,
        read: fn(&mut Self, &Spanned<DeValue<'_>>, &DeTable<'_>) -> Option<T>,
    ) -> Vec<T> {
        let tables = value.get_ref().as_array().into_iter().flatten();
        let tables: Vec<_> = tables.map(|table| (table, table.get_ref().as_table())).collect();
        if tables.is_empty() || tables.iter().any(|(_, table)| table.is_none()) {
            self.wrong(key.span(), &format!("`{0}` must be written as [[{0}]]", key.get_ref()));
        }
        tables.into_iter().filter_map(|(at, table)| read(self, at, table?)).collect()
    }

    fn route(&mut self, at: &Spanned<DeValue<'_>>, table: &DeTable<'_>) -> Option<Route<Vec<Address>>> {
        let mut leads = Filter::default();
        let mut to = None;
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "recipients" => to = Some(self.recipients(key, value)),
                _ => self.filter(&mut leads, key, value, &["recipients"]),
            }
        }
        if to.is_none() {
            self.wrong(at.span(), "this route has no `recipients`");
        }
        Some(Route { leads, to: to? })
    }

    fn person(&mut self, at: &Spanned<DeValue<'_>>, table: &DeTable<'_>) -> Option<Person> {
        const TEXTS: [&str; 2] = ["name", "email"];
        // The desk's.
        const MAY_SEND_BROCHURES: &str = "may_send_brochures";
        let ([name, email], others) = texts_of(table, TEXTS);
        for (key, value) in others {
            if key.get_ref() != MAY_SEND_BROCHURES {
                self.wrong(key.span(), &unknown(key.get_ref(), &[TEXTS[0], TEXTS[1], MAY_SEND_BROCHURES]));
            } else if value.get_ref().as_bool().is_none() {
                self.wrong(value.span(), "`may_send_brochures` must be true or false");
            }
        }
        let (Some((_, name)), Some((_, email))) = (name, email) else {
            self.wrong(at.span(), "a person must have a `name` and an `email`, both strings");
            return None;
        };
        Person::new(name, email).map_err(|invalid| self.wrong(at.span(), &invalid.to_string())).ok()
    }

    fn webhook(&mut self, at: &Spanned<DeValue<'_>>, table: &DeTable<'_>) -> Option<Route<Webhook>> {
        const TEXTS: [&str; 3] = ["name", "url", "secret_file"];
        let mut leads = Filter::default();
        let (texts, others) = texts_of(table, TEXTS);
        for (key, value) in others {
            self.filter(&mut leads, key, value, &TEXTS);
        }
        let [Some((name_at, name)), Some((url_at, url)), Some((_, secret_file))] = texts else {
            self.wrong(at.span(), "a webhook must have a `name`, a `url` and a `secret_file`, all strings");
            return None;
        };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            self.wrong(name_at, "a webhook's `name` must have only letters, digits and -");
        }
        let url = url.parse::<webhook::Url>().map_err(|error| self.wrong(url_at, &error.to_string())).ok()?;
        Some(Route {
            leads,
            to: Webhook { name: name.to_owned(), url, secret_file: PathBuf::from(secret_file) },
        })
    }

    fn filter(&mut self, leads: &mut Filter, key: &Key<'_>, value: &Spanned<DeValue<'_>>, others: &[&str]) {
        match key.get_ref().as_ref() {
            "interests" => leads.interests = self.names(key, value, Interest::ALL, Interest::id),
            "languages" => leads.languages = self.names(key, value, Language::ALL, Language::id),
            name => self.wrong(key.span(), &unknown(name, &[&["interests", "languages"], others].concat())),
        }
    }

    fn recipients(&mut self, key: &Key<'_>, value: &Spanned<DeValue<'_>>) -> Vec<Address> {
        let Some(texts) = self.texts(key, value) else { return Vec::new() };
        if texts.is_empty() {
            self.wrong(key.span(), &format!("`{}` must have at least one email address", key.get_ref()));
        }
        let addresses = texts.into_iter().filter_map(|(at, text)| match text.parse::<Address>() {
            Ok(address) if text.is_ascii() => Some(address),
            Ok(_) | Err(_) => {
                self.wrong(at, &format!("{text:?} is not an ASCII email address"));
                None
            }
        });
        each_once(addresses)
    }

    fn names<T: Copy>(
        &mut self,
        key: &Key<'_>,
        value: &Spanned<DeValue<'_>>,
        known: &[T],
        name: fn(T) -> &'static str,
    ) -> Vec<T> {
        let texts = self.texts(key, value).unwrap_or_default();
        let meanings = texts.into_iter().filter_map(|(at, text)| {
            let meaning = known.iter().copied().find(|known| name(*known) == text);
            if meaning.is_none() {
                let names: Vec<_> = known.iter().map(|known| name(*known)).collect();
                self.wrong(at, &unknown(text, &names));
            }
            meaning
        });
        meanings.collect()
    }

    /// The texts of a list with their positions; `None` when the value is no list.
    fn texts<'v>(
        &mut self,
        key: &Key<'_>,
        value: &'v Spanned<DeValue<'_>>,
    ) -> Option<Vec<(Range<usize>, &'v str)>> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(value.span(), &format!("`{}` must be a list", key.get_ref()));
            return None;
        };
        let mut texts = Vec::new();
        for entry in list {
            match entry.get_ref().as_str() {
                Some(text) => texts.push((entry.span(), text)),
                None => self.wrong(entry.span(), &format!("`{}` must be a list of strings", key.get_ref())),
            }
        }
        Some(texts)
    }

    fn wrong(&mut self, at: Range<usize>, what: &str) {
        let before = self.text.as_bytes().iter().take(at.start);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        self.wrong.push(Wrong { line, what: what.to_owned() });
    }
}

type Text<'a> = Option<(Range<usize>, &'a str)>;

/// The texts of a table by their names, and what else is in it.
fn texts_of<'t, 'v, const N: usize>(
    table: &'t DeTable<'v>,
    names: [&str; N],
) -> ([Text<'t>; N], Vec<(&'t Key<'v>, &'t Spanned<DeValue<'v>>)>) {
    let mut texts = [const { None }; N];
    let mut others = Vec::new();
    for (key, value) in table {
        match names.iter().position(|name| name == key.get_ref()) {
            Some(index) => texts[index] = value.get_ref().as_str().map(|text| (value.span(), text)),
            None => others.push((key, value)),
        }
    }
    (texts, others)
}

type Key<'a> = Spanned<std::borrow::Cow<'a, str>>;

fn unknown(name: &str, known: &[&str]) -> String {
    format!("{name:?} is unknown: use one of {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_is_said_with_its_line() {
        let text = "defaults = []\n\
                    default = []\n\
                    [[route]]\n\
                    interests = [\"buy\",\n  7]\n\
                    languages = \"zh\"\n\
                    [[route]]\n\
                    recipients = [\"a@x.co\", \"nobody\",\n  \"销售@x.co\"]\n\
                    colour = 1\n";
        let error = text.parse::<Routes>().err().unwrap();
        assert_eq!(
            error.to_string(),
            "line 1: \"defaults\" is unknown: use one of default, canary, route, webhook, person\n\
             line 2: `default` must have at least one email address\n\
             line 3: this route has no `recipients`\n\
             line 4: \"buy\" is unknown: use one of brochure, purchase, showflat\n\
             line 5: `interests` must be a list of strings\n\
             line 6: `languages` must be a list\n\
             line 8: \"nobody\" is not an ASCII email address\n\
             line 9: \"销售@x.co\" is not an ASCII email address\n\
             line 10: \"colour\" is unknown: use one of interests, languages, recipients"
        );
    }

    #[test]
    fn what_is_wrong_with_a_webhook_is_said_with_its_line() {
        let text = "default = [\"a@x.co\"]\n\
                    webhook = 7\n";
        let error = text.parse::<Routes>().err().unwrap();
        assert_eq!(error.to_string(), "line 2: `webhook` must be written as [[webhook]]");
        let text = "default = [\"a@x.co\"]\n\
                    [[webhook]]\n\
                    name = \"our crm\"\n\
                    url = \"http://crm.example.com\"\n\
                    secret_file = \"/run/secrets/crm\"\n\
                    colour = 1\n\
                    [[webhook]]\n\
                    name = \"crm\"\n\
                    url = 7\n";
        let error = text.parse::<Routes>().err().unwrap();
        assert_eq!(
            error.to_string(),
            "line 3: a webhook's `name` must have only letters, digits and -\n\
             line 4: a webhook's `url` must begin with https://, or http:// for this machine\n\
             line 6: \"colour\" is unknown: use one of interests, languages, name, url, secret_file\n\
             line 7: a webhook must have a `name`, a `url` and a `secret_file`, all strings"
        );
    }

    #[test]
    fn every_lead_must_go_to_somebody() {
        let error = "".parse::<Routes>().err().unwrap();
        assert!(error.to_string().contains("`default` is missing"), "{error}");
        assert!(Routes::to_all(Vec::new()).is_err());
    }

    #[test]
    fn what_is_no_toml_is_said_with_its_line() {
        let error = "default = [\"a@x.co\"]\nroute = [[\n".parse::<Routes>().err().unwrap();
        assert!(error.to_string().contains("line 2"), "{error}");
    }

    #[test]
    fn what_is_wrong_with_a_person_is_said_with_its_line() {
        let text = "default = [\"a@x.co\"]\n\
                    [[person]]\n\
                    name = \"Mei\"\n\
                    [[person]]\n\
                    name = \"#1\"\n\
                    email = \"mei@x.co\"\n\
                    colour = 1\n\
                    may_send_brochures = \"yes\"\n";
        let error = text.parse::<Routes>().err().unwrap();
        assert_eq!(
            error.to_string(),
            "line 2: a person must have a `name` and an `email`, both strings\n\
             line 4: a person's `name` must have 1 to 80 characters and no #\n\
             line 7: \"colour\" is unknown: use one of name, email, may_send_brochures\n\
             line 8: `may_send_brochures` must be true or false"
        );
        let right = "default = [\"a@x.co\"]\n\
                     [[person]]\nname = \"Mei\"\nemail = \"m@x.co\"\nmay_send_brochures = true\n";
        assert!(right.parse::<Routes>().is_ok());
        let twice = "default = [\"a@x.co\"]\n\
                     person = [{ name = \"Mei\", email = \"m@x.co\" }, { name = \"mei\", email = \"n@x.co\" }]\n";
        let error = twice.parse::<Routes>().err().unwrap();
        assert_eq!(error.to_string(), "line 2: two people have the same `name` or `email`");
    }
}
