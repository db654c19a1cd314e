//! The tables of documents: of formats in `docs/FORMATS.md`, for each how it is detected, where its URIs are, and its
//! columns; of kinds and of the dictionary in `docs/FORMAT-FILES.md`. A test compares the documents with them;
//! `URIMILL_WRITE_DOCS=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use urimill_columns::batch::Kind;
use urimill_read::format::keep::Keep;

use super::definition::{Definition, Escapes, Form, HeaderKind, Writer};
use super::dictionary;
use super::notation::{self, Notation};
use super::roles::{Roles, Slot};
use super::shape::Shape;
use super::table;
use super::wrappers::Unwrap;
use super::wrappers::array::ARRAYS;
use super::wrappers::member::LINES;
use super::{Engine, Log, guess};

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
        Form::Pairs { detected_by, .. } => {
            let names: Vec<_> =
                detected_by.iter().map(|name| format!("`{}`", name.replace('|', "` or `"))).collect();
            format!("names and values with {}", names.join(", "))
        }
        Form::Named { head, .. } => {
            let header = head.header();
            let names: Vec<_> =
                header.detected_by.iter().map(|name| format!("`{}`", name.replace('|', "` or `"))).collect();
            let names = names.join(", ");
            let mut told = match head {
                HeaderKind::Extended(_) if names.is_empty() => "`#Fields:`".into(),
                HeaderKind::Extended(_) => format!("`#Fields:` with {names}"),
                HeaderKind::Zeek(_) => format!("`#fields` with {names}"),
                HeaderKind::Csv(_) => format!("a first line with {names}"),
            };
            if !header.orders.is_empty() {
                let mut counts: Vec<_> = header.orders.iter().map(|names| names.len()).collect();
                counts.sort_unstable();
                let counts: Vec<_> = counts.iter().map(usize::to_string).collect();
                let _ = write!(told, ", or as many fields: {}", counts.join(", "));
            }
            told
        }
        Form::Clf | Form::Described => String::new(),
    }
}

/// The places of a URI's parts.
fn parts(definition: &Definition, roles: &Roles) -> String {
    let names = |field: &str| -> Vec<String> {
        let fields: &[(&str, &str)] = match &definition.form {
            Form::Objects { fields, .. } | Form::Pairs { fields, .. } | Form::Named { fields, .. } => fields,
            _ => return Vec::new(),
        };
        let is = |(_, own): &&(&str, &str)| field.split('|').any(|field| field == Notation::of(own).kind);
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
    let escapes = match definition.escapes {
        Escapes::Backslash | Escapes::BackslashInName => "; `\\xHH` and `\\\"` are undone",
        Escapes::Zeek => "; `\\xHH` and `\\\\` are undone",
        Escapes::Percent => "; `%HH` is undone once",
        Escapes::Hash => "; `#HH` is undone",
        Escapes::Html => "; references of HTML are undone",
        Escapes::None if definition.has_escapes_beside_json() => "; `\\xHH` in JSON is undone",
        Escapes::None
        | Escapes::PercentInUri
        | Escapes::Plus
        | Escapes::CookiePlus
        | Escapes::Quotes
        | Escapes::Event => "",
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

/// The names of members in JSON of any shape.
fn members() -> String {
    let rows = guess::names::all().map(|meaning| {
        let names: Vec<String> = meaning.names.split(' ').map(|name| format!("`{name}`")).collect();
        format!("| `{}` | {} |\n", guess::of_field(meaning.field), names.join(" "))
    });
    "| field | names |\n|---|---|\n".to_owned() + &rows.collect::<String>()
}

/// The kinds of values.
fn kinds() -> String {
    let rows = notation::KINDS.iter().map(|(kind, meaning)| format!("| `{kind}` | {meaning} |\n"));
    "| kind | what it is |\n|---|---|\n".to_owned() + &rows.collect::<String>()
}

/// The names of fields.
fn words() -> String {
    let rows = dictionary::WORDS.iter().map(|(name, notation, meaning)| {
        let (kind, is_column) = notation.strip_prefix(':').map_or((*notation, true), |kind| (kind, false));
        let kind = kind.split('=').next().unwrap_or_default();
        let kind = if kind.is_empty() { "text" } else { kind };
        let no_column = if is_column { "" } else { "; it makes the URI" };
        format!("| `{name}` | `{kind}` | {meaning}{no_column} |\n")
    });
    "| name | kind | what it is |\n|---|---|---|\n".to_owned() + &rows.collect::<String>()
}

/// The table of wrappers.
fn wrappers() -> String {
    let mut text = String::from("| `--unwrap` | written by | before a line |\n|---|---|---|\n");
    let shown = |example: &str| example.replace('\t', "→").replace('\u{1e}', "␞").replace('|', "\\|");
    for [name, about, example] in Unwrap::texts() {
        let _ = writeln!(text, "| `{name}` | {about} | `{}` |", shown(example));
    }
    text.push_str(
        "| `docker` | Docker's files (json-file): the member `log` beside `stream` or `time` | |\n\
         | `journald` | journalctl -o json: the member `MESSAGE` | |\n\
         | `json:PATH` | the member of an object at this path | |\n\
         | `csv:NAME`, `tsv:NAME` | the column of a table with this name or number; commas, semicolons, bars or tabs between | |\n\
         | `array`, `array:PATH` | a document of JSON that is an array, or whose member at this path is one; each element is a \
         record, or holds a line | |\n",
    );
    text
}

#[test]
fn the_documents_have_their_tables() {
    let parts = [
        ("FORMATS.md", "the table of definitions", "the table", table()),
        ("FORMATS.md", "the table of wrappers", "the table of wrappers", wrappers()),
        ("FORMATS.md", "the names of members", "the names of members", members()),
        ("FORMAT-FILES.md", "the kinds", "the kinds", kinds()),
        ("FORMAT-FILES.md", "the dictionary", "the dictionary", words()),
    ];
    for (name, begins, ends, table) in parts {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        let text = std::fs::read_to_string(&path).expect("the document");
        let begin = format!("<!-- {begins}: written by a test -->\n");
        let end = format!("<!-- end of {ends} -->\n");
        let (before, rest) = text.split_once(&begin).expect("where the table begins");
        let (own, behind) = rest.split_once(&end).expect("where it ends");
        if std::env::var_os("URIMILL_WRITE_DOCS").is_some() {
            std::fs::write(&path, [before, &begin, &table, &end, behind].concat()).expect("written");
            continue;
        }
        assert_eq!(own, table, "docs/{name}: run this test with URIMILL_WRITE_DOCS=1");
    }
    let text = include_str!("../../../docs/FORMATS.md");
    let names = ARRAYS.iter().filter_map(|array| array.name.strip_prefix("array:"));
    assert!(
        names.chain(LINES.iter().copied()).all(|name| text.contains(&format!("`{name}`"))),
        "names of members"
    );
}
