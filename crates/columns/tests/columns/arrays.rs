//! Arrays of every type that holds texts make the same rows as lines, and nothing is copied without need.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, BinaryViewBuilder, DictionaryArray, Int32Array,
    LargeBinaryArray, LargeStringArray, StringArray, StringViewArray, StringViewBuilder, make_view,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use urimill::Level;
use urimill::batch::{Columns, Normalizer, Options, Origin, Reading, RfcOptions};
use urimill::simd::PADDING;

use crate::row::{Row, expected, options, rows};
use crate::{Rng, dataset};

/// Records that contain no line ends, so that they can be lines and values of an array.
fn values() -> Vec<Vec<u8>> {
    let mut rng = Rng(5);
    let text = [dataset("oddities.txt"), b"\n".to_vec(), dataset("sample.txt")].concat();
    let mut values: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    values.extend((0..500).map(|_| rng.text(12)));
    values.push(b"http://example.com/the-last-one?has=nothing&behind=it".to_vec());
    values.push(b"/short".to_vec());
    values
}

fn strings(values: &[Option<Vec<u8>>]) -> impl Iterator<Item = Option<&str>> {
    values.iter().map(|value| value.as_ref().map(|value| std::str::from_utf8(value).expect("UTF-8")))
}

/// The values in every type of array of bytes, with views into few buffers and into many.
fn binary_arrays(values: &[Option<Vec<u8>>]) -> Vec<ArrayRef> {
    let bytes = || values.iter().map(Option::as_deref);
    let mut blocks = BinaryViewBuilder::new().with_fixed_block_size(100);
    bytes().for_each(|value| blocks.append_option(value));
    with_dictionaries(vec![
        Arc::new(bytes().collect::<BinaryArray>()),
        Arc::new(bytes().collect::<LargeBinaryArray>()),
        Arc::new(bytes().collect::<BinaryViewArray>()),
        Arc::new(blocks.finish()),
    ])
}

/// Each array as it is, and as a dictionary.
fn with_dictionaries(arrays: Vec<ArrayRef>) -> Vec<ArrayRef> {
    let dictionary = |array: &ArrayRef| {
        let data_type = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(array.data_type().clone()));
        cast(array, &data_type).expect("a dictionary")
    };
    let dictionaries: Vec<_> = arrays.iter().map(dictionary).collect();
    [arrays, dictionaries].concat()
}

/// Keys may be null, and so may the values that they refer to.
#[test]
fn nulls_in_dictionaries_are_null_rows() {
    let texts = [Some("http://EXAMPLE.com/a-long-one"), None, Some("/short")];
    let keys = Int32Array::from(vec![Some(2), None, Some(1), Some(0), Some(2)]);
    let expected: Vec<_> = [texts[2], None, None, texts[0], texts[2]]
        .map(|text| text.map(|text| text.as_bytes().to_vec()))
        .into();
    let values: [ArrayRef; 2] =
        [Arc::new(StringArray::from(texts.to_vec())), Arc::new(StringViewArray::from(texts.to_vec()))];
    for values in values {
        let array = DictionaryArray::new(keys.clone(), values);
        judge_array(&array, &expected, Level::Scheme, false);
        judge_array(&array.slice(1, 3), &expected[1..4], Level::Scheme, true);
    }
}

/// The same for values that are UTF-8.
fn string_arrays(values: &[Option<Vec<u8>>]) -> Vec<ArrayRef> {
    let mut blocks = StringViewBuilder::new().with_fixed_block_size(100);
    strings(values).for_each(|value| blocks.append_option(value));
    let blocks = blocks.finish();
    assert!(blocks.data_buffers().len() > 20);
    with_dictionaries(vec![
        Arc::new(strings(values).collect::<StringArray>()),
        Arc::new(strings(values).collect::<LargeStringArray>()),
        Arc::new(strings(values).collect::<StringViewArray>()),
        Arc::new(blocks),
    ])
}

pub(crate) fn judge_array(array: &dyn Array, values: &[Option<Vec<u8>>], level: Level, with_repair: bool) {
    judge_with(&mut Normalizer::new(options(level, with_repair)), array, values);
}

