//! Fields that pass through beside the URI: what a format's reader found (`Cell`s), the columns that are made of
//! it (`columns`) and how a field's text becomes a value (`values`). Between `input::format`, which knows where
//! fields stand, and the table.
//!
//! A text stays where it was read: its column is views into the chunk. A field whose text is no value of its type
//! is null, and the column `field_errors` says so; the row stays. Columns of a table are arrays already: they only
//! get a name that is free.

pub(crate) mod values;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};

pub use values::{TimeForm, Unit};
pub(super) use values::{micros_text, time_text};

use super::Column;
use super::places::Text;
use crate::simd::Span;

/// The name of the column of faults.
pub const FIELD_ERRORS: &str = "field_errors";

/// What the text of a field means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Itself.
    Text,
    /// A decimal number of 32 bits.
    Int32,
    /// A decimal number of 64 bits.
    Int64,
    /// A number behind `#`, as Heritrix names its threads.
    Numbered,
    /// A moment, to the millisecond.
    Time(TimeForm),
    /// The milliseconds behind the `+` of a moment: how long what began then took.
    Duration,
    /// A duration in decimal notation, in microseconds. A negative one says that there is none.
    Micros(Unit),
}

impl Kind {
    /// The type of the column inside: texts are views.
    pub fn data_type(self) -> DataType {
        match self {
            Kind::Text => DataType::Utf8View,
            Kind::Int32 | Kind::Numbered => DataType::Int32,
            Kind::Int64 | Kind::Duration | Kind::Micros(_) => DataType::Int64,
            Kind::Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        }
    }
}

impl Kind {
    /// What a column holds that has values of both.
    fn with(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            _ if self == other => Some(self),
            (Kind::Time(_), Kind::Time(_)) => Some(Kind::Time(TimeForm::Any)),
            (Kind::Micros(_), Kind::Micros(_)) => Some(Kind::Micros(Unit::Micros)),
            _ => None,
        }
    }
}

/// Where the columns of a table are among those of a format, and what a field is there that the table has in another
/// form: a duration in another unit, a moment that is written in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remap(pub(super) Arc<Vec<Option<RemapPlace>>>);

/// The number of a column among those of the format, and what it holds there, if that is not what the table has.
pub(super) type RemapPlace = (usize, Option<Kind>);

/// A field that has a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptField {
    /// The column's name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// The fields that have columns, in order: of records those that have to be read from text, of tables those that are
/// arrays already. Clones share them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraColumns {
    cells: Arc<[KeptField]>,
    passthrough: Fields,
}

impl ExtraColumns {
    /// These. A name that one of urimill's columns has, or a field before, is changed: `host` to `field_host`, the
    /// second `a` to `a_2`. So a table never has two columns of one name.
    pub fn new(fields: impl IntoIterator<Item = (String, Kind)>) -> ExtraColumns {
        let mut names = Names::default();
        let field = |(name, kind)| KeptField { name: names.free(name), kind };
        ExtraColumns { cells: fields.into_iter().map(field).collect(), passthrough: Fields::empty() }
    }

    /// Columns of a table, with their types, nullability and metadata. Their names change as in [`ExtraColumns::new`].
    pub fn of_table(fields: impl IntoIterator<Item = FieldRef>) -> ExtraColumns {
        let mut names = Names::default();
        let field = |field: FieldRef| {
            let name = names.free(field.name().clone());
            if name == *field.name() { field } else { Arc::new(field.as_ref().clone().with_name(name)) }
        };
        ExtraColumns { cells: Arc::default(), passthrough: fields.into_iter().map(field).collect() }
    }

    /// These columns, and behind them those of `other` that are not among them. A column that both have is one: moments
    /// in whatever form, and durations in whatever unit, go together. None where a column of one name has another type.
    pub fn union(&self, other: &ExtraColumns) -> Option<ExtraColumns> {
        let mut fields = self.cells.to_vec();
        for field in &*other.cells {
            match fields.iter_mut().find(|own| own.name == field.name) {
                None => fields.push(field.clone()),
                Some(own) => own.kind = own.kind.with(field.kind)?,
            }
        }
        let is_plain = self.passthrough.is_empty() && other.passthrough.is_empty();
        is_plain.then(|| ExtraColumns { cells: fields.into(), passthrough: Fields::empty() })
    }

