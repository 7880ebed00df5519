//! The notifier from outside: its mails, its way with mail servers, its way with the broker, its command line.

mod command;
mod leads;
mod mail;
mod smtp;
mod support;
