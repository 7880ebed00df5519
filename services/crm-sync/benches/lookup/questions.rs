//! The measured queries.

use ::lead::{Interest, Language};
use contracts::crm::v1::LeadFilter;
use lead::LeadState;
use uuid::Uuid;

use crate::leads::{RARE, id};

/// The default page size.
const USUAL: u32 = 0;

pub(crate) struct Question {
    pub(crate) name: &'static str,
    /// Maximum number of leads; 0 is the default.
    pub(crate) page_size: u32,
    /// The filter and the last lead of the previous page for a turn.
    pub(crate) ask: Box<dyn Fn(usize) -> (LeadFilter, Option<Uuid>)>,
}

fn first_page(name: &'static str, ask: impl Fn(usize) -> LeadFilter + 'static) -> Question {
    Question {
        name,
        page_size: USUAL,
        ask: Box::new(move |turn| (ask(turn), None)),
    }
}

fn search(text: &str) -> LeadFilter {
    LeadFilter {
        search: text.to_owned(),
        ..LeadFilter::default()
    }
}

fn one_of<'a>(texts: &[&'a str], turn: usize) -> &'a str {
    texts[turn % texts.len()]
}

fn surname(turn: usize) -> LeadFilter {
    search(one_of(
        &["tan ", "lim w", "陈", "Chen", "koh", "李", "Kumar"],
        turn,
    ))
}

fn owner(turn: usize) -> String {
    format!("owner {}", turn % 4)
}

pub(crate) fn all(rows: u32) -> Vec<Question> {
    let deep = move |turn: usize| {
        let turn = u32::try_from(turn).unwrap_or_default();
        Some(id(rows / 100 * (turn * 2 + 5)))
    };
    let deep_page = |name, ask: fn(usize) -> LeadFilter| Question {
        name,
        page_size: USUAL,
        ask: Box::new(move |turn| (ask(turn), deep(turn))),
    };
    let large = |name, ask: fn(usize) -> LeadFilter| Question {
        name,
        page_size: 500,
        ask: Box::new(move |turn| (ask(turn), None)),
    };
    vec![
        first_page("the newest", |_| LeadFilter::default()),
        first_page("one letter", |turn| {
            search(one_of(&["t", "c", "l", "w", "z"], turn))
        }),
        first_page("one letter that few names begin with", |turn| {
            search(one_of(&["q", "f", "x", "u"], turn))
        }),
        first_page("surname", surname),
        first_page("surname and given name", |turn| {
            search(one_of(&["tan wei", "lim hui", "koh gr", "陈伟"], turn))
        }),
        first_page("full name", |turn| {
            search(one_of(&["tan wei ming", "lim hui jun", "陈伟伟"], turn))
        }),
        first_page("rare name", |_| search(RARE)),
        first_page("a name that nobody has", |turn| {
            search(one_of(&["xyzzy", "😀", "%", "_", "tan%"], turn))
        }),
        first_page("beginning of an email address", |turn| {
            search(one_of(&["tan.wei.m", "lim.john.s", "chen.grace.1"], turn))
        }),
        first_page("last four digits", |turn| {
            search(&format!("{:04}", 1000 + 37 * turn))
        }),
        first_page("three digits", |turn| {
            search(&format!("{}", 100 + 23 * turn))
        }),
        first_page("beginning of a number", |turn| {
            search(&format!("+65 9{turn:02}"))
        }),
        first_page("whole number", |turn| search(&format!("9{turn:03} 1234"))),
        first_page("beginning of a reference", |turn| {
            search(&format!("zg-{:02}", turn + 10))
        }),
        first_page("part of a name", |turn| {
            search(one_of(
                &["ming hui", "zacharias", "race joh", "arjun s"],
                turn,
            ))
        }),
        first_page("part of a name that few have", |turn| {
            search(one_of(&["inius", "assen", "rinius z"], turn))
        }),
        first_page("given name in Chinese", |turn| {
            search(one_of(&["伟芳", "大文", "秀英", "美玲", "芳"], turn))
        }),
        first_page("Chinese that no name has", |turn| {
            search(one_of(&["玲美玲美", "钱", "伟陈"], turn))
        }),
        first_page("part of an email address", |turn| {
            search(&format!("{:03x}@mail", 16 * turn + 7))
        }),
        first_page("middle of a number", |turn| {
            search(&format!("{:05}", 10_000 + 2_113 * turn))
        }),
        first_page("end of a reference", |turn| {
            search(&format!("{:02}-{:02}", 10 + turn, 50 + turn))
        }),
        first_page("state new", |_| LeadFilter {
            state: LeadState::New as i32,
            ..LeadFilter::default()
        }),
        first_page("owner", |turn| LeadFilter {
            owner: owner(turn),
            ..LeadFilter::default()
        }),
        first_page("an owner that is not there", |_| LeadFilter {
            owner: "nobody".to_owned(),
            ..LeadFilter::default()
        }),
        first_page("spam", |_| LeadFilter {
            spam: Some(true),
            ..LeadFilter::default()
        }),
        first_page("interest and language", |_| LeadFilter {
            interest: Interest::Purchase as i32,
            language: Language::Chinese as i32,
            ..LeadFilter::default()
        }),
        first_page("state new and owner", |turn| LeadFilter {
            state: LeadState::New as i32,
            owner: owner(turn),
            ..LeadFilter::default()
        }),
        first_page("surname and state new", |turn| LeadFilter {
            state: LeadState::New as i32,
            ..surname(turn)
        }),
        first_page("surname and owner", |turn| LeadFilter {
            owner: owner(turn),
            ..surname(turn)
        }),
        first_page("surname and state closed", |turn| LeadFilter {
            state: LeadState::Closed as i32,
            ..surname(turn)
        }),
        first_page("one letter and spam", |_| LeadFilter {
            spam: Some(true),
            ..search("t")
        }),
        first_page("delivered to nobody", |_| LeadFilter {
            delivered: Some(false),
            ..LeadFilter::default()
        }),
        deep_page("a deep page", |_| LeadFilter::default()),
        deep_page("a deep page of a surname", surname),
        deep_page("a deep page of state new", |_| LeadFilter {
            state: LeadState::New as i32,
            ..LeadFilter::default()
        }),
        deep_page("a deep page of last four digits", |turn| {
            search(&format!("{:04}", 1000 + 37 * turn))
        }),
        large("500 of the newest", |_| LeadFilter::default()),
        large("500 of a surname", surname),
    ]
}
