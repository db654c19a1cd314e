//! `urimill schema`: the columns with their types and meaning, the columns of the fields of logs, and the flags; or the
//! columns of another table.

use std::io::{self, Write};

use arrow_schema::{DataType, FieldRef};
use serde_json::json;

use crate::args::options::Given;
use urimill::audit::FLAGS;
use urimill::batch::{Column, Columns, FIELD_ERRORS, Kind};
use urimill::common_crawl;
use urimill::common_crawl::{COLUMNS, ForeignColumn};
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::read::Pages;
use urimill::read::format;
use urimill::read::format::FieldSpec;
use urimill::run::options::Job;
use urimill::run::{InputFormat, TableSchema};
use urimill::streams::{self, Stream};
use urimill::uri::Code;
use urimill::write::export_schema;

/// The arguments of `urimill schema`.
pub(crate) type Arguments = Given<{ Job::Schema as usize }>;

struct Row {
    name: &'static str,
    data_type: DataType,
    nullable: bool,
    default: bool,
    meaning: &'static str,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format: Option<InputFormat> = arguments.parsed(OptionName::Format);
    let schema = arguments.parsed(OptionName::Schema).unwrap_or_default();
    let is_json = arguments.text(OptionName::OutputFormat) == Some("json");
    let text = match (format, schema, is_json) {
        (Some(format), _, false) => fields_text(format)?,
        (Some(format), _, true) => {
            format!("{}\n", json!({ "format": format.name(), "fields": fields_json(&fields_of(format)?) }))
        }
        (None, TableSchema::CcIndex, false) => cc_index_text(),
        (None, TableSchema::CcIndex, true) => cc_index_json(),
        (None, _, is_json) => own(is_json),
    };
    streams::check_open(Stream::Output)?;
    io::stdout().write_all(text.as_bytes()).map_err(|error| Error::io("write", "standard output", error))
}

fn own(is_json: bool) -> String {
    let default = Columns::default();
    let exit = export_schema(&Columns::new(Column::ALL).schema());
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
    if is_json { json(&rows) } else { text(&rows) }
}

/// Common Crawl's columns as JSON.
fn cc_index_text() -> String {
    let mut text = "Columns of Common Crawl's columnar index (--schema cc-index)\n".to_owned();
    for (column, data_type) in cc_index() {
        let nullable = if column.nullable { "null" } else { "" };
        text.push_str(&format!("  {:<27} {data_type:<18} {nullable:<5} {}\n", column.name, column.meaning));
    }
    text.push_str("\nRequired columns that a format has no values for (see --fill)\n");
    let known = InputFormat::with_fields().map(InputFormat::name);
    for name in known.chain(["lines", "csv", "tsv", "jsonl"]) {
        let names: Vec<_> = common_crawl::lacking(name).map(|column| column.name).collect();
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

/// The name of a type: lists and structs with their element and field types, and `?` after a type that may be null.
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

/// The short name of a type for people: a struct has the names of its fields, with the types of those that are not
/// strings.
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

/// The name and the type of a field's column.
type NamedType = (String, String);

fn of_known(fields: &[FieldSpec]) -> Vec<NamedType> {
    fields.iter().map(|field| (field.name.to_owned(), inside_name(&field.kind.data_type()))).collect()
}

/// The columns of logs' other fields, by format.
fn of_logs() -> impl Iterator<Item = (&'static str, Vec<NamedType>)> {
    let columns = |name| format::log_columns(name).unwrap_or_default().into_iter();
    let typed = |(name, kind): (String, Kind)| (name, inside_name(&kind.data_type()));
    format::log_formats().map(move |(name, _)| (name, columns(name).map(typed).collect()))
}

/// The columns of a format's other fields.
///
/// # Errors
/// `Usage` for formats whose fields depend on the input.
fn fields_of(format: InputFormat) -> Result<Vec<NamedType>> {
    let known = Some(format.fields()).filter(|fields| !fields.is_empty()).map(of_known);
    known.or_else(|| of_logs().find(|(name, _)| *name == format.name()).map(|(_, fields)| fields)).ok_or_else(
        || {
            let names: Vec<_> = InputFormat::with_fields().map(InputFormat::name).collect();
            let logs: Vec<_> = format::log_formats().map(|(name, _)| name).collect();
            Error::usage(format!(
                "{} has no columns of its own: the fields of an input are its columns; those of {}, {} are known",
                OptionName::Format.with(format.name()),
                names.join(", "),
                logs.join(", ")
            ))
        },
    )
}

fn fields_json(fields: &[NamedType]) -> serde_json::Value {
    fields.iter().map(|(name, data_type)| json!({ "name": name, "type": data_type })).collect()
}

fn fields_text(format: InputFormat) -> Result<String> {
    let mut text = section(format.name(), &fields_of(format)?);
    if format::has_named_fields(format.name()) {
        text.push_str("Every other field that the header of an input names has a column of text.\n");
    }
    if format::log_columns(format.name()).is_some() {
        text.push_str("prefix has what stood before a line, such as a prefix of syslog, if anything did.\n");
    }
    Ok(text)
}

/// The columns of a format's other fields, for people.
fn section(format: &str, fields: &[NamedType]) -> String {
    let mut text = format!("Columns of the other fields (--from {format})\n");
    for (name, data_type) in fields {
        text.push_str(&format!("  {name:<28} {data_type}\n"));
    }
    text.push_str(&format!(
        "  {FIELD_ERRORS:<28} {:<10} field:reason,… for fields that are not values of their types\n",
        "Utf8"
    ));
    text
}

/// The name of the type that a column has in outputs.
pub(super) fn inside_name(inside: &DataType) -> String {
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
    line(format_args!("Columns of urimill links, beside those of the table"));
    for (name, kind, meaning) in Pages::fields() {
        line(format_args!("  {name:<17} {:<10} {:<5} {meaning}", inside_name(&kind.data_type()), "null"));
    }
    line(format_args!(""));
    for format in InputFormat::with_fields() {
        line(format_args!("{}", self::section(format.name(), &of_known(format.fields()))));
    }
    line(format_args!("Logs with columns of their own (urimill schema --from NAME prints them)"));
    for (name, about) in format::log_formats() {
        line(format_args!("  {name:<17} {about}"));
    }
    line(format_args!(""));
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
    let fields: serde_json::Map<_, _> = InputFormat::with_fields()
        .map(|format| (format.name(), of_known(format.fields())))
        .chain(of_logs())
        .map(|(format, fields)| (format.to_owned(), fields_json(&fields)))
        .collect();
    let codes: Vec<_> =
        Code::ALL.iter().map(|code| json!({ "code": code.as_str(), "meaning": code.sentence() })).collect();
    let links: Vec<_> = Pages::fields()
        .map(|(name, kind, meaning)| {
            json!({ "name": name, "type": inside_name(&kind.data_type()), "nullable": true, "meaning": meaning })
        })
        .collect();
    let all = json!({
        "columns": columns, "links": links, "fields": fields, "flags": flags, "errors": codes,
    });
    format!("{all}\n")
}
