//! Finds the field of the URI and the field of its base, from the user's options and a source's header.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use urimill_base::error::{Error, Result, did_you_mean};

use super::keep::Keep;
use super::template::Template;

/// A field of a record, as a user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// By its place, from 1.
    Number(usize),
    /// By its name in the header.
    Name(String),
}

impl FromStr for Field {
    type Err = Error;

    /// Digits are a number, everything else a name.
    fn from_str(text: &str) -> Result<Field> {
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(Field::Name(text.to_owned()));
        }
        match text.parse() {
            Ok(number) if (1..=MOST_FIELDS).contains(&number) => Ok(Field::Number(number)),
            _ => Err(Error::usage(format!(
                "fields are counted from 1 to {MOST_FIELDS}: there is no field {text}"
            ))),
        }
    }
}

impl Field {
    /// Its name for fields without numbers.
    pub fn name(&self) -> String {
        match self {
            Field::Number(number) => number.to_string(),
            Field::Name(name) => name.clone(),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Number(number) => write!(f, "{number}"),
            Field::Name(name) => write!(f, "{name:?}"),
        }
    }
}

/// A record with more fields does not fit in memory.
const MOST_FIELDS: usize = 1 << 30;

/// Where the URI of a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriSource {
    /// In a field.
    Field(Field),
    /// In a field that holds the line of a request: `GET /a HTTP/1.1`.
    RequestLine(Field),
    /// In several fields.
    Template(Arc<Template>),
}

impl From<Field> for UriSource {
    fn from(field: Field) -> UriSource {
        UriSource::Field(field)
    }
}

/// The columns that are made of the line of a request.
pub(crate) const OF_REQUEST: [&str; 2] = ["method", "protocol"];

impl UriSource {
    /// The fields that make it.
    ///
    /// # Errors
    /// Usage, if a number is not that of a field.
    pub(crate) fn fields(&self) -> Result<Vec<Field>> {
        match self {
            UriSource::Field(field) | UriSource::RequestLine(field) => Ok(vec![field.clone()]),
            UriSource::Template(template) => {
                let fields = template.names().enumerate();
                fields.map(|(at, name)| name.parse().map_err(|error| template.about(at, error))).collect()
            }
        }
    }

    /// The template, if it is one.
    pub fn template(&self) -> Option<&Arc<Template>> {
        match self {
            UriSource::Template(template) => Some(template),
            _ => None,
        }
    }

    /// Whether a column of this name is made of the line of a request.
    pub(crate) fn makes(&self, name: &str) -> bool {
        matches!(self, UriSource::RequestLine(_)) && OF_REQUEST.contains(&name)
    }

    /// Which of [`OF_REQUEST`] are kept.
    pub(crate) fn made(&self, keep: &Keep) -> Vec<usize> {
        let is_kept = |name: &str| match keep {
            Keep::All | Keep::AllWith(_) | Keep::AllWithOptional(_) => true,
            Keep::None => false,
            Keep::Names(names) | Keep::AnyOf(names) => names.iter().any(|other| other == name),
        };
        let kept = |&at: &usize| self.makes(OF_REQUEST[at]) && is_kept(OF_REQUEST[at]);
        (0..OF_REQUEST.len()).filter(kept).collect()
    }

    /// An error about the field of this number.
    pub(crate) fn about(&self, number: usize, error: Error) -> Error {
        match self {
            UriSource::Template(template) => template.about(number, error),
            _ => error,
        }
    }
}

/// Whether the first record of a source names the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// If a field is named.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It is a record like others.
    No,
}

