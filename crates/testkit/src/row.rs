//! A row of the table, and the row that the calls for one URI give for the record.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::buffer::Buffer;
use arrow::compute::concat_batches;
use arrow::datatypes::{Int32Type, Int64Type};
use twox_hash::XxHash3_64;
use urimill::audit::Flags;
use urimill::batch::{Column, Columns, Normalizer, Options, Origin, Reading, RfcOptions, Tally};
use urimill::canonical::{Canonical, DropParams, query_params, surt};
use urimill::normalize::repair;
use urimill::simd::PADDING;
use urimill::uri::Segment;
use urimill::{Level, UriRef, normalize};

/// A row of the table, in the types of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub uri: Option<String>,
    pub raw: Option<String>,
    pub raw_bytes: Option<Vec<u8>>,
    pub scheme: Option<String>,
    pub userinfo: Option<String>,
    pub host: Option<String>,
    pub host_kind: Option<String>,
    pub port: Option<i32>,
    pub path: Option<String>,
    pub query: Option<String>,
    pub fragment: Option<String>,
    pub error: Option<String>,
    pub error_offset: Option<i32>,
    pub fingerprint: Option<i64>,
    pub host_address: Option<String>,
    pub surt: Option<String>,
    pub canonical: Option<String>,
    pub query_params: Option<Params>,
    pub query_params_raw: Option<Params>,
    pub path_params: Option<Vec<(i32, String, Option<String>)>>,
}

/// Names and values.
type Params = Vec<(String, Option<String>)>;

/// The canonical form in the column `canonical`: one that some URIs lack.
const FORM: Canonical = Canonical::CrawlerCommons;

/// The columns of a row that are never null: where its record was, and its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub record: i64,
    pub offset: i64,
    pub source: String,
    pub flags: i32,
}

pub fn options(level: Level, repair: bool) -> Options {
    let (canonical, drop_params) = (Some(FORM), DropParams::none().and_tracking());
    let columns = Columns::new(Column::ALL);
    let reading = Reading::Rfc(RfcOptions { level, repair, ..RfcOptions::default() });
    Options { reading, columns, canonical, drop_params, ..Options::default() }
}

/// A batch of all columns, row by row.
pub fn rows(batch: &RecordBatch) -> Vec<(Row, Place)> {
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
    let path_params = |i: usize| {
        let array = column("path_params").as_list::<i32>();
        array.is_valid(i).then(|| {
            let list = array.value(i);
            let segments = list.as_struct().column_by_name("segment").expect("a field");
            let segments = segments.as_primitive::<Int32Type>().values().to_vec();
            segments
                .into_iter()
                .zip(params(&list))
                .map(|(segment, (key, value))| (segment, key, value))
                .collect()
        })
    };
    let params = |name: &str, i: usize| {
        let array = column(name).as_list::<i32>();
        array.is_valid(i).then(|| params(&array.value(i)))
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
        host_address: text("host_address", i),
        surt: text("surt", i),
        canonical: text("canonical", i),
        query_params: params("query_params", i),
        query_params_raw: params("query_params_raw", i),
        path_params: path_params(i),
    };
    let place = |i| Place {
        record: large("record", i).expect("record is never null"),
        offset: large("offset", i).expect("offset is never null"),
        source: text("source", i).expect("source is never null"),
        flags: small("flags", i).expect("flags are never null"),
    };
    (0..batch.num_rows()).map(|i| (row(i), place(i))).collect()
}

fn params(list: &ArrayRef) -> Params {
    let params = list.as_struct();
    let [keys, values] =
        ["key", "value"].map(|name| params.column_by_name(name).expect("a field").as_string_view());
    let own = |value: Option<&str>| value.map(str::to_owned);
    assert_eq!(keys.null_count() + list.null_count(), 0, "names are never null");
    keys.iter().zip(values).map(|(key, value)| (own(key).unwrap_or_default(), own(value))).collect()
}

/// The row for a record by the calls for one URI.
pub fn expected(record: &[u8], level: Level, with_repair: bool) -> Row {
    let mended = repair(record);
    let may_repair = with_repair
        && (UriRef::parse(record).is_err()
            || record.get(..4).is_some_and(|b| b.eq_ignore_ascii_case(b"url:")));
    let text: &[u8] = if may_repair && UriRef::parse(&mended).is_ok() { &mended } else { record };
    match UriRef::parse(text) {
        Ok(uri) => accepted(record, &uri, level),
        Err(reject) => rejected(record, reject.code.as_str(), reject.offset),
    }
}

