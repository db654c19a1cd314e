//! The table of definitions for `docs/FORMATS.md`: for each format how it is detected, where its URIs are, and its
//! columns. A test compares the document with it; `URIMILL_WRITE_DOCS=1` writes it anew.

use std::fmt::Write;
use std::path::Path;

use urimill_columns::batch::Kind;
use urimill_read::format::keep::Keep;

use super::escapes::Escapes;
use super::shape::{self, Roles, Shape, Slot};
use super::table;
use super::table::{Definition, Form, HeaderKind, Writer};
use super::{Engine, Log};

const BEGIN: &str = "<!-- the table of definitions: written by a test -->\n";
const END: &str = "<!-- end of the table -->\n";

/// How an input is detected.
fn recognition(definition: &Definition) -> String {
    match &definition.form {
        Form::Lines(Writer::Pads, _) => "lines of its form, padded with spaces".into(),
        Form::Lines(_, forms) => match forms.len() {
            1 => "lines of its form".into(),
            many => format!("lines of one of its {many} forms"),
        },
        Form::Objects { detected_by, .. } => {
            let names: Vec<_> =
                detected_by.iter().map(|name| format!("`{}`", name.replace('|', "` or `"))).collect();
            format!("objects with {}", names.join(", "))
        }
        Form::Named { head: HeaderKind::Extended([]), .. } => "`#Fields:`".into(),
        Form::Named { head: HeaderKind::Extended(known), .. } => {
            let mut counts: Vec<_> = known.iter().map(|names| names.len()).collect();
            counts.sort_unstable();
            let counts: Vec<_> = counts.iter().map(usize::to_string).collect();
            let (first, counts) = (known[0][0], counts.join(", "));
            format!(
                "`#Fields:` with `x-edge-location` and `{first}`, or as many fields with tabs between: {counts}"
            )
        }
        Form::Named { head: HeaderKind::Zeek, .. } => "`#fields` with `id.orig_h` and `uri`".into(),
        Form::Named { head: HeaderKind::Csv, .. } => {
            "a first line with `time_micros`, `cs_uri` and `sc_status`".into()
        }
        Form::Clf | Form::Described => String::new(),
    }
}

/// The places of a URI's parts.
fn parts(definition: &Definition, roles: &Roles) -> String {
    let names = |field: &str| -> Vec<String> {
        let fields: &[(&str, &str)] = match &definition.form {
            Form::Objects { fields, .. } | Form::Named { fields, .. } => fields,
            _ => return Vec::new(),
        };
        let is = |(_, own): &&(&str, &str)| {
            shape::form(own)
                .0
                .split_once(':')
                .is_some_and(|(_, own)| field.split('|').any(|field| field == own))
        };
        fields.iter().filter(is).map(|(name, _)| format!("`{name}`")).collect()
    };
    let of = |what: &str, field: &str, slot: Option<Slot>| {
        slot.map(|_| match names(field) {
            names if names.is_empty() => what.to_owned(),
            names => format!("{what} ({})", names.join(", ")),
        })
    };
    let list = [
        of("request line", "request", roles.request),
        of("target", if roles.may_lack_scheme { "uri" } else { "url" }, roles.target),
        of("path", "path|whole-path", roles.path),
        of("query", "query", roles.query),
        of("scheme", "scheme", roles.scheme),
        of("host", "host|doubtful-host", roles.hosts.first().copied()),
        of("port", "port", roles.port),
        of("https where one says so", "secure|listener", roles.secure.first().map(|&(secure, _)| secure)),
    ];
    let parts = list.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let escapes = match table::escapes(definition.name) {
        Escapes::Backslash | Escapes::BackslashInName => "; `\\xHH` and `\\\"` are undone",
        Escapes::Zeek => "; `\\xHH` and `\\\\` are undone",
        Escapes::Percent => "; `%HH` is undone once",
        Escapes::Hash => "; `#HH` is undone",
        Escapes::None if table::has_escapes_beside_json(definition.name) => "; `\\xHH` in JSON is undone",
        Escapes::None | Escapes::PercentInUri | Escapes::Plus | Escapes::CookiePlus | Escapes::Quotes => "",
    };
    parts + escapes
}

fn columns(shape: &Shape) -> String {
    let columns = shape.columns.iter().filter(|column| !column.name.is_empty());
    let listed = columns.map(|column| match column.kind {
        Kind::Int32 => format!("`{}` i", column.name),
        Kind::Int64 | Kind::Micros(_) => format!("`{}` l", column.name),
        Kind::Time(_) => format!("`{}` t", column.name),
        _ => format!("`{}`", column.name),
    });
    listed.collect::<Vec<_>>().join(" ")
}

fn table() -> String {
    let mut text = String::from(
        "| `--from` | what it is | how it is told | where the URI is | columns |\n|---|---|---|---|---|\n",
    );
    for definition in table::all().filter(|definition| !matches!(definition.form, Form::Clf)) {
        // Every field of the definition, as if a header named all.
        let names: Vec<String> = match &definition.form {
            Form::Named { fields, .. } => fields.iter().map(|&(name, _)| name.to_owned()).collect(),
            _ => Vec::new(),
        };
        let log = Log::of(definition, &names, false, &Keep::All).expect("a definition");
        let more =
            if matches!(log.engine, Engine::Named(..)) { " and what else the header names" } else { "" };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {}{more} |",
            definition.name,
            definition.about,
            recognition(definition),
            parts(definition, &log.shape.roles),
            columns(&log.shape)
        );
    }
    text
}

#[test]
fn the_document_has_the_table_of_definitions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/FORMATS.md");
    let text = std::fs::read_to_string(&path).expect("the document");
    let (before, rest) = text.split_once(BEGIN).expect("where the table begins");
    let (own, behind) = rest.split_once(END).expect("where it ends");
    let table = table();
    if std::env::var_os("URIMILL_WRITE_DOCS").is_some() {
        std::fs::write(&path, [before, BEGIN, &table, END, behind].concat()).expect("written");
        return;
    }
    assert_eq!(own, table, "docs/FORMATS.md: run this test with URIMILL_WRITE_DOCS=1");
}