impl Header {
    /// Every choice by its name.
    pub const NAMED: [(&'static str, Header); 3] =
        [("auto", Header::Auto), ("yes", Header::Yes), ("no", Header::No)];
}

/// The requested fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The URI reference.
    pub uri: UriSource,
    /// The field of its base.
    pub base: Option<Field>,
    /// Whether there is a header.
    pub header: Header,
}

impl Fields {
    /// # Errors
    /// Usage, if a name is requested and there is no header.
    pub(crate) fn check(&self) -> Result<()> {
        self.uri.fields()?;
        let named = self.wanted().enumerate().find(|(_, field)| matches!(field, Field::Name(_)));
        match named {
            Some((number, name)) if self.header == Header::No => {
                let error = Error::usage(format!(
                    "without a header no field is named {name}: give the field's number, from 1"
                ));
                Err(self.uri.about(number, error))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn has_header(&self) -> bool {
        let is_named = || self.wanted().any(|field| matches!(field, Field::Name(_)));
        self.header == Header::Yes || self.header == Header::Auto && is_named()
    }

    fn wanted(&self) -> impl Iterator<Item = Field> {
        self.uri.fields().unwrap_or_default().into_iter().chain(self.base.clone())
    }

    /// The fields by place, under a header with these names; the cells of kept fields come after `made` others.
    ///
    /// # Errors
    /// Usage, if the header lacks a requested name, or has it twice.
    pub(crate) fn under(
        &self,
        header: Option<&[Vec<u8>]>,
        (made, kept): (usize, &[Field]),
        source: &str,
    ) -> Result<Layout> {
        let place = |field: &Field| place(field, header, source);
        // Headers may have thousands of names: those that occur once are found at once.
        let mut places: HashMap<&[u8], Option<usize>> = HashMap::new();
        for (at, name) in header.unwrap_or_default().iter().enumerate() {
            places.entry(name).and_modify(|found| *found = None).or_insert(Some(at));
        }
        let mut slots = Vec::new();
        for (slot, field) in (made as u32..).zip(kept) {
            let known = match field {
                Field::Name(name) => places.get(name.as_bytes()).copied().flatten(),
                Field::Number(_) => None,
            };
            let at = known.map_or_else(|| place(field), Ok)?;
            slots.resize(slots.len().max(at + 1), DROPPED);
            slots[at] = slot;
        }
        let base = self.base.as_ref().map(place).transpose()?;
        let (slots, width) = (slots.into(), made + kept.len());
        let uris = self.uri.fields()?;
        let uris = uris
            .iter()
            .enumerate()
            .map(|(number, field)| place(field).map_err(|error| self.uri.about(number, error)));
        let uris = uris.collect::<Result<Vec<_>>>()?;
        let uri = uris.iter().copied().max().unwrap_or_default();
        let parts = if matches!(self.uri, UriSource::Field(_)) { Vec::new() } else { uris };
        Ok(Layout { uri, base, parts: parts.into(), slots, width, ..Layout::default() })
    }
}

/// The place of a field, from 0.
///
/// # Errors
/// Usage, if the header lacks it or has it twice.
pub(crate) fn place(field: &Field, header: Option<&[Vec<u8>]>, source: &str) -> Result<usize> {
    match header {
        Some(names) => find(field, names, source),
        None => Ok(match field {
            Field::Number(number) => number - 1,
            // `check` has refused names without a header.
            Field::Name(_) => 0,
        }),
    }
}

fn find(field: &Field, names: &[Vec<u8>], source: &str) -> Result<usize> {
    let name = match field {
        Field::Number(number) if *number <= names.len() => return Ok(number - 1),
        Field::Number(number) => {
            return Err(Error::usage(format!(
                "the header of {source} has no field {number}: its fields are {}",
                list(names)
            )));
        }
        Field::Name(name) => name.as_bytes(),
    };
    let mut places = (0..names.len()).filter(|&at| names[at] == name);
    match (places.next(), places.next()) {
        (Some(at), None) => Ok(at),
        (Some(first), Some(second)) => Err(Error::usage(format!(
            "the header of {source} has {field} twice, as fields {} and {}: give the field's number",
            first + 1,
            second + 1
        ))),
        (None, _) => Err(Error::usage(format!(
            "the header of {source} has no field {field}{}: its fields are {}",
            meant(name, names),
            list(names)
        ))),
    }
}

/// The name in `names` that was meant, for a sentence.
pub(crate) fn meant(name: &[u8], names: &[Vec<u8>]) -> String {
    let known = names.iter().filter_map(|name| str::from_utf8(name).ok());
    str::from_utf8(name).map_or_else(|_| String::new(), |name| did_you_mean(name, known))
}

/// At most this many names are listed in a sentence.
const LISTED: usize = 30;
/// At most this many characters of each are shown.
const LISTED_CHARS: usize = 60;

/// Names for a sentence.
pub fn list(names: &[Vec<u8>]) -> String {
    let shown = |name: &Vec<u8>| {
        let name = String::from_utf8_lossy(name);
        match name.char_indices().nth(LISTED_CHARS) {
            Some((end, _)) => format!("{:?}…", &name[..end]),
            None => format!("{name:?}"),
        }
    };
    let more =
        if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    names.iter().take(LISTED).map(shown).collect::<Vec<_>>().join(", ") + &more
}

/// The letters of a CDX header, in order; zeros where there is none.
pub type Letters = [u8; MOST_LETTERS];
/// The letters of no name.
pub const NO_LETTERS: Letters = [0; MOST_LETTERS];

/// More fields than there are letters for.
pub const MOST_LETTERS: usize = 64;

/// The places of the fields in the records of one source, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The URI reference, or the last of the fields that make it.
    pub uri: usize,
    /// The fields that make it, if a template names them.
    pub parts: Arc<[usize]>,
    /// Its base.
    pub base: Option<usize>,
    /// The letters of a CDX header, in order; zeros after them.
    pub letters: Letters,
    /// The names in the header of an answer in JSON; `None` if letters are the names.
    pub names: Arc<[String]>,
    /// For each field of a record that is kept, the number of its cell; `DROPPED` for others.
    pub slots: Arc<[u32]>,
    /// The number of cells of a record.
    pub width: usize,
    /// The number of fields in the header, or in the first record; 0 if it is unknown.
    pub fields: usize,
    /// The most fields of a record, by the header or by the other records; 0 if it is unknown.
    pub most: usize,
    /// The number of comment lines before the header.
    pub comments: u32,
    /// Whether the header names one field: then a blank line is a record whose field is null.
    pub is_single: bool,
    /// In the files of containers, for stdout and stderr, whether the next line continues the last one.
    pub unfinished: [bool; 2],
}

/// The slot of a field that is not kept.
pub(crate) const DROPPED: u32 = u32::MAX;

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            uri: 0,
            parts: Arc::default(),
            base: None,
            letters: NO_LETTERS,
            names: Arc::default(),
            slots: Arc::default(),
            width: 0,
            fields: 0,
            most: 0,
            comments: 0,
            is_single: false,
            unfinished: [false; 2],
        }
    }
}

impl Layout {
    /// The last field that is asked for.
    fn last(&self) -> usize {
        self.base.map_or(self.uri, |base| base.max(self.uri))
    }

    /// The last field that is asked for or kept.
    pub(crate) fn furthest(&self) -> usize {
        self.last().max(self.slots.len().saturating_sub(1))
    }

    /// Sets how many fields a record has at most, by `usual`, the number that most records have; 0 where that is not
    /// known. A record with the field that is asked for is none that has too many.
    pub(crate) fn limit_fields(&mut self, usual: usize) {
        self.most = if usual == 0 { 0 } else { usual.max(self.last() + 1) };
    }

    /// The first requested field, from 1, that a record with this many fields lacks.
    pub(crate) fn missing(&self, fields: usize) -> Option<usize> {
        if fields > self.last() {
            return None;
        }
        let wanted = self.parts.iter().copied().chain([self.uri]).chain(self.base);
        wanted.filter(|&field| field >= fields).min().map(|field| field + 1)
    }
}
