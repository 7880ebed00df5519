//! Integration tests of notifier: emails, mail servers, broker, CRM and command line.

mod claims;
mod command;
mod crashes;
mod dns;
mod intake;
mod leads;
mod mail;
mod pausing;
mod preview;
mod readiness;
mod reminders;
mod replies;
mod requests;
mod routes;
mod smtp;
mod summary_email;
mod summary_schedule;
mod support;
mod system;
mod visitor;
mod visitor_email;
mod webhooks;
