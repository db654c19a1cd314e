//! Records with fields: CSV and TSV by RFC 4180, and by urimill's own rules for data that breaks these. The rows do not
//! depend on how a source is cut into chunks and batches.

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::buffer::Buffer;
use arrow::datatypes::Int64Type;
use urimill::ErrorKind;
use urimill::batch::{Column, Columns, Normalizer, Options, Origin, Reading, Records};
use urimill::read::format::{Asked, Field, Header, InputFormat, UriSource};
use urimill::read::{Chunk, ChunkOptions, Chunker, Format, RecordSource};
use urimill::{Level, Result};

use crate::Rng;

/// A row: number and offset of the record, the text, and the code of a reject.
type Row = (i64, i64, String, Option<String>);

fn fields(uri: &str, base: Option<&str>, header: Header) -> Asked {
    let uri = Some(UriSource::Field(uri.parse().expect("a field")));
    Asked { uri, base: base.map(str::to_owned), header, longest: 100, ..Asked::default() }
}

fn chunks(format: &Format, text: &[u8], options: ChunkOptions) -> Result<Vec<Chunk>> {
    let reader = Box::new(Cursor::new(text.to_vec()));
    let chunker = Chunker::from_reader("in.csv", reader, options, Arc::default());
    let RecordSource::Chunks(mut source) = chunker.with_format(format.clone()).begin()? else {
        panic!("tables")
    };
    let mut chunks = Vec::new();
    while let Some(chunk) = source.next_chunk()? {
        chunks.push(chunk);
    }
    Ok(chunks)
}

/// The rows of a text, cut into chunks of about `chunk_bytes` and batches of at most `most` rows.
fn rows(format: &Format, text: &[u8], chunk_bytes: usize, most: usize) -> Result<Vec<Row>> {
    let columns = [Column::Record, Column::Offset, Column::Uri, Column::Error];
    let reading = Reading::default().at_level(Level::None);
    let options = Options { reading, columns: Columns::new(columns), ..Options::default() };
    let mut normalizer = Normalizer::new(options);
    let mut records = Records::default();
    let mut rows = Vec::new();
    let options = ChunkOptions { chunk_bytes, ..ChunkOptions::default() };
    let mut lines = 0;
    for chunk in chunks(format, text, options)? {
        let buffer = Buffer::from(chunk.bytes.clone());
        let (mut at, mut first_record) = (chunk.header, chunk.first_record);
        assert_eq!(first_record, lines + 1, "blank lines are counted, a header is not");
        while at < chunk.len {
            records.clear();
            at = format.find(&chunk.text(), (at, most), &mut records);
            let origin = Origin { first_record, offset: chunk.offset, source: "" };
            let (batch, tally) = normalizer.records(&buffer, &mut records, origin)?;
            first_record += tally.lines() as i64;
            let (number, offset) =
                (batch["record"].as_primitive::<Int64Type>(), batch["offset"].as_primitive::<Int64Type>());
            let (uri, error) = (batch["uri"].as_string_view(), batch["error"].as_string_view());
            rows.extend((0..batch.num_rows()).map(|i| {
                let code = error.is_valid(i).then(|| error.value(i).to_owned());
                (number.value(i), offset.value(i), uri.value(i).to_owned(), code)
            }));
        }
        assert_eq!((first_record - chunk.first_record) as u64, chunk.records, "the accounts of a chunk");
        lines += chunk.records as i64;
    }
    Ok(rows)
}

/// The same rows however the text is cut.
fn rows_however_cut(format: &Format, text: &[u8]) -> Vec<Row> {
    let whole = rows(format, text, 1 << 20, 1 << 16).expect("rows");
    for (chunk_bytes, most) in [(1, 1), (2, 3), (3, 1), (7, 2), (16, 100), (50, 1)] {
        let cut = rows(format, text, chunk_bytes, most).expect("rows");
        assert_eq!(cut, whole, "chunks of {chunk_bytes}, {most} rows: {}", text.escape_ascii());
    }
    whole
}

