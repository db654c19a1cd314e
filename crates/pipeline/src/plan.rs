//! The columns of a run's batches, and the tables made from them: urimill's own or another schema, and the table of
//! rejects.

use std::fmt;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, Schema as ArrowSchema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns, Tally};
use urimill_read::{ReadChecksums, RecordSource};
use urimill_write::{Format, SinkOptions};

use crate::verify::OutputVerifier;
use crate::verify::verifier::{READBACK_COLUMNS, Verifier};

/// The columns of a run's batches, and how a batch is divided into the table and the rejects.
#[derive(Debug, Clone)]
pub struct Plan {
    options: batch::Options,
    schema: Schema,
    /// The columns of urimill's own table and their order, if they are not all columns in the default order.
    order: Option<Arc<[usize]>>,
    /// The columns of the table of rejects.
    rejects: Columns,
    /// Whether rejects have a table of their own.
    splits: bool,
    format_check: FormatCheck,
    /// The checksums of the run, if it is verified.
    verifier: Option<Arc<Verifier>>,
}

/// The evidence by which inputs are checked, once their records are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FormatCheck {
    /// Their records. The caller has an option that forces the format.
    #[default]
    Forceable,
    /// Their records.
    ByRecords,
    /// The fields that the caller names: some record has each.
    ByNames,
    /// None: the format is beyond doubt.
    Not,
}

/// The schema of the table.
#[derive(Debug, Clone)]
enum Schema {
    Own(Columns),
    Foreign(Arc<dyn ForeignTable>),
}

/// A table with the schema of another project, made from the columns and the fields of batches.
pub trait ForeignTable: fmt::Debug + Send + Sync {
    /// The schema of the table.
    fn schema(&self) -> SchemaRef;

    /// The schema of the table of rejects.
    fn rejects_schema(&self) -> SchemaRef;

    /// The positions in the table of these columns of urimill's own.
    fn texts(&self, columns: &[Column; READBACK_COLUMNS.len()]) -> [Option<usize>; READBACK_COLUMNS.len()];

    /// Advice for a row that the table cannot hold; `column` as [`urimill_columns::batch::Example::column`].
    fn ways_out(&self, column: Option<(&str, &str)>) -> String;

    /// Divides a batch into the rows that the table can hold and those that it cannot, which are added to `tally`; with
    /// `sets_apart` also those outside the grammar (`rejected`). Without it the second table is empty.
    ///
    /// # Errors
    /// Internal ones alone.
    fn divide(
        &self,
        batch: &RecordBatch,
        rejected: &BooleanArray,
        sets_apart: bool,
        tally: &mut Tally,
    ) -> Result<Divided>;
}

/// A batch divided into the table and the rejects.
#[derive(Debug)]
pub struct Divided {
    /// The rows of the table.
    pub table: RecordBatch,
    /// The rows of the rejects.
    pub rejects: RecordBatch,
}

impl Plan {
    /// Creates a plan for a table with the columns of `options`, of the records of `record_source`; `splits` says whether
    /// rejects have a table of their own.
    ///
    /// Usage, if the records are rows of tables and the column `offset` is requested.
    pub fn new(record_source: &RecordSource, options: batch::Options, splits: bool) -> Result<Plan> {
        let table = options.columns.clone();
        let mut rejects = Columns::rejects();
        if let RecordSource::Tables(_) = record_source {
            if table.contains(Column::Offset) {
                return Err(batch::no_offsets());
            }
            rejects = Columns::new(rejects.iter().filter(|&column| column != Column::Offset));
        }
        // The base of a record's reference belongs to the record.
        let base = Columns::new(table.iter().filter(|&column| column == Column::Base));
        let rejects = rejects.union(&base);
        let options = with_rejects(options, splits, &rejects);
        Ok(Plan {
            options,
            schema: Schema::Own(table),
            order: None,
            rejects,
            splits,
            format_check: FormatCheck::Forceable,
            verifier: None,
        })
    }

    /// Creates a plan for a table with a foreign schema; `options` have the columns that it is made of, and those of the
    /// rejects, if these have a table of their own ([`with_rejects`]).
    pub fn foreign(options: batch::Options, table: Arc<dyn ForeignTable>, splits: bool) -> Plan {
        Plan {
            options,
            schema: Schema::Foreign(table),
            order: None,
            rejects: Columns::rejects(),
            splits,
            format_check: FormatCheck::Forceable,
            verifier: None,
        }
    }

    /// Selects these columns of urimill's own table, in this order: positions among the columns of the options and
    /// those of the fields.
    pub fn arranged(self, order: Vec<usize>) -> Plan {
        Plan { order: Some(order.into()), ..self }
    }

    /// Sets the evidence by which inputs are checked.
    pub fn check_format(self, format_check: FormatCheck) -> Plan {
        Plan { format_check, ..self }
    }

