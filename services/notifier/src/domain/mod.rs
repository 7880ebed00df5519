//! A lead as the sales team reads it. No I/O, nothing of the wire or of mail.

mod lead;
mod phone;
mod text;

pub use lead::{Interest, Interests, Language, Lead, Visit};
pub use phone::dialable;
pub use text::{Line, Paragraphs};
