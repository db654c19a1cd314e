//! The main job on columns, as `urimill normalize` does it for records, and the one that gives its targets alone.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::nullif::nullif;
use urimill::batch::{Column, Columns, Normalizer, Options, Origin, Reading, components};

use crate::engine::{Job, Worker};
use crate::errors::Result;

/// Normalizes references, against the bases in a second column if there is one.
pub(crate) struct Normalize {
    pub(crate) options: Options,
}

impl Job for Normalize {
    fn schema(&self) -> SchemaRef {
        self.options.schema()
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(Normalizer::new(self.options.clone()))
    }

    fn hidden(&self, column: &ArrayRef) -> Result<ArrayRef> {
        Ok(self.options.hidden(column)?)
    }
}

impl Worker for Normalizer {
    fn rows(&mut self, columns: &[ArrayRef], first: i64) -> Result<RecordBatch> {
        let bases = columns.get(1).map(AsRef::as_ref);
        let origin = Origin { first_record: first + 1, ..Origin::default() };
        Ok(self.values(columns[0].as_ref(), bases, origin)?.0)
    }

    fn most_rows(&self) -> usize {
        Normalizer::most_rows(self)
    }
}

/// Cuts the texts of components from URIs at their positions: the columns of [`Columns::positions`].
pub(crate) struct Components;

impl Job for Components {
    fn schema(&self) -> SchemaRef {
        Columns::components().schema()
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(Components)
    }

    fn keeps_names(&self) -> bool {
        true
    }
}

impl Worker for Components {
    fn rows(&mut self, columns: &[ArrayRef], first: i64) -> Result<RecordBatch> {
        let names = Columns::positions();
        let named = names.iter().map(Column::as_str).zip(columns.iter().cloned());
        Ok(components(&RecordBatch::try_from_iter(named)?, first as u64 + 1)?)
    }
}

/// Resolves references as `urimill resolve` does: to their targets, without a limit of their length.
pub(crate) struct Resolve(Options);

/// A worker of [`Resolve`].
struct Resolving {
    normalizer: Normalizer,
    schema: SchemaRef,
}

impl Resolve {
    /// `base` is that of the rows without one in the second column.
    pub(crate) fn new(reading: Reading, base: Option<String>) -> Resolve {
        let columns = Columns::new([Column::Uri, Column::Error, Column::ErrorOffset]);
        Resolve(Options { reading, base, columns, max_record: usize::MAX, ..Options::default() })
    }
}

impl Job for Resolve {
    fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("target", DataType::Utf8View, true),
            Field::new("error", DataType::Utf8View, true),
            Field::new("error_offset", DataType::Int32, true),
        ]))
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(Resolving { normalizer: Normalizer::new(self.0.clone()), schema: self.schema() })
    }
}

impl Worker for Resolving {
    fn rows(&mut self, columns: &[ArrayRef], first: i64) -> Result<RecordBatch> {
        let batch = self.normalizer.rows(columns, first)?;
        // The column `uri` has the text of a reject.
        let target = nullif(&batch["uri"], &self.normalizer.rejected())?;
        let columns = vec![target, batch["error"].clone(), batch["error_offset"].clone()];
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }

    fn most_rows(&self) -> usize {
        self.normalizer.most_rows()
    }
}
