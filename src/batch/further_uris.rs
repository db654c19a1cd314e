//! URIs beside the first of a record: in other fields of it, which pass through. Each goes the whole way of the first,
//! in a pass of its own over the column of its field, and gets columns with a prefix. Behind `columns`, which makes
//! the batch that these stand in.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};

use super::column::Column;
use super::columns::internal;
use super::schema::Columns;
use super::{ExtraColumns, Normalizer, Options, Origin};
use crate::error::Result;

/// A further URI of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FurtherUri {
    /// The column of its field, as [`ExtraColumns`] names it: `referer` gives columns such as `referer_host`.
    pub field: String,
    /// Which columns it has; those that are of the record have no meaning here.
    pub columns: Columns,
    /// Whether it is resolved against the record's own base, as the first is.
    pub has_own_base: bool,
}

impl FurtherUri {
    /// The columns that a further URI may have: all but those of the record, and the text as read, which the column of
    /// its field holds.
    pub fn may_have(column: Column) -> bool {
        use Column::*;
        !matches!(column, Record | Source | Offset | Raw | RawBytes | Base)
    }

    /// The columns that it has where nobody asks for others: those of the default table.
    pub fn default_columns() -> Columns {
        Columns::new(Columns::default().iter().filter(|&column| FurtherUri::may_have(column)))
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|column| format!("{}_{}", self.field, column.as_str()))
    }

    fn fields(&self) -> impl Iterator<Item = Field> + '_ {
        // Of a record without that field there is nothing.
        let field = |(name, column): (String, Column)| Field::new(name, column.data_type(), true);
        self.names().zip(self.columns.iter()).map(field)
    }
}

/// A schema with the columns of further URIs behind its own.
pub(super) fn extend(own: SchemaRef, further: &[FurtherUri]) -> SchemaRef {
    if further.is_empty() {
        return own;
    }
    let more = further.iter().flat_map(FurtherUri::fields).map(Arc::new);
    Arc::new(Schema::new(own.fields().iter().cloned().chain(more).collect::<Vec<_>>()))
}

/// What makes the columns of further URIs.
#[derive(Debug, Default)]
pub(super) struct Further {
    each: Vec<Pass>,
    /// How many columns stand before theirs.
    own: usize,
    /// Which of these is the base, and whether it is only there for them.
    base: Option<(usize, bool)>,
    schema: Option<SchemaRef>,
}

#[derive(Debug)]
struct Pass {
    name: String,
    normalizer: Normalizer,
    /// Where its field stands in a batch without these columns.
    field: usize,
    has_own_base: bool,
}

impl Further {
    /// What `options` ask for, and the options of the batches that the columns are added to: with the base, where that
    /// is needed.
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

    /// Whether the bases of records are wanted that have no first reference.
    pub(super) fn wants_all_bases(&self) -> bool {
        self.base.is_some()
    }

    /// A batch with the columns; how many of the further URIs are rejects goes to `rejects`.
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