pub(crate) fn judge_with(normalizer: &mut Normalizer, array: &dyn Array, values: &[Option<Vec<u8>>]) {
    let RfcOptions { level, repair: with_repair, .. } = normalizer.options().reading.rfc();
    let (batch, tally) = normalizer.array(array).expect("a table");
    let rows = rows(&batch);
    assert_eq!(rows.len(), values.len(), "{}", array.data_type());
    assert_eq!(tally.nulls, values.iter().filter(|value| value.is_none()).count() as u64);
    for (i, ((row, place), value)) in rows.iter().zip(values).enumerate() {
        let expected = value.as_ref().map_or(Row::default(), |value| expected(value, level, with_repair));
        assert_eq!(row, &expected, "{}, row {i}, {level}, repair {with_repair}", array.data_type());
        assert_eq!(place.record, i as i64 + 1);
        if value.is_none() {
            assert_eq!(place.flags, 0, "a null has no flags");
        }
    }
}

#[test]
fn every_text_type_gives_the_same_rows() {
    let all = values();
    let with_nulls = |values: &[Vec<u8>]| -> Vec<Option<Vec<u8>>> {
        values.iter().enumerate().map(|(i, value)| (i % 7 != 3).then(|| value.clone())).collect()
    };
    let utf8: Vec<_> = all.iter().filter(|value| std::str::from_utf8(value).is_ok()).cloned().collect();
    for nulls in [false, true] {
        let make = |values: &[Vec<u8>]| match nulls {
            true => with_nulls(values),
            false => values.iter().cloned().map(Some).collect(),
        };
        let (bytes, texts) = (make(&all), make(&utf8));
        let arrays = binary_arrays(&bytes).into_iter().map(|array| (array, &bytes));
        for (array, values) in arrays.chain(string_arrays(&texts).into_iter().map(|array| (array, &texts))) {
            judge_array(&array, values, Level::Scheme, false);
            judge_array(&array, values, Level::None, true);
            for (from, len) in [(0, 9), (5, values.len() - 5), (11, 700), (values.len() - 1, 1), (4, 0)] {
                judge_array(&array.slice(from, len), &values[from..from + len], Level::Scheme, true);
            }
        }
    }
}

/// Columns are made from blocks of rows: more blocks than one, in one buffer and in many.
#[test]
fn arrays_of_many_rows_give_the_same_rows() {
    let utf8 = values().into_iter().filter(|value| std::str::from_utf8(value).is_ok()).map(Some);
    let utf8: Vec<_> = utf8.cycle().take(3_333).collect();
    for array in string_arrays(&utf8) {
        judge_array(&array, &utf8, Level::Scheme, true);
    }
}

#[test]
fn empty_and_null_arrays_give_empty_and_null_rows() {
    for array in string_arrays(&[vec![Some(vec![b'a'; 200]); 30]].concat()) {
        judge_array(&array.slice(0, 0), &[], Level::Scheme, true);
    }
    let nulls: Vec<Option<Vec<u8>>> = vec![None; 70];
    for array in binary_arrays(&nulls) {
        judge_array(&array, &nulls, Level::Scheme, true);
    }
    judge_array(&StringArray::from(Vec::<&str>::new()), &[], Level::Scheme, false);
    judge_array(&StringViewArray::from(Vec::<&str>::new()), &[], Level::Scheme, false);
}

/// urimill's offsets have 31 bits. Only the pages of the values are touched, so the memory costs next to nothing.
#[test]
fn arrays_beyond_two_gigabytes_are_read() {
    let values: [(usize, &[u8]); 4] = [
        ((1 << 30) - 10, b"http://example.com/over-the-edge-of-a-window"),
        ((1 << 31) - 9, b"http://EXAMPLE.com/over-the-edge-of-31-bits"),
        ((1 << 31) + 100, b"/rejected-because-of \xff"),
        ((1 << 31) + 200, b"http://example.com/?the=last#one"),
    ];
    let mut memory = vec![0; (1 << 31) + 1000];
    // Nulls of any length are between the values.
    let (mut offsets, mut expected) = (vec![0i64], Vec::new());
    for (at, value) in values {
        memory[at..at + value.len()].copy_from_slice(value);
        offsets.extend([at as i64, (at + value.len()) as i64]);
        expected.extend([None, Some(value.to_vec())]);
    }
    let memory = Buffer::from_vec(memory);
    let nulls = NullBuffer::from_iter(expected.iter().map(Option::is_some));
    let offsets = OffsetBuffer::new(offsets.into());
    let array = LargeBinaryArray::new(offsets, memory.clone(), Some(nulls));
    judge_array(&array, &expected, Level::Scheme, false);
    judge_array(&array.slice(3, 5), &expected[3..], Level::Scheme, true);

    for (at, value) in values {
        let view = make_view(value, 0, at as u32);
        let array = BinaryViewArray::new(vec![view].into(), vec![memory.clone()], None);
        judge_array(&array, &[Some(value.to_vec())], Level::Scheme, false);
    }
}