    /// Creates the checksums for the outputs of the plan: the table in a format, partitioned by columns, and the
    /// rejects, if they have a table of their own, each with the options of its sink. The chunker of the run must
    /// have the same checksums.
    ///
    /// # Errors
    /// The same as [`OutputVerifier::new`].
    pub fn new_verifier(
        &self,
        checksums: Arc<ReadChecksums>,
        ((format, partition_by), options): ((Format, &[String]), &SinkOptions),
        rejects: Option<(Format, &SinkOptions)>,
    ) -> Result<Verifier> {
        let [table_texts, rejects_texts] = self.texts();
        let proof =
            |(format, options), schema, partition_by: &[String], texts: &[_]| -> Result<OutputVerifier> {
                Ok(OutputVerifier::new(format, &schema, options, partition_by)?.reading_back(&schema, texts))
            };
        let table = proof((format, options), self.table_schema(), partition_by, &table_texts)?;
        let rejects =
            rejects.map(|format| proof(format, self.rejects_schema(), &[], &rejects_texts)).transpose()?;
        Ok(Verifier::of(checksums, table, rejects, self.moves_unfit()))
    }

    /// Sets the checksums of the run, with which its outputs are compared.
    pub fn verified_by(self, verifier: Option<Arc<Verifier>>) -> Plan {
        Plan { verifier, ..self }
    }

    pub(super) fn verifier(&self) -> Option<&Verifier> {
        self.verifier.as_deref()
    }

    /// The positions of the columns [`READBACK_COLUMNS`] in the table, and in the table of rejects.
    fn texts(&self) -> [[Option<usize>; READBACK_COLUMNS.len()]; 2] {
        let table = match &self.schema {
            Schema::Own(table) => READBACK_COLUMNS.map(|column| {
                let at = table.position(column)?;
                self.order.as_ref().map_or(Some(at), |order| order.iter().position(|&place| place == at))
            }),
            Schema::Foreign(table) => table.texts(&READBACK_COLUMNS),
        };
        [table, READBACK_COLUMNS.map(|column| self.rejects.position(column))]
    }

    /// Whether valid rows may go to the table of rejects.
    fn moves_unfit(&self) -> bool {
        self.splits && matches!(self.schema, Schema::Foreign(_))
    }

    pub(super) fn format_check(&self) -> FormatCheck {
        self.format_check
    }

    /// The options of the batches.
    pub(super) fn options(&self) -> &batch::Options {
        &self.options
    }

    /// Returns the schema of the main table.
    pub fn table_schema(&self) -> SchemaRef {
        match &self.schema {
            Schema::Own(table) => {
                let all = self.options.table_schema(table);
                match &self.order {
                    Some(order) => {
                        let fields: Vec<_> = order.iter().map(|&at| all.fields()[at].clone()).collect();
                        Arc::new(ArrowSchema::new(fields))
                    }
                    None => all,
                }
            }
            Schema::Foreign(table) => table.schema(),
        }
    }

    /// Returns the schema of the table of rejects: the position of each record, its text and the reason; then its
    /// other fields.
    pub fn rejects_schema(&self) -> SchemaRef {
        match &self.schema {
            Schema::Own(_) => self.options.table_schema(&self.rejects),
            Schema::Foreign(table) => table.rejects_schema(),
        }
    }

    /// The rows of a batch for each of the tables. Rows that the main table cannot hold are counted in `tally`.
    pub(super) fn tables(
        &self,
        batch: RecordBatch,
        rejected: impl FnOnce() -> BooleanArray,
        tally: &mut Tally,
    ) -> Result<Vec<RecordBatch>> {
        match &self.schema {
            Schema::Own(_) if !self.splits => Ok(vec![self.in_order(batch).map_err(internal)?]),
            Schema::Own(table) => self.divide(table, &batch, &rejected()),
            Schema::Foreign(table) => {
                let divided = table.divide(&batch, &rejected(), self.splits, tally)?;
                let rejects = self.splits.then_some(divided.rejects);
                Ok([divided.table].into_iter().chain(rejects).collect())
            }
        }
    }

    fn divide(
        &self,
        table: &Columns,
        batch: &RecordBatch,
        rejected: &BooleanArray,
    ) -> Result<Vec<RecordBatch>> {
        let kept = self.options.columns.iter().count()..batch.num_columns();
        let take = |columns: &Columns, rows: &BooleanArray| {
            let own = columns.iter().filter_map(|c| self.options.columns.position(c));
            let places: Vec<usize> = own.chain(kept.clone()).collect();
            batch.project(&places).and_then(|batch| filter_record_batch(&batch, rows))
        };
        let accepted = BooleanArray::from(!rejected.values());
        let tables = take(table, &accepted)
            .and_then(|rows| Ok(vec![self.in_order(rows)?, take(&self.rejects, rejected)?]));
        tables.map_err(internal)
    }

    /// The columns of a batch that the table has.
    fn in_order(&self, batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
        self.order.as_ref().map_or(Ok(batch.clone()), |order| batch.project(order))
    }

    /// Advice for the error of a record that ends the run. `column` as [`urimill_columns::batch::Example::column`].
    pub(super) fn ways_out(&self, column: Option<(&str, &str)>) -> String {
        match &self.schema {
            Schema::Own(_) => String::new(),
            Schema::Foreign(table) => format!("; {}", table.ways_out(column)),
        }
    }
}

fn internal(error: ArrowError) -> Error {
    Error::new(ErrorKind::Internal, format!("cannot divide rows and columns among tables: {error}"))
}

/// The options with the columns of `rejects`, too, if these have a table of their own.
pub fn with_rejects(options: batch::Options, splits: bool, rejects: &Columns) -> batch::Options {
    let columns = if splits { options.columns.union(rejects) } else { options.columns.clone() };
    batch::Options { columns, ..options }
}