fn delimited(separator: char, fields: Asked, longest: usize) -> Format {
    let format = if separator == '\t' { InputFormat::Tsv } else { InputFormat::Csv };
    format.reader(&Asked { longest, ..fields }).expect("fields that can be found")
}

/// (rule, text, field 2 of each record or the line of one without)
#[rustfmt::skip]
const TABLE: &[(&str, &str, &[&str])] = &[
    ("RFC 4180, 2.1: a line break ends a record", "a,/b\r\nc,/d\r\n", &["/b", "/d"]),
    ("2.2: the last record may lack its line break", "a,/b\r\nc,/d", &["/b", "/d"]),
    ("2.4: spaces are part of a field", "a, /b \n", &[" /b "]),
    ("2.4: the last field has no comma behind it, and an empty one may", "a,/b,\na,\n", &["/b", ""]),
    ("2.5: fields may be quoted or not", "\"a\",\"/b\",\"c\"\nd,/e,f\n", &["/b", "/e"]),
    ("2.5: inside an unquoted field a quote is a character", "a,/b\"c\nd,\"\n", &["/b\"c", "\""]),
    ("2.6: line breaks in quotes", "a,\"/b\r\nc\"\nd,/e\n", &["/b\r\nc", "/e"]),
    ("2.6: line breaks in another field", "\"a\nb\nc\",/d\ne,/f\n", &["/d", "/f"]),
    ("2.6: separators in quotes", "\"a,b\",\"/c,d\"\n", &["/c,d"]),
    ("2.6: quotes in quotes", "a,\"\"\"\"\nb,\"\"\nc,\"\"\"/d\"\"\"\n", &["\"", "", "\"/d\""]),
    ("2.7: two quotes are one", "a,\"/b\"\"c\"\"\"\"d\"\n", &["/b\"c\"\"d"]),
    ("quotes at the very end", "a,\"/b\"", &["/b"]),
    ("a carriage return without its line feed is a character", "a,/b\r\rc\na,/d\r", &["/b\r\rc", "/d\r"]),
    ("so it is behind a quote, which closes nothing then", "a,\"/b\"\rc\na,\"/d\"\r", &["\"/b\"\rc", "\"/d\"\r"]),
    ("something else behind the closing quote", "a,\"/b\">via\nc,/d\n", &["\"/b\">via", "/d"]),
    ("it ends at the next separator", "a,\"/b\" x,\"/c\"\nd,/e\n", &["\"/b\" x", "/e"]),
    ("a quote that nothing closes", "a,\"/b\nc,/d\ne,/f\n", &["\"/b", "/d", "/f"]),
    ("a quote that a later record's opening quote would close", "a,\"/b\nc,\"/d\"\ne,/f\n", &["\"/b", "/d", "/f"]),
    ("a quote that nothing closes, in another field", "\"a,/b\nc,/d\n", &["/b", "/d"]),
    ("nothing but a quote", "a,\"\nb,/c\n", &["\"", "/c"]),
    ("blank lines are no records, empty fields are", "\n\r\na,/b\n\n,\n\"\",\"\"\n\n", &["/b", "", ""]),
    ("a record with too few fields", "a\n\"b\nc\"\nd,/e\n\"f\n", &["a", "\"b\nc\"", "/e", "\"f"]),
    ("nothing", "", &[]),
    ("a byte-order mark", "\u{feff}\"a\",/b\n", &["/b"]),
];

#[test]
fn fields_by_the_rules_of_rfc_4180_and_where_they_are_broken() {
    for (rule, text, expected) in TABLE {
        for separator in [',', '\t'] {
            // The table is written with commas: each is a separator, or is in a place that holds for tabs, too.
            let swap = |text: &str| text.replace(',', &separator.to_string());
            let format = delimited(separator, fields("2", None, Header::Auto), 1 << 20);
            let rows = rows_however_cut(&format, swap(text).as_bytes());
            let found: Vec<&str> = rows.iter().map(|(_, _, text, _)| text.as_str()).collect();
            let expected: Vec<String> = expected.iter().map(|text| swap(text)).collect();
            assert_eq!(found, expected, "{rule}: {text:?}");
        }
    }
}

