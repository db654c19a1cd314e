//! The sums of the edges: reads partial edges in their order, and adds up those of each.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use urimill_base::error::{Error, ErrorKind, Result};

use super::partial::column;
use super::schema;
use crate::Progress;
use crate::sort::{Merge, Sorter};

/// The edges, sorted.
pub(super) struct Sums<'a> {
    sorter: &'a Sorter,
    merge: Merge<'a>,
    progress: &'a Progress,
    /// The edge whose partial ones are being read.
    open: Option<Edge>,
    edges: u64,
    links: u64,
}

#[derive(Debug, Default)]
struct Edge {
    source: String,
    target: String,
    /// The last page, with the number of its input.
    last: (i64, i64),
    pages: i64,
    links: i64,
}

impl<'a> Sums<'a> {
    pub(super) fn new(sorter: &'a Sorter, progress: &'a Progress) -> Result<Sums<'a>> {
        Ok(Sums { sorter, merge: sorter.merge()?, progress, open: None, edges: 0, links: 0 })
    }

    /// The edges so far.
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }

    /// Their links.
    pub(super) fn links(&self) -> u64 {
        self.links
    }

    /// The next edges, of [`schema`]; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        let mut done = Vec::new();
        while done.is_empty() {
            self.progress.check()?;
            let Some(rows) = self.merge.next_rows()? else {
                done.extend(self.open.take());
                if done.is_empty() {
                    return Ok(None);
                }
                break;
            };
            self.progress.sorted.fetch_add(rows.rows() as u64, Ordering::Relaxed);
            self.add(&self.sorter.batch(&rows)?, &mut done);
        }
        self.edges += done.len() as u64;
        self.links += done.iter().map(|edge| edge.links as u64).sum::<u64>();
        batch_of(&done).map(Some)
    }

    fn add(&mut self, batch: &RecordBatch, done: &mut Vec<Edge>) {
        let text = |number: usize| batch.column(number).as_string::<i32>();
        let values = |number: usize| batch.column(number).as_primitive::<Int64Type>().values();
        let (sources, targets) = (text(column::SOURCE), text(column::TARGET));
        let [inputs, first, last, pages, links] =
            [column::INPUT, column::FIRST, column::LAST, column::PAGES, column::LINKS].map(values);
        for row in 0..batch.num_rows() {
            let (source, target) = (sources.value(row), targets.value(row));
            let same = self.open.as_ref().is_some_and(|open| open.source == source && open.target == target);
            if !same {
                let (source, target) = (source.to_owned(), target.to_owned());
                let new = Edge { source, target, last: (-1, -1), ..Edge::default() };
                done.extend(self.open.replace(new));
            }
            let Some(open) = &mut self.open else { continue };
            // Links of one page may be in two batches.
            let is_shared = open.last == (inputs[row], first[row]);
            open.pages += pages[row] - i64::from(is_shared);
            open.links += links[row];
            open.last = (inputs[row], last[row]);
        }
    }
}

fn batch_of(edges: &[Edge]) -> Result<RecordBatch> {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(edges.iter().map(|edge| &edge.source))),
        Arc::new(StringArray::from_iter_values(edges.iter().map(|edge| &edge.target))),
        Arc::new(edges.iter().map(|edge| edge.links).collect::<Int64Array>()),
        Arc::new(edges.iter().map(|edge| edge.pages).collect::<Int64Array>()),
    ];
    RecordBatch::try_new(schema(), columns)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot add up edges: {error}")))
}
