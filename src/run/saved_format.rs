//! The definition by which an input was read, written to a format file with the sample that it needs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use serde_json::Value;
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_logs::quoted;
use urimill_read::Format;
use urimill_uri::passwords::{Hide, hidden};
use urimill_write::Target;

use super::format_file::FormatFile;
use super::format_samples::Rows;
use super::input_format::InputFormat;

/// The file, which is complete and has no name yet.
pub(super) struct SavedFormat {
    target: Target,
}

impl SavedFormat {
    /// The definition of the format, for the file at `path`.
    ///
    /// # Errors
    /// Usage, if the format has none that a file can have; `Io`, if the file cannot be written.
    pub(super) fn new(path: &Path, mut target: Target, format: &Format, hide: Hide) -> Result<SavedFormat> {
        let Some(file) = format.definition()? else {
            return Err(Error::usage(format!(
                "{} is for logs whose format a file defines, and {} is not one: drop it",
                OptionName::SaveFormat.named(),
                format.name()
            )));
        };
        let text = match file.lines {
            None => file.text,
            Some(lines) => {
                let text = format!("name = {}\n{}", quoted(&name_of(path)), rest(&file.text));
                let lines = lines.iter().map(|line| hidden(line.as_bytes(), hide).into_owned());
                sampled(path, text, lines)?
            }
        };
        target.write_all(text.as_bytes()).map_err(|error| Error::path("write", path, error))?;
        Ok(SavedFormat { target })
    }

    pub(super) fn commit(self) -> Result<()> {
        self.target.commit().map(drop)
    }
}

/// The text after the first line, which has the name.
fn rest(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

/// The name of a format in a file of this name.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let name: String = stem.chars().map(|c| if is_part(c) { c } else { '-' }).collect();
    let is_taken = name.parse::<InputFormat>().is_ok() || name == InputFormat::DESCRIBED.name();
    match name.starts_with(|c: char| c.is_ascii_lowercase()) && !is_taken {
        true => name,
        false => format!("my-{name}"),
    }
}

/// The text with the first of the lines that has a row with a URI, and with its row.
fn sampled(path: &Path, text: String, lines: impl Iterator<Item = Vec<u8>>) -> Result<String> {
    let empty = format!("{text}\n[[sample]]\ntext = ''\nrows = []\n");
    let file = FormatFile::parse(path.display().to_string(), &empty)?;
    let names: Vec<String> = file.columns().into_iter().map(|(name, ..)| name).collect();
    for line in lines.filter_map(|line| String::from_utf8(line).ok()) {
        // A line that no run can read is no sample.
        let Ok(rows) = file.rows("the sample", &line) else { continue };
        if let Some(row) = row(&rows, &names) {
            return Ok(format!("{text}\n[[sample]]\ntext = {}\n\n[[sample.rows]]\n{row}", literal(&line)));
        }
    }
    Ok(empty)
}

/// The values of the row, if there is one and it has a URI.
fn row(rows: &Rows, names: &[String]) -> Option<String> {
    let [row] = &rows[..] else { return None };
    let is_right =
        row.get("error").is_none_or(Value::is_null) && row.get("uri").is_some_and(Value::is_string);
    let mut text = String::new();
    for name in ["uri"].into_iter().chain(names.iter().map(String::as_str)) {
        let value = match row.get(name) {
            Some(Value::String(value)) => quoted(value),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
            _ => continue,
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} = {value}");
    }
    is_right.then_some(text)
}

/// A text as it is written, if TOML can have it so.
fn literal(text: &str) -> String {
    let has_quote = text.contains("'''") || text.ends_with('\'');
    if has_quote || text.chars().any(char::is_control) { quoted(text) } else { format!("'''\n{text}'''") }
}
