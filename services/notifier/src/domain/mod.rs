//! A lead as the sales team reads it. No I/O, nothing of the wire or of mail.

mod contact;
mod lead;
mod text;

pub use contact::{Earlier, Uncontacted};
pub use lead::{Interest, Interests, Language, Lead, Sign, Visit};
pub use text::{Line, Paragraphs};
