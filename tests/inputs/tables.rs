//! Tables: which columns are read, row by row of every file, and the errors about damaged ones.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Int32Array, Int64Array, RecordBatch, StringArray, StructArray, new_null_array,
};
use arrow::buffer::NullBuffer;
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Field, Fields, Int64Type, Schema, SchemaRef};
use arrow::ipc::writer::{FileWriter, StreamWriter};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use tempfile::TempDir;
use urimill::read::format::{Asked, InputFormat, Keep, UriSource};
use urimill::read::{ChunkOptions, Chunker, Format, Morsel, RecordSource, Source, TableMorsel};
use urimill::{ErrorKind, Result};

fn text(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// `rows` rows with a URI, a number and a text.
fn plain(rows: usize) -> RecordBatch {
    let uris: Vec<_> = (0..rows).map(|row| format!("http://example.com/{row}")).collect();
    batch(vec![
        ("n", Arc::new((0..rows as i64).collect::<Int64Array>())),
        ("url", Arc::new(StringArray::from_iter_values(&uris))),
        ("note", Arc::new(StringArray::from_iter_values(uris.iter().map(|uri| &uri[7..])))),
    ])
}

fn parquet_of(batches: &[RecordBatch], row_group: usize) -> Vec<u8> {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(row_group)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn file_of(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn stream_of(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn save(dir: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn fields(uri: &str, keep: Keep) -> Asked {
    let uri = Some(UriSource::Field(uri.parse().unwrap()));
    Asked { uri, ..Asked::keeping(keep, 1000) }
}

fn names(names: &[&str]) -> Keep {
    Keep::Names(names.iter().map(|name| (*name).to_owned()).collect())
}

fn feed(paths: &[PathBuf], format: Format) -> Result<RecordSource> {
    let sources = paths.iter().cloned().map(Source::File).collect();
    Chunker::new(sources, ChunkOptions::default(), Arc::default()).with_format(format).begin()
}

fn parquet(asked: Asked) -> Format {
    InputFormat::Parquet.reader(&asked).unwrap()
}

fn arrow(asked: Asked) -> Format {
    InputFormat::Arrow.reader(&asked).unwrap()
}

fn pieces(feed: Result<RecordSource>) -> Result<Vec<TableMorsel>> {
    let (mut feed, mut pieces) = (feed?, Vec::new());
    while let Some(piece) = feed.next_morsel()? {
        match piece {
            Morsel::Table(piece) => pieces.push(piece),
            Morsel::Chunk(_) => panic!("a chunk of a table"),
        }
    }
    Ok(pieces)
}

fn uris(pieces: &[TableMorsel]) -> Vec<Option<String>> {
    let one = |piece: &TableMorsel| {
        let texts = cast(&piece.rows.uris, &DataType::Utf8).unwrap();
        texts.as_string::<i32>().iter().map(|uri| uri.map(str::to_owned)).collect::<Vec<_>>()
    };
    pieces.iter().flat_map(one).collect()
}

fn refused(feed: Result<RecordSource>, kind: ErrorKind, parts: &[&str]) {
    let error = pieces(feed).expect_err("refused");
    assert_eq!(error.kind(), kind, "{error}");
    for part in parts {
        assert!(error.to_string().contains(part), "{part:?} is not in {error}");
    }
}

#[test]
fn every_row_comes_once_in_order_in_every_container() {
    const ROWS: usize = 40_000;
    let dir = TempDir::new().unwrap();
    let all = plain(ROWS);
    let cuts = [all.slice(0, 7), all.slice(7, 0), all.slice(7, 30_000), all.slice(30_007, ROWS - 30_007)];
    let expected: Vec<_> = (0..ROWS).map(|row| Some(format!("http://example.com/{row}"))).collect();
    let asked = || fields("url", Keep::All);
    let stream = stream_of(&cuts);
    let cases = [
        ("one row group", parquet_of(&cuts, 1 << 20), parquet(asked())),
        ("many row groups", parquet_of(&cuts, 1000), parquet(asked())),
        ("a file", file_of(&cuts), arrow(asked())),
        ("a stream", stream.clone(), arrow(asked())),
        ("a compressed stream", gzip(&stream), arrow(asked())),
        // It cannot be read at any offset: it is read as the stream that it holds.
        ("a compressed file", gzip(&file_of(&cuts)), arrow(asked())),
    ];
    for (name, bytes, format) in cases {
        let path = save(&dir, "t", &bytes);
        let feed = feed(&[path], format).unwrap();
        let kept: Vec<_> =
            feed.extra_columns().passthrough().iter().map(|field| field.name().clone()).collect();
        assert_eq!(kept, ["n", "note"], "{name}");
        let pieces = pieces(Ok(feed)).unwrap();
        assert_eq!(uris(&pieces), expected, "{name}");
        let mut next = 1;
        for piece in &pieces {
            assert!((1..=1 << 14).contains(&piece.count), "{name}: {} rows at once", piece.count);
            assert_eq!(piece.first_record, next, "{name}");
            let numbers = piece.rows.passthrough[0].as_primitive::<Int64Type>();
            assert_eq!(numbers.value(0), next - 1, "{name}: the columns belong together");
            next += piece.count as i64;
        }
    }
    // Through a reader, as from standard input.
    for bytes in [stream, file_of(&cuts)] {
        let reader = urimill_testkit::stored::Slow::boxed(&bytes, 777);
        let chunker = Chunker::from_reader("a pipe", reader, ChunkOptions::default(), Arc::default());
        let pieces = pieces(chunker.with_format(arrow(asked())).begin()).unwrap();
        assert_eq!(uris(&pieces), expected);
    }
}

#[test]
fn auto_recognizes_tables_by_their_first_bytes() {
    let dir = TempDir::new().unwrap();
    let rows = [plain(5)];
    for (bytes, name) in [
        (parquet_of(&rows, 10), "parquet"),
        (file_of(&rows), "arrow"),
        (stream_of(&rows), "arrow"),
        (gzip(&stream_of(&rows)), "arrow"),
    ] {
        let path = save(&dir, "t", &bytes);
        let auto = InputFormat::Auto.reader(&fields("url", names(&["n"]))).unwrap();
        let feed = feed(&[path], auto).unwrap();
        assert_eq!(feed.format().name(), name);
        assert!(matches!(feed, RecordSource::Tables(_)));
        let pieces = pieces(Ok(feed)).unwrap();
        assert_eq!(uris(&pieces).len(), 5);
        assert_eq!(pieces[0].rows.passthrough[0].len(), 5);
    }
}

#[test]
fn a_text_column_is_found_by_name_number_or_path() {
    let dir = TempDir::new().unwrap();
    let texts = text(&["/a", "/b", "/c"]);
    let inner: ArrayRef = Arc::new(StructArray::new(
        Fields::from(vec![
            Field::new("href.x", DataType::Utf8, true),
            Field::new("n", DataType::Int32, true),
        ]),
        vec![texts.clone(), Arc::new(Int32Array::from(vec![1, 2, 3]))],
        Some(NullBuffer::from(vec![true, false, true])),
    ));
    let outer: ArrayRef = Arc::new(StructArray::from(vec![(
        Arc::new(Field::new("in", inner.data_type().clone(), true)),
        inner.clone(),
    )]));
    let of = |data_type: DataType| cast(&texts, &data_type).unwrap();
    let dictionary = |values: DataType| DataType::Dictionary(Box::new(DataType::Int8), Box::new(values));
    let rows = batch(vec![
        ("Utf8", texts.clone()),
        ("LargeUtf8", of(DataType::LargeUtf8)),
        ("Utf8View", of(DataType::Utf8View)),
        ("Binary", of(DataType::Binary)),
        ("LargeBinary", of(DataType::LargeBinary)),
        ("BinaryView", of(DataType::BinaryView)),
        ("dictionary", of(dictionary(DataType::Utf8))),
        ("a.b", texts.clone()),
        ("s", inner),
        ("deep", outer),
        ("9", text(&["/nine", "", ""])),
    ]);
    let bytes = file_of(std::slice::from_ref(&rows));
    let all = ["/a", "/b", "/c"].map(|uri| Some(uri.to_owned())).to_vec();
    let with_null = vec![all[0].clone(), None, all[2].clone()];
    let path = save(&dir, "t", &bytes);
    // (--uri-field, its values, the number of other columns)
    let cases = [
        ("Utf8", &all, 10),
        ("LargeUtf8", &all, 10),
        ("Utf8View", &all, 10),
        ("Binary", &all, 10),
        ("LargeBinary", &all, 10),
        ("BinaryView", &all, 10),
        ("dictionary", &all, 10),
        ("a.b", &all, 10),
        ("1", &all, 10),
        ("8", &all, 10),
        // The struct stays whole.
        ("s.href.x", &with_null, 11),
        ("deep.in.href.x", &with_null, 11),
    ];
    for (uri, expected, others) in cases {
        let pieces = pieces(feed(std::slice::from_ref(&path), arrow(fields(uri, Keep::All)))).unwrap();
        assert_eq!(&uris(&pieces), expected, "{uri}");
        assert_eq!(pieces[0].rows.passthrough.len(), others, "{uri}");
    }
    let refusals: &[(&str, &[&str])] = &[
        ("nix", &["no column \"nix\"", "\"Utf8\", \"LargeUtf8\"", "\"s.href.x\"", "\"deep.in.href.x\""]),
        ("s.n", &["\"s.n\"", "Int32", "columns of texts"]),
        ("s", &["\"s\"", "Struct"]),
        ("12", &["no column 12"]),
        ("s.", &["no column \"s.\""]),
    ];
    for (uri, parts) in refusals {
        refused(feed(std::slice::from_ref(&path), arrow(fields(uri, Keep::All))), ErrorKind::Usage, parts);
    }
    // A column that has digits for a name, where no column has that number.
    let few = save(&dir, "few", &file_of(&[rows.project(&[10]).unwrap()]));
    let found = pieces(feed(std::slice::from_ref(&few), arrow(fields("9", Keep::All)))).unwrap();
    assert_eq!(uris(&found)[0].as_deref(), Some("/nine"));
    let no_uri = Asked::default();
    refused(feed(&[few], arrow(no_uri)), ErrorKind::Usage, &["which column", "uri_field(NAME)", "\"9\""]);
}

#[test]
fn keep_selects_columns_and_their_order() {
    let dir = TempDir::new().unwrap();
    let rows = batch(vec![
        ("u", text(&["/"])),
        ("b", text(&["http://h/"])),
        ("host", text(&["x"])),
        ("field_errors", text(&["y"])),
        ("host", text(&["z"])),
    ]);
    let path = save(&dir, "t", &file_of(&[rows]));
    let kept = |base: Option<&str>, keep: Keep| {
        let base = base.map(str::to_owned);
        let feed = feed(std::slice::from_ref(&path), arrow(Asked { base, ..fields("u", keep) }));
        feed.map(|feed| {
            let kept = feed.extra_columns();
            kept.passthrough().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
        })
    };
    let others = ["field_host", "field_field_errors", "field_host_2"];
    assert_eq!(kept(Some("b"), Keep::All).unwrap(), others);
    assert_eq!(kept(None, Keep::All).unwrap(), ["b", others[0], others[1], others[2]]);
    assert_eq!(kept(None, Keep::None).unwrap(), [""; 0]);
    assert_eq!(kept(None, names(&["5", "u"])).unwrap(), ["field_host", "u"]);
    for (keep, part) in [(&["host"][..], "twice, as columns 3 and 5"), (&["nix"], "no column \"nix\"")] {
        let error = kept(None, names(keep)).expect_err("refused");
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = kept(Some("u"), Keep::None).expect_err("refused");
    assert!(error.to_string().contains("both"), "{error}");
}

#[test]
fn several_tables_have_the_columns_of_the_first() {
    let dir = TempDir::new().unwrap();
    let number = |value| -> ArrayRef { Arc::new(Int64Array::from(vec![value])) };
    let tables = [
        batch(vec![("url", text(&["/1"])), ("n", number(1)), ("t", text(&["a"]))]),
        batch(vec![("t", text(&["b"])), ("n", number(2)), ("url", text(&["/2"]))]),
        batch(vec![("t", text(&["c"])), ("url", text(&["/3"]))]),
        batch(vec![("url", text(&["/4"])), ("n", text(&["4"])), ("t", text(&["d"]))]),
        batch(vec![("url", text(&["/5"])), ("n", number(5)), ("t", text(&["e"])), ("x", number(5))]),
        batch(vec![("n", number(6)), ("t", text(&["f"]))]),
    ];
    for kind in ["parquet", "arrow"] {
        let make = |(at, table): (usize, &RecordBatch)| {
            let table = std::slice::from_ref(table);
            let bytes = if kind == "parquet" { parquet_of(table, 9) } else { stream_of(table) };
            save(&dir, &format!("{at}.{kind}"), &bytes)
        };
        let paths: Vec<_> = tables.iter().enumerate().map(make).collect();
        let of = |fields| if kind == "parquet" { parquet(fields) } else { arrow(fields) };
        let read =
            |at: usize, keep: Keep| feed(&[paths[0].clone(), paths[at].clone()], of(fields("url", keep)));
        let two = pieces(read(1, Keep::All)).unwrap();
        assert_eq!(uris(&two), [Some("/1".to_owned()), Some("/2".to_owned())]);
        let found = |piece: &TableMorsel| {
            let number = piece.rows.passthrough[0].as_primitive::<Int64Type>().value(0);
            (number, piece.rows.passthrough[1].as_string::<i32>().value(0).to_owned(), piece.first_record)
        };
        assert_eq!((found(&two[0]), found(&two[1])), ((1, "a".into(), 1), (2, "b".into(), 1)));

        refused(
            read(2, Keep::All),
            ErrorKind::Usage,
            &[&format!("2.{kind}"), "no column \"n\"", "with keep"],
        );
        refused(
            read(3, Keep::All),
            ErrorKind::Usage,
            &["column \"n\"", &format!("3.{kind}"), "Utf8", "Int64"],
        );
        refused(read(4, Keep::All), ErrorKind::Usage, &[&format!("4.{kind}"), "\"x\"", "lacks"]);
        refused(read(5, Keep::None), ErrorKind::Usage, &[&format!("5.{kind}"), "no column \"url\""]);
        for (at, keep) in [(2, &["t"][..]), (3, &["t"]), (4, &["n", "t"])] {
            assert_eq!(pieces(read(at, names(keep))).unwrap().len(), 2, "{at}");
        }
    }
}

/// The first table's rule about nulls holds for all rows.
#[test]
fn a_column_without_nulls_stays_non_nullable() {
    let dir = TempDir::new().unwrap();
    let may_be_null = batch(vec![("url", text(&["/1"])), ("t", text(&["a"]))]);
    let schema =
        Schema::new(vec![Field::new("url", DataType::Utf8, true), Field::new("t", DataType::Utf8, false)]);
    let never = RecordBatch::try_new(Arc::new(schema), may_be_null.columns().to_vec()).unwrap();
    let a = save(&dir, "a", &stream_of(&[may_be_null]));
    let b = save(&dir, "b", &stream_of(&[never]));
    let read = |paths: [&PathBuf; 2]| feed(&paths.map(Clone::clone), arrow(fields("url", Keep::All)));
    assert_eq!(pieces(read([&a, &b])).unwrap().len(), 2);
    refused(read([&b, &a]), ErrorKind::Usage, &["\"t\"", "/a may hold nulls", "/a first"]);
}

#[test]
fn tables_without_rows_give_no_rows() {
    let dir = TempDir::new().unwrap();
    let none = plain(0);
    for (bytes, format) in [
        (parquet_of(std::slice::from_ref(&none), 9), parquet(fields("url", Keep::All))),
        (file_of(std::slice::from_ref(&none)), arrow(fields("url", Keep::All))),
        (stream_of(std::slice::from_ref(&none)), arrow(fields("url", Keep::All))),
    ] {
        let path = save(&dir, "t", &bytes);
        let feed = feed(&[path.clone(), path], format).unwrap();
        assert_eq!(feed.extra_columns().passthrough().len(), 2);
        assert_eq!(pieces(Ok(feed)).unwrap().len(), 0);
    }
}

/// The bytes of one column's chunk are overwritten: a run that does not read the column is not affected.
#[test]
fn unwanted_columns_are_not_read() {
    let dir = TempDir::new().unwrap();
    let mut bytes = parquet_of(&[plain(2000)], 1 << 20);
    let path = save(&dir, "whole", &bytes);
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let (start, length) = reader.metadata().row_group(0).column(2).byte_range();
    bytes[start as usize..(start + length) as usize].fill(0xee);
    let path = save(&dir, "t", &bytes);
    let found = pieces(feed(std::slice::from_ref(&path), parquet(fields("url", names(&["n"]))))).unwrap();
    assert_eq!(uris(&found).len(), 2000);
    refused(feed(&[path], parquet(fields("url", Keep::All))), ErrorKind::Data, &["/t: ", "damaged"]);
}

#[test]
fn files_that_are_not_tables_are_refused() {
    let dir = TempDir::new().unwrap();
    let whole = parquet_of(&[plain(100)], 10);
    let encrypted = [&whole[..whole.len() - 4], b"PARE"].concat();
    let stream = stream_of(&[plain(3)]);
    let twice = [stream.clone(), stream.clone()].concat();
    let url = || fields("url", Keep::All);
    let cases: &[(&str, &[u8], Format, &[&str])] = &[
        ("empty", b"", parquet(url()), &["not a Parquet file"]),
        ("lines", b"http://h/\nhttp://h/\n", parquet(url()), &["not a Parquet file", "PAR1"]),
        ("cut", &whole[..whole.len() / 2], parquet(url()), &["not a complete Parquet file", "truncated"]),
        ("encrypted", &encrypted, parquet(url()), &["encrypted"]),
        ("gz", &gzip(&whole), parquet(url()), &["not a Parquet file"]),
        ("empty", b"", arrow(url()), &["empty"]),
        ("lines", b"http://h/\nhttp://h/\n", arrow(url()), &["not an Arrow stream"]),
        ("short", b"ARROW1", arrow(url()), &["not a complete Arrow file"]),
        ("parquet", &whole, arrow(url()), &["not an Arrow stream"]),
        ("within", &stream[..stream.len() - 100], arrow(url()), &["ends within a message"]),
        ("twice", &twice, arrow(url()), &["after the end of the stream"]),
        ("cut gz", &gzip(&stream)[..200], arrow(url()), &["gzip stream is truncated at byte 200"]),
    ];
    for (name, bytes, format, parts) in cases {
        let path = save(&dir, name, bytes);
        let parts: Vec<&str> = parts.iter().copied().chain([*name]).collect();
        refused(feed(&[path], format.clone()), ErrorKind::Data, &parts);
    }
    // A pipe cannot be read from its end.
    let reader: Box<dyn Read + Send> = Box::new(std::io::Cursor::new(whole));
    let chunker = Chunker::from_reader("a pipe", reader, ChunkOptions::default(), Arc::default());
    refused(chunker.with_format(parquet(url())).begin(), ErrorKind::Usage, &["a pipe", "give a file"]);
}

/// A table of many types, which exercises its reader.
fn varied() -> RecordBatch {
    let plain = plain(60);
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let few = text(&["a", "bb", "ccc"].repeat(20));
    let list = {
        let mut list = arrow::array::ListBuilder::new(arrow::array::StringBuilder::new());
        (0..60).for_each(|row| {
            (0..row % 4).for_each(|at| list.values().append_value(format!("{at}")));
            list.append(row % 5 > 0);
        });
        Arc::new(list.finish()) as ArrayRef
    };
    let null = new_null_array(&DataType::Int32, 30);
    let half = concat(&[&null, &(Arc::new((0..30).collect::<Int32Array>()) as ArrayRef)]).unwrap();
    let schema: SchemaRef = plain.schema();
    let own = schema
        .fields()
        .iter()
        .zip(plain.columns())
        .map(|(field, array)| (field.name().as_str(), array.clone()));
    let more = vec![
        ("few", cast(&few, &dictionary).unwrap()),
        ("list", list),
        ("half", half),
        ("view", cast(plain.column(1), &DataType::Utf8View).unwrap()),
    ];
    batch(own.chain(more).collect())
}

/// A changed file is read or refused, with one message that names it and without a panic. A file that is cut off is
/// always refused.
#[test]
fn damage_is_an_error_and_names_the_file() {
    let dir = TempDir::new().unwrap();
    let rows = varied();
    let url = || fields("url", Keep::All);
    let cases = [
        ("parquet", parquet_of(std::slice::from_ref(&rows), 25), parquet(url())),
        ("file", file_of(&[rows.slice(0, 40), rows.slice(40, 20)]), arrow(url())),
        ("stream", stream_of(&[rows.slice(0, 40), rows.slice(40, 20)]), arrow(url())),
    ];
    for (name, whole, format) in cases {
        let read = |bytes: &[u8]| pieces(feed(&[save(&dir, name, bytes)], format.clone()));
        let count = |pieces: &[TableMorsel]| pieces.iter().map(|piece| piece.count).sum::<usize>();
        assert_eq!(count(&read(&whole).unwrap()), 60, "{name}");
        let is_told = |result: &Result<Vec<TableMorsel>>| match result {
            Ok(_) => true,
            Err(error) => {
                let sentence = error.to_string();
                // A damaged schema may have lost a column, or have another name for it.
                let kinds = [ErrorKind::Data, ErrorKind::Usage];
                kinds.contains(&error.kind()) && sentence.contains(name) && !sentence.contains('\n')
            }
        };
        for cut in (0..whole.len() - 9).step_by(whole.len() / 60) {
            let result = read(&whole[..cut]);
            assert!(result.is_err() && is_told(&result), "{name} cut at {cut}: {result:?}");
        }
        let mut rng = 7u64;
        let mut refused = 0;
        for _ in 0..400 {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (at, flip) = ((rng >> 33) as usize % whole.len(), (rng >> 24) as u8 | 1);
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            let result = read(&bytes);
            assert!(is_told(&result), "{name} with byte {at} changed by {flip:#x}: {result:?}");
            refused += usize::from(result.is_err());
        }
        assert!(refused > 50, "{name}: only {refused} of 400 changes were noticed");
    }
}

#[test]
fn a_missing_file_is_named() {
    let path = Path::new("/nowhere/at/all.parquet").to_owned();
    refused(feed(&[path], parquet(fields("url", Keep::All))), ErrorKind::Usage, &["/nowhere/at/all.parquet"]);
}
