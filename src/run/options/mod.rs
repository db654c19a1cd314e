//! Every option of the runs, a row each, and which runs have it. From the rows come the arguments of the program, the
//! keywords of Python and their stubs, the ranges that `validate` checks, and `docs/OPTIONS.md`.
//!
//! A new option is a name in `option_name`, a row in a group here, and the line of `put` that fills its field. A job that
//! says something else of an option than others do has its own words in `jobs`.

mod jobs;
mod reading;
mod records;
mod rules;
mod writing;

use std::fmt::Display;
use std::str::FromStr;

pub use jobs::Job;
pub use reading::{BASES, READING};
pub use records::RECORDS;
pub(super) use rules::check;
pub use rules::{Rule, SEVERAL};
use rules::{excludes, needs};
pub use writing::WRITING;

use crate::option_name::OptionName;

/// What the values of an option are.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// It is on or off.
    Switch,
    /// A text.
    Text,
    /// Any bytes that an argument can hold.
    Raw,
    /// Texts, each an argument without a flag.
    Texts,
    /// The field of a record: a name, a number from 1, or several with commas between.
    Field,
    /// A text that a function takes or refuses.
    Checked(fn(&str) -> Result<(), String>),
    /// Names with commas between, which a function takes or refuses.
    Names(fn(&str) -> Result<(), String>),
    /// A file or directory.
    Path,
    /// Files, patterns and streams, or texts of any bytes: each an argument without a flag.
    Inputs,
    /// Texts, with commas between on the command line.
    List,
    /// Texts, one in each argument, each of which a function takes or refuses.
    Each(fn(&str) -> Result<(), String>),
    /// One of several names.
    Choice(fn() -> Vec<Choice>),
    /// Some of several names, with commas between.
    Choices(fn() -> Vec<Choice>),
    /// A whole number within these bounds.
    Number(u64, u64),
    /// The same, where it is the run that looks at the bounds.
    Count(u64, u64),
    /// A number of bytes within these bounds, and what they are in words.
    Bytes(u64, u64, &'static str),
}

/// A name that an option takes, and what it means, where its help says so.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The name.
    pub name: &'static str,
    /// A clause, or nothing.
    pub meaning: &'static str,
}

/// An option of a job.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Row {
    /// Its name.
    pub option: OptionName,
    /// Its values.
    pub kind: Kind,
    /// What stands for a value in help texts.
    pub value: &'static str,
    /// What it does, in the words of the command line.
    pub help: &'static str,
    /// The value that it has otherwise, where one text says so.
    pub default: Option<&'static str>,
    /// The value that it has where it is given without one.
    pub bare: Option<&'static str>,
    /// The letter of its short flag.
    pub short: Option<char>,
    /// Whether it has no flag: its place on the command line is its name.
    pub is_positional: bool,
    /// Whether a value may begin with a hyphen.
    pub takes_hyphens: bool,
    /// Whether its help has the names that it takes in its text.
    pub lists_choices: bool,
    /// Whether help texts have it.
    pub is_shown: bool,
    /// Whether it is an option of the program alone: of what it shows, or how.
    pub is_of_program: bool,
    /// Whether the job asks for it.
    pub is_required: bool,
    /// What it asks of other options.
    pub rules: &'static [Rule],
}

impl Row {
    const fn new(option: OptionName, kind: Kind, value: &'static str, help: &'static str) -> Row {
        Row {
            option,
            kind,
            value,
            help,
            default: None,
            bare: None,
            short: None,
            is_positional: false,
            takes_hyphens: false,
            lists_choices: false,
            is_shown: true,
            is_of_program: false,
            is_required: false,
            rules: &[],
        }
    }

    const fn switch(option: OptionName, help: &'static str) -> Row {
        Row::new(option, Kind::Switch, "", help)
    }

    const fn default(self, default: &'static str) -> Row {
        Row { default: Some(default), ..self }
    }

    const fn short(self, short: char) -> Row {
        Row { short: Some(short), ..self }
    }

    const fn positional(self) -> Row {
        Row { is_positional: true, ..self }
    }

    const fn required(self) -> Row {
        Row { is_required: true, ..self }
    }

    const fn without_default(self) -> Row {
        Row { default: None, ..self }
    }

    const fn rules(self, rules: &'static [Rule]) -> Row {
        Row { rules, ..self }
    }

    /// With values that may begin with a hyphen.
    const fn hyphens(self) -> Row {
        Row { takes_hyphens: true, ..self }
    }

    /// With a help text that has the names in its words.
    const fn listing(self) -> Row {
        Row { lists_choices: true, ..self }
    }

    const fn hidden(self) -> Row {
        Row { is_shown: false, ..self }
    }

    const fn of_program(self) -> Row {
        Row { is_of_program: true, ..self }
    }

    /// In the words of one job.
    const fn says(self, help: &'static str) -> Row {
        Row { help, ..self }
    }

    /// With other values in one job.
    const fn takes(self, kind: Kind) -> Row {
        Row { kind, ..self }
    }

    /// The bounds of its number.
    pub fn range(&self) -> Option<(u64, u64)> {
        match self.kind {
            Kind::Number(least, most) | Kind::Count(least, most) | Kind::Bytes(least, most, _) => {
                Some((least, most))
            }
            _ => None,
        }
    }
}

/// The row of an option, in the words of the first job that has it.
pub fn row(option: OptionName) -> Option<&'static Row> {
    Job::ALL.iter().find_map(|job| job.row(option))
}

/// Whether an option is on or off.
pub fn is_switch(option: OptionName) -> bool {
    row(option).is_some_and(|row| matches!(row.kind, Kind::Switch))
}

/// Names that need no words.
fn plain<const N: usize>(names: [&'static str; N]) -> Vec<Choice> {
    names.map(|name| Choice { name, meaning: "" }).into()
}

/// Names with what they mean.
fn told<const N: usize>(names: [(&'static str, &'static str); N]) -> Vec<Choice> {
    names.map(|(name, meaning)| Choice { name, meaning }).into()
}

/// The names of values that have them in a table of their type.
fn named<T, const N: usize>(names: [(&'static str, T); N]) -> Vec<Choice> {
    plain(names.map(|(name, _)| name))
}

/// Whether a text is one of a type.
fn is<T: FromStr<Err: Display>>(text: &str) -> Result<(), String> {
    text.parse::<T>().map(drop).map_err(|error| error.to_string())
}

/// Lengths of records and chunks: offsets within a batch have 31 bits, and a chunk holds a whole record, which
/// percent-encoding may triple.
const LENGTH: Kind = Kind::Bytes(1, 512 << 20, "1 to 512M");
/// Memory; no machine has the most.
const MEMORY: Kind = Kind::Bytes(1 << 20, 1 << 50, "1M up");
