//! The notifier from outside: its mails, its way with mail servers, with the broker and with the ledger, its command
//! line.

mod command;
mod crashes;
mod intake;
mod leads;
mod ledger;
mod mail;
mod pausing;
mod smtp;
mod support;
mod system;
