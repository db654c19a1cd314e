//! The definition that an input was read by, as a format file: that of the format; or, of a definition that was made in
//! the run, one that is written here, without its sample.

use std::fmt::Write;

use urimill_base::error::{Error, Result};
use urimill_read::format::DefinitionFile;

use super::definition::{Definition, Escapes, Form, Writer};
use super::describe::{Described, LineForm};
use super::notation::Notation;
use super::pattern::{Part, Pattern, Reach};
use super::{Log, guess};

/// Longer lines are no samples.
const LONGEST: usize = 16 << 10;

impl Log {
    /// See [`urimill_read::format::RecordFormat::definition`].
    pub(super) fn file(&self) -> Result<Option<DefinitionFile>> {
        let text = match (&self.described, &self.definition.form) {
            (Some(described), _) => described_file(described)?,
            (None, Form::Objects { .. }) if self.definition.file.is_empty() => objects_file(self.definition),
            (None, _) if self.definition.file.is_empty() => return Ok(None),
            (None, _) => {
                let text = self.definition.file.to_owned();
                return Ok(Some(DefinitionFile { text, lines: None }));
            }
        };
        Ok(Some(DefinitionFile { text, lines: Some(self.samples.to_vec()) }))
    }

    /// Whether the definition was made in the run.
    pub(super) fn is_made(&self) -> bool {
        self.described.is_some() || self.definition.name == guess::NAME
    }
}

/// The lines that may be samples.
pub(super) fn samples(lines: Vec<Vec<u8>>) -> Vec<String> {
    let is_plain =
        |line: &String| line.len() <= LONGEST && !line.chars().any(|c| c.is_control() && c != '\t');
    lines.into_iter().filter_map(|line| String::from_utf8(line).ok()).filter(is_plain).collect()
}

/// A text as TOML has it: the escapes of JSON are ones of TOML, too.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A list of texts, a line each if they are long.
fn list(texts: &[&str]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    let line = texts.join(", ");
    if line.len() > 90 { format!("[\n    {},\n]", texts.join(",\n    ")) } else { format!("[{line}]") }
}

fn objects_file(definition: &Definition) -> String {
    let mut text = format!(
        "name = {}\ntitle = {}\nkind = \"json\"\n",
        quoted(definition.name),
        quoted(definition.about)
    );
    if let Form::Objects { detected_by, fields, .. } = &definition.form {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "told_by = {}\n\n[fields]", list(detected_by));
        for (path, field) in *fields {
            let _ = writeln!(text, "{} = {}", quoted(path), quoted(field));
        }
    }
    text
}

fn described_file(described: &Described) -> Result<String> {
    let written = match described.writer {
        Writer::Escapes => "escaped",
        Writer::Raw => "raw",
        Writer::Pads => "padded",
    };
    let escapes = match described.escapes {
        Escapes::None => "none",
        Escapes::Backslash => "backslash",
        Escapes::Percent => "percent",
        Escapes::Zeek => "zeek",
        Escapes::Hash => "hash",
        Escapes::Html => "html",
        _ => return Err(inexpressible()),
    };
    let forms = described.forms.iter().map(form).collect::<Result<Vec<_>>>()?;
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    Ok(format!(
        "name = \"log-format\"\ntitle = \"a log that a format string describes\"\nkind = \"lines\"\nwritten = {}\n\
         escapes = {}\nlines = {}\n",
        quoted(written),
        quoted(escapes),
        list(&forms)
    ))
}

/// A form of lines, as a file has it.
fn form(form: &LineForm) -> Result<String> {
    let mut parts = Vec::new();
    let mut skipped = 0;
    for part in &form.parts {
        let field = match part.reach {
            Reach::Word => field(&part.field, false),
            Reach::Words | Reach::Pair => field(&part.field, true),
            Reach::Before(_) | Reach::Quotable => return Err(inexpressible()),
        };
        let field = if matches!(&*field, ":text" | ":words") { skip(&mut skipped, &field) } else { field };
        parts.push(Part { lead: part.lead.clone(), field, reach: Reach::Word });
    }
    let mut text = String::new();
    let mut is_in_brace = false;
    for (at, part) in parts.iter().enumerate() {
        let lead = if is_in_brace { part.lead.strip_prefix('}').unwrap_or(&part.lead) } else { &part.lead };
        let next = parts.get(at + 1).map_or(&*form.tail, |next| &next.lead);
        is_in_brace = lead.ends_with('{') && next.starts_with('}');
        let field = &part.field;
        // Writing to a string cannot fail.
        let _ = match lead.strip_suffix('{').filter(|_| is_in_brace) {
            Some(lead) => write!(text, "{lead}{{{{{field}}}}}"),
            None => write!(text, "{lead}{{{field}}}"),
        };
    }
    text.push_str(if is_in_brace { form.tail.strip_prefix('}').unwrap_or(&form.tail) } else { &form.tail });
    // What is read of it has to be the same.
    match Pattern::parts(&text)? {
        (read, tail, ends) if read == parts && tail == form.tail && ends.is_empty() => Ok(text),
        _ => Err(inexpressible()),
    }
}

/// A field, whose name alone says no kind in a format string; nothing encloses it, and there may be spaces in it.
fn field(field: &str, has_spaces: bool) -> String {
    let Notation { name, kind, .. } = Notation::described(field);
    let signs = field.find(['=', '~', '?', '!']).map_or("", |at| &field[at..]);
    let kind = match kind {
        "" if has_spaces => "words",
        "time" if has_spaces => "moment",
        "" => "text",
        kind => kind,
    };
    format!("{name}:{kind}{signs}")
}

/// A column for a field that the string skips.
fn skip(count: &mut usize, field: &str) -> String {
    *count += 1;
    if *count == 1 { format!("skipped{field}") } else { format!("skipped_{count}{field}") }
}

fn inexpressible() -> Error {
    Error::usage(
        "the format string has fields without a text between them, such as a host before a path, and no format file \
         can say where one ends: write the file by hand, with one field for both, as in {:url}",
    )
}
