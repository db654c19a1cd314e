//! Invariants of inputs in every format: the rows are the same wherever chunks and batches are cut, and the accounts of
//! each chunk add up. Compressed bytes give the same text, or the same error, in reads of any size.

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::compute::concat_batches;
use urimill::Level;
use urimill::batch::{Column, Columns, Normalizer, Options, Origin, Reading, Records};
use urimill::read::format::{Asked, Comment, Header, InputFormat, Keep, Template, UriSource};
use urimill::read::{Chunk, ChunkOptions, Chunker, Format, Reader, RecordSource};

use super::turns;

/// The limits on records and on quoted fields: shorter than inputs of a fuzzer.
pub(super) const LONGEST: usize = 60;

pub(super) fn lines(data: &[u8]) {
    judge(InputFormat::Lines, keeping(Keep::None), data);
}

pub(super) fn csv(data: &[u8]) {
    delimited(InputFormat::Csv, data);
}

pub(super) fn tsv(data: &[u8]) {
    delimited(InputFormat::Tsv, data);
}

/// With [`Keep::All`] the beginning is read before any chunk is cut, and for a fuzzer's input that is all of it: so
/// this is one case of three.
fn delimited(format: InputFormat, data: &[u8]) {
    let field = |text: &str| text.parse().expect("a field");
    let cases = [
        (UriSource::Field(field("2")), None, Header::No, Keep::None, ""),
        (UriSource::Field(field("2")), Some("1"), Header::Yes, Keep::None, "#"),
        (UriSource::Field(field("url")), None, Header::Auto, Keep::All, ""),
        (UriSource::RequestLine(field("1")), Some("2"), Header::No, Keep::All, "#"),
        (template("http://{2}{1}?{3}"), None, Header::No, Keep::None, "/"),
    ];
    for (uri, base, header, keep, comment) in turns(data, cases) {
        let (uri, base, comment) = (Some(uri), base.map(str::to_owned), Comment::from(comment));
        judge(format, Asked { uri, base, header, comment, ..keeping(keep) }, data);
    }
}

pub(super) fn jsonl(data: &[u8]) {
    let names = Keep::Names(vec!["extra".to_owned(), "n".to_owned()]);
    let field = || UriSource::Field("url".parse().expect("a field"));
    let cases = [
        (field(), None, Keep::All),
        (field(), Some("base"), names),
        (template("{a.b}{url}#{n}"), Some("base"), Keep::All),
        (UriSource::RequestLine("url".parse().expect("a field")), None, Keep::All),
    ];
    for (uri, base, keep) in turns(data, cases) {
        let base = base.map(str::to_owned);
        judge(InputFormat::Jsonl, Asked { uri: Some(uri), base, ..keeping(keep) }, data);
    }
}

fn template(text: &str) -> UriSource {
    UriSource::Template(Arc::new(Template::new(text).expect("a template")))
}

pub(super) fn heritrix(data: &[u8]) {
    judge(InputFormat::Heritrix, keeping(Keep::All), data);
}

pub(super) fn cdx(data: &[u8]) {
    judge(InputFormat::Cdx, keeping(Keep::All), data);
}

pub(super) fn cdxj(data: &[u8]) {
    judge(InputFormat::Cdxj, keeping(Keep::All), data);
}

pub(super) fn clf(data: &[u8]) {
    judge(InputFormat::Clf, keeping(Keep::All), data);
}

pub(super) fn auto(data: &[u8]) {
    for uri in turns(data, [None, Some("2"), Some("url")]) {
        let uri = uri.map(|uri| UriSource::Field(uri.parse().expect("a field")));
        judge(InputFormat::Auto, Asked { uri, ..keeping(Keep::All) }, data);
    }
}

fn keeping(keep: Keep) -> Asked {
    Asked::keeping(keep, LONGEST)
}

/// Reads the input in this format.
fn judge(format: InputFormat, asked: Asked, data: &[u8]) {
    let format = format.reader(&asked).expect("a format");
    judge_chunks(data, |sizes| chunker(data, sizes).with_format(format.clone()));
}

/// Chunks of the input.
pub(super) fn chunker(data: &[u8], sizes: ChunkOptions) -> Chunker {
    Chunker::from_reader("input", Box::new(Cursor::new(data.to_vec())), sizes, Arc::default())
}

/// The input as a whole, then in chunks and batches of several sizes; once with records longer than the limit.
pub(super) fn judge_chunks(data: &[u8], open: impl Fn(ChunkOptions) -> Chunker) {
    for keep_limit in turns(&data[data.len() / 2..], [None, Some(70)]) {
        let sizes = |chunk_bytes| ChunkOptions {
            chunk_bytes,
            max_record: LONGEST,
            keep_limit,
            ..ChunkOptions::default()
        };
        // The buffer holds no more than a chunk needs: clearing a larger one would take most of the time.
        let largest = keep_limit.unwrap_or(data.len() + LONGEST);
        let whole = table(open(sizes(largest)), usize::MAX);
        // The last size ends a buffer before the last byte, which decides about the bytes before it.
        let before_last = data.len().saturating_sub(1).clamp(1, largest);
        let sizes_and_rows = [(1, 1), (7, 2), (data.len() % 61 + 9, 3), (before_last, usize::MAX)];
        for (chunk_bytes, most) in turns(&data[data.len() / 3..], sizes_and_rows) {
            let cut = table(open(sizes(chunk_bytes)), most);
            assert_eq!(cut, whole, "chunks of {chunk_bytes}, kept {keep_limit:?}: {}", data.escape_ascii());
        }
    }
}

