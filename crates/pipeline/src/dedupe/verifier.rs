//! The checksums that show that nothing was lost: those of the records read, of their keys and of the table. All are
//! compared before anything is published.
//!
//! A key identifies a row: its normal form, or the bytes of a reject, and its code. The keys of all records and those
//! of the rows, each multiplied by the row's count, must have the same sum: so no record is lost, doubled, or counted
//! in another row. When the table is read back, hashes of 128 bits show that no two rows have the same key.

use std::sync::{Arc, Mutex};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, StringArray};
use twox_hash::XxHash3_64;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::lock;
use urimill_base::threads::Workers;
use urimill_read::{Checksum, ReadChecksums};
use urimill_write::{Format, SinkOptions, UncommittedOutput};

use super::Key;
use super::batches;
use super::batches::Counts;
use super::tables::Records;
use super::variant::Kind;
use crate::verify;
use crate::verify::{OutputVerifier, Value};

/// The columns whose values are returned when the table is read back.
const READBACK: [&str; 5] = ["uri", "records", "error", "raw_bytes", "key"];

/// The code in the key of a record that states that it has no URI.
const NOTHING: &[u8] = b"null";
/// The same for a record that has a key besides its URI.
const KEY: &[u8] = b"key";

/// The checksums of a run, for `dedupe --verify`.
#[derive(Debug)]
pub struct Verifier {
    checksums: Arc<ReadChecksums>,
    read: Arc<verify::Verifier>,
    table: OutputVerifier,
    is_keyed: bool,
    /// The keys of the records, and of the rows multiplied by their counts.
    records: Mutex<Checksum>,
    rows: Mutex<Checksum>,
}

impl Verifier {
    /// Creates the checksums for a table in a format. Everything that the run reads must be added to the same
    /// checksums.
    ///
    /// # Errors
    /// Fails as [`OutputVerifier::new`] does.
    pub fn new(checksums: Arc<ReadChecksums>, format: Format, options: &SinkOptions) -> Result<Verifier> {
        Verifier::by(&Key::Uri, checksums, format, options)
    }

    /// The same for a table of distinct keys.
    ///
    /// # Errors
    /// Fails as [`OutputVerifier::new`] does.
    pub fn by(
        key: &Key,
        checksums: Arc<ReadChecksums>,
        format: Format,
        options: &SinkOptions,
    ) -> Result<Verifier> {
        let schema = batches::schema_by(key);
        let readback = READBACK.map(|name| schema.index_of(name).ok());
        let table = OutputVerifier::new(format, &schema, options, &[])?.reading_back(&schema, &readback);
        let read = Arc::new(verify::Verifier::of_records(Arc::clone(&checksums)));
        let is_keyed = *key != Key::Uri;
        Ok(Verifier { checksums, read, table, is_keyed, records: Mutex::default(), rows: Mutex::default() })
    }

    /// The checksums of the input, for the run that reads it.
    pub(super) fn records(&self) -> Arc<verify::Verifier> {
        Arc::clone(&self.read)
    }

    /// Adds records that will be counted.
    pub(super) fn made(&self, records: &Records<'_>) {
        let mut keys = Checksum::default();
        for row in 0..records.len() {
            let record = records.get(row);
            let code = match record.kind {
                Kind::NULL => Some(NOTHING),
                Kind::KEYED => Some(KEY),
                kind => kind.code().map(|code| code.as_str().as_bytes()),
            };
            keys.add_all(weighted(record.group(), code, 1));
        }
        lock(&self.records).add_all(keys);
    }

