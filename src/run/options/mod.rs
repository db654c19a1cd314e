//! All options of the runs, a row each, and which runs have them. The rows define the arguments of the program, the
//! keywords of Python and their stubs, the ranges that `validate` checks, and `docs/OPTIONS.md`.
//!
//! A new option is a name in `option_name`, a row in a group here, and the line of `put` that fills its field. A job
//! that describes an option in its own words has them in `jobs`.

mod jobs;
mod reading;
mod records;
mod rules;
mod writing;

use std::fmt::Display;
use std::str::FromStr;

use urimill_base::option_name::OptionName;

pub use jobs::Job;
pub use reading::{BASES, READING};
pub use records::RECORDS;
pub(super) use rules::check;
pub use rules::{Rule, SEVERAL};
use rules::{excludes, needs};
pub use writing::WRITING;

/// With [`READING`] the options of inputs that are files.
pub const OF_FILES: &[Row] = &[reading::DAMAGE, writing::CHUNK];

/// The type of the values of an option.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// On or off.
    Switch,
    /// A text.
    Text,
    /// Any bytes that an argument can hold.
    Raw,
    /// Texts, each a positional argument.
    Texts,
    /// The field of a record: a name, a number from 1, or several separated by commas.
    Field,
    /// A text that a function accepts or refuses.
    Checked(fn(&str) -> Result<(), String>),
    /// Names separated by commas, which a function accepts or refuses.
    Names(fn(&str) -> Result<(), String>),
    /// A file or directory.
    Path,
    /// Files or directories, one in each argument.
    Paths,
    /// Files, patterns and streams, or texts of any bytes: each a positional argument.
    Inputs,
    /// Texts, separated by commas on the command line.
    List,
    /// Texts, one in each argument, each of which a function accepts or refuses.
    Each(fn(&str) -> Result<(), String>),
    /// One of several names.
    Choice(fn() -> Vec<Choice>),
    /// One of several names, or a name that another option defines.
    Open(fn() -> Vec<Choice>),
    /// Some of several names, separated by commas.
    Choices(fn() -> Vec<Choice>),
    /// A whole number within these bounds.
    Number(u64, u64),
    /// The same, but the run checks the bounds.
    Count(u64, u64),
    /// A number of bytes within these bounds, which the text states in words.
    Bytes(u64, u64, &'static str),
}

/// A name that an option takes, and its meaning if the help text explains it.
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
    /// The placeholder for a value in help texts.
    pub value: &'static str,
    /// Its effect, in the terms of the command line.
    pub help: &'static str,
    /// The default, if it is a single text.
    pub default: Option<&'static str>,
    /// The value if the option is given without one.
    pub bare: Option<&'static str>,
    /// The letter of its short flag.
    pub short: Option<char>,
    /// Whether it is positional.
    pub is_positional: bool,
    /// Whether a value may begin with a hyphen.
    pub takes_hyphens: bool,
    /// Whether the text of its help already lists the names that it takes.
    pub lists_choices: bool,
    /// Whether help texts show it.
    pub is_shown: bool,
    /// Whether it is among the few that the short help of a job with many options shows.
    pub is_common: bool,
    /// The heading under which help texts list it; empty for the first options.
    pub heading: &'static str,
    /// Whether it is an option of the program alone, about its display.
    pub is_of_program: bool,
    /// Whether the job requires it.
    pub is_required: bool,
    /// Its rules about other options.
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
            is_common: false,
            heading: "",
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

    /// With a help text that already lists the names.
    const fn listing(self) -> Row {
        Row { lists_choices: true, ..self }
    }

    const fn hidden(self) -> Row {
        Row { is_shown: false, ..self }
    }

    const fn common(self) -> Row {
        Row { is_common: true, ..self }
    }

    const fn of_program(self) -> Row {
        Row { is_of_program: true, ..self }
    }

    /// With the wording of one job.
    const fn says(self, help: &'static str) -> Row {
        Row { help, ..self }
    }

    /// With the values of one job.
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

/// These rows under a heading in help texts.
const fn under<const N: usize>(heading: &'static str, mut rows: [Row; N]) -> [Row; N] {
    let mut at = 0;
    while at < N {
        rows[at].heading = heading;
        at += 1;
    }
    rows
}

/// The row of an option, in the words of the first job that has it.
pub fn row(option: OptionName) -> Option<&'static Row> {
    Job::ALL.iter().find_map(|job| job.row(option))
}

/// Whether an option is a switch.
pub fn is_switch(option: OptionName) -> bool {
    row(option).is_some_and(|row| matches!(row.kind, Kind::Switch))
}

/// Names without explanations.
fn plain<const N: usize>(names: [&'static str; N]) -> Vec<Choice> {
    names.map(|name| Choice { name, meaning: "" }).into()
}

/// Names with explanations.
fn told<const N: usize>(names: [(&'static str, &'static str); N]) -> Vec<Choice> {
    names.map(|(name, meaning)| Choice { name, meaning }).into()
}

/// The names of values from the table of their type.
fn named<T, const N: usize>(names: [(&'static str, T); N]) -> Vec<Choice> {
    plain(names.map(|(name, _)| name))
}

/// Whether a text is a value of the type.
fn is<T: FromStr<Err: Display>>(text: &str) -> Result<(), String> {
    text.parse::<T>().map(drop).map_err(|error| error.to_string())
}

/// Lengths of records and chunks: offsets within a batch have 31 bits, and a chunk holds a whole record, which
/// percent-encoding may triple in length.
const LENGTH: Kind = Kind::Bytes(1, 512 << 20, "1 to 512M");
/// Memory; larger than that of any machine.
const MEMORY: Kind = Kind::Bytes(1 << 20, 1 << 50, "1M up");
