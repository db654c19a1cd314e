//! The edges as a graph in two text files, as Common Crawl publishes its graphs of hosts: vertices numbered in the
//! order of their reversed names, and edges as pairs of these numbers, sorted.
//!
//! ```text
//! edges (source, target) ──> names, with the sources of each target ──> vertices.txt.gz: number, name
//!                            sorted by name                             │
//!                            sources, with the numbers of their targets <┘
//!                            sorted by name, number ──────────────────> edges.txt.gz: number, number
//! ```
//!
//! Both sorts are external, so the memory does not grow with the graph.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::threads::Workers;
use urimill_write::{StagedDirectory, TextDirectory, UncommittedOutput};

use super::sums::Sums;
use crate::Progress;
use crate::sort::Sorter;

/// The files of a graph.
const VERTICES: &str = "vertices.txt.gz";
const EDGES: &str = "edges.txt.gz";

/// In place of a target's number: the number is the source's own.
const OWN: i64 = -1;

/// Writes the vertices and edges; returns the number of vertices, and the bytes of temporary files.
pub(super) fn write(
    edges: &mut Sums<'_>,
    folder: StagedDirectory,
    sorter: impl Fn(usize, &Schema) -> Result<Sorter>,
    (threads, progress): (&Workers, &Progress),
) -> Result<(UncommittedOutput, u64, u64)> {
    let mut directory = TextDirectory::new(folder);
    let names = sorter(1, &names_schema())?;
    while let Some(batch) = edges.next()? {
        let sources = batch.column(0).as_string::<i32>();
        let targets = batch.column(1).as_string::<i32>();
        let pairs = (0..batch.num_rows()).map(|row| (targets.value(row), Some(sources.value(row))));
        // Every source is a vertex, too; their edges come one after the other.
        let is_new = |row: &usize| *row == 0 || sources.value(*row) != sources.value(*row - 1);
        let own = (0..batch.num_rows()).filter(is_new).map(|row| (sources.value(row), None));
        let rows: Vec<_> = pairs.chain(own).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(rows.iter().map(|(name, _)| name))),
            Arc::new(rows.iter().map(|(_, source)| *source).collect::<StringArray>()),
        ];
        names.push_unordered(&batch_of(names_schema(), columns)?)?;
    }

    let targets = sorter(2, &targets_schema())?;
    let mut vertices = directory.file(VERTICES)?;
    let mut count: i64 = 0;
    let mut last: Option<String> = None;
    each_batch_of(&names, progress, |batch| {
        let (names, sources) = (batch.column(0).as_string::<i32>(), batch.column(1).as_string::<i32>());
        let mut rows: Vec<(&str, i64, Option<i64>)> = Vec::new();
        for row in 0..batch.num_rows() {
            let name = names.value(row);
            if last.as_deref() != Some(name) {
                vertices.line([count.to_string().as_bytes(), name.as_bytes()])?;
                last = Some(name.to_owned());
                rows.push((name, OWN, Some(count)));
                count += 1;
            }
            if sources.is_valid(row) {
                rows.push((sources.value(row), count - 1, None));
            }
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.0))),
            Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|row| row.2).collect::<Int64Array>()),
        ];
        targets.push_unordered(&batch_of(targets_schema(), columns)?)
    })?;
    directory.add(vertices)?;
    let spilled = names.written();
    drop(names);

    let mut lines = directory.file(EDGES)?;
    let mut source = String::new();
    each_batch_of(&targets, progress, |batch| {
        let numbers = batch.column(1).as_primitive::<Int64Type>();
        let own = batch.column(2).as_primitive::<Int64Type>();
        for row in 0..batch.num_rows() {
            match numbers.value(row) {
                // It precedes the targets, because no number is less.
                OWN => source = own.value(row).to_string(),
                target => lines.line([source.as_bytes(), target.to_string().as_bytes()])?,
            }
        }
        Ok(())
    })?;
    directory.add(lines)?;
    let spilled = spilled + targets.written();
    Ok((directory.close(threads)?, count as u64, spilled))
}

/// The rows of a sorter, in their order.
fn each_batch_of(
    sorter: &Sorter,
    progress: &Progress,
    mut each: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let mut merge = sorter.merge()?;
    while let Some(rows) = merge.next_rows()? {
        progress.check()?;
        each(&sorter.batch(&rows)?)?;
    }
    Ok(())
}

/// The name of a vertex, and that of a vertex with an edge to it.
fn names_schema() -> Schema {
    Schema::new(vec![Field::new("name", DataType::Utf8, false), Field::new("source", DataType::Utf8, true)])
}

/// The name of a vertex, and the number of a vertex that it has an edge to; or [`OWN`] and its own.
fn targets_schema() -> Schema {
    Schema::new(vec![
        Field::new("source", DataType::Utf8, false),
        Field::new("target", DataType::Int64, false),
        Field::new("own", DataType::Int64, true),
    ])
}

fn batch_of(schema: Schema, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    RecordBatch::try_new(Arc::new(schema), columns)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot write a graph: {error}")))
}
