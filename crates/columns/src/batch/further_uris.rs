//! URIs beside the first of a record: in other fields of it, which pass through. Each is processed like the first, in a
//! separate pass over the column of its field, and gets columns with a prefix. Runs after `columns`, which makes the
//! batch with those fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use urimill_base::error::Result;

use super::column::Column;
use super::columns::internal;
use super::schema::Columns;
use super::{ExtraColumns, Normalizer, Options, Origin};

/// A further URI of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FurtherUri {
    /// The column of its field, as [`ExtraColumns`] names it: `referer` gives columns such as `referer_host`.
    pub field: String,
    /// Its columns; columns of the record have no meaning here.
    pub columns: Columns,
    /// Whether it is resolved against the record's own base, like the first.
    pub has_own_base: bool,
}

impl FurtherUri {
    /// Returns whether a further URI may have this column: not those of the record, and not the text as read, which the
    /// column of its field holds.
    pub fn may_have(column: Column) -> bool {
        use Column::*;
        !matches!(column, Record | Source | Offset | Raw | RawBytes | Base)
    }

    /// Returns its columns if the caller does not list others: those of the default table.
    pub fn default_columns() -> Columns {
        Columns::new(Columns::default().iter().filter(|&column| FurtherUri::may_have(column)))
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|column| format!("{}_{}", self.field, column.as_str()))
    }

    fn fields(&self) -> impl Iterator<Item = Field> + '_ {
        // A record without that field has nulls.
        let field = |(name, column): (String, Column)| Field::new(name, column.data_type(), true);
        self.names().zip(self.columns.iter()).map(field)
    }
}

/// A schema with the columns of further URIs after its own.
pub(super) fn extend(own: SchemaRef, further: &[FurtherUri]) -> SchemaRef {
    if further.is_empty() {
        return own;
    }
    let more = further.iter().flat_map(FurtherUri::fields).map(Arc::new);
    Arc::new(Schema::new(own.fields().iter().cloned().chain(more).collect::<Vec<_>>()))
}

/// Makes the columns of further URIs.
#[derive(Debug, Default)]
pub(super) struct Further {
    each: Vec<Pass>,
    /// The number of columns before theirs.
    own: usize,
    /// The position of the base among these, and whether it is there only for them.
    base: Option<(usize, bool)>,
    schema: Option<SchemaRef>,
}

#[derive(Debug)]
struct Pass {
    name: String,
    normalizer: Normalizer,
    /// The position of its field in a batch without these columns.
    field: usize,
    has_own_base: bool,
}

impl Further {
    /// Splits `options` into the further URIs and the options of the batches that get their columns: these include the
    /// base, if it is needed.
    pub(super) fn new(options: Options) -> (Further, Options) {
        if options.further.is_empty() {
            return (Further::default(), options);
        }
        let schema = options.schema();
        let needs_base = options.further.iter().any(|uri| uri.has_own_base);
        let base = options.columns.position(Column::Base);
        let own = options.columns.iter().count();
        let is_hidden = base.is_none() && needs_base;
        let base = if needs_base { Some((base.unwrap_or(own), is_hidden)) } else { None };
        let columns = match is_hidden {
            true => options.columns.union(&Columns::new([Column::Base])),
            false => options.columns.clone(),
        };
        let plain = Options { columns, further: Vec::new(), ..options.clone() };
        let fields = plain.schema();
        let each = options.further.iter().filter_map(|uri| {
            let how = Options {
                columns: uri.columns.clone(),
                extra: ExtraColumns::default(),
                further: Vec::new(),
                ..options.clone()
            };
            let field = fields.index_of(&uri.field).ok()?;
            let (name, has_own_base) = (uri.field.clone(), uri.has_own_base);
            Some(Pass { name, normalizer: Normalizer::new(how), field, has_own_base })
        });
        (Further { each: each.collect(), own, base, schema: Some(schema) }, plain)
    }

    /// Whether bases are also needed for records without a first reference.
    pub(super) fn wants_all_bases(&self) -> bool {
        self.base.is_some()
    }

    /// Returns a batch with the columns; the number of rejects among the further URIs is added to `rejects`.
    pub(super) fn add(
        &mut self,
        batch: RecordBatch,
        origin: Origin<'_>,
        rejects: &mut BTreeMap<String, u64>,
    ) -> Result<RecordBatch> {
        let Some(schema) = &self.schema else { return Ok(batch) };
        let bases = self.base.map(|(at, _)| batch.column(at).clone());
        let mut arrays = batch.columns().to_vec();
        let mut behind = self.own;
        if let Some((at, true)) = self.base {
            arrays.remove(at);
        }
        for pass in &mut self.each {
            let references = batch.column(pass.field);
            let bases = bases.as_deref().filter(|_| pass.has_own_base);
            let (made, tally) = pass.normalizer.values(references, bases, origin)?;
            *rejects.entry(pass.name.clone()).or_default() += tally.rejects();
            let count = made.num_columns();
            arrays.splice(behind..behind, made.columns().iter().cloned());
            behind += count;
        }
        let counted = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.clone(), arrays, &counted).map_err(internal)
    }
}
