//! Lines in many batches and chunks give the same table as in one; the longest record is the longest that is kept.

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{AsArray, BinaryArray};
use arrow::buffer::Buffer;
use arrow::datatypes::Int64Type;
use urimill::Level;
use urimill::batch::{BATCH_ROWS, MAX_ROWS, Normalizer, Options, Origin};
use urimill::read::{ChunkOptions, Chunker, RecordSource};
use urimill::simd::PADDING;

use crate::dataset;
use crate::row::{Place, Row, expected, options, records, rows};

#[test]
fn batches_end_at_the_largest_number_of_rows() {
    let mut normalizer = Normalizer::new(options(Level::Scheme, false));
    // Fewer than [`MAX_ROWS`] rows in a table with so many columns.
    let most = normalizer.most_rows();
    let mut text = b"\n".to_vec();
    for i in 0..most + 10 {
        text.extend_from_slice(format!("/{i}\n{}", if i % 1000 == 0 { "\n" } else { "" }).as_bytes());
    }
    let mut padded = text.clone();
    padded.push(b'\n');
    padded.resize(text.len() + PADDING, 0);
    let buffer = Buffer::from_vec(padded);
    let (first, tally, at) = normalizer.lines(&buffer, (0, text.len()), Origin::default()).expect("a table");
    assert_eq!(first.num_rows(), most);
    assert!(text[at..].starts_with(format!("/{most}\n").as_bytes()));
    let origin = Origin { first_record: 1 + tally.lines() as i64, ..Origin::default() };
    let (second, rest, end) = normalizer.lines(&buffer, (at, text.len()), origin).expect("a table");
    assert_eq!((second.num_rows(), end >= text.len()), (10, true));
    assert_eq!(tally.lines() + rest.lines(), text.iter().filter(|&&b| b == b'\n').count() as u64);
    let found: Vec<_> = rows(&first).into_iter().chain(rows(&second)).collect();
    for ((row, place), (number, offset, record)) in found.iter().zip(records(&text)) {
        assert_eq!(row.path.as_deref().map(str::as_bytes), Some(record));
        assert_eq!((place.record, place.offset), (number, offset));
    }
    // `text` joins the batches again.
    assert_eq!(rows(&normalizer.text(&text).expect("a table").0), found);
}

#[test]
fn batches_have_as_many_rows_as_the_options_say() {
    for (given, expected) in [(0, 1), (1, 1), (5, 5), (BATCH_ROWS, BATCH_ROWS), (usize::MAX, MAX_ROWS)] {
        let mut normalizer = Normalizer::new(Options { batch_rows: given, ..Options::default() });
        assert_eq!(normalizer.most_rows(), expected);
        let text = b"/a\n".repeat(12);
        let buffer = Buffer::from_vec([&text[..], &[b'\n'; PADDING]].concat());
        let (batch, _, at) = normalizer.lines(&buffer, (0, text.len()), Origin::default()).expect("a table");
        assert_eq!((batch.num_rows(), at), (expected.min(12), 3 * expected.min(12)), "{given}");
    }
    assert_eq!(Normalizer::new(Options::default()).most_rows(), BATCH_ROWS);
}

/// Half a million blank lines before the records must not cost half a million times the records.
#[test]
fn blank_lines_cost_no_more_than_lines() {
    let text = [vec![b'\n'; 500_000], b"/a\n\n".repeat(MAX_ROWS)].concat();
    let (batch, tally) = Normalizer::new(options(Level::Scheme, false)).text(&text).expect("a table");
    let records = batch.column_by_name("record").expect("all columns").as_primitive::<Int64Type>();
    assert!(records.values().iter().copied().eq((0..MAX_ROWS as i64).map(|i| 500_001 + 2 * i)));
    assert_eq!(tally.lines(), 500_000 + 2 * MAX_ROWS as u64);
}

/// A table made chunk by chunk.
fn chunked(text: &[u8], chunk_bytes: usize, max_record: usize) -> Vec<(Row, Place)> {
    let sizes = ChunkOptions { chunk_bytes, max_record, ..ChunkOptions::default() };
    let chunker = Chunker::from_reader("here", Box::new(Cursor::new(text.to_vec())), sizes, Arc::default());
    let RecordSource::Chunks(mut chunks) = chunker.begin().expect("a list") else { panic!("tables") };
    let mut normalizer = Normalizer::new(Options { max_record, ..options(Level::Scheme, true) });
    let mut found = Vec::new();
    while let Some(chunk) = chunks.next_chunk().expect("a chunk") {
        let buffer = Buffer::from(chunk.bytes.clone());
        let origin = Origin { first_record: chunk.first_record, offset: chunk.offset, source: "here" };
        assert_eq!(chunk.overlong, None, "nothing here is longer than what is kept whole");
        let (batch, tally, next) = normalizer.lines(&buffer, (0, chunk.len), origin).expect("a table");
        assert!(next >= chunk.len && tally.rows == batch.num_rows() as u64);
        found.extend(rows(&batch));
    }
    found
}

