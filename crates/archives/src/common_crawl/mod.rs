//! Tables with a foreign schema, made from urimill's own columns and the fields of the records; the batch makes both,
//! and the outputs write the result. So far there is one such schema, Common Crawl's columnar index.
//!
//! `columns` defines the table and the fields of each format that it is made from, `sources` makes its columns, `fit`
//! finds the rows without a required value, `rejects` reports them. Texts are moved, not copied: most columns of the
//! table are columns of the batch.

mod choices;
mod columns;
mod fit;
mod rejects;
mod sources;
mod texts;

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use urimill_base::error::{Error, ErrorKind, Result, did_you_mean};
use urimill_base::option_name::OptionName;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns, FIELD_ERRORS, Tally};
use urimill_pipeline::verify::verifier::READBACK_COLUMNS;
use urimill_pipeline::{Divided, ForeignTable, Plan, with_rejects};

pub use choices::{Choices, Label};
pub use columns::{COLUMNS, ForeignColumn, check, lacking, needed};

use fit::Faults;

impl Choices {
    /// Returns the columns of the batches from which the table is made.
    pub fn columns(&self) -> Columns {
        columns::made_of().union(&Columns::new(self.own.iter().copied()))
    }
}

/// Creates the plan of a run that makes Common Crawl's table of records in the format with this name; `splits` as for
/// [`Plan::new`]. The columns of `options` are ignored: the table decides which columns the batches have.
///
/// # Errors
/// The same as [`CcIndex::new`].
pub fn plan(options: batch::Options, choices: Choices, format: &str, splits: bool) -> Result<Plan> {
    let options = batch::Options { columns: choices.columns(), ..options };
    let options = with_rejects(options, splits, &Columns::rejects());
    let table = CcIndex::new(choices, &options, format)?;
    Ok(Plan::foreign(options, Arc::new(table), splits))
}

/// Makes rows of Common Crawl's columnar index from rows of batches. The columns about URIs describe those of the
/// batches: at [`Level::None`](urimill_uri::Level::None) they are as they were fetched.
///
/// ```
/// use urimill::Level;
/// use urimill::batch::{Normalizer, Options, Reading};
/// use urimill::common_crawl::{CcIndex, Choices};
/// use urimill::pipeline::ForeignTable;
///
/// // Lines of URIs do not tell when they were fetched.
/// let choices = Choices { fill: true, ..Choices::default() };
/// let reading = Reading::default().at_level(Level::None);
/// let options = Options { columns: choices.columns(), reading, ..Options::default() };
/// let table = CcIndex::new(choices, &options, "lines")?;
/// let mut normalizer = Normalizer::new(options);
/// let (batch, mut tally) = normalizer.text(b"http://www.example.com/a?b\n")?;
/// let divided = table.divide(&batch, &normalizer.rejected(), false, &mut tally)?;
/// assert_eq!(divided.table.schema(), table.schema());
/// assert_eq!((divided.table.num_rows(), divided.table.num_columns()), (1, 30));
/// # Ok::<(), urimill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CcIndex {
    choices: Choices,
    /// The columns of the batches, without the fields.
    from: Columns,
    /// The names of the fields, which come after those.
    fields: Vec<String>,
    /// The names of the format's fields for each column.
    format: columns::FormatFields,
    schema: SchemaRef,
    rejects: SchemaRef,
}

impl CcIndex {
    /// Creates the table for batches with these options, of records in the format with this name.
    ///
    /// Usage, if the format lacks required columns and none are to be filled, and if there is no field of a name.
    pub fn new(choices: Choices, options: &batch::Options, format: &str) -> Result<CcIndex> {
        columns::check(format, choices.fill)?;
        let fields: Vec<String> = options.extra.fields().iter().map(|field| field.name.clone()).collect();
        if let Some(name) = choices.keep.iter().find(|name| !fields.contains(name)) {
            let sentence = match fields.is_empty() {
                true => format!("{format} has no field {name:?} to keep: it has none beside the URI"),
                false => {
                    let meant = did_you_mean(name, fields.iter().map(String::as_str));
                    format!(
                        "{format} has no field {name:?} to keep{meant}: choose from {}",
                        fields.join(", ")
                    )
                }
            };
            return Err(Error::usage(sentence));
        }
        let from = options.columns.clone();
        let schema = schema(&choices, options);
        let rejects = rejects::schema(options);
        Ok(CcIndex { choices, from, fields, format: columns::fields_of(format), schema, rejects })
    }

