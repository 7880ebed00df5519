//! Erases all data about a person, and moves leads between people.

pub mod assign;
pub mod erase;
pub mod person;