/// The rows of an input, or the error message.
fn table(chunker: Chunker, most: usize) -> Result<RecordBatch, String> {
    let RecordSource::Chunks(mut source) = chunker.begin().map_err(|error| error.to_string())? else {
        return Err("tables".to_owned());
    };
    let format = source.format().clone();
    let columns =
        [Column::Record, Column::Offset, Column::Uri, Column::RawBytes, Column::Error, Column::ErrorOffset];
    let (columns, extra) = (Columns::new(columns), format.extra_columns());
    let reading = Reading::default().at_level(Level::None);
    let options = Options { reading, max_record: LONGEST, columns, extra, ..Options::default() };
    let schema = options.schema();
    let (mut normalizer, mut records) = (Normalizer::new(options), Records::default());
    let (mut batches, mut next) = (Vec::new(), None);
    while let Some(chunk) = source.next_chunk().map_err(|error| error.to_string())? {
        let begins = (chunk.offset, chunk.first_record);
        let next_begins = next.unwrap_or((0, 1));
        // A source may be several files: each has its own offsets, and at most one byte-order mark.
        let is_first = chunk.offset <= 3 && begins.1 == next_begins.1;
        assert!(begins == next_begins || is_first, "chunks follow each other");
        next = Some((chunk.offset + chunk.taken, chunk.first_record + chunk.records as i64));
        let mut at = chunk.header;
        let mut lines = 0;
        while at < chunk.len {
            let origin =
                Origin { first_record: chunk.first_record + lines as i64, offset: chunk.offset, source: "" };
            let (batch, found);
            (batch, found, at) =
                rows(chunk.format(&format), &chunk, (at, most), (&mut normalizer, &mut records), origin);
            lines += found;
            batches.push(batch);
        }
        assert_eq!(lines, chunk.records, "the accounts of a chunk");
    }
    Ok(concat_batches(&schema, &batches).expect("one schema"))
}

/// A batch, its number of lines, and the offset of the next one.
fn rows(
    format: &Format,
    chunk: &Chunk,
    (at, most): (usize, usize),
    (normalizer, records): (&mut Normalizer, &mut Records),
    origin: Origin<'_>,
) -> (RecordBatch, u64, usize) {
    let buffer = Buffer::from(chunk.bytes.clone());
    let (made, next) = match format {
        _ if chunk.overlong.is_some() => (normalizer.overlong(&buffer, chunk.len, origin), chunk.len),
        _ if format.is_plain_list() => {
            let (batch, tally, next) = normalizer.lines(&buffer, (at, chunk.len), origin).expect("rows");
            (Ok((batch, tally)), next)
        }
        _ => {
            records.clear();
            let next = format.find(&chunk.text(), (at, most.min(normalizer.most_rows())), records);
            (normalizer.records(&buffer, records, origin), next)
        }
    };
    let (batch, tally) = made.expect("rows");
    assert_eq!(tally.rows, batch.num_rows() as u64);
    (batch, tally.lines(), next)
}

/// The most bytes to unpack: more than a fuzzer's input can hold, and few enough that a bomb takes little time.
const MOST_UNPACKED: usize = 1 << 20;

/// Any bytes as a stored file: plain, compressed, damaged.
pub(super) fn compressed(data: &[u8]) {
    let whole = unpacked(data, 64 << 10);
    for most in [1000, 7] {
        let pieces = unpacked(data, most);
        let same = whole.0.len().min(pieces.0.len());
        assert!(whole.0[..same] == pieces.0[..same], "reads of {most}: {}", data.escape_ascii());
        if whole.0.len() < MOST_UNPACKED {
            assert_eq!(pieces.1.is_none(), whole.1.is_none(), "reads of {most}: {}", data.escape_ascii());
            assert!(whole.1.is_some() || whole.0.len() == pieces.0.len(), "{}", data.escape_ascii());
        }
    }
}

/// The bytes read, and the error if the end was not reached.
fn unpacked(data: &[u8], most: usize) -> (Vec<u8>, Option<String>) {
    let (mut all, mut piece) = (Vec::new(), vec![0; most]);
    let reader = Reader::new("input", Box::new(Cursor::new(data.to_vec())), &Arc::default());
    let mut reader = reader.expect("memory can be read");
    while all.len() < MOST_UNPACKED {
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => all.extend_from_slice(&piece[..n]),
            Err(error) => return (all, Some(error.to_string())),
        }
    }
    (all, None)
}
