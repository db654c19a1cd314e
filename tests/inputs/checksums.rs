//! The sums of `--verify`: the same for the same texts, whatever holds them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int8Array, RecordBatch, StringArray, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::ipc::writer::StreamWriter;
use urimill::batch::{Columns, Options};
use urimill::pipeline::{self, OnInvalid, Plan, Progress};
use urimill::read::format::{Asked, InputFormat, UriSource};
use urimill::read::{Checksum, ChunkOptions, Chunker, Lines, ReadChecksums, checksum_of_texts};
use urimill::threads::Workers;
use urimill::write;
use urimill::write::{Sink, SinkOptions};

use crate::faults;
use urimill_testkit::stored::no_progress;

const TEXTS: [Option<&str>; 7] = [
    Some("HTTP://h/"),
    None,
    Some(""),
    Some("a text of more than twelve bytes"),
    Some("HTTP://h/"),
    None,
    Some("é"),
];

fn due() -> Checksum {
    let mut sum = Checksum::default();
    TEXTS.iter().for_each(|text| sum.add(text.unwrap_or_default().as_bytes()));
    sum
}

/// The texts in each type that can hold them.
fn arrays() -> Vec<ArrayRef> {
    use DataType::*;
    let texts: ArrayRef = Arc::new(StringArray::from(TEXTS.to_vec()));
    let dictionary = |key: DataType, value: DataType| Dictionary(Box::new(key), Box::new(value));
    let types = [
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        dictionary(Int8, Utf8),
        dictionary(UInt64, LargeBinary),
    ];
    let mut arrays: Vec<_> = types.iter().map(|to| cast(&texts, to).unwrap()).collect();
    // Nulls may be between the values, too.
    let values = StringArray::from(vec![Some("HTTP://h/"), None, Some(""), TEXTS[3], Some("é")]);
    let keys = Int8Array::from(vec![Some(0), Some(1), Some(2), Some(3), Some(0), None, Some(4)]);
    arrays.push(Arc::new(arrow::array::DictionaryArray::new(keys, Arc::new(values))));
    arrays
}

#[test]
fn the_checksum_of_a_column_does_not_depend_on_its_type() {
    for array in arrays() {
        let of = |array: ArrayRef| checksum_of_texts(&array);
        assert_eq!(of(array.clone()), due(), "{}", array.data_type());
        // The same for any slice.
        let mut parts = of(array.slice(0, 3));
        parts.add_all(of(array.slice(3, 4)));
        assert_eq!(parts, due(), "{}", array.data_type());
    }
    let nulls = checksum_of_texts(&new_null_array(&DataType::Utf8, 3));
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    assert_eq!(checksum_of_texts(&new_null_array(&dictionary, 3)), nulls);
    assert_eq!(nulls.count, 3);
}

#[test]
fn the_checksum_of_a_table_equals_that_of_its_rows() {
    for array in arrays() {
        let batch = RecordBatch::try_from_iter_with_nullable([("u", array.clone(), true)]).unwrap();
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        (0..3).for_each(|_| writer.write(&batch).unwrap());
        let bytes = writer.into_inner().unwrap();
        let checksums = Arc::<ReadChecksums>::default();
        let reader = Box::new(std::io::Cursor::new(bytes));
        let asked = Asked { uri: Some(UriSource::Field("u".parse().unwrap())), ..Asked::default() };
        let chunks = ChunkOptions {
            format: InputFormat::Arrow.reader(&asked).unwrap(),
            checksums: Some(Arc::clone(&checksums)),
            ..ChunkOptions::default()
        };
        let chunker = Chunker::from_reader("a table", reader, chunks, no_progress());
        let feed = chunker.begin().unwrap();
        let options = Options {
            columns: Columns::parse("uri,raw").unwrap(),
            extra: feed.extra_columns(),
            ..Options::default()
        };
        let plan = Plan::new(&feed, options, false).unwrap();
        let told = SinkOptions::default();
        let written = ((write::Format::Jsonl, &[][..]), &told);
        let verifier = plan.new_verifier(Arc::clone(&checksums), written, None).unwrap();
        let verifier = Arc::new(verifier);
        let plan = plan.verified_by(Some(Arc::clone(&verifier)));
        let table: Box<dyn Sink> = Box::new(faults::Checksum::default());
        pipeline::complete(feed, &plan, &Workers::start(2), table, OnInvalid::Keep, &Progress::default())
            .unwrap();
        verifier.check_records().unwrap();
        let mut thrice = due();
        thrice.add_all(due());
        thrice.add_all(due());
        assert_eq!(checksums.references(), thrice, "{}", array.data_type());
    }
}

#[test]
fn the_checksum_of_lines_does_not_depend_on_chunks() {
    let text = b"\xef\xbb\xbfa\r\n\nb\n\r\r\n\r\nlonger than that\n\rc";
    let sums = |size: usize| {
        let checksums = ReadChecksums::default();
        let mut lines = Lines::default();
        text.chunks(size).for_each(|piece| lines.push(piece));
        lines.end();
        checksums.read(&lines);
        let mut whole = Lines::default();
        whole.push(text);
        whole.end();
        checksums.returned(&whole);
        checksums.check()
    };
    (1..=text.len()).for_each(|size| sums(size).unwrap());
    let checksums = ReadChecksums::default();
    let mut lines = Lines::default();
    lines.push(text);
    checksums.read(&lines);
    // Text without a line end may only be at the end.
    lines.end();
    checksums.returned(&lines);
    let error = checksums.check().unwrap_err().to_string();
    assert!(error.contains("their numbers are 6 and 7"), "{error}");
}