    fn try_divide(
        &self,
        batch: &RecordBatch,
        rejected: &BooleanArray,
        sets_apart: bool,
        tally: &mut Tally,
    ) -> Result<Divided, ArrowError> {
        let batch = Whole { table: self, batch };
        let (arrays, faults) = sources::arrays(&batch)?;
        // If nothing is filled in, records outside the grammar cannot stay either.
        let leaves = sets_apart || !self.choices.fill;
        let unfit = faults.unfit(rejected, leaves, self.choices.fill);
        if let Some(first) = unfit.set_indices().next() {
            let what = faults.first(&batch, first as u32, self.choices.fill);
            tally.unfit(unfit.count_set_bits() as u64, what);
        }
        for fault in faults.iter().filter(|_| self.choices.fill) {
            let row = fault.row as usize;
            // A record outside the grammar has no parts: its code says so.
            let is_told = COLUMNS[fault.column].is_of_url() && rejected.value(row);
            if !unfit.value(row) && !is_told {
                tally.fill(COLUMNS[fault.column].name);
            }
        }
        let out = if leaves { rejected.values() | &unfit } else { unfit.clone() };
        let all = self.table(&batch, arrays, &faults)?;
        let stay = if out.count_set_bits() > 0 { filter_record_batch(&all, &mask(!&out))? } else { all };
        let count = stay.num_rows();
        let table = with_rows(self.schema(), stay.columns().to_vec(), count)?;
        let rejects = match sets_apart {
            true => rejects::rows(&batch, &out, &unfit, &faults)?,
            false => RecordBatch::new_empty(self.rejects_schema()),
        };
        Ok(Divided { table, rejects })
    }

    /// All rows; required columns have nulls unless they are filled.
    fn table(
        &self,
        batch: &Whole<'_>,
        mut arrays: Vec<ArrayRef>,
        faults: &Faults,
    ) -> Result<RecordBatch, ArrowError> {
        for (array, column) in arrays.iter_mut().zip(COLUMNS) {
            if self.choices.fill && !column.nullable && array.null_count() > 0 {
                *array = fit::filled(array)?;
            }
        }
        for (label, is_crawl) in [(&self.choices.crawl, true), (&self.choices.subset, false)] {
            arrays.extend(label.as_ref().map(|label| sources::label(batch, (label, is_crawl))).transpose()?);
        }
        arrays.extend(self.choices.own.iter().filter_map(|&column| batch.own(column)).cloned());
        arrays.extend(self.choices.keep.iter().filter_map(|name| batch.field(name)).cloned());
        if !self.choices.keep.is_empty() {
            arrays.push(faults.column(batch));
        }
        let loose = |field: &Arc<Field>| field.as_ref().clone().with_nullable(true);
        let fields: Vec<Field> = self.schema.fields().iter().map(loose).collect();
        with_rows(Arc::new(Schema::new(fields)), arrays, batch.count())
    }
}

impl ForeignTable for CcIndex {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns the schema of the table of rejects: the position of each record, its text and the reason; then all
    /// fields that were read, because the table's own columns are made from these.
    fn rejects_schema(&self) -> SchemaRef {
        self.rejects.clone()
    }

    /// Returns the positions of urimill's own columns; for the column of the normal form that is `url`.
    fn texts(&self, columns: &[Column; READBACK_COLUMNS.len()]) -> [Option<usize>; READBACK_COLUMNS.len()] {
        let labels = [&self.choices.crawl, &self.choices.subset].into_iter().flatten().count();
        columns.map(|column| match column {
            Column::Uri => COLUMNS.iter().position(|own| own.name == "url"),
            _ => {
                let at = self.choices.own.iter().position(|own| *own == column);
                at.map(|at| COLUMNS.len() + labels + at)
            }
        })
    }

