//! `urimill schema`: the columns with types and meaning, those of the fields of logs, and the flags; or the columns
//! of another table.

use std::io::{self, Write};

use arrow_schema::{DataType, FieldRef};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::schemas::Schema;
use crate::audit::FLAGS;
use crate::batch::{Column, Columns, FIELD_ERRORS};
use crate::error::{Error, Result};
use crate::files::streams::{self, Stream};
use crate::input::format::{self, Known};
use crate::output::exit_schema;
use crate::table::{self, COLUMNS, ForeignColumn};
use crate::uri::Code;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Format of the output
    #[arg(long = "to", value_enum, default_value_t = Form::Text)]
    form: Form,

    /// The table to describe
    #[arg(long, value_enum, value_name = "SCHEMA", default_value_t = Schema::Table)]
    schema: Schema,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// A table for people
    Text,
    /// One JSON object
    Json,
}

struct Row {
    name: &'static str,
    data_type: DataType,
    nullable: bool,
    default: bool,
    meaning: &'static str,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let text = match (arguments.schema, arguments.form) {
        (Schema::Table, form) => own(form),
        (Schema::CcIndex, Form::Text) => cc_index_text(),
        (Schema::CcIndex, Form::Json) => cc_index_json(),
    };
    streams::check_open(Stream::Output)?;
    io::stdout().write_all(text.as_bytes()).map_err(|error| Error::io("write", "standard output", error))
}

fn own(form: Form) -> String {
    let default = Columns::default();
    let exit = exit_schema(&Columns::new(Column::ALL).schema());
    let rows: Vec<Row> = Column::ALL
        .into_iter()
        .zip(exit.fields())
        .map(|(column, field)| Row {
            name: column.as_str(),
            data_type: field.data_type().clone(),
            nullable: column.is_nullable(),
            default: default.contains(column),
            meaning: column.meaning(),
        })
        .collect();
    match form {
        Form::Text => text(&rows),
        Form::Json => json(&rows),
    }
}

/// Common Crawl's columns.
fn cc_index_text() -> String {
    let mut text = "Columns of Common Crawl's columnar index (--schema cc-index)\n".to_owned();
    for (column, data_type) in cc_index() {
        let nullable = if column.nullable { "null" } else { "" };
        text.push_str(&format!("  {:<27} {data_type:<18} {nullable:<5} {}\n", column.name, column.meaning));
    }
    text.push_str("\nRequired columns that a format has no values for (see --fill)\n");
    let known = format::KNOWN.iter().map(|(name, _)| *name);
    for name in known.chain(["lines", "csv", "tsv", "jsonl"]) {
        let names: Vec<_> = table::lacking(name).map(|column| column.name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        text.push_str(&format!("  {name:<27} {names}\n"));
    }
    text
}

fn cc_index_json() -> String {
    let columns = cc_index().map(|(column, data_type)| {
        json!({
            "name": column.name, "type": data_type, "nullable": column.nullable, "meaning": column.meaning,
        })
    });
    format!("{}\n", json!({ "columns": columns.collect::<Vec<_>>() }))
}

fn cc_index() -> impl Iterator<Item = (ForeignColumn, String)> {
    COLUMNS.into_iter().map(|column| (column, inside_name(column.field(false).data_type())))
}

/// The name of a type, of a list or struct with what it holds; `?` behind it where that may be null.
fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(element) => format!("List<{}>", type_name(element.data_type())),
        DataType::Struct(fields) => {
            let field = |field: &FieldRef| {
                let mark = if field.is_nullable() { "?" } else { "" };
                format!("{} {}{mark}", field.name(), type_name(field.data_type()))
            };
            format!("Struct<{}>", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// The name of a type for people: of a struct the names of its fields, with the types of those that are no texts.
fn short_name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(element) => format!("List<{}>", short_name(element.data_type())),
        DataType::Struct(fields) => {
            let name = |field: &FieldRef| match field.data_type() {
                DataType::Utf8 => field.name().clone(),
                other => format!("{} {other}", field.name()),
            };
            let names: Vec<String> = fields.iter().map(name).collect();
            format!("Struct<{}>", names.join(", "))
        }
        other => other.to_string(),
    }
}

fn field_type(field: &Known) -> String {
    inside_name(&field.kind.data_type())
}

/// The name of the type that a column has at the exits.
fn inside_name(inside: &DataType) -> String {
    match inside {
        DataType::Utf8View => "Utf8".to_owned(),
        DataType::Timestamp(..) => "Timestamp(ms, UTC)".to_owned(),
        other => type_name(other),
    }
}

fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut line = |parts: std::fmt::Arguments<'_>| text.push_str(&format!("{parts}\n"));
    let section = |default: bool| rows.iter().filter(move |row| row.default == default);
    for (title, is_default) in [("Columns of the table", true), ("Optional columns (--columns +NAME)", false)]
    {
        line(format_args!("{title}"));
        let width = section(is_default).map(|row| short_name(&row.data_type).len()).max().unwrap_or(0);
        for row in section(is_default) {
            let (name, data_type) = (row.name, short_name(&row.data_type));
            let nullable = if row.nullable { "null" } else { "" };
            line(format_args!("  {name:<17} {data_type:<width$} {nullable:<5} {}", row.meaning));
        }
        line(format_args!(""));
    }
    for (format, fields) in format::KNOWN {
        line(format_args!("Columns of the other fields (--from {format})"));
        for field in fields {
            line(format_args!("  {:<28} {}", field.name, field_type(field)));
        }
        line(format_args!(
            "  {:<28} {:<10} field:reason,… for fields that are not values of their types",
            FIELD_ERRORS, "Utf8"
        ));
        line(format_args!(""));
    }
    line(format_args!("Flags (bits of the column flags; names in JSON Lines and CSV)"));
    for flag in FLAGS {
        line(format_args!("  {:>9}  {:<24} {}", flag.bit, flag.name, flag.meaning.trim()));
    }
    line(format_args!(""));
    line(format_args!("Codes of the column error"));
    for code in Code::ALL {
        line(format_args!("  {:<25} {}", code.as_str(), code.sentence()));
    }
    text
}

fn json(rows: &[Row]) -> String {
    let columns: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "name": row.name, "type": type_name(&row.data_type), "nullable": row.nullable,
                "default": row.default, "meaning": row.meaning,
            })
        })
        .collect();
    let flags: Vec<_> = FLAGS
        .iter()
        .map(|flag| json!({ "bit": flag.bit, "name": flag.name, "meaning": flag.meaning.trim() }))
        .collect();
    let fields: serde_json::Map<_, _> = format::KNOWN
        .iter()
        .map(|(format, fields)| {
            let fields = fields.iter().map(|field| json!({ "name": field.name, "type": field_type(field) }));
            ((*format).to_owned(), fields.collect())
        })
        .collect();
    let codes: Vec<_> =
        Code::ALL.iter().map(|code| json!({ "code": code.as_str(), "meaning": code.sentence() })).collect();
    format!("{}\n", json!({ "columns": columns, "fields": fields, "flags": flags, "errors": codes }))
}