    /// Adds rows on their way to the table.
    pub(super) fn written(&self, batch: &RecordBatch) -> Result<()> {
        let texts = |name: &str| -> &StringArray { batch[name].as_string() };
        let (uri, error, raw_bytes) = (texts("uri"), texts("error"), batch["raw_bytes"].as_binary::<i32>());
        let records = batch["records"].as_primitive::<Int64Type>();
        let key = batch.column_by_name("key").map(|column| column.as_string::<i32>());
        let mut keys = Checksum::default();
        for row in 0..batch.num_rows() {
            let code = error.is_valid(row).then(|| error.value(row).as_bytes());
            let bytes = raw_bytes.is_valid(row).then(|| raw_bytes.value(row));
            let text = bytes.unwrap_or(uri.value(row).as_bytes());
            let code = if uri.is_null(row) { Some(NOTHING) } else { code };
            let key = key.filter(|key| key.is_valid(row)).map(|key| key.value(row).as_bytes());
            let (text, code) = key.map_or((text, code), |key| (key, Some(KEY)));
            keys.add_all(weighted(text, code, records.value(row) as u64));
        }
        lock(&self.rows).add_all(keys);
        self.table.add(batch)
    }

    /// Compares all of them with each other, and with the table as read back. `counts` are its rows. Only the beginning
    /// of the `cut` records is known, so these may look the same. `memory` limits the hashes that are held at a time.
    ///
    /// `Internal` or `Data` if something is not the same; `Io` if the table cannot be read.
    pub(super) fn check(
        &self,
        table: &UncommittedOutput,
        counts: &Counts,
        cut: u64,
        memory: usize,
    ) -> Result<()> {
        self.checksums.check()?;
        let (records, rows) = (*lock(&self.records), *lock(&self.rows));
        if records != rows {
            return Err(Error::new(
                ErrorKind::Internal,
                format!(
                    "the rows do not match the records: the rows count {}, there are {}, and their \
                     checksums differ; nothing was published. Test the memory of this machine; if it is \
                     sound, report this as a defect of urimill",
                    rows.count, records.count
                ),
            ));
        }
        // A list of URIs does not show which rows are bytes of rejects.
        let may_repeat = match (self.table.reads_back(1), self.is_keyed) {
            (true, _) => cut,
            (false, false) => cut + counts.not_utf8,
            // Different keys may have the same URI.
            (false, true) => u64::MAX,
        };
        // A growing list needs twice its memory for a moment.
        let bytes = counts.rows.saturating_mul(2 * size_of::<u128>() as u64);
        let passes = bytes.div_ceil(memory.max(1) as u64).max(1);
        let (mut rows_seen, mut repeated) = (0, 0);
        for pass in 0..passes {
            let begin = || Readback { pass, passes, ..Readback::default() };
            for mut readback in self.table.check_and_read(table, &Workers::default(), begin, Readback::row)? {
                readback.keys.sort_unstable();
                repeated += readback.keys.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
                rows_seen += readback.keys.len() as u64;
                if self.table.reads_back(1) && readback.sum != records {
                    return Err(unlike("its rows do not match the records that were read"));
                }
            }
        }
        match rows_seen == counts.rows && repeated <= may_repeat {
            true => Ok(()),
            false => Err(unlike(&format!(
                "it has {rows_seen} rows and should have {}, and {repeated} of them repeat others",
                counts.rows
            ))),
        }
    }
}

fn unlike(what: &str) -> Error {
    let sentence = format!(
        "the table differs from what was written when it is read back: {what}; nothing was published"
    );
    Error::new(ErrorKind::Data, sentence)
}

/// The result of one pass over the table.
#[derive(Debug, Default)]
struct Readback {
    pass: u64,
    passes: u64,
    /// The keys that are checked in this pass.
    keys: Vec<u128>,
    sum: Checksum,
}

