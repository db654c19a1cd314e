//! The samples of files that define formats: their rows, and what differs.

use std::io::Cursor;

use serde_json::{Map, Value};
use urimill_base::error::{Error, Result};
use urimill_read::format::Keep;

use super::conversion::Conversion;
use super::format_file::FormatFile;

/// Rows as JSON Lines has them.
pub(super) type Rows = Vec<Map<String, Value>>;

impl FormatFile {
    /// Reads the samples, and says for each value that differs what it is; nothing if all are as the file has them.
    ///
    /// # Errors
    /// A run of the samples fails.
    pub fn test(&self) -> Result<Vec<String>> {
        let (samples, refused) = urimill_logs::samples(&self.called, self.text())?;
        let mut faults = Vec::new();
        for (number, sample) in (1..).zip(&samples) {
            let name = format!("{}: sample {number}", self.called);
            // A run in which no line fits says where the first one stops.
            let rows = match self.rows(&name, &sample.text) {
                Ok(rows) => rows,
                Err(error) => {
                    faults.push(error.to_string());
                    continue;
                }
            };
            if rows.len() != sample.rows.len() {
                let rows = if rows.len() == 1 { "1 row".to_owned() } else { format!("{} rows", rows.len()) };
                faults.push(format!("{name} has {rows}, not {}", sample.rows.len()));
            }
            for (row, (is, wanted)) in (1..).zip(rows.iter().zip(&sample.rows)) {
                faults.extend(differing(is, wanted).map(|what| format!("{name}, row {row}: {what}")));
            }
        }
        if !faults.is_empty() {
            return Ok(faults);
        }
        // A run refuses an input of which no line fits.
        let (right, count) =
            samples.first().map_or(("", 0), |sample| (sample.text.trim_end(), sample.rows.len()));
        for (number, refused) in (1..).zip(&refused) {
            let name = format!("{}: refused line {number}", self.called);
            let rows = self.rows(&name, &format!("{right}\n{}", refused.text))?;
            if rows.len() == count {
                faults.push(format!("{name} has no row"));
            }
            for row in rows.into_iter().skip(count) {
                let at = row.get("error_offset").and_then(Value::as_u64);
                match (row.get("error").and_then(Value::as_str), refused.at) {
                    (Some("record_malformed"), None) => {}
                    (Some("record_malformed"), Some(wanted)) if at == Some(wanted) => {}
                    (Some("record_malformed"), Some(wanted)) => faults.push(format!(
                        "{name} stops fitting at byte {}, not {wanted}",
                        at.unwrap_or_default()
                    )),
                    _ => faults.push(format!("{name} is read: {}", Value::Object(row))),
                }
            }
        }
        Ok(faults)
    }

    /// The number of its samples and refused lines.
    ///
    /// # Errors
    /// None: the file has been read before.
    pub fn counts(&self) -> Result<(usize, usize)> {
        let (samples, refused) = urimill_logs::samples(&self.called, self.text())?;
        Ok((samples.len(), refused.len()))
    }

    /// The text of its first sample, and its rows as JSON objects.
    ///
    /// # Errors
    /// A run of the samples fails.
    pub fn example(&self) -> Result<Option<(String, Rows)>> {
        let (samples, _) = urimill_logs::samples(&self.called, self.text())?;
        let Some(sample) = samples.into_iter().next() else { return Ok(None) };
        let rows = self.rows("the sample", &sample.text)?;
        Ok(Some((sample.text, rows)))
    }

    /// The rows of lines, as JSON Lines has them.
    pub(super) fn rows(&self, name: &str, text: &str) -> Result<Rows> {
        let run = Conversion::new().format_file(self.clone()).format(self.format).keep(Keep::All);
        let mut batches = run.inputs_from(Cursor::new(text.to_owned()), name).into_batches()?;
        let mut rows = Vec::new();
        while let Some(batch) = batches.next_batch()? {
            let written = urimill_write::text::jsonl::lines(&batch).map_err(Error::usage)?;
            let read =
                |line: &[u8]| serde_json::from_slice(line).map_err(|error| Error::usage(error.to_string()));
            let lines = written.split(|&b| b == b'\n').filter(|line| !line.is_empty());
            rows.extend(lines.map(read).collect::<Result<Vec<_>>>()?);
        }
        Ok(rows)
    }
}

/// The values of a row that are not as a sample has them.
fn differing<'r>(
    row: &'r Map<String, Value>,
    wanted: &'r Map<String, Value>,
) -> impl Iterator<Item = String> + 'r {
    wanted.iter().filter_map(|(name, wanted)| match row.get(name) {
        // TOML has no null; an empty text stands for it.
        Some(Value::Null) if wanted == "" => None,
        Some(value) if value == wanted => None,
        Some(value) => Some(format!("{name} is {value}, not {wanted}")),
        None => {
            let names: Vec<&str> = row.keys().map(String::as_str).collect();
            Some(format!("there is no column {name:?}: the columns are {}", names.join(", ")))
        }
    })
}
