//! A table that the caller of the library has in memory, or makes while it is read: its batches take the place of a
//! file's.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use urimill_base::error::Error;

use super::reader::{Batches, Faults, Table};

/// Batches of one schema, with a name for messages and examples.
pub struct GivenTable {
    pub(super) name: String,
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, Error>> + Send>,
}

impl GivenTable {
    /// The table of these batches. Columns whose types differ from those of `schema` are cast.
    pub fn new(
        name: impl Into<String>,
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, Error>> + Send + 'static,
    ) -> GivenTable {
        GivenTable { name: name.into(), schema, batches: Box::new(batches) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table, open. Errors of its batches go to `faults`, so that they come out as they are.
    pub(super) fn open(self, faults: &Faults) -> Table {
        let (batches, faults) = (self.batches, faults.clone());
        let read = move |columns: &[usize]| {
            let columns = columns.to_vec();
            let batch = move |batch: Result<RecordBatch, Error>| {
                let batch = batch.map_err(|error| faults.put(error).to_string())?;
                batch.project(&columns).map_err(|error| error.to_string())
            };
            Ok(Box::new(batches.map(batch)) as Batches)
        };
        Table { schema: Arc::clone(&self.schema), rows: None, read: Box::new(read) }
    }
}

impl fmt::Debug for GivenTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenTable")
            .field("name", &self.name)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