    /// Those that `others` has, too.
    pub fn among(&self, others: &ExtraColumns) -> ExtraColumns {
        let is_among = |field: &&KeptField| others.cells.iter().any(|other| other.name == field.name);
        ExtraColumns {
            cells: self.cells.iter().filter(is_among).cloned().collect(),
            passthrough: self.passthrough.clone(),
        }
    }

    /// For each of these columns which one of `own` it is; `None` where `wanted`, which are those of `own` or some of
    /// them, has a column that is not among these, or of another type.
    pub fn places(&self, wanted: &ExtraColumns, own: &ExtraColumns) -> Option<Remap> {
        let is_among = |field: &KeptField| {
            let is = |other: &KeptField| {
                other.name == field.name && other.kind.with(field.kind) == Some(other.kind)
            };
            self.cells.iter().any(is)
        };
        let place = |field: &KeptField| {
            let at = own.cells.iter().position(|other| other.name == field.name)?;
            Some((at, Some(own.cells[at].kind).filter(|kind| *kind != field.kind)))
        };
        wanted.cells.iter().all(is_among).then(|| Remap(Arc::new(self.cells.iter().map(place).collect())))
    }

    /// The fields that are read from records.
    pub fn fields(&self) -> &[KeptField] {
        &self.cells
    }

    /// The columns that pass through from tables.
    pub fn passthrough(&self) -> &Fields {
        &self.passthrough
    }

    /// How many cells a record has. Where there are some, the table has a column of faults too.
    pub fn width(&self) -> usize {
        self.cells.len()
    }

    /// How many columns they add to a table.
    pub fn columns(&self) -> usize {
        self.width() + usize::from(self.width() > 0) + self.passthrough.len()
    }

    /// A table's schema with the columns of the fields behind its own, and last that of the faults.
    pub fn extend(&self, table: &SchemaRef) -> SchemaRef {
        if self.columns() == 0 {
            return table.clone();
        }
        let cells = self.cells.iter().map(|field| Field::new(&field.name, field.kind.data_type(), true));
        let faults = (self.width() > 0).then(|| Field::new(FIELD_ERRORS, DataType::Utf8View, true));
        let own = table.fields().iter().cloned();
        let fields = own.chain(cells.chain(faults).map(Arc::new)).chain(self.passthrough.iter().cloned());
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }
}

/// Names of columns that are taken.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The last number behind a name that comes several times. A header may have thousands of these.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// The name, or one like it that no column has.
    fn free(&mut self, name: String) -> String {
        let is_own = |name: &str| name == FIELD_ERRORS || Column::ALL.iter().any(|c| c.as_str() == name);
        let name = if is_own(&name) { format!("field_{name}") } else { name };
        let mut free = name.clone();
        while self.taken.contains(&free) || is_own(&free) {
            let number = self.numbers.entry(name.clone()).or_insert(1);
            *number += 1;
            free = format!("{name}_{number}");
        }
        self.taken.insert(free.clone());
        free
    }
}

/// The field of one record, as the reader found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    start: u32,
    /// With [`UNESCAPED`] set where the text was written anew.
    len: u32,
}

/// Chunks are shorter than 2 GiB, so the bit is free.
const UNESCAPED: u32 = 1 << 31;

impl Cell {
    /// The format's way to say that there is nothing.
    pub const NULL: Cell = Cell { start: u32::MAX, len: 0 };
    /// The record ends before it.
    pub const MISSING: Cell = Cell { start: u32::MAX, len: 1 };
    /// It stands in a part of the record that is too long to be held.
    pub const TOO_LONG: Cell = Cell { start: u32::MAX, len: 2 };

    /// A text that lies in the chunk.
    #[inline]
    pub fn read(span: Span) -> Cell {
        Cell { start: span.start, len: span.len }
    }

    /// The number of its buffer, its place there and its length; `None` where there is no text.
    #[inline]
    pub(super) fn place(self) -> Option<(u32, u32, u32)> {
        let place = (self.len >> 31, self.start, self.len & !UNESCAPED);
        (self.start != u32::MAX).then_some(place)
    }
}

impl From<Text> for Cell {
    fn from(text: Text) -> Cell {
        match text {
            Text::Read(span) => Cell::read(span),
            Text::Unescaped(Span { start, len }) => Cell { start, len: len | UNESCAPED },
        }
    }
}