    /// Returns advice for a row that the table cannot hold because of `column`, or of its URI if that is `None`;
    /// `reason` is that of [`urimill_columns::batch::Unfit`].
    fn ways_out(&self, column: Option<(&str, &str)>) -> String {
        let apart = format!("{} sets such records apart", OptionName::Rejects.with("FILE"));
        match column {
            Some((column, reason)) if fit::is_too_large(column, reason) => {
                format!("{} gives places in files 64 bits, {apart}", OptionName::WideOffsets.named())
            }
            _ if self.choices.fill => apart,
            _ => {
                format!(
                    "{apart}, {} keeps them with empty strings, 0 and 1970-01-01",
                    OptionName::Fill.named()
                )
            }
        }
    }

    /// Divides a batch into the rows that the table can hold and those that it cannot: rows without a required value,
    /// which are added to `tally`, and with `sets_apart` those outside the grammar (`rejected`); then the batch also
    /// has the columns of [`Columns::rejects`]. Without `sets_apart` the second table is empty.
    ///
    /// # Errors
    /// Only internal ones.
    fn divide(
        &self,
        batch: &RecordBatch,
        rejected: &BooleanArray,
        sets_apart: bool,
        tally: &mut Tally,
    ) -> Result<Divided> {
        self.try_divide(batch, rejected, sets_apart, tally).map_err(|error| {
            Error::new(ErrorKind::Internal, format!("cannot make rows of Common Crawl's table: {error}"))
        })
    }
}

/// A batch, and its columns by name.
struct Whole<'a> {
    table: &'a CcIndex,
    batch: &'a RecordBatch,
}

impl Whole<'_> {
    fn count(&self) -> usize {
        self.batch.num_rows()
    }

    /// A column of urimill's own.
    fn own(&self, column: Column) -> Option<&ArrayRef> {
        self.table.from.position(column).map(|at| self.batch.column(at))
    }

    /// The column of a field.
    fn field(&self, name: &str) -> Option<&ArrayRef> {
        let at = self.table.fields.iter().position(|field| field == name)?;
        Some(self.batch.column(self.table.from.iter().count() + at))
    }

    /// The batch's column of faults, which exists if there are fields.
    fn field_errors(&self) -> Option<&ArrayRef> {
        (!self.table.fields.is_empty()).then(|| self.batch.column(self.batch.num_columns() - 1))
    }
}

fn with_rows(schema: SchemaRef, arrays: Vec<ArrayRef>, count: usize) -> Result<RecordBatch, ArrowError> {
    let counted = RecordBatchOptions::new().with_row_count(Some(count));
    RecordBatch::try_new_with_options(schema, arrays, &counted)
}

fn mask(rows: BooleanBuffer) -> BooleanArray {
    BooleanArray::new(rows, None)
}

/// The schema of the table: Common Crawl's columns, its partition columns, urimill's, other fields.
fn schema(choices: &Choices, options: &batch::Options) -> SchemaRef {
    let mut fields: Vec<Field> = COLUMNS.iter().map(|column| column.field(choices.wide_offsets)).collect();
    let labels = [("crawl", &choices.crawl), ("subset", &choices.subset)];
    for (name, label) in labels {
        let is_null = matches!(label, Some(Label::OfFile));
        fields.extend(label.as_ref().map(|_| Field::new(name, DataType::Utf8View, is_null)));
    }
    let own = choices.own.iter();
    fields.extend(own.map(|&column| Field::new(column.as_str(), column.data_type(), column.is_nullable())));
    for name in &choices.keep {
        let kind = options.extra.fields().iter().find(|field| field.name == *name).map(|field| field.kind);
        let kind = kind.map_or(DataType::Utf8View, |kind| kind.data_type());
        let name = free_name(name, &fields);
        fields.push(Field::new(name, kind, true));
    }
    if !choices.keep.is_empty() {
        fields.push(Field::new(FIELD_ERRORS, DataType::Utf8View, true));
    }
    Arc::new(Schema::new(fields))
}

/// The name of a field's column, as in urimill's own table: `field_fetch_time` beside `fetch_time`.
fn free_name(name: &str, fields: &[Field]) -> String {
    let is_taken = |name: &str| name == FIELD_ERRORS || fields.iter().any(|field| field.name() == name);
    if !is_taken(name) {
        return name.to_owned();
    }
    let name = format!("field_{name}");
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}
