//! Thousands of mutants of archives and documents, compared with other readers. For each mutant: the accounts of its
//! chunks add up; its rows do not depend on where chunks end; a record that the other reader finds whole has the same
//! values in urimill, or is refused; and if no reader finds it whole, a value is in its own column or nowhere, no row
//! has values of two records, and no record is missing without a row that reports it.
//!
//! Every value of a seed begins with the mark of its column (`TTT`) and ends with the tag of its record (`one`).

mod archives;
mod documents;
mod lists;
mod packed;
mod strict_xml;

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;

use arrow::array::Array;
use arrow::buffer::Buffer;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use urimill::Level;
use urimill::batch::{Column, Columns, Normalizer, Options, Origin, Reading, Records};
use urimill::read::format::{Asked, InputFormat, Keep};
use urimill::read::{ChunkOptions, Chunker, Format, RecordSource};

/// The number of mutants for each reader.
const MUTANTS: usize = 20_000;

/// The records of a seed.
const TAGS: [&str; 3] = ["one", "two", "six"];

/// The values of a row by column; nulls are left out.
type Row = BTreeMap<String, String>;

/// A column, and the mark of its values.
type Marks = &'static [(&'static str, &'static str)];

/// A generator of its own, so that mutants are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Changes, inserts or removes up to three bytes, mostly from `pieces`, or cuts the rest off.
fn mutant(seed: &[u8], pieces: &[&str], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let any = [random.below(256) as u8];
        let piece = match random.below(4) {
            0 => &any,
            _ => pieces[random.below(pieces.len())].as_bytes(),
        };
        match random.below(10) {
            0..4 => drop(bytes.splice(at..=at, piece.iter().copied())),
            4..7 => drop(bytes.splice(at..at, piece.iter().copied())),
            7..9 => drop(bytes.remove(at)),
            _ if random.below(4) == 0 => bytes.truncate(at),
            _ => {}
        }
        if bytes.is_empty() {
            return b"x".to_vec();
        }
    }
    bytes
}

/// The rows, or the error message.
fn rows(format: &Format, data: &[u8], chunk_bytes: usize) -> Result<Vec<Row>, String> {
    let sizes = ChunkOptions { chunk_bytes, force_format: true, ..ChunkOptions::default() };
    let reader = Box::new(Cursor::new(data.to_vec()));
    let chunker = Chunker::from_reader("input", reader, sizes, Arc::default()).with_format(format.clone());
    rows_of(chunker)
}

fn rows_of(chunker: Chunker) -> Result<Vec<Row>, String> {
    let said = |error: urimill::Error| error.to_string();
    let RecordSource::Chunks(mut chunks) = chunker.begin().map_err(said)? else { panic!("tables") };
    let options = Options {
        reading: Reading::default().at_level(Level::None),
        columns: Columns::new([
            Column::Record,
            Column::Offset,
            Column::Uri,
            Column::Error,
            Column::ErrorOffset,
        ]),
        extra: chunks.format().extra_columns(),
        ..Options::default()
    };
    let (mut normalizer, mut records) = (Normalizer::new(options), Records::default());
    let (mut rows, mut next, mut source) = (Vec::new(), 1, 0);
    while let Some(chunk) = chunks.next_chunk().map_err(said)? {
        if chunk.source > source {
            (next, source) = (1, chunk.source);
        }
        assert_eq!(chunk.first_record, next, "chunks follow each other");
        next += chunk.records as i64;
        let (mut at, mut lines) = (chunk.header, 0);
        while at < chunk.len {
            records.clear();
            at =
                chunk.format(chunks.format()).find(&chunk.text(), (at, normalizer.most_rows()), &mut records);
            let origin =
                Origin { first_record: chunk.first_record + lines as i64, offset: chunk.offset, source: "" };
            let buffer = Buffer::from(chunk.bytes.clone());
            let (batch, tally) = normalizer.records(&buffer, &mut records, origin).expect("rows");
            assert_eq!(tally.rows, batch.num_rows() as u64);
            lines += tally.lines();
            let from = rows.len();
            rows.resize(from + batch.num_rows(), Row::new());
            for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
                let options = FormatOptions::new();
                let texts = ArrayFormatter::try_new(array, &options).expect("a type with texts");
                for at in (0..array.len()).filter(|&at| array.is_valid(at)) {
                    rows[from + at].insert(field.name().clone(), texts.value(at).to_string());
                }
            }
        }
        assert_eq!(lines, chunk.records, "the accounts of a chunk");
    }
    Ok(rows)
}

fn reader(format: InputFormat) -> Format {
    format.reader(&Asked::keeping(Keep::All, 1 << 20)).expect("a format")
}

/// Whether the column of the URI has the whole text of a record without a URI.
fn is_malformed(row: &Row) -> bool {
    row.get("error").is_some_and(|error| ["record_malformed", "field_missing"].contains(&error.as_str()))
}

/// Another reader: the rows of an input that is whole, `None` for any other.
type Other = fn(&str) -> Option<Vec<Row>>;