/// (text, field 2 of each line)
const WITHOUT_QUOTES: &[(&str, &[&str])] = &[
    ("\"a,\"/b\",c\"\nd,/e\"\n", &["\"/b\"", "/e\""]),
    ("\"a,/b\r\nc\",/d\n", &["/b", "/d"]),
    ("a,\"\"\"\"\n\n\"\",\"\n", &["\"\"\"\"", "\""]),
];

#[test]
fn without_quotes_every_line_is_a_record() {
    for (text, expected) in WITHOUT_QUOTES {
        let asked = Asked { no_quotes: true, ..fields("2", None, Header::Auto) };
        let rows = rows_however_cut(&delimited(',', asked, 1 << 20), text.as_bytes());
        let found: Vec<&str> = rows.iter().map(|(_, _, text, _)| text.as_str()).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
}

#[test]
fn a_record_with_too_few_fields_is_a_reject_of_its_own_code() {
    let format = delimited(',', fields("3", Some("2"), Header::Auto), 100);
    let text = "\na,b\na,http://h/,/c\n\n\"x\n\"\nhttp://h/\n";
    let rows = rows_however_cut(&format, text.as_bytes());
    let missing = Some("field_missing".to_owned());
    let expected = [
        (2, 1, "a,b".to_owned(), missing.clone()),
        (3, 5, "http://h/c".to_owned(), None),
        (5, 21, "\"x\n\"".to_owned(), missing.clone()),
        (6, 26, "http://h/".to_owned(), missing),
    ];
    assert_eq!(rows, expected);
}

/// A quote must be closed within the longest record.
#[test]
fn an_unclosed_quote_ends_at_the_record_limit() {
    for len in [0, 1, 8, 9, 10, 11, 12, 40] {
        let inside = "\n".repeat(len);
        let text = format!("a,\"{inside}\"\nb,/c\n");
        let rows = rows_however_cut(&delimited(',', fields("2", None, Header::No), 10), text.as_bytes());
        if len <= 10 {
            assert_eq!(rows.len(), 2, "{len}");
            assert_eq!(rows[0].2, inside);
        } else {
            // The quote is a character; then blank lines, and a line that consists of a quote.
            assert_eq!(
                rows.iter().map(|row| row.2.as_str()).collect::<Vec<_>>(),
                ["\"", "\"", "/c"],
                "{len}"
            );
        }
    }
}

/// A record too long to be read to its end does not affect the quotes of the next one.
#[test]
fn a_quote_after_a_long_record_is_read() {
    let format = delimited(',', fields("2", None, Header::No), 60);
    for len in 30..68 {
        let text = format!("{},/b\nc,\"/d\ne\"\nf,/g\n", "x".repeat(len));
        for chunk_bytes in 1..=70 {
            let options =
                ChunkOptions { chunk_bytes, max_record: 60, keep_limit: Some(70), ..ChunkOptions::default() };
            let chunks = chunks(&format, text.as_bytes(), options).expect("chunks");
            let records: u64 = chunks.iter().map(|chunk| chunk.records).sum();
            assert_eq!(records, 3, "{len} bytes before, chunks of {chunk_bytes}");
            assert!(
                chunks.iter().all(|chunk| !chunk.bytes[..chunk.len].starts_with(b"e\"")),
                "{len}, {chunk_bytes}"
            );
        }
    }
}

/// The place of a record, and its fields: the text of each, and whether it was quoted.
type PlacedRecord = (i64, Vec<(Vec<u8>, bool)>);

/// The lines of a text that are not blank, read by the letter of the rules.
fn by_the_letter(text: &[u8], separator: u8) -> Vec<PlacedRecord> {
    let (mut records, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let (start, mut fields) = (at, Vec::new());
        loop {
            let (field, stop, is_quoted) = field(text, at, separator);
            fields.push((field, is_quoted));
            if text.get(stop) != Some(&separator) {
                at = stop
                    + [&b""[..], b"\n", b"\r\n"]
                        .iter()
                        .filter(|end| text[stop..].starts_with(end))
                        .map(|end| end.len())
                        .max()
                        .expect("the empty one");
                break;
            }
            at = stop + 1;
        }
        let is_blank =
            text[start..at].iter().all(|b| matches!(b, b'\r' | b'\n')) && fields == [(vec![], false)];
        if !is_blank {
            records.push((start as i64, fields));
        }
    }
    records
}

/// A field, its end, and whether it is quoted.
fn field(text: &[u8], start: usize, separator: u8) -> (Vec<u8>, usize, bool) {
    let ends = |at: usize| {
        at == text.len() || text[at] == separator || text[at] == b'\n' || text[at..].starts_with(b"\r\n")
    };
    if text.get(start) == Some(&b'"') {
        let (mut field, mut at) = (Vec::new(), start + 1);
        while at < text.len() {
            match (text[at], text.get(at + 1)) {
                (b'"', Some(b'"')) => {
                    field.push(b'"');
                    at += 2;
                }
                (b'"', _) if ends(at + 1) => return (field, at + 1, true),
                (b'"', _) => break,
                (byte, _) => {
                    field.push(byte);
                    at += 1;
                }
            }
        }
    }
    let stop = (start..=text.len()).find(|&at| ends(at)).expect("the end");
    (text[start..stop].to_vec(), stop, false)
}

/// The number of fields of most records, or of nine in ten if there are ten or more; 0 if they do not agree.
fn usual_width(widths: &[usize]) -> usize {
    let count = |width: usize| widths.iter().filter(|&&other| other == width).count();
    let agrees = |width: usize| match widths.len() {
        ..10 => 2 * count(width) > widths.len(),
        all => 10 * count(width) >= 9 * all,
    };
    widths.iter().copied().find(|&width| agrees(width)).unwrap_or(0)
}

#[test]
fn random_texts_match_a_reader_by_the_letter() {
    const PARTS: [&str; 12] =
        ["\"", "\"", "\"\"", "\t", "\t", "\n", "\n", "\r\n", "\r", "/a", "bcd", "\"\t\""];
    let mut rng = Rng(11);
    for run in 0..3000 {
        // A URI never contains a tab, so only a record with commas can have too many fields.
        let separator = if run % 2 == 0 { '\t' } else { ',' };
        let text: String = (0..rng.below(25)).map(|_| PARTS[rng.below(PARTS.len())]).collect();
        let text = text.replace('\t', &separator.to_string());
        let number = 1 + rng.below(3);
        let format = delimited(separator, fields(&number.to_string(), None, Header::No), 1 << 20);
        let rows = rows_however_cut(&format, text.as_bytes());
        let expected = by_the_letter(text.as_bytes(), separator as u8);
        assert_eq!(rows.len(), expected.len(), "{text:?}: {rows:?}");
        let usual = usual_width(&expected.iter().map(|(_, fields)| fields.len()).collect::<Vec<_>>());
        for ((_, offset, uri, error), (start, fields)) in rows.iter().zip(&expected) {
            assert_eq!(offset, start, "{text:?}");
            let further =
                fields.iter().skip(usual.max(number)).any(|(field, quoted)| *quoted || !field.is_empty());
            let is_long = separator == ',' && usual > 0 && further;
            let (field, code) = match fields.get(number - 1) {
                Some((_, false)) if is_long => (None, Some("record_malformed")),
                Some((field, _)) => (Some(field), None),
                None => (None, Some("field_missing")),
            };
            let context = format!("{text:?}, field {number}, {uri:?}");
            assert!(field.is_none_or(|field| uri.as_bytes() == field), "{context}");
            let found = error.as_deref().filter(|code| ["record_malformed", "field_missing"].contains(code));
            assert_eq!(found, code, "{context}");
        }
    }
}

#[test]
fn headers_name_the_fields() {
    let text = "id,\"the \"\"url\"\"\",page\n1,/a,http://h/x\n\n2,/b,http://h/y\n";
    for (uri, base, header, expected) in [
        ("the \"url\"", None, Header::Auto, &[(1, 22, "/a"), (3, 39, "/b")][..]),
        ("the \"url\"", Some("page"), Header::Yes, &[(1, 22, "http://h/a"), (3, 39, "http://h/b")]),
        ("2", Some("page"), Header::Auto, &[(1, 22, "http://h/a"), (3, 39, "http://h/b")]),
        ("2", Some("3"), Header::Yes, &[(1, 22, "http://h/a"), (3, 39, "http://h/b")]),
        ("2", None, Header::Auto, &[(1, 0, "the \"url\""), (2, 22, "/a"), (4, 39, "/b")]),
        ("2", None, Header::No, &[(1, 0, "the \"url\""), (2, 22, "/a"), (4, 39, "/b")]),
    ] {
        let rows = rows_however_cut(&delimited(',', fields(uri, base, header), 100), text.as_bytes());
        let found: Vec<_> =
            rows.iter().map(|(record, offset, uri, _)| (*record, *offset, uri.as_str())).collect();
        assert_eq!(found, expected, "{uri}, {base:?}, {header:?}");
    }
    // A header without records, with and without a line end; and no header in an empty text.
    for text in ["id,url\n", "id,url", "id,\"url\"\r\n", ""] {
        assert_eq!(
            rows_however_cut(&delimited(',', fields("url", None, Header::Auto), 100), text.as_bytes()),
            []
        );
    }
}

#[test]
fn a_missing_field_is_an_error_that_lists_the_header() {
    for (uri, base, header, text, parts) in [
        (
            "href",
            None,
            Header::Auto,
            "id,url\n1,/a\n",
            &["in.csv", "no field \"href\"", "\"id\", \"url\""][..],
        ),
        ("url", Some("page"), Header::Auto, "id,url\n", &["in.csv", "no field \"page\"", "\"id\", \"url\""]),
        ("url", None, Header::Auto, "url,b,url\n", &["in.csv", "\"url\" twice", "1 and 3"]),
        ("3", None, Header::Yes, "id,url\n", &["in.csv", "no field 3", "\"id\", \"url\""]),
    ] {
        let format = delimited(',', fields(uri, base, header), 100);
        for chunk_bytes in [1, 1 << 20] {
            let error = rows(&format, text.as_bytes(), chunk_bytes, 9).expect_err("no such field");
            assert_eq!(error.kind(), ErrorKind::Usage);
            for part in parts {
                assert!(error.to_string().contains(part), "{part:?} is not in {error}");
            }
        }
    }
    let error =
        InputFormat::Csv.reader(&fields("url", None, Header::No)).expect_err("a name without a header");
    assert!(error.to_string().contains("\"url\"") && error.to_string().contains("number"), "{error}");
    for text in ["0", "00", "99999999999999999999"] {
        let error = text.parse::<Field>().expect_err("no such number");
        assert!(error.to_string().contains(text), "{error}");
    }
}

/// A record that is not kept whole is one reject, and reading continues with the next line.
#[test]
fn a_record_beyond_the_keep_limit_keeps_its_beginning() {
    let format = delimited('\t', fields("2", None, Header::No), 20);
    let text = format!("a\t/b\nc\t/{}\n\"d\"\t/e\n", "x".repeat(500));
    let options =
        ChunkOptions { chunk_bytes: 16, max_record: 20, keep_limit: Some(64), ..ChunkOptions::default() };
    let chunks = chunks(&format, text.as_bytes(), options).expect("chunks");
    let kinds: Vec<_> =
        chunks.iter().map(|chunk| (chunk.first_record, chunk.records, chunk.overlong)).collect();
    assert_eq!(kinds, [(1, 1, None), (2, 1, Some(503)), (3, 1, None)]);
    let named = delimited(',', fields("b", None, Header::Auto), 20);
    let options =
        ChunkOptions { chunk_bytes: 16, max_record: 20, keep_limit: Some(64), ..ChunkOptions::default() };
    let error = self::chunks(&named, "x".repeat(500).as_bytes(), options).expect_err("no header");
    assert!(error.to_string().contains("header") && error.to_string().contains("in.csv"), "{error}");
}
