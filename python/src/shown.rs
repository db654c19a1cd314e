//! Tables for people: their beginning as text or as HTML, with passwords masked.

use std::fmt::Write;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use urimill::passwords::masked;

/// The rows that are shown.
pub(crate) const SHOWN_ROWS: usize = 8;
const SHOWN_CHARS: usize = 40;
const SHOWN_WIDTH: usize = 110;

/// The beginning of a table as text. Columns that do not fit are named after it.
pub(crate) fn drawn(batches: &[RecordBatch], schema: &SchemaRef, rows: usize) -> String {
    let mut lines = vec![String::new(); 1 + batches.iter().map(RecordBatch::num_rows).sum::<usize>()];
    let mut width = 0;
    for (place, field) in schema.fields().iter().enumerate() {
        let cells = [vec![shortened(field.name())], cells(batches, schema, place)].concat();
        let own = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        if width > 0 && width + own > SHOWN_WIDTH {
            let rest = schema.fields()[place..].iter().map(|field| field.name().as_str());
            lines.push(format!("… and the columns {}", rest.collect::<Vec<_>>().join(", ")));
            break;
        }
        for (line, cell) in lines.iter_mut().zip(&cells) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{cell:<own$}  ");
        }
        width += own + 2;
    }
    if let Some(more) = more(rows) {
        lines.insert(1 + SHOWN_ROWS, more);
    }
    lines.iter().map(|line| format!("\n{}", line.trim_end())).collect()
}

/// The beginning of a table as HTML, with all columns and their types.
pub(crate) fn table_html(
    py: Python<'_>,
    (title, batches, rows): (&str, &[RecordBatch], usize),
    schema: &SchemaRef,
) -> PyResult<String> {
    let columns = (0..schema.fields().len()).map(|place| cells(batches, schema, place));
    let columns: Vec<Vec<String>> = columns.collect();
    let heads = schema.fields().iter().map(|field| (field.name().as_str(), field.data_type().to_string()));
    let heads = heads.map(|(name, kind)| {
        Ok(format!("<th>{}<br><small>{}</small></th>", escaped(py, &shortened(name))?, escaped(py, &kind)?))
    });
    let shown = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    let lines = (0..shown).map(|row| {
        let cells = columns.iter().map(|column| Ok(format!("<td>{}</td>", escaped(py, &column[row])?)));
        Ok(format!("<tr>{}</tr>\n", cells.collect::<PyResult<String>>()?))
    });
    Ok(format!(
        "<div>{}<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>{}</div>",
        escaped(py, title)?,
        heads.collect::<PyResult<String>>()?,
        lines.collect::<PyResult<String>>()?,
        more(rows).unwrap_or_default(),
    ))
}

/// A text within an element or an attribute of HTML.
pub(crate) fn escaped(py: Python<'_>, text: &str) -> PyResult<String> {
    py.import("html")?.call_method1("escape", (text,))?.extract()
}

fn more(rows: usize) -> Option<String> {
    (rows > SHOWN_ROWS).then(|| format!("… {} more rows", rows - SHOWN_ROWS))
}

/// The values of a column as they are shown; none of a type that cannot be.
fn cells(batches: &[RecordBatch], schema: &SchemaRef, place: usize) -> Vec<String> {
    let is_userinfo = schema.field(place).name().trim_start_matches("field_") == "userinfo";
    let shown = |text: String| match text.split_once(':') {
        Some((name, _)) if is_userinfo => shortened(&format!("{name}:***")),
        _ => shortened(&masked(&text)),
    };
    let options = FormatOptions::default().with_null("-").with_display_error(true);
    let of_batch = |batch: &RecordBatch| -> Vec<String> {
        let rows = 0..batch.num_rows();
        match ArrayFormatter::try_new(batch.column(place), &options) {
            Ok(column) => rows.map(|row| shown(column.value(row).to_string())).collect(),
            Err(_) => rows.map(|_| "?".to_owned()).collect(),
        }
    };
    batches.iter().flat_map(of_batch).collect()
}

/// A text without control characters, cut to fit a cell.
pub(crate) fn shortened(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| match c.is_control() {
        true => c.escape_default().collect::<Vec<_>>(),
        false => vec![c],
    });
    let mut shown: String = escaped.take(SHOWN_CHARS + 1).collect();
    if shown.chars().count() > SHOWN_CHARS {
        shown = shown.chars().take(SHOWN_CHARS - 1).chain(['…']).collect();
    }
    shown
}
