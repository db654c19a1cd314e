//! The room `batch`: a row is what the calls for one URI say of its record, whatever the record comes in,
//! and nothing that was read is lost or copied without need.

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, BinaryViewBuilder, LargeBinaryArray,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, StringViewBuilder, make_view,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::{Int32Type, Int64Type};
use twox_hash::XxHash3_64;
use urimill::audit::Flags;
use urimill::batch::{Column, Columns, MAX_ROWS, Normalizer, Options, Origin, Tally};
use urimill::input::{ChunkOptions, Chunker};
use urimill::normalize::repair;
use urimill::simd::{Isa, PADDING};
use urimill::{Level, UriRef, normalize};

use crate::{Rng, corpora, dataset};

/// A row of the table, in the types of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Row {
    uri: Option<String>,
    raw: Option<String>,
    raw_bytes: Option<Vec<u8>>,
    scheme: Option<String>,
    userinfo: Option<String>,
    host: Option<String>,
    host_kind: Option<String>,
    port: Option<i32>,
    path: Option<String>,
    query: Option<String>,
    fragment: Option<String>,
    error: Option<String>,
    error_offset: Option<i32>,
    fingerprint: Option<i64>,
}

/// What a row says of where its record was, and of what was noticed: columns that are never null.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    record: i64,
    offset: i64,
    source: String,
    flags: i32,
}

fn options(level: Level, repair: bool) -> Options {
    Options { level, repair, columns: Columns::new(Column::ALL), ..Options::default() }
}

/// A batch of all columns, row by row.
fn rows(batch: &RecordBatch) -> Vec<(Row, Place)> {
    let column = |name: &str| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    let text = |name: &str, i: usize| {
        let array = column(name).as_string_view();
        array.is_valid(i).then(|| array.value(i).to_owned())
    };
    let small = |name: &str, i: usize| {
        let array = column(name).as_primitive::<Int32Type>();
        array.is_valid(i).then(|| array.value(i))
    };
    let large = |name: &str, i: usize| {
        let array = column(name).as_primitive::<Int64Type>();
        array.is_valid(i).then(|| array.value(i))
    };
    let raw_bytes = column("raw_bytes").as_binary_view();
    let row = |i| Row {
        uri: text("uri", i),
        raw: text("raw", i),
        raw_bytes: raw_bytes.is_valid(i).then(|| raw_bytes.value(i).to_owned()),
        scheme: text("scheme", i),
        userinfo: text("userinfo", i),
        host: text("host", i),
        host_kind: text("host_kind", i),
        port: small("port", i),
        path: text("path", i),
        query: text("query", i),
        fragment: text("fragment", i),
        error: text("error", i),
        error_offset: small("error_offset", i),
        fingerprint: large("fingerprint", i),
    };
    let place = |i| Place {
        record: large("record", i).expect("record is never null"),
        offset: large("offset", i).expect("offset is never null"),
        source: text("source", i).expect("source is never null"),
        flags: small("flags", i).expect("flags are never null"),
    };
    (0..batch.num_rows()).map(|i| (row(i), place(i))).collect()
}

/// The row that the calls for one URI make of a record.
fn expected(record: &[u8], level: Level, with_repair: bool) -> Row {
    let mended = repair(record);
    let may_repair = with_repair
        && (UriRef::parse(record).is_err()
            || record.get(..4).is_some_and(|b| b.eq_ignore_ascii_case(b"url:")));
    let text: &[u8] = if may_repair && UriRef::parse(&mended).is_ok() { &mended } else { record };
    let as_read = || std::str::from_utf8(record).ok().map(str::to_owned);
    let hash = |text: &str| Some(XxHash3_64::oneshot(text.as_bytes()) as i64);
    let uri = match UriRef::parse(text) {
        Ok(uri) => uri,
        Err(reject) => {
            let uri = String::from_utf8_lossy(record).into_owned();
            return Row {
                raw_bytes: as_read().is_none().then(|| record.to_owned()),
                error: Some(reject.code.as_str().to_owned()),
                error_offset: Some(reject.offset as i32),
                fingerprint: hash(&uri),
                uri: Some(uri),
                ..Row::default()
            };
        }
    };
    let normal = normalize(&uri, level).into_owned();
    let uri = UriRef::parse(&normal).expect("a normal form parses");
    assert_eq!(normalize(&uri, level), normal, "a second time changes nothing");
    let differs = normal.as_bytes() != record;
    let own = |part: Option<&str>| part.map(str::to_owned);
    Row {
        raw: as_read().filter(|_| differs),
        raw_bytes: (as_read().is_none() && differs).then(|| record.to_owned()),
        scheme: own(uri.scheme()),
        userinfo: own(uri.userinfo()),
        host: own(uri.host()),
        host_kind: own(uri.host_kind().map(|kind| kind.as_str())),
        port: uri.port().and_then(|port| port.parse::<u16>().ok()).map(i32::from),
        path: own(Some(uri.path())),
        query: own(uri.query()),
        fragment: own(uri.fragment()),
        error: None,
        error_offset: None,
        fingerprint: hash(&normal),
        uri: Some(normal.clone()),
    }
}

