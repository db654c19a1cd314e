//! The contents of a format file, as TOML has them.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use toml::Spanned;

use super::values::ValueForm;

/// A fault in a file: its place, and what is wrong.
#[derive(Debug)]
pub(crate) struct Fault(pub(super) Range<usize>, pub(super) String);

pub(crate) type Checked<T> = std::result::Result<T, Fault>;

impl Fault {
    /// What is said of it: its line and its column in the text of the file `name`, and what is wrong.
    pub(crate) fn in_file(&self, name: &str, text: &str) -> String {
        let Fault(place, what) = self;
        let before = &text[..place.start.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{name}:{line}:{column}: {what}")
    }
}

/// A text with its place.
pub(super) type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(super) name: Text,
    pub(super) title: String,
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) before: Vec<String>,
    /// Words for no value.
    #[serde(default)]
    pub(super) nulls: Vec<Text>,
    /// The beginnings of lines that are no records.
    #[serde(default)]
    pub(super) skip: Vec<Text>,
    #[serde(default)]
    pub(super) written: Written,
    #[serde(default)]
    pub(super) escapes: Escaping,
    #[serde(default)]
    pub(super) told_by: Vec<Text>,
    separator: Option<Text>,
    assign: Option<Text>,
    #[serde(default)]
    pub(super) pairs: PairForm,
    #[serde(default)]
    pub(super) lines: Vec<Text>,
    #[serde(default)]
    ways: Vec<BTreeMap<String, Text>>,
    #[serde(default)]
    pub(super) fields: Fields,
    #[serde(default)]
    pub(super) orders: Vec<Order>,
    #[serde(default)]
    pub(super) values: BTreeMap<String, Spanned<ValueForm>>,
    #[serde(default)]
    pub(super) sample: Vec<Sample>,
    #[serde(default)]
    pub(super) refused: Vec<Refused>,
}

/// The form of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Lines,
    Json,
    Pairs,
    W3c,
    Zeek,
    Csv,
}

/// How names and values are written: see [`crate::definition::Dialect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PairForm {
    #[default]
    Words,
    Cef,
    Leef,
}

/// How lines are written: see [`crate::definition::Writer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Written {
    Escaped,
    #[default]
    Raw,
    Padded,
}

/// The escapes of texts: see [`crate::definition::Escapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Escaping {
    #[default]
    None,
    Backslash,
    Percent,
    Zeek,
    Hash,
    Html,
}

/// The names of the fields of lines without a header.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    pub(super) names: Vec<Text>,
    /// How many of them a line may have, from the first on.
    pub(super) first: Option<Vec<usize>>,
    /// Whether the lines of one input may differ in that.
    #[serde(default)]
    pub(super) mixed: bool,
    /// Whether a line may have more.
    #[serde(default)]
    pub(super) more: bool,
}

/// The names of fields and their notations, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Fields(pub(super) Vec<(String, Text)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table: the log's name of each field = \"name:kind\"")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// Lines of a format, and the values of their rows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The lines.
    pub text: String,
    /// Values of each row by column; columns that are not named may have any value.
    pub rows: Vec<Map<String, Value>>,
    /// Where the lines come from.
    #[serde(default)]
    pub source: String,
}

/// A line that looks like one of a format and is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// The line.
    pub text: String,
    /// The byte where it stops fitting, from 0 on; any if there is none.
    pub at: Option<u64>,
}

impl File {
    /// The contents of a text.
    pub(super) fn of(text: &str) -> Checked<File> {
        toml::from_str(text).map_err(|error| Fault(error.span().unwrap_or(0..0), error.message().to_owned()))
    }

