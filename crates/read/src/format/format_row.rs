//! A row of the table of formats: its name, its options, how it is detected from the beginning of an input, and how its
//! reader is made.

use std::fmt;

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::Format;
use super::asked::Asked;
use super::fields::Fields;
use super::first_lines::{LINES, trim};
use super::keep::{FieldSpec, SelectedFields};

/// The format of the inputs of a run, by its name; `"haproxy".parse()` finds one, too.
#[derive(Clone, Copy)]
pub struct FormatRow {
    /// What a user calls it.
    pub name: &'static str,
    /// What an input in this format holds: a clause.
    pub meaning: &'static str,
    /// The text of the file that defines it, if a user gives one.
    pub definition: &'static str,
    /// The fields beside the URI, if all inputs have the same.
    pub fields: &'static [FieldSpec],
    /// What an input is.
    pub contents: FormatContents,
    /// Options that only some formats have.
    pub takes: &'static [&'static [OptionName]],
    /// Whether the user has to say where the URI is.
    pub needs_uri: bool,
    /// Whether a record may have fields beside its URI.
    pub has_fields: bool,
    /// Whether the format of each input is detected.
    pub is_detected: bool,
    /// The word of a summary for records that are not rows: records for archives, else lines; empty if there are none.
    pub others: &'static str,
    /// How sure it is that an input is in this format, by its first bytes.
    pub detect: fn(&[u8]) -> Sure,
    /// Makes the reader.
    pub reader: fn(&FormatRow, &Asked) -> Result<Format>,
}

/// Options that go together: the names of fields, the template of the URI, and how rows of fields are written.
pub const FIELDS: &[OptionName] = &[OptionName::UriField, OptionName::BaseField];
/// Options that make the URI of fields.
pub const MADE: &[OptionName] = &[OptionName::UriTemplate, OptionName::RequestLine];
/// Options for rows of fields.
pub const ROWS: &[OptionName] = &[OptionName::Header, OptionName::NoQuotes];

/// A format that an input may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatContents {
    /// Text.
    Text,
    /// A web archive.
    Archive,
    /// A table, whose records stand in columns.
    Table,
}

/// How certain it is that an input has a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// It is not.
    No,
    /// This number of its first lines, half of them or more, are of the format.
    Lines(usize),
    /// It begins as lines of the format do.
    Begins,
    /// It begins as a document of the format does.
    Document,
    /// It has the magic number.
    Magic,
}

impl Sure {
    /// `self` if the condition holds.
    pub fn when(self, is_so: bool) -> Sure {
        if is_so { self } else { Sure::No }
    }

    /// By the first lines.
    pub fn by_lines(first: &[u8], is_line: impl Fn(&[u8]) -> bool) -> Sure {
        let lines = first.split(|&b| b == b'\n').map(trim).filter(|line| !line.trim_ascii().is_empty());
        let (found, all) = lines
            .take(LINES)
            .fold((0, 0), |(found, all), line| (found + usize::from(is_line(line)), all + 1));
        Sure::Lines(found).when(found > 0 && 2 * found >= all)
    }
}

impl FormatRow {
    /// A text format that has to be named: other formats begin with the same bytes.
    pub const TEXT: FormatRow = FormatRow {
        name: "",
        meaning: "",
        definition: "",
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

    /// The contents of an input in this format: a clause.
    pub const fn meaning(self) -> &'static str {
        self.meaning
    }

    /// Its fields beside the URI, if all inputs have the same.
    pub const fn fields(self) -> &'static [FieldSpec] {
        self.fields
    }

    /// Whether the inputs are tables, whose records are stored in columns.
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

    /// Whether records may be selected by their type.
    pub fn selects_records(self) -> bool {
        self.takes(OptionName::Records)
    }

    /// The word of a summary for input that is not a row: records for archives, else lines; empty if there is none.
    pub const fn others(self) -> &'static str {
        self.others
    }

    /// Whether the inputs are text.
    pub fn is_text(self) -> bool {
        self.contents == FormatContents::Text
    }

    /// Whether this format has an option that only some formats have.
    pub fn takes(self, option: OptionName) -> bool {
        self.takes.iter().any(|options| options.contains(&option))
    }

    /// The requested fields, among those that all inputs have.
    pub fn selected(&self, asked: &Asked) -> Result<SelectedFields> {
        SelectedFields::of(self.fields, &asked.keep, self.name)
    }

    /// The requested fields, as a user names them.
    ///
    /// # Errors
    /// Usage, if the user does not say where the URI is.
    pub fn named(&self, asked: &Asked) -> Result<Fields> {
        let uri = asked.uri.clone().ok_or_else(|| self.no_uri_field())?;
        Ok(Fields { uri, base: asked.base_field()?, header: asked.header })
    }

    /// The reader.
    ///
    /// # Errors
    /// Usage, if the format lacks a requested option.
    pub fn reader(&self, asked: &Asked) -> Result<Format> {
        (self.reader)(self, asked)
    }

    /// The error if the user does not say where the URI is.
    pub fn no_uri_field(self) -> Error {
        Error::usage(format!(
            "{} needs the field of the URI: give {}{}",
            OptionName::Format.with(self.name),
            OptionName::UriField.with("NAME"),
            // Members of objects have no numbers.
            if self.needs_uri && !self.takes(OptionName::Header) { "" } else { " or NUMBER" }
        ))
    }
}

impl fmt::Debug for FormatRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormatRow({})", self.name)
    }
}

impl PartialEq for FormatRow {
    fn eq(&self, other: &FormatRow) -> bool {
        self.name == other.name && self.definition == other.definition
    }
}

impl Eq for FormatRow {}