/// The row of a record that is not a URI reference.
pub fn rejected(record: &[u8], code: &str, offset: usize) -> Row {
    let uri = String::from_utf8_lossy(record).into_owned();
    Row {
        raw_bytes: std::str::from_utf8(record).is_err().then(|| record.to_owned()),
        error: Some(code.to_owned()),
        error_offset: Some(offset as i32),
        fingerprint: hash(&uri),
        uri: Some(uri),
        ..Row::default()
    }
}

/// The parameters of the path's segments (RFC 2396 section 3.3).
fn params_of_segments(uri: &UriRef) -> Vec<(i32, String, Option<String>)> {
    let of_segment = |(number, segment): (i32, Segment<'_>)| {
        let params = segment.params().map(move |param| match param.split_once('=') {
            Some((key, value)) => (number, decoded(key), Some(decoded(value))),
            None => (number, decoded(param), None),
        });
        params.collect::<Vec<_>>()
    };
    (1..).zip(uri.segments()).flat_map(of_segment).collect()
}

/// Decodes triplets, except those that do not give UTF-8.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).expect("digits"));
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    let chunk = |chunk: std::str::Utf8Chunk<'_>| {
        let triplets = chunk.invalid().iter().map(|byte| format!("%{byte:02X}"));
        chunk.valid().to_owned() + &triplets.collect::<String>()
    };
    bytes.utf8_chunks().map(chunk).collect()
}

/// The row of a record that stands for `uri`.
pub fn accepted(record: &[u8], uri: &UriRef, level: Level) -> Row {
    accepted_as(record, uri, normalize(uri, level).into_owned(), level)
}

/// The row of a record with this normal form; `uri` is its target to the letter.
pub fn accepted_as(record: &[u8], uri: &UriRef, normal: String, level: Level) -> Row {
    let as_read = || std::str::from_utf8(record).ok().map(str::to_owned);
    // The key and the canonical form come from the reference before normalization.
    let key = uri.is_uri().then(|| surt(uri));
    let canonical = FORM.form_without(uri, &DropParams::none().and_tracking());
    let uri = UriRef::parse_as(&normal, uri.spec()).expect("a normal form parses");
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
        host_address: uri.host_address().map(|address| address.to_string()),
        surt: key,
        canonical,
        query_params: uri.query().map(|query| {
            query_params(query)
                .map(|param| (param.name().into_owned(), param.value().map(|value| value.into_owned())))
                .collect()
        }),
        query_params_raw: uri.query().map(|query| {
            query_params(query).map(|param| (param.raw_name().to_owned(), own(param.raw_value()))).collect()
        }),
        path_params: Some(params_of_segments(&uri)),
        uri: Some(normal.clone()),
    }
}

fn hash(text: &str) -> Option<i64> {
    Some(XxHash3_64::oneshot(text.as_bytes()) as i64)
}

/// Checks the flags of normalization against the record and its row.
pub fn check_flags(record: &[u8], row: &Row, place: &Place, level: Level, with_repair: bool) {
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
        // A rung that changes something more sets its flag.
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

/// The lines by the definition of a line, without blank ones: number, offset, record.
pub fn records(text: &[u8]) -> Vec<(i64, i64, &[u8])> {
    let ended = text.iter().filter(|&&b| b == b'\n').count();
    let mut offset = 0;
    let lines = text.split(|&b| b == b'\n').enumerate().map(move |(i, line)| {
        let at = offset;
        offset += line.len() as i64 + 1;
        let record = if i < ended { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        (i as i64 + 1, at, record)
    });
    lines.filter(|(_, _, record)| !record.trim_ascii().is_empty()).collect()
}

/// Compares the table of a text's lines with the calls for each record.
pub fn judge(text: &[u8], level: Level, with_repair: bool) {
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

/// The accounts match the rows.
pub fn check_tally(tally: &Tally, rows: &[(Row, Place)], text: &[u8]) {
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
pub fn combinations() -> impl Iterator<Item = (Level, bool)> {
    Level::ALL.into_iter().flat_map(|level| [(level, false), (level, true)])
}

/// The table of a text's lines and its tally by [`Normalizer::lines`], batch by batch in one thread. A byte-order mark is
/// skipped.
pub fn in_one_thread(text: &[u8], options: &Options) -> (RecordBatch, Tally) {
    let mut normalizer = Normalizer::new(options.clone());
    let buffer = Buffer::from_vec([text, &[b'\n'; PADDING]].concat());
    let mut at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let (mut batches, mut tally) = (Vec::new(), Tally::default());
    while at < text.len() {
        let origin = Origin { first_record: 1 + tally.lines() as i64, ..Origin::default() };
        let (batch, more, next) = normalizer.lines(&buffer, (at, text.len()), origin).expect("a batch");
        batches.push(batch);
        tally.add(&more);
        at = next;
    }
    (concat_batches(&normalizer.schema(), &batches).expect("batches of one schema"), tally)
}
