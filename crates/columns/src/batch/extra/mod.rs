//! Fields that pass through beside the URI: the reader's result (`Cell`s), the columns made from it (`columns`) and the
//! conversion of a field's text to a value (`values`). The formats' readers fill the cells; the table gets the columns.
//!
//! A text stays where it was read: its column is views into the chunk. A field whose text is not a value of its type is
//! null, and the column `field_errors` says so; the row stays. Columns of a table are arrays already: they only get a
//! name that is free.

pub(crate) mod values;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use urimill_uri::simd::Span;

pub use values::{TimeForm, Unit};
pub(super) use values::{client, micros_text, time_text};
pub use values::{is_address, is_moment, time_of_digits};

use super::Column;
use super::places::Text;

/// The name of the column of faults.
pub const FIELD_ERRORS: &str = "field_errors";

/// By these names Arrow knows what a column of sixteen bytes, and one of texts, means.
pub const UUID: &str = "arrow.uuid";
/// The name of Arrow's extension type of JSON.
pub const JSON: &str = "arrow.json";

/// The type of a field's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Itself.
    Text,
    /// An IP address, without the quotes and brackets around it.
    Address,
    /// The same, or a name of DNS.
    Client,
    /// A decimal number of 32 bits.
    Int32,
    /// A decimal number of 64 bits.
    Int64,
    /// A number after `#`, as Heritrix names its threads.
    Numbered,
    /// A moment, to the millisecond.
    Time(TimeForm),
    /// The milliseconds after the `+` of a moment: the duration of what began then.
    Duration,
    /// A duration in decimal notation, in microseconds. A negative one means that there is none.
    Micros(Unit),
}

impl Kind {
    /// Whether a text is a number or a moment that its column can hold; any text is a value of other kinds.
    #[inline]
    pub fn holds(self, text: &[u8]) -> bool {
        match self {
            Kind::Text | Kind::Address | Kind::Client => true,
            // Nearly all numbers have few digits.
            Kind::Int32 | Kind::Int64 if is_short(text, 0) => true,
            Kind::Micros(_) | Kind::Time(TimeForm::Any) if is_short(text, 9) => true,
            kind => kind.reads(text),
        }
    }

    /// The same, by reading the value.
    fn reads(self, text: &[u8]) -> bool {
        match self {
            Kind::Text | Kind::Address | Kind::Client => true,
            Kind::Int32 => values::int32(text).is_ok(),
            Kind::Int64 => values::int64(text).is_ok(),
            Kind::Numbered => values::numbered(text).is_ok(),
            Kind::Time(form) => values::time(text, form).is_ok(),
            Kind::Duration => values::duration(text).is_ok(),
            Kind::Micros(unit) => values::micros(text, unit).is_ok(),
        }
    }

    /// The type of the column in memory: texts are views.
    pub fn data_type(self) -> DataType {
        match self {
            Kind::Text | Kind::Address | Kind::Client => DataType::Utf8View,
            Kind::Int32 | Kind::Numbered => DataType::Int32,
            Kind::Int64 | Kind::Duration | Kind::Micros(_) => DataType::Int64,
            Kind::Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        }
    }
}

impl Kind {
    /// The type of a column that holds values of both.
    fn with(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            _ if self == other => Some(self),
            (Kind::Time(_), Kind::Time(_)) => Some(Kind::Time(TimeForm::Any)),
            (Kind::Micros(_), Kind::Micros(_)) => Some(Kind::Micros(Unit::Micros)),
            (Kind::Address, Kind::Client) | (Kind::Client, Kind::Address) => Some(Kind::Client),
            (Kind::Text, Kind::Address | Kind::Client) | (Kind::Address | Kind::Client, Kind::Text) => {
                Some(Kind::Text)
            }
            _ => None,
        }
    }
}

/// Whether a text is a number of few digits, with at most so many behind a point.
#[inline]
fn is_short(text: &[u8], most_behind: usize) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    // Ten digits may be too many for 32 bits.
    let whole = digits(&text[..text.len().min(11)]);
    let behind = &text[whole..];
    let is_point = behind.first() == Some(&b'.') && (2..=most_behind + 1).contains(&behind.len());
    whole > 0
        && (behind.is_empty() && whole < 10
            || is_point && whole < 11 && digits(&behind[1..]) == behind.len() - 1)
}

/// The places of a table's columns among those of a format, and the conversions of fields that the table has in another
/// form: a duration in another unit, a moment written in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remap(pub(super) Arc<Vec<Option<RemapPlace>>>);

/// The number of a column among those of the format, and its type there, if that differs from the table's.
pub(super) type RemapPlace = (usize, Option<Kind>);

/// A field that has a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraField {
    /// The column's name.
    pub name: String,
    /// Its type.
    pub kind: Kind,
}

/// The fields that have columns, in order: those of records are read from text, those of tables are arrays already.
/// Clones share them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraColumns {
    cells: Arc<[ExtraField]>,
    passthrough: Fields,
}

impl ExtraColumns {
    /// Creates columns for these fields. A name that one of urimill's columns or an earlier field has is changed:
    /// `host` to `field_host`, the second `a` to `a_2`. So a table never has two columns with one name.
    pub fn new(fields: impl IntoIterator<Item = (String, Kind)>) -> ExtraColumns {
        let mut names = Names::default();
        let field = |(name, kind)| ExtraField { name: names.free(name), kind };
        ExtraColumns { cells: fields.into_iter().map(field).collect(), passthrough: Fields::empty() }
    }