#[test]
#[ignore = "takes some gigabytes of memory"]
fn values_of_a_gigabyte_are_rejects() {
    let value = |len: usize| {
        let mut value = vec![b'a'; len];
        value[..9].copy_from_slice(b"http://h/");
        value
    };
    let columns = || Columns::parse("uri,error,error_offset").expect("columns");
    let options = || Options { columns: columns(), max_record: usize::MAX, ..Options::default() };
    let long = (i32::MAX as usize - 64) / 3;
    // With a byte that is not UTF-8 the text is written anew.
    for (len, first, limit) in [(long, b'h', long - 1), (1 << 30, b'h', long - 1), (1 << 30, 0xff, long - 1)]
    {
        let mut text = value(len);
        text[0] = first;
        let short: &[u8] = b"HTTP://b/";
        let array = LargeBinaryArray::from_vec(vec![short, &text, short]);
        for reading in [Reading::default(), Reading::Whatwg] {
            for max_record in [1 << 20, usize::MAX] {
                let options = Options { reading, max_record, ..options() };
                let (batch, tally) = Normalizer::new(options).array(&array).expect("a batch");
                assert_eq!((batch.num_rows(), tally.rejects()), (3, 1));
                assert_eq!(batch["error"].as_string_view().value(1), "too_long");
                let offset = batch["error_offset"].as_primitive::<arrow::datatypes::Int32Type>().value(1);
                assert!((offset as usize).abs_diff(limit.min(max_record)) <= 64, "{offset}");
                assert_eq!(batch["uri"].as_string_view().value(2), "http://b/");
            }
        }
    }
    // A base of that length is none.
    let base = String::from_utf8(value(1 << 29)).expect("ASCII");
    let (bases, references) =
        (StringArray::from(vec!["http://h/", &base]), StringArray::from(vec!["a", "b"]));
    for reading in [Reading::default(), Reading::Whatwg] {
        let options = Options { reading, ..options() };
        let (batch, _) = Normalizer::new(options).array_with_bases(&references, &bases).expect("a batch");
        assert_eq!(batch["error"].as_string_view().value(1), "base_invalid");
        assert_eq!(batch["uri"].as_string_view().value(0), "http://h/a");
    }
}

#[test]
fn other_types_are_refused() {
    let numbers = Int32Array::from(vec![1]);
    let error = Normalizer::new(Options::default()).array(&numbers).expect_err("no URIs in there");
    assert_eq!(error.kind(), urimill::ErrorKind::Usage);
    assert!(error.to_string().contains("Int32"), "{error}");
}

/// The arenas of an array of views: all buffers that are not the input's.
fn foreign<'a>(array: &'a StringViewArray, input: &'a [Buffer]) -> Vec<&'a Buffer> {
    let is_input = |buffer: &Buffer| input.iter().any(|input| input.data_ptr() == buffer.data_ptr());
    array.data_buffers().iter().filter(|buffer| !is_input(buffer)).collect()
}

/// Whether the view of row `i` points into one of `buffers`, rather than holding its text.
fn points_into(array: &StringViewArray, i: usize, buffers: &[Buffer]) -> bool {
    let view = array.views()[i];
    let buffer = &array.data_buffers()[(view >> 64) as u32 as usize];
    view as u32 > 12 && buffers.iter().any(|other| other.data_ptr() == buffer.data_ptr())
}

#[test]
fn a_slice_of_many_buffers_names_those_that_it_uses() {
    let mut blocks = StringViewBuilder::new().with_fixed_block_size(100);
    (0..1_000).for_each(|n| blocks.append_value(format!("http://www.example.com/some/path/{n}")));
    let array = blocks.finish();
    assert!(array.data_buffers().len() > 300);
    let (batch, _) = Normalizer::new(Options::default()).array(&array.slice(500, 6)).expect("a batch");
    let uris = batch["uri"].as_string_view();
    assert_eq!((uris.value(0), uris.value(5)), (array.value(500), array.value(505)));
    assert!(uris.data_buffers().len() < 10, "{} buffers", uris.data_buffers().len());
    assert!(foreign(uris, array.data_buffers()).iter().all(|arena| arena.len() <= PADDING));
}