/// The flags that tell what was done, against the record and its row.
fn check_flags(record: &[u8], row: &Row, place: &Place, level: Level, with_repair: bool) {
    let flags = Flags(place.flags);
    let shown = record.escape_ascii();
    let changed = row.uri.as_deref().map(str::as_bytes) != Some(record);
    if row.error.is_some() {
        assert_eq!(place.flags, 0, "a reject has no flags: {shown}");
        return;
    }
    let least_level = [
        (Flags::CASE_CHANGED, Level::Case),
        (Flags::PERCENT_DECODED, Level::Percent),
        (Flags::DOT_SEGMENTS_REMOVED, Level::Syntax),
        (Flags::PORT_DROPPED, Level::Scheme),
    ];
    for (flag, least) in least_level {
        assert!(!flags.has(flag) || changed && level >= least, "{flag:?} at {level}: {shown}");
    }
    assert!(!flags.has(Flags::REPAIRED) || changed && with_repair, "repaired: {shown}");
    assert_eq!(flags.has(Flags::HAS_USERINFO), row.userinfo.is_some(), "{shown}");
    if let (Ok(before), false) = (UriRef::parse(record), flags.has(Flags::REPAIRED)) {
        let after = UriRef::parse(row.uri.as_deref().unwrap_or_default()).expect("a normal form parses");
        assert_eq!(
            flags.has(Flags::PORT_DROPPED),
            before.port().is_some() && after.port().is_none(),
            "{shown}"
        );
        // What one rung more changes is what its flag tells.
        let form = |level| normalize(&before, level).into_owned();
        let decoded = form(Level::Case).len() > form(Level::Percent).len();
        assert_eq!(flags.has(Flags::PERCENT_DECODED), level >= Level::Percent && decoded, "{shown}");
        let cleaned = form(Level::Percent) != form(Level::Syntax);
        assert_eq!(flags.has(Flags::DOT_SEGMENTS_REMOVED), level >= Level::Syntax && cleaned, "{shown}");
        if level == Level::Case {
            assert_eq!(flags.has(Flags::CASE_CHANGED), changed, "{shown}");
        }
    }
}

