//! The main job on columns, as `urimill normalize` does it for records.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use urimill::batch::{Normalizer, Options, Origin};

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

    fn most_rows(&self) -> usize {
        Normalizer::new(self.options.clone()).most_rows()
    }
}

impl Worker for Normalizer {
    fn rows(&mut self, columns: &[ArrayRef], first: i64) -> Result<RecordBatch> {
        let bases = columns.get(1).map(AsRef::as_ref);
        let origin = Origin { first_record: first + 1, ..Origin::default() };
        Ok(self.values(columns[0].as_ref(), bases, origin)?.0)
    }
}
