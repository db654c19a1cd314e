//! Writes the definitions of the files of `formats` as Rust source: a run reads no TOML to know the formats of urimill.
//! It makes them with the modules that read a user's file.

// The package uses what is not used here.
#![allow(dead_code, unreachable_pub)]

#[path = "src/definition.rs"]
mod definition;
#[path = "src/files"]
mod files {
    pub(crate) mod make;
    pub(crate) mod model;
    mod values;
}
#[path = "src/forms.rs"]
mod forms;

use std::path::Path;
use std::{env, fs};

use definition::{Definition, Form, Header, HeaderKind};

fn main() {
    println!("cargo:rerun-if-changed=formats");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("formats");
    let files = fs::read_dir(&folder).expect("the folder of the formats");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    // The order of a folder differs from machine to machine.
    paths.sort();
    let mut source = String::from("[\n");
    for path in &paths {
        let text: &'static str = fs::read_to_string(path).expect("a file in UTF-8").leak();
        let name = path.display().to_string();
        let read = files::make::definition(text);
        let (_, definition) = read.unwrap_or_else(|fault| panic!("{}", fault.in_file(&name, text)));
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        assert_eq!(stem, Some(definition.name), "a file has the name of its format");
        source.push_str(&written(&definition, &name));
    }
    source.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("formats.rs");
    fs::write(out, source).expect("written");
}

/// The source of a definition whose file is at `path`. Of texts, and of pairs of texts, `Debug` writes what Rust reads.
fn written(definition: &Definition, path: &str) -> String {
    let Definition { name, about, form, escapes, values, before, nulls, skip, file: _ } = definition;
    let form = match form {
        Form::Lines(writer, forms) => format!("Form::Lines(Writer::{writer:?}, &{forms:?})"),
        Form::Objects { detected_by, fields, has_more_escapes } => format!(
            "Form::Objects {{ detected_by: &{detected_by:?}, fields: &{fields:?}, \
             has_more_escapes: {has_more_escapes} }}"
        ),
        Form::Pairs { dialect, lead, detected_by, fields } => format!(
            "Form::Pairs {{ dialect: Dialect::{dialect:?}, lead: &{lead:?}, detected_by: &{detected_by:?}, \
             fields: &{fields:?} }}"
        ),
        Form::Named { head, fields } => {
            let Header { detected_by, orders, is_mixed, has_more, separator } = head.header();
            let orders: String = orders.iter().map(|names| format!("&{names:?}, ")).collect();
            let kind = match head {
                HeaderKind::Extended(_) => "Extended",
                HeaderKind::Zeek(_) => "Zeek",
                HeaderKind::Csv(_) => "Csv",
            };
            format!(
                "Form::Named {{ head: HeaderKind::{kind}(&Header {{ detected_by: &{detected_by:?}, \
                 orders: &[{orders}], is_mixed: {is_mixed}, has_more: {has_more}, separator: {separator} }}), fields: &{fields:?} }}"
            )
        }
        Form::Clf | Form::Described => panic!("{name}: no file defines this form"),
    };
    let values: String = values.iter().map(|(name, form)| format!("({name:?}, {}), ", value(form))).collect();
    format!(
        "Definition {{ name: {name:?}, about: {about:?}, form: {form}, escapes: Escapes::{escapes:?}, \
         values: &[{values}], before: &{before:?}, nulls: &{nulls:?}, skip: &{skip:?}, \
         file: include_str!({path:?}) }},\n"
    )
}

/// The source of the form of a value.
fn value(form: &forms::Form) -> String {
    let forms::Form {
        allowed,
        first,
        last,
        needs,
        prefixes,
        words,
        never,
        begins,
        is_url,
        is_open,
        most,
        least,
        is_number,
    } = form;
    // A machine may have smaller numbers than this one.
    let most = if *most == usize::MAX { "usize::MAX".to_owned() } else { most.to_string() };
    format!(
        "forms::Form {{ allowed: {allowed}, first: {first}, last: {last}, needs: {needs:?}, prefixes: &{prefixes:?}, \
         words: &{words:?}, never: &{never:?}, begins: &{begins:?}, is_url: {is_url}, is_open: {is_open}, most: {most}, \
         least: {least}, is_number: {is_number} }}"
    )
}
