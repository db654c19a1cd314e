//! The edges of one batch: the first step, which each worker does alone.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, StringViewArray};
use arrow_schema::{DataType, Field, Schema};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_columns::batch::Column;

use super::{LinkCounts, Node, PAGE, PAGE_RECORD};

/// The number of columns by which partial edges are sorted: those of one edge become adjacent, in the order of their
/// pages.
pub(super) const KEYS: usize = 5;

/// The number of a column of [`schema`].
pub(super) mod column {
    pub(crate) const SOURCE: usize = 0;
    pub(crate) const TARGET: usize = 1;
    pub(crate) const INPUT: usize = 2;
    pub(crate) const FIRST: usize = 3;
    pub(crate) const LAST: usize = 4;
    pub(crate) const PAGES: usize = 5;
    pub(crate) const LINKS: usize = 6;
}

/// An edge in one batch, whose pages are all of one input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Partial {
    /// The first and last page with such a link.
    first: i64,
    last: i64,
    pages: i64,
    links: i64,
}

/// The schema of partial edges.
pub(super) fn schema() -> Schema {
    let text = |name| Field::new(name, DataType::Utf8, false);
    let number = |name| Field::new(name, DataType::Int64, false);
    Schema::new(vec![
        text("source"),
        text("target"),
        number("input"),
        number("first"),
        number("last"),
        number("pages"),
        number("links"),
    ])
}

impl Partial {
    fn add(&mut self, page: i64) {
        self.pages += i64::from(page != self.last);
        self.last = page;
        self.links += 1;
    }

    /// The edges of a batch, and the counts of its links; `number` gives each input a number.
    pub(super) fn of(
        batch: &RecordBatch,
        (node, is_graph): (Node, bool),
        number: impl FnOnce(&str) -> i64,
    ) -> Result<(RecordBatch, LinkCounts)> {
        let mut links = LinkCounts::default();
        // A graph has only names, which are the first column.
        let columns = &node.columns()[..if is_graph { 1 } else { node.columns().len() }];
        let names = |prefix| Names::new(batch, (node, columns), prefix);
        let (sources, targets) = (names(PAGE)?, names("")?);
        let error = texts(batch, "error")?;
        let pages = batch.column_by_name(PAGE_RECORD).ok_or_else(missing)?.as_primitive::<Int64Type>();
        let mut edges: HashMap<(Name<'_>, Name<'_>), Partial> = HashMap::new();
        for row in 0..batch.num_rows() {
            if error.is_valid(row) {
                links.invalid += 1;
                continue;
            }
            let Some(source) = sources.get(row).filter(|name| !is_graph || name.is_vertex()) else {
                links.without_source += 1;
                continue;
            };
            let Some(target) = targets.get(row).filter(|name| !is_graph || name.is_vertex()) else {
                links.without_target += 1;
                continue;
            };
            if is_graph && source == target {
                links.to_itself += 1;
                continue;
            }
            let page = pages.value(row);
            let new = Partial { first: page, last: page, pages: 1, links: 0 };
            edges
                .entry((source, target))
                .and_modify(|edge| edge.add(page))
                .or_insert(Partial { links: 1, ..new });
            links.counted += 1;
        }
        let input = match batch.num_rows() {
            0 => 0,
            _ => number(texts(batch, "source")?.value(0)),
        };
        let sources = edges.keys().map(|(source, _)| source.form(is_graph));
        let targets = edges.keys().map(|(_, target)| target.form(is_graph));
        let value = |value: fn(&Partial) -> i64| -> ArrayRef {
            Arc::new(edges.values().map(value).collect::<Int64Array>())
        };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(sources)),
            Arc::new(StringArray::from_iter_values(targets)),
            Arc::new(Int64Array::from_value(input, edges.len())),
            value(|edge| edge.first),
            value(|edge| edge.last),
            value(|edge| edge.pages),
            value(|edge| edge.links),
        ];
        let batch = RecordBatch::try_new(Arc::new(schema()), columns)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot count links: {error}")))?;
        Ok((batch, links))
    }
}

/// The columns with the names of one end of the edges.
struct Names<'a> {
    node: Node,
    columns: Vec<&'a StringViewArray>,
}

/// The name of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Name<'a>(&'a str);

impl<'a> Names<'a> {
    /// Takes the columns of the field `prefix`, or those of the references if `prefix` is empty.
    fn new(batch: &'a RecordBatch, (node, columns): (Node, &[Column]), prefix: &str) -> Result<Names<'a>> {
        let name = |column: &str| match prefix {
            "" => column.to_owned(),
            prefix => format!("{prefix}_{column}"),
        };
        let columns = columns.iter().map(|column| texts(batch, &name(column.as_str())));
        Ok(Names { node, columns: columns.collect::<Result<_>>()? })
    }

    fn get(&self, row: usize) -> Option<Name<'a>> {
        let text = |column: &&'a StringViewArray| column.is_valid(row).then(|| column.value(row));
        let name = match (self.node, &self.columns[..]) {
            // A relative reference names nothing.
            (Node::Uri, [uri, scheme]) => {
                text(scheme)?;
                text(uri).map(|uri| uri.split('#').next().unwrap_or(uri))
            }
            (_, columns) => columns.iter().find_map(text),
        };
        name.filter(|name| !name.is_empty()).map(Name)
    }
}

impl Name<'_> {
    /// Whether a graph of names has the name: it has more than one label.
    fn is_vertex(self) -> bool {
        self.0.contains('.')
    }

    /// The name as written; in a graph with its labels reversed.
    fn form(self, is_graph: bool) -> String {
        match is_graph {
            true => self.0.rsplit('.').collect::<Vec<_>>().join("."),
            false => self.0.to_owned(),
        }
    }
}

fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a StringViewArray> {
    batch.column_by_name(name).and_then(|column| column.as_string_view_opt()).ok_or_else(missing)
}

fn missing() -> Error {
    Error::new(ErrorKind::Internal, "links lack a column that edges are made of; please report this")
}