/// The lines by the letter of the rule: number, offset, record.
fn records(text: &[u8]) -> Vec<(i64, i64, &[u8])> {
    let ended = text.iter().filter(|&&b| b == b'\n').count();
    let mut offset = 0;
    let lines = text.split(|&b| b == b'\n').enumerate().map(move |(i, line)| {
        let at = offset;
        offset += line.len() as i64 + 1;
        let record = if i < ended { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        (i as i64 + 1, at, record)
    });
    lines.filter(|(_, _, record)| !record.is_empty()).collect()
}

/// Holds the table of a text's lines against what is said of each record alone.
fn judge(text: &[u8], level: Level, with_repair: bool) {
    let (batch, tally) = Normalizer::new(options(level, with_repair)).text(text).expect("a table");
    let (rows, records) = (rows(&batch), records(text));
    assert_eq!(rows.len(), records.len(), "one row a record");
    for ((row, place), &(number, offset, record)) in rows.iter().zip(&records) {
        assert_eq!(
            row,
            &expected(record, level, with_repair),
            "{level}, repair {with_repair}: {}",
            record.escape_ascii()
        );
        assert_eq!((place.record, place.offset), (number, offset), "{}", record.escape_ascii());
        check_flags(record, row, place, level, with_repair);
    }
    check_tally(&tally, &rows, text);
}

/// The accounts are those of the rows.
fn check_tally(tally: &Tally, rows: &[(Row, Place)], text: &[u8]) {
    let count = |holds: &dyn Fn(&Row, &Place) -> bool| {
        rows.iter().filter(|(row, place)| holds(row, place)).count() as u64
    };
    let repaired = |_: &Row, place: &Place| Flags(place.flags).has(Flags::REPAIRED);
    let lines = text.split(|&b| b == b'\n').count() - usize::from(text.is_empty() || text.ends_with(b"\n"));
    assert_eq!(tally.rows, rows.len() as u64);
    assert_eq!(tally.lines(), lines as u64, "rows and blank lines are all lines");
    assert_eq!(tally.rejects(), count(&|row, _| row.error.is_some()));
    assert_eq!(tally.by_code().map(|(_, count, _)| count).sum::<u64>(), tally.rejects());
    assert_eq!(tally.repaired, count(&repaired));
    assert_eq!(
        tally.changed,
        count(&|row, _| row.error.is_none() && (row.raw.is_some() || row.raw_bytes.is_some()))
    );
    for (code, _, example) in tally.by_code() {
        let example = example.expect("a code that occurs has an example");
        let first =
            rows.iter().find(|(row, _)| row.error.as_deref() == Some(code.as_str())).expect("it occurs");
        assert_eq!(example.record, first.1.record, "the first reject with {code}");
        assert_eq!(example.offset as i32, first.0.error_offset.expect("a reject has an offset"));
    }
}

/// Each level, without and with repair.
fn combinations() -> impl Iterator<Item = (Level, bool)> {
    Level::ALL.into_iter().flat_map(|level| [(level, false), (level, true)])
}

#[test]
fn the_data_sets_as_one_by_one() {
    for (level, with_repair) in combinations() {
        judge(&dataset("oddities.txt"), level, with_repair);
        judge(&dataset("sample.txt"), level, with_repair);
    }
}

#[test]
fn random_records_as_one_by_one() {
    let mut rng = Rng(3);
    for _ in 0..40 {
        let mut text = Vec::new();
        for _ in 0..300 {
            text.extend_from_slice(&rng.text(14));
            text.extend_from_slice([&b"\n"[..], b"\n", b"\r\n", b"\n\n"][rng.below(4)]);
        }
        text.extend_from_slice(&rng.text(14));
        for (level, with_repair) in combinations() {
            judge(&text, level, with_repair);
        }
    }
}

/// Every line of the corpora at one of the ten combinations.
#[test]
fn the_corpora_as_one_by_one() {
    for path in corpora() {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (turn, (level, with_repair)) in combinations().enumerate() {
            let lines = text.split_inclusive(|&b| b == b'\n').skip(turn).step_by(10);
            judge(&lines.flatten().copied().collect::<Vec<u8>>(), level, with_repair);
        }
    }
}

/// Whether there is anything to do is asked before it is done: the question must not miss what is found then.
#[test]
fn one_change_does_not_bring_others() {
    let mut rng = Rng(6);
    let written = [
        "mailto://h/x@Example.com",
        "mailto:x@Example.com,y@EXAMPLE.com",
        "file://LOCALHOST/",
        "http://[::0]",
    ];
    let random = (0..20_000).map(|_| rng.text(10)).filter_map(|text| String::from_utf8(text).ok());
    for text in written.map(str::to_owned).into_iter().chain(random) {
        let Ok(uri) = UriRef::parse(&text) else { continue };
        let Some(scheme) = uri.scheme() else { continue };
        let shouted = scheme.to_ascii_uppercase() + &text[scheme.len()..];
        let shouted = UriRef::parse(&shouted).expect("valid in either case");
        for level in &Level::ALL[1..] {
            let lower = scheme.to_ascii_lowercase();
            let plain = normalize(&uri, *level);
            assert_eq!(normalize(&shouted, *level), plain, "{text} at {level}");
            assert!(plain.starts_with(&lower), "{text} at {level}");
        }
    }
}

#[test]
fn every_byte_comes_back() {
    let mut rng = Rng(4);
    let mut text = Vec::new();
    for _ in 0..5_000 {
        let len = rng.below(90);
        let wide = rng.below(2) == 0;
        text.extend(
            (0..len).map(|_| rng.next() as u8 & if wide { 0xff } else { 0x7f }).filter(|&b| b != b'\n'),
        );
        text.push(b'\n');
    }
    for (level, with_repair) in combinations() {
        let (batch, _) = Normalizer::new(options(level, with_repair)).text(&text).expect("a table");
        let rows = rows(&batch);
        assert_eq!(rows.len(), records(&text).len());
        for ((row, _), (_, _, record)) in rows.iter().zip(records(&text)) {
            let text = row.raw_bytes.as_deref().or(row.raw.as_deref().map(str::as_bytes));
            let text = text.or(row.uri.as_deref().map(str::as_bytes));
            assert_eq!(
                text.map(|text| text.escape_ascii().to_string()),
                Some(record.escape_ascii().to_string())
            );
            assert!(row.raw.is_none() || row.raw_bytes.is_none());
        }
    }
}

#[test]
fn every_kernel_makes_the_same_table() {
    let text = [dataset("oddities.txt"), dataset("sample.txt")].concat();
    let table = |isa| {
        let options = Options { isa: Some(isa), ..options(Level::Scheme, true) };
        rows(&Normalizer::new(options).text(&text).expect("a table").0)
    };
    for isa in Isa::available() {
        assert!(table(isa) == table(Isa::Scalar), "{isa:?}");
    }
}

/// A guard that stays is no dot segment removed, whatever else is changed (5.2.4, 3.3).
#[test]
fn a_guard_is_no_change() {
    for (text, removed) in [("/.//%41", false), ("x:/.//%41", false), ("/..//%41", true), ("/./%41", true)] {
        let (batch, _) =
            Normalizer::new(options(Level::Scheme, false)).text(text.as_bytes()).expect("a table");
        let (row, place) = &rows(&batch)[0];
        assert_eq!(Flags(place.flags).has(Flags::DOT_SEGMENTS_REMOVED), removed, "{text}: {row:?}");
    }
}

/// Working memory and columns are used again: nothing of one batch may show in another, before it or behind it.
#[test]
fn one_batch_does_not_show_in_another() {
    let mut rng = Rng(8);
    let mut normalizer = Normalizer::new(options(Level::Scheme, true));
    let mut kept = Vec::new();
    for round in 0..300 {
        let mut text = vec![b'\n'; rng.below(3)];
        for _ in 0..rng.below(120) {
            text.extend_from_slice(&rng.text(8));
            text.push(b'\n');
        }
        let fresh = rows(&Normalizer::new(options(Level::Scheme, true)).text(&text).expect("a table").0);
        let batch = normalizer.text(&text).expect("a table").0;
        assert!(rows(&batch) == fresh, "round {round}");
        let mut value = |record: &[u8]| (rng.below(9) > 0).then(|| record.to_vec());
        let values: Vec<_> = records(&text).into_iter().map(|(_, _, record)| value(record)).collect();
        judge_with(&mut normalizer, &BinaryViewArray::from_iter(values.clone()), &values);
        if round % 3 == 0 {
            kept.push((batch, fresh));
        }
    }
    for (batch, fresh) in kept {
        assert!(rows(&batch) == fresh, "a batch that is kept stays what it was");
    }
}

/// What is left of a text where everything around it goes: the empty reference.
#[test]
fn a_record_may_be_repaired_to_nothing() {
    for text in [" ", "<>", "\"\"", "url:", "\t"] {
        let (batch, tally) =
            Normalizer::new(options(Level::Scheme, true)).text(text.as_bytes()).expect("a table");
        let (row, place) = &rows(&batch)[0];
        assert_eq!(
            (row.uri.as_deref(), row.raw.as_deref(), row.path.as_deref()),
            (Some(""), Some(text), Some(""))
        );
        assert!(Flags(place.flags).has(Flags::REPAIRED), "{text:?}");
        assert_eq!(tally.repaired, 1);
        let value = Some(text.as_bytes().to_vec());
        let far = Some(b"http://example.com/in-a-buffer".to_vec());
        let values = [value, far];
        let array = BinaryViewArray::from_iter(values.clone());
        judge_array(&array, &values, Level::Scheme, true);
    }
}

/// Records that no line end is in, as an array may hold them.
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

/// The values in every array of bytes, views in few buffers and in many.
fn binary_arrays(values: &[Option<Vec<u8>>]) -> Vec<ArrayRef> {
    let bytes = || values.iter().map(Option::as_deref);
    let mut blocks = BinaryViewBuilder::new().with_fixed_block_size(100);
    bytes().for_each(|value| blocks.append_option(value));
    vec![
        Arc::new(bytes().collect::<BinaryArray>()),
        Arc::new(bytes().collect::<LargeBinaryArray>()),
        Arc::new(bytes().collect::<BinaryViewArray>()),
        Arc::new(blocks.finish()),
    ]
}

/// The same for values that are UTF-8.
fn string_arrays(values: &[Option<Vec<u8>>]) -> Vec<ArrayRef> {
    let mut blocks = StringViewBuilder::new().with_fixed_block_size(100);
    strings(values).for_each(|value| blocks.append_option(value));
    let blocks = blocks.finish();
    assert!(blocks.data_buffers().len() > 20);
    vec![
        Arc::new(strings(values).collect::<StringArray>()),
        Arc::new(strings(values).collect::<LargeStringArray>()),
        Arc::new(strings(values).collect::<StringViewArray>()),
        Arc::new(blocks),
    ]
}

fn judge_array(array: &dyn Array, values: &[Option<Vec<u8>>], level: Level, with_repair: bool) {
    judge_with(&mut Normalizer::new(options(level, with_repair)), array, values);
}

fn judge_with(normalizer: &mut Normalizer, array: &dyn Array, values: &[Option<Vec<u8>>]) {
    let (level, with_repair) = (normalizer.options().level, normalizer.options().repair);
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
fn every_type_of_array() {
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

#[test]
fn arrays_of_nothing() {
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

/// Offsets of ours have 31 bits. The memory is never touched but at the values, so it costs next to nothing.
#[test]
fn arrays_of_more_than_two_gigabytes() {
    let values: [(usize, &[u8]); 4] = [
        ((1 << 30) - 10, b"http://example.com/over-the-edge-of-a-window"),
        ((1 << 31) - 9, b"http://EXAMPLE.com/over-the-edge-of-31-bits"),
        ((1 << 31) + 100, b"/rejected-because-of \xff"),
        ((1 << 31) + 200, b"http://example.com/?the=last#one"),
    ];
    let mut memory = vec![0; (1 << 31) + 1000];
    // Nulls of any length stand between the values.
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

    // Views cannot be moved into a window: what they reach too far for is refused.
    for (i, (at, value)) in values.into_iter().enumerate() {
        let view = make_view(value, 0, at as u32);
        let array = BinaryViewArray::new(vec![view].into(), vec![memory.clone()], None);
        if i == 0 {
            judge_array(&array, &[Some(value.to_vec())], Level::Scheme, false);
        } else {
            let error = Normalizer::new(Options::default()).array(&array).expect_err("too far");
            assert_eq!(error.kind(), urimill::ErrorKind::Usage);
            assert!(error.to_string().contains("row 0"), "{error}");
        }
    }

    let offsets = OffsetBuffer::new(vec![0, (1 << 30) + 1].into());
    let array = LargeBinaryArray::new(offsets, memory, None);
    let error = Normalizer::new(Options::default()).array(&array).expect_err("too long");
    assert_eq!(error.kind(), urimill::ErrorKind::Usage);
}

#[test]
fn other_types_are_refused() {
    let numbers = arrow::array::Int32Array::from(vec![1]);
    let error = Normalizer::new(Options::default()).array(&numbers).expect_err("no URIs in there");
    assert_eq!(error.kind(), urimill::ErrorKind::Usage);
    assert!(error.to_string().contains("Int32"), "{error}");
}

/// The arenas of an array of views: all buffers but those of the input.
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

const COMPONENTS: [&str; 6] = ["uri", "scheme", "userinfo", "host", "path", "query"];

#[test]
fn what_stays_is_not_copied() {
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
            // A second buffer may hold the texts that lay within views; there is none here.
            assert!(
                foreign(column, &input).iter().all(|buffer| buffer.len() <= PADDING),
                "{name} has an arena"
            );
            for i in 0..2 {
                assert!(column.value(i).len() <= 12 || points_into(column, i, &input), "{name} of row {i}");
            }
        }
    }

    // Changed rows lie in one arena, the others where they were.
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
fn the_columns_asked_for_in_their_order() {
    let cases: [(&[Column], &str); 4] = [
        (&[Column::Host], "host"),
        (&[Column::Path, Column::Uri, Column::Record], "path,uri,record"),
        (&[Column::Fingerprint, Column::Flags], "fingerprint,flags"),
        (
            &Column::ALL,
            "record,uri,raw,scheme,userinfo,host,host_kind,port,path,query,fragment,flags,error,error_offset,\
             raw_bytes,source,offset,fingerprint",
        ),
    ];
    let text = dataset("oddities.txt");
    let all = Normalizer::new(options(Level::Scheme, true)).text(&text).expect("a table").0;
    for (columns, names) in cases {
        let columns = Columns::new(columns.iter().copied());
        let options = Options { columns: columns.clone(), ..options(Level::Scheme, true) };
        let batch = Normalizer::new(options).text(&text).expect("a table").0;
        let schema = batch.schema();
        let found: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(found.join(","), names);
        for name in found {
            assert_eq!(
                batch.column_by_name(name),
                all.column_by_name(name),
                "{name} is the same in any company"
            );
        }
    }
}

#[test]
fn lists_of_columns() {
    let default = "record,uri,raw,scheme,userinfo,host,host_kind,port,path,query,fragment,flags,\
                   error,error_offset,raw_bytes";
    let without_raw = default.replace(",raw,", ",");
    let table = [
        ("host", Ok("host".to_owned())),
        ("path,host", Ok("path,host".to_owned())),
        (" path , host ,", Ok("path,host".to_owned())),
        ("+offset", Ok(format!("{default},offset"))),
        ("+fingerprint,+source", Ok(format!("{default},fingerprint,source"))),
        ("+offset,-raw", Ok(format!("{without_raw},offset"))),
        ("-raw", Ok(without_raw.clone())),
        ("+host", Ok(default.to_owned())),
        ("-offset", Ok(default.to_owned())),
        ("hots", Err("hots")),
        ("+hots", Err("hots")),
        ("Host", Err("Host")),
        ("host,host", Err("twice")),
        ("host,+path", Err("to all or to none")),
        ("-raw,host", Err("to all or to none")),
        ("", Err("at least one column")),
        (",", Err("at least one column")),
    ];
    for (list, expected) in table {
        match (Columns::parse(list), expected) {
            (Ok(columns), Ok(names)) => {
                let found: Vec<_> = columns.iter().map(Column::as_str).collect();
                assert_eq!(found.join(","), names, "{list}");
            }
            (Err(error), Err(words)) => {
                assert_eq!(error.kind(), urimill::ErrorKind::Usage, "{list}");
                assert!(error.to_string().contains(words), "{list}: {error}");
            }
            (found, expected) => panic!("{list}: {found:?}, not {expected:?}"),
        }
    }
    assert_eq!(Columns::parse(default).expect("all names"), Columns::default());
    assert_eq!(Columns::default().schema(), Columns::parse(default).expect("all names").schema());
}

#[test]
fn batches_are_cut_at_the_most_rows() {
    let mut text = b"\n".to_vec();
    for i in 0..MAX_ROWS + 10 {
        text.extend_from_slice(format!("/{i}\n{}", if i % 1000 == 0 { "\n" } else { "" }).as_bytes());
    }
    let mut padded = text.clone();
    padded.push(b'\n');
    padded.resize(text.len() + PADDING, 0);
    let buffer = Buffer::from_vec(padded);
    let mut normalizer = Normalizer::new(options(Level::Scheme, false));
    let (first, tally, at) = normalizer.lines(&buffer, (0, text.len()), Origin::default()).expect("a table");
    assert_eq!(first.num_rows(), MAX_ROWS);
    assert!(text[at..].starts_with(format!("/{MAX_ROWS}\n").as_bytes()));
    let origin = Origin { first_record: 1 + tally.lines() as i64, ..Origin::default() };
    let (second, rest, end) = normalizer.lines(&buffer, (at, text.len()), origin).expect("a table");
    assert_eq!((second.num_rows(), end >= text.len()), (10, true));
    assert_eq!(tally.lines() + rest.lines(), text.iter().filter(|&&b| b == b'\n').count() as u64);
    let found: Vec<_> = rows(&first).into_iter().chain(rows(&second)).collect();
    for ((row, place), (number, offset, record)) in found.iter().zip(records(&text)) {
        assert_eq!(row.path.as_deref().map(str::as_bytes), Some(record));
        assert_eq!((place.record, place.offset), (number, offset));
    }
    // `text` puts the batches together again.
    assert_eq!(rows(&normalizer.text(&text).expect("a table").0), found);
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
    let sizes = ChunkOptions { chunk_bytes, max_record, keep_limit: None };
    let mut chunker =
        Chunker::from_reader("here", Box::new(Cursor::new(text.to_vec())), sizes, Arc::default());
    let mut normalizer = Normalizer::new(Options { max_record, ..options(Level::Scheme, true) });
    let mut found = Vec::new();
    while let Some(chunk) = chunker.next_chunk().expect("a chunk") {
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
    // Behind the byte-order mark, which a chunker skips and a text in memory does not have.
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

/// The longest record allowed is allowed; one byte more is not, valid or not, to be repaired or not.
#[test]
fn records_longer_than_allowed() {
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

/// One line of which only the beginning was kept.
#[test]
fn a_line_too_long_to_be_kept() {
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