    pub(super) fn check_name(&self) -> Checked<()> {
        let name = self.name.get_ref();
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        match name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_part) {
            true => Ok(()),
            false => {
                let why =
                    "a name begins with a lower-case letter, and has such letters, digits and -".to_owned();
                Err(Fault(self.name.span(), why))
            }
        }
    }

    /// Checks that the file has only these of the keys that not all kinds have.
    pub(super) fn allow(&self, keys: &[&str]) -> Checked<()> {
        let given = [
            ("lines", !self.lines.is_empty()),
            ("ways", !self.ways.is_empty()),
            ("written", self.written != Written::default()),
            ("told_by", !self.told_by.is_empty()),
            ("fields", !self.fields.0.is_empty()),
            ("orders", !self.orders.is_empty()),
            ("separator", self.separator.is_some()),
            ("assign", self.assign.is_some()),
            ("pairs", self.pairs != PairForm::default()),
        ];
        match given.iter().find(|(key, is_given)| *is_given && !keys.contains(key)) {
            None => Ok(()),
            Some((key, _)) => {
                let kind = format!("{:?}", self.kind).to_lowercase();
                let why =
                    format!("a format of kind {kind:?} has no `{key}`: it may have {}", keys.join(", "));
                Err(Fault(self.name.span(), why))
            }
        }
    }

    /// Checks the texts of `nulls` and of `skip`.
    pub(super) fn check_words(&self) -> Checked<()> {
        let empty = |texts: &[Text], why: &str| match texts.iter().find(|text| text.get_ref().is_empty()) {
            None => Ok(()),
            Some(text) => Err(Fault(text.span(), why.into())),
        };
        empty(&self.nulls, "`nulls` has words: a field with ? may be empty, and an empty one has no value")?;
        empty(&self.skip, "`skip` has beginnings of lines: each line has an empty one")?;
        match self.skip.iter().find(|text| text.get_ref().starts_with(' ') || text.get_ref().contains('\n')) {
            None => Ok(()),
            Some(text) => {
                let why = "a beginning in `skip` has no line end, and no space before it: spaces before a line do not count";
                Err(Fault(text.span(), why.into()))
            }
        }
    }

    /// The byte between fields.
    pub(super) fn separator(&self) -> Checked<u8> {
        one_byte(self.separator.as_ref(), if self.kind == Kind::Pairs { b' ' } else { b',' })
    }

    /// The byte between a name and its value.
    pub(super) fn assign(&self) -> Checked<u8> {
        one_byte(self.assign.as_ref(), b'=')
    }

    /// A line with the texts of each of the `ways` in its places `<…>`.
    pub(super) fn written_out(&self, line: &Text) -> Checked<Vec<String>> {
        let place = |name: &str| format!("<{name}>");
        let has = |way: &BTreeMap<String, Text>| way.keys().all(|name| line.get_ref().contains(&place(name)));
        let mut lines = Vec::new();
        for way in self.ways.iter().filter(|way| has(way)) {
            lines.push(way.iter().fold(line.get_ref().clone(), |line, (name, text)| {
                line.replace(&place(name), text.get_ref())
            }));
        }
        if lines.is_empty() {
            lines.push(line.get_ref().clone());
        }
        let names = || self.ways.iter().flat_map(BTreeMap::keys);
        match lines.iter().find_map(|line| names().find(|name| line.contains(&place(name)))) {
            None => Ok(lines),
            Some(name) => {
                Err(Fault(line.span(), format!("no way has a text for all places of the line: <{name}>")))
            }
        }
    }

    /// Checks that there is a sample.
    pub(super) fn check_samples(&self) -> Checked<()> {
        match self.sample.first() {
            Some(_) => Ok(()),
            None => {
                let why =
                    "a format has at least one [[sample]], with the `text` of its lines and their `rows`";
                Err(Fault(self.name.span(), why.into()))
            }
        }
    }
}

/// The byte that a text is.
fn one_byte(text: Option<&Text>, default: u8) -> Checked<u8> {
    let Some(text) = text else { return Ok(default) };
    match text.get_ref().as_bytes() {
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | b'#') => Ok(byte),
        _ => Err(Fault(text.span(), "this is one byte of ASCII, but no quote and no #".into())),
    }
}