const COMPONENTS: [&str; 6] = ["uri", "scheme", "userinfo", "host", "path", "query"];

#[test]
fn unchanged_texts_are_not_copied() {
    let kept =
        "https://user:long-password@www.example.com/a/long/path/to/it?and=a&long=query#and-a-long-fragment";
    let changed = kept.replace("www", "WWW");
    let normalizer = || Normalizer::new(options(Level::Scheme, false));
    let array = StringArray::from(vec![kept, kept]);
    let mut padded = format!("{kept}\n{kept}\n").into_bytes();
    let to = padded.len();
    padded.push(b'\n');
    padded.resize(to + PADDING, 0);
    let buffer = Buffer::from_vec(padded);
    let views = StringViewArray::from(vec![kept, kept]);
    let from_lines = normalizer().lines(&buffer, (0, to), Origin::default()).expect("a table").0;
    let from_array = normalizer().array(&array).expect("a table").0;
    let from_views = normalizer().array(&views).expect("a table").0;
    let mut views_input = views.data_buffers().to_vec();
    for (batch, input) in [
        (from_lines, vec![buffer]),
        (from_array, vec![array.values().clone()]),
        (from_views, std::mem::take(&mut views_input)),
    ] {
        for name in COMPONENTS {
            let column = batch.column_by_name(name).expect("all columns").as_string_view();
            // A second buffer may hold texts that were inline in views; there is none here.
            assert!(
                foreign(column, &input).iter().all(|buffer| buffer.len() <= PADDING),
                "{name} has an arena"
            );
            for i in 0..2 {
                assert!(column.value(i).len() <= 12 || points_into(column, i, &input), "{name} of row {i}");
            }
        }
    }

    // Changed rows are in one arena, the others in the input's buffer.
    let array = StringArray::from(vec![kept, &changed, kept, &changed]);
    let batch = normalizer().array(&array).expect("a table").0;
    let input = [array.values().clone()];
    let mut arenas = Vec::new();
    for name in COMPONENTS {
        let column = batch.column_by_name(name).expect("all columns").as_string_view();
        let arena = foreign(column, &input);
        assert_eq!(arena.len(), 1, "{name}");
        arenas.push(arena[0].data_ptr());
        for i in [0, 2].into_iter().filter(|&i| column.value(i).len() > 12) {
            assert!(points_into(column, i, &input), "{name} of row {i}");
            assert!(!points_into(column, i + 1, &input), "{name} of row {}", i + 1);
        }
    }
    assert!(arenas.iter().all(|&arena| arena == arenas[0]), "the columns share their arena");
    let raw = batch.column_by_name("raw").expect("all columns").as_string_view();
    assert!(points_into(raw, 1, &input), "the text as read is where it was read");
}

#[test]
fn slices_of_a_column_keep_their_numbers_and_bases() {
    let references = StringArray::from(vec!["a", "b", "c", "d", "e"]);
    let bases = StringArray::from(vec!["x://1/", "x://2/", "x://3/", "x://4/", "x://5/"]);
    let mut normalizer = Normalizer::new(Options::default());
    let mut seen = Vec::new();
    for (from, len) in [(0, 2), (2, 0), (2, 3)] {
        let origin = Origin { first_record: 1 + from as i64, ..Origin::default() };
        let (references, bases) = (references.slice(from, len), bases.slice(from, len));
        let (batch, _) = normalizer.values(&references, Some(&bases), origin).expect("a table");
        let (records, uris) = (batch["record"].as_primitive::<Int64Type>(), batch["uri"].as_string_view());
        seen.extend((0..len).map(|row| (records.value(row), uris.value(row).to_owned())));
    }
    let expected = [(1, "x://1/a"), (2, "x://2/b"), (3, "x://3/c"), (4, "x://4/d"), (5, "x://5/e")];
    assert_eq!(seen, expected.map(|(record, uri)| (record, uri.to_owned())));
    let error =
        normalizer.values(&references, Some(&bases.slice(1, 4)), Origin::default()).expect_err("4 bases");
    assert!(error.to_string().contains("5 references and 4 bases"), "{error}");
}