#[test]
fn the_table_does_not_depend_on_the_chunks() {
    // The offset after the byte-order mark, which a chunker skips and a text in memory does not have.
    let oddities = &dataset("oddities.txt")[3..];
    let whole = chunked(oddities, 1 << 20, 1 << 20);
    let (batch, _) = Normalizer::new(options(Level::Scheme, true)).text(oddities).expect("a table");
    let placed = |(row, place): (Row, Place)| (row, Place { source: "here".to_owned(), ..place });
    assert_eq!(whole, rows(&batch).into_iter().map(placed).collect::<Vec<_>>());
    for chunk_bytes in 1..=200 {
        assert!(chunked(oddities, chunk_bytes, 1 << 20) == whole, "chunks of {chunk_bytes} bytes");
    }
    let sample = dataset("sample.txt");
    let whole = chunked(&sample, 1 << 20, 1 << 20);
    for chunk_bytes in [1, 63, 64, 65, 127, 128, 129, 1000, 4096] {
        assert!(chunked(&sample, chunk_bytes, 1 << 20) == whole, "chunks of {chunk_bytes} bytes");
    }
}

/// A record of the longest length is kept; one byte more is a reject, valid or not, with repair or without.
#[test]
fn longer_records_are_too_long_and_the_next_is_intact() {
    for max_record in [1usize, 40, 64, 100] {
        for (len, first, second) in
            [(max_record - 1, b'/', b'a'), (max_record, b'/', b' '), (max_record + 1, b'/', b'%')]
        {
            let record: Vec<u8> =
                [first].iter().chain([second, b'4', b'1'].iter().cycle()).copied().take(len).collect();
            let text = [&record[..], b"\r\n/next"].concat();
            for with_repair in [false, true] {
                let options = Options { max_record, ..options(Level::Scheme, with_repair) };
                let (batch, _) =
                    Normalizer::new(Options { max_record, ..options.clone() }).text(&text).expect("a table");
                let array = BinaryArray::from(vec![&record[..], b"/next"]);
                let (from_array, _) = Normalizer::new(options).array(&array).expect("a table");
                let found: Vec<Row> = rows(&batch).into_iter().map(|(row, _)| row).collect();
                let next = if max_record < 5 { 1 } else { 0 };
                if len > max_record {
                    assert_eq!(
                        found[0].error.as_deref(),
                        Some("too_long"),
                        "{len} bytes, at most {max_record}"
                    );
                    assert_eq!(found[0].error_offset, Some(max_record as i32));
                    assert_eq!(found[0].uri.as_deref().map(str::as_bytes), Some(&record[..]));
                    assert_eq!(rows(&from_array)[0].0, found[0]);
                } else if len > 0 {
                    assert_eq!(found[0], expected(&record, Level::Scheme, with_repair));
                    assert_eq!(rows(&from_array)[0].0, found[0]);
                }
                let last = found.last().expect("a row");
                assert_eq!(last.error.is_some(), next == 1, "the next record is intact");
            }
        }
    }
}

/// One line that was kept only in part.
#[test]
fn a_line_beyond_the_keep_limit_keeps_its_beginning() {
    let buffer = Buffer::from(b"http://example.com/\xc3\xa9".to_vec());
    let origin = Origin { first_record: 7, offset: 100, source: "log" };
    for (to, uri, bytes) in [(19, "http://example.com/", None), (20, "http://example.com/\u{fffd}", Some(20))]
    {
        let mut normalizer = Normalizer::new(Options { max_record: 10, ..options(Level::Scheme, true) });
        let (batch, tally) = normalizer.overlong(&buffer, to, origin).expect("a table");
        let (row, place) = &rows(&batch)[0];
        assert_eq!(row.uri.as_deref(), Some(uri));
        assert_eq!(row.raw_bytes.as_deref(), bytes.map(|len| &buffer[..len]));
        assert_eq!((row.error.as_deref(), row.error_offset), (Some("too_long"), Some(10)));
        assert_eq!((place.record, place.offset, place.source.as_str()), (7, 100, "log"));
        assert_eq!((tally.rows, tally.rejects()), (1, 1));
    }
}