    /// Creates columns for those of a table, with their types, nullability and metadata. Their names change as in
    /// [`ExtraColumns::new`].
    pub fn of_table(fields: impl IntoIterator<Item = FieldRef>) -> ExtraColumns {
        let mut names = Names::default();
        let field = |field: FieldRef| {
            let name = names.free(field.name().clone());
            if name == *field.name() { field } else { Arc::new(field.as_ref().clone().with_name(name)) }
        };
        ExtraColumns { cells: Arc::default(), passthrough: fields.into_iter().map(field).collect() }
    }

    /// Returns these columns, followed by those of `other` that are not among them. A column in both is one: moments in
    /// any form can be combined, and durations in any unit. `None` if columns with the same name have other different
    /// types.
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

    /// Returns those of these columns that `others` has, too.
    pub fn among(&self, others: &ExtraColumns) -> ExtraColumns {
        let is_among = |field: &&ExtraField| others.cells.iter().any(|other| other.name == field.name);
        ExtraColumns {
            cells: self.cells.iter().filter(is_among).cloned().collect(),
            passthrough: self.passthrough.clone(),
        }
    }

    /// Returns for each of these columns its position in `own`; `None` if `wanted`, a subset of `own`, has a column
    /// that is not among these, or has another type.
    pub fn places(&self, wanted: &ExtraColumns, own: &ExtraColumns) -> Option<Remap> {
        let is_among = |field: &ExtraField| {
            let is = |other: &ExtraField| {
                other.name == field.name && other.kind.with(field.kind) == Some(other.kind)
            };
            self.cells.iter().any(is)
        };
        let place = |field: &ExtraField| {
            let at = own.cells.iter().position(|other| other.name == field.name)?;
            Some((at, Some(own.cells[at].kind).filter(|kind| *kind != field.kind)))
        };
        wanted.cells.iter().all(is_among).then(|| Remap(Arc::new(self.cells.iter().map(place).collect())))
    }

    /// The fields that are read from records.
    pub fn fields(&self) -> &[ExtraField] {
        &self.cells
    }

    /// The columns that pass through from tables.
    pub fn passthrough(&self) -> &Fields {
        &self.passthrough
    }

    /// Returns how many cells a record has. If there are any, the table also has the column of faults.
    pub fn width(&self) -> usize {
        self.cells.len()
    }

    /// Returns how many columns they add to a table.
    pub fn columns(&self) -> usize {
        self.width() + usize::from(self.width() > 0) + self.passthrough.len()
    }

    /// Returns a table's schema with the columns of the fields after its own, and last the column of faults.
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

/// Names of columns that are in use.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The last number appended to a name that occurs several times. A header may have thousands of these.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// The name, or a similar one that no column has.
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

/// The field of one record, as the reader found it: its offset in the lower half, its length in the upper half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell(u64);

/// Set in the length of a text that was unescaped. Chunks are shorter than 2 GiB, so the bit is free.
const UNESCAPED: u32 = 1 << 31;

impl Cell {
    /// The format's way to write a null.
    pub const NULL: Cell = Cell::without(0);
    /// The record ends before the field.
    pub const MISSING: Cell = Cell::without(1);
    /// The field is in a part of the record that is too long to be held.
    pub const TOO_LONG: Cell = Cell::without(2);
    /// The field is not the address that it should be.
    pub const NO_ADDRESS: Cell = Cell::without(3);
    /// The field has not the form that its values have.
    pub const MALFORMED: Cell = Cell::without(4);
    /// No text is longer.
    pub const LONGEST: u32 = !UNESCAPED - 5;

    const fn new(start: u32, len: u32) -> Cell {
        Cell((len as u64) << 32 | start as u64)
    }

    /// A field without a text has a length above those of all texts.
    const fn without(reason: u32) -> Cell {
        Cell::new(u32::MAX, !reason)
    }

    /// A text in the chunk.
    #[inline]
    pub fn read(span: Span) -> Cell {
        Cell::new(span.start, span.len)
    }

    /// The text, if there is one.
    #[inline]
    pub fn text(self) -> Option<Text> {
        let (buffer, start, len) = self.place()?;
        let span = Span { start, len };
        Some(if buffer == 0 { Text::Read(span) } else { Text::Unescaped(span) })
    }

    /// Its place in the chunk, if it is a text there.
    #[inline]
    pub fn span(self) -> Option<Span> {
        let (start, len) = (self.0 as u32, (self.0 >> 32) as u32);
        (len & UNESCAPED == 0).then_some(Span { start, len })
    }

    /// Whether it is a text of at most `most` bytes, which is at most [`Cell::LONGEST`].
    #[inline]
    pub fn is_within(self, most: u32) -> bool {
        (self.0 >> 32) as u32 & !UNESCAPED <= most
    }

    /// The number of its buffer, its offset there and its length; `None` if there is no text.
    #[inline]
    pub(super) fn place(self) -> Option<(u32, u32, u32)> {
        let (start, len) = (self.0 as u32, (self.0 >> 32) as u32);
        (start != u32::MAX).then_some((len >> 31, start, len & !UNESCAPED))
    }
}

impl From<Text> for Cell {
    #[inline]
    fn from(text: Text) -> Cell {
        match text {
            Text::Read(span) => Cell::read(span),
            Text::Unescaped(Span { start, len }) => Cell::new(start, len | UNESCAPED),
        }
    }
}
