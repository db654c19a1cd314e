//! A row of the table of formats: what a user calls a format, what may be asked of it, how it is found by what an input
//! begins with, and what makes its reader.

use std::fmt;

use super::Format;
use super::asked::Asked;
use super::fields::Fields;
use super::first_lines::{LINES, trim};
use super::keep::{FieldSpec, SelectedFields};
use crate::error::{Error, Result};
use crate::option_name::OptionName;

/// What the inputs of a run hold: a format by its name. `"haproxy".parse()` finds one, too.
#[derive(Clone, Copy)]
pub struct InputFormat {
    pub(in crate::read) name: &'static str,
    pub(in crate::read) meaning: &'static str,
    pub(in crate::read) fields: &'static [FieldSpec],
    pub(in crate::read) contents: FormatContents,
    /// Options that are not for every format.
    pub(in crate::read) takes: &'static [&'static [OptionName]],
    /// Whether somebody has to say where the URI is.
    pub(crate) needs_uri: bool,
    /// Whether a record may have fields beside its URI.
    pub(in crate::read) has_fields: bool,
    /// Whether the format of each input is found out.
    pub(crate) is_detected: bool,
    /// What a summary calls those that are no rows: of archives records, else lines; empty where there are none.
    pub(in crate::read) others: &'static str,
    pub(in crate::read) detect: fn(&[u8]) -> Sure,
    pub(in crate::read) reader: fn(&InputFormat, &Asked) -> Result<Format>,
}

/// Options that go together: the fields are named, what makes the URI of fields, and how rows of fields are written.
pub(in crate::read) const FIELDS: &[OptionName] = &[OptionName::UriField, OptionName::BaseField];
pub(in crate::read) const MADE: &[OptionName] = &[OptionName::UriTemplate, OptionName::RequestLine];
pub(in crate::read) const ROWS: &[OptionName] = &[OptionName::Header, OptionName::NoQuotes];

/// What an input in a format is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum FormatContents {
    Text,
    Archive,
    Table,
}

/// How sure it is that an input is in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::read) enum Sure {
    No,
    /// This number of its first lines are of the format, which is half of them or more.
    Lines(usize),
    /// It begins as lines of the format do.
    Begins,
    /// It begins as a document of the format does.
    Document,
    /// It has the magic number.
    Magic,
}

impl Sure {
    /// This where it is so.
    pub(in crate::read) fn when(self, is_so: bool) -> Sure {
        if is_so { self } else { Sure::No }
    }

    /// By the first lines.
    pub(in crate::read) fn by_lines(first: &[u8], is_line: impl Fn(&[u8]) -> bool) -> Sure {
        let lines = first.split(|&b| b == b'\n').map(trim).filter(|line| !line.trim_ascii().is_empty());
        let (found, all) = lines
            .take(LINES)
            .fold((0, 0), |(found, all), line| (found + usize::from(is_line(line)), all + 1));
        Sure::Lines(found).when(found > 0 && 2 * found >= all)
    }
}

impl InputFormat {
    /// A format of texts that has to be named: what others begin with.
    pub(in crate::read) const TEXT: InputFormat = InputFormat {
        name: "",
        meaning: "",
        fields: &[],
        contents: FormatContents::Text,
        takes: &[],
        needs_uri: false,
        has_fields: true,
        is_detected: false,
        others: "blank",
        detect: |_| Sure::No,
        reader: |format, _| Err(Error::usage(format!("there is no format {:?}", format.name))),
    };

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What an input in this format holds: a clause.
    pub const fn meaning(self) -> &'static str {
        self.meaning
    }

    /// Its fields beside the URI, where all inputs have the same.
    pub const fn fields(self) -> &'static [FieldSpec] {
        self.fields
    }

    /// Whether the inputs are tables, whose records stand in columns.
    pub fn is_table(self) -> bool {
        self.contents == FormatContents::Table
    }

    /// Whether a record may have fields beside its URI.
    pub const fn has_fields(self) -> bool {
        self.has_fields
    }

    /// Whether the inputs are web archives.
    pub fn is_archive(self) -> bool {
        self.contents == FormatContents::Archive
    }

    /// Whether a record in quotes may hold line ends.
    pub fn has_quotes(self) -> bool {
        self.is_text() && self.takes(OptionName::NoQuotes)
    }

    /// Whether the records of inputs may be selected by their type.
    pub fn selects_records(self) -> bool {
        self.takes(OptionName::Records)
    }

    /// What a summary calls what was read and is no row: of archives records, else lines; empty where there is nothing.
    pub const fn others(self) -> &'static str {
        self.others
    }

    /// Whether the inputs are text.
    pub(crate) fn is_text(self) -> bool {
        self.contents == FormatContents::Text
    }

    /// Whether an option that is not for every format is for this one.
    pub(crate) fn takes(self, option: OptionName) -> bool {
        self.takes.iter().any(|options| options.contains(&option))
    }

    /// The fields that are asked for among those that all inputs have.
    pub(in crate::read) fn selected(&self, asked: &Asked) -> Result<SelectedFields> {
        SelectedFields::of(self.fields, &asked.keep, self.name)
    }

    /// The fields that are asked for where a user names them.
    ///
    /// # Errors
    /// Usage, where nobody says where the URI is.
    pub(in crate::read) fn named(&self, asked: &Asked) -> Result<Fields> {
        let uri = asked.uri.clone().ok_or_else(|| self.no_uri_field())?;
        Ok(Fields { uri, base: asked.base_field()?, header: asked.header })
    }

    /// The reader.
    ///
    /// # Errors
    /// Usage, where the format lacks what is asked of it.
    pub fn reader(&self, asked: &Asked) -> Result<Format> {
        (self.reader)(self, asked)
    }

    /// The error where nobody says where the URI is.
    pub(crate) fn no_uri_field(self) -> Error {
        Error::usage(format!(
            "{} needs the field of the URI: give {}{}",
            OptionName::Format.with(self.name),
            OptionName::UriField.with("NAME"),
            // Members of objects have no numbers.
            if self.needs_uri && !self.takes(OptionName::Header) { "" } else { " or NUMBER" }
        ))
    }
}

impl fmt::Debug for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InputFormat({})", self.name)
    }
}

impl fmt::Display for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for InputFormat {
    fn eq(&self, other: &InputFormat) -> bool {
        self.name == other.name
    }
}

impl Eq for InputFormat {}