impl Readback {
    fn row(&mut self, values: &[Value<'_>]) {
        let [uri, records, error, raw_bytes, by] = values else { return };
        let text = raw_bytes.as_deref().or(uri.as_deref()).unwrap_or_default();
        let error = if uri.is_none() { Some(NOTHING) } else { error.as_deref() };
        let (text, error) = by.as_deref().map_or((text, error), |by| (by, Some(KEY)));
        let records = records.as_deref().and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        self.sum.add_all(weighted(text, error, records.unwrap_or(0)));
        let key = key(text, error);
        if key % u128::from(self.passes) == u128::from(self.pass) {
            self.keys.push(key);
        }
    }
}

fn key(text: &[u8], code: Option<&[u8]>) -> u128 {
    let half = |flipped: u64| u128::from(XxHash3_64::oneshot_with_seed(seed(code) ^ flipped, text));
    half(u64::MAX) << 64 | half(0)
}

/// A key, multiplied by the number of records.
fn weighted(text: &[u8], code: Option<&[u8]>, records: u64) -> Checksum {
    let hash = XxHash3_64::oneshot_with_seed(seed(code), text);
    Checksum { count: records, hash: hash.wrapping_mul(records) }
}

fn seed(code: Option<&[u8]>) -> u64 {
    code.map_or(0, XxHash3_64::oneshot)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arrow_array::{ArrayRef, BinaryArray, Int64Array};

    use super::*;
    use urimill_write::{Target, create};

    /// Checks rows (a text, the number of its records) for records.
    fn check(
        dir: &Path,
        records: &[&str],
        rows: &[(&str, i64)],
        (cut, memory): (u64, usize),
        format: Format,
    ) -> Result<()> {
        let options = SinkOptions::default();
        let verifier = Verifier::new(Arc::default(), format, &options)?;
        for record in records {
            lock(&verifier.records).add_all(weighted(record.as_bytes(), None, 1));
        }
        let nothing = || Arc::new(StringArray::new_null(rows.len())) as ArrayRef;
        let numbers =
            |of: fn(&(&str, i64)) -> i64| Arc::new(Int64Array::from_iter_values(rows.iter().map(of)));
        let texts = Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.0)));
        let columns: Vec<ArrayRef> = vec![
            texts.clone(),
            numbers(|row| row.1),
            numbers(|_| 1),
            nothing(),
            numbers(|_| 1),
            texts,
            nothing(),
            Arc::new(BinaryArray::new_null(rows.len())),
        ];
        let batch = RecordBatch::try_new(batches::schema(), columns).expect("a batch");
        verifier.written(&batch)?;
        let target = Target::create(&dir.join("table"), false)?;
        let sink = create(format, target, batches::schema(), &options)?;
        sink.write(batch, &())?;
        let counts = Counts { rows: rows.len() as u64, ..Counts::default() };
        verifier.check(&sink.close()?, &counts, cut, memory)
    }

    #[test]
    fn rows_that_stand_for_other_records_or_for_the_same() {
        let dir = tempfile::tempdir().expect("a directory");
        let records = ["a", "b", "a", "c", "b", "a"];
        // (rows, records that may look the same, the error)
        type Case<'a> = (&'a [(&'a str, i64)], u64, Option<&'a str>);
        let cases: [Case<'_>; 6] = [
            (&[("a", 3), ("b", 2), ("c", 1)], 0, None),
            (&[("a", 2), ("b", 2), ("c", 1), ("a", 1)], 0, Some("1 of them repeat others")),
            (&[("a", 2), ("b", 2), ("c", 1), ("a", 1)], 1, None),
            (&[("a", 2), ("b", 3), ("c", 1)], 0, Some("do not match the records")),
            (&[("a", 3), ("b", 2)], 0, Some("do not match the records: the rows count 5, there are 6")),
            (&[("a", 3), ("b", 2), ("x", 1)], 0, Some("do not match the records")),
        ];
        for format in Format::ALL {
            for memory in [1, 64, 1 << 20] {
                for (rows, cut, said) in cases {
                    let ended = check(dir.path(), &records, rows, (cut, memory), format);
                    let what = format!("{rows:?} as {}: {ended:?}", format.name());
                    match (ended, said) {
                        (Ok(()), None) => {}
                        (Err(error), Some(said)) => assert!(error.to_string().contains(said), "{what}"),
                        _ => panic!("{what}"),
                    }
                }
            }
        }
    }
}