/// A format, its seed, and the reader that it is compared with.
struct Trial<'a> {
    format: Format,
    seeds: &'a [&'a str],
    /// Pieces that mutations insert.
    pieces: &'a [&'a str],
    marks: Marks,
    other: Other,
    /// Whether an input that the other reader refuses must give an error, or a row with one.
    is_strict: bool,
}

impl Trial<'_> {
    fn run(&self) {
        let (mut same, mut more, mut refused) = (0, 0, 0);
        for seed in self.seeds {
            let found = rows(&self.format, seed.as_bytes(), 1 << 16)
                .unwrap_or_else(|error| panic!("{seed}: {error}"));
            let expected = (self.other)(seed).unwrap_or_else(|| panic!("{seed}: not whole"));
            assert!(found.len() > 1 && agree(&found, &expected, seed) == 0, "{seed}");
        }
        let marked = |mark: &str| self.seeds.iter().any(|seed| seed.contains(mark));
        assert!(self.marks.iter().all(|(_, mark)| marked(mark)), "marks of {}", self.format.name());
        let mut random = Random(self.format.name().bytes().map(u64::from).sum());
        for number in 0..MUTANTS {
            let data = mutant(self.seeds[number % self.seeds.len()].as_bytes(), self.pieces, &mut random);
            let what = format!("{}, mutant {number}: {}", self.format.name(), data.escape_ascii());
            let found = rows(&self.format, &data, 1 << 13);
            if number.is_multiple_of(16) {
                for chunk_bytes in [1, 40 + number % 100] {
                    assert_eq!(
                        rows(&self.format, &data, chunk_bytes),
                        found,
                        "chunks of {chunk_bytes}: {what}"
                    );
                }
            }
            let text = std::str::from_utf8(&data).ok();
            match (&found, text.and_then(self.other)) {
                (Ok(found), Some(expected)) => {
                    more += agree(found, &expected, &what);
                    same += 1;
                }
                (Err(_), Some(_)) => more += 1,
                (Ok(found), None) => {
                    let is_marked =
                        found.iter().any(|row| row.contains_key("error") || row.contains_key("field_errors"));
                    assert!(is_marked || !self.is_strict || text.is_none(), "no word: {what}: {found:?}");
                    self.assert_own(found, &what);
                    self.assert_accounted(found, &data, &what);
                    refused += 1;
                }
                (Err(_), None) => refused += 1,
            }
        }
        println!(
            "{}: {same} the same, {more} refused by ours alone, {refused} by others",
            self.format.name()
        );
        assert!(same > 1_000 && refused > 1_000 && more * 5 < same, "{}: {same}, {more}", self.format.name());
    }

    /// No column has the mark of another, and no row has the tags of two records.
    fn assert_own(&self, found: &[Row], what: &str) {
        for row in found {
            let mut tags: Vec<&str> = Vec::new();
            for (column, value) in row {
                let Some(own) = self.marks.iter().find(|(name, _)| name == column) else { continue };
                // A text that is not a URI is in the column of URIs with an error, even if it is the whole record.
                if column == "uri" && row.contains_key("error") {
                    continue;
                }
                let other = self.marks.iter().find(|(_, mark)| *mark != own.1 && value.contains(mark));
                assert!(other.is_none(), "{column} has a value of {other:?}: {what}: {row:?}");
                tags.extend(TAGS.iter().filter(|tag| value.contains(*tag)));
            }
            tags.sort_unstable();
            tags.dedup();
            assert!(tags.len() < 2, "values of {tags:?} in one row: {what}: {row:?}");
        }
    }

    /// A record whose URI is intact has a row, or a row reports that something is wrong.
    fn assert_accounted(&self, found: &[Row], data: &[u8], what: &str) {
        let Some((_, mark)) = self.marks.iter().find(|(column, _)| *column == "uri") else { return };
        let is_marked = || found.iter().any(is_malformed);
        for tag in TAGS {
            let uri = format!("{mark}{tag}");
            let is_there = memchr::memmem::find(data, uri.as_bytes()).is_some();
            let has_row = || found.iter().any(|row| row.values().any(|value| value.contains(&uri)));
            assert!(!is_there || has_row() || is_marked(), "{uri} has no row: {what}: {found:?}");
        }
    }
}

/// The rows include the expected ones; returns the number of those that are refused instead.
fn agree(found: &[Row], expected: &[Row], what: &str) -> usize {
    let refused = found.iter().filter(|row| is_malformed(row)).count();
    if refused > 0 {
        return refused;
    }
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}, not {expected:?}");
    for (row, expected) in found.iter().zip(expected) {
        for (column, value) in expected {
            let own = row.get(column).map_or("", String::as_str);
            assert_eq!(own, value, "{column} of {what}: {row:?}");
        }
    }
    0
}

/// A row as the other reader finds it; a missing value is an empty text.
fn row(values: &[(&str, &str)]) -> Row {
    values.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}
