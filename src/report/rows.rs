//! The rows of a batch: which column tells what, and what of it is counted.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMillisecondType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringViewArray, TimestampMillisecondArray,
};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, TimeUnit};
use arrow_select::zip::zip;
use memchr::{memchr, memchr3, memrchr};

use super::counter::is_whole;
use super::figure::Figure;
use super::histogram::Histogram;
use super::partial::{EXAMPLES, Example, Partial, REQUESTS, Texts};
use super::series::{Interval, class};
use crate::audit::FLAG_NAMES;
use crate::batch::{Column, Columns};
use crate::passwords::Masked;

/// The columns that a report needs beside the records' own fields.
pub(super) fn columns() -> Columns {
    use Column::*;
    Columns::new([
        Record,
        Uri,
        Raw,
        Scheme,
        Host,
        HostKind,
        Port,
        Path,
        Query,
        Flags,
        Error,
        ErrorOffset,
        PublicSuffix,
        RegisteredDomain,
        Disagreement,
        Template,
        Trap,
    ])
}

/// The fields that tell the same under several names: the first that a record has counts.
pub(super) const TIME: [&str; 5] = ["time", "warc_date", "timestamp", "fetch_time", "date"];
pub(super) const STATUS: [&str; 4] = ["status", "http_status", "fetch_status", "status_code"];
pub(super) const SIZE: [&str; 5] = ["size", "content_length", "length", "record_length", "bytes"];
const MICROS: [&str; 2] = ["duration_us", "request_us"];
const MILLIS: [&str; 1] = ["fetch_ms"];
const METHOD: [&str; 1] = ["method"];
const PROTOCOL: [&str; 1] = ["protocol"];
const MEDIA: [&str; 5] =
    ["mime_detected", "mime", "content_type", "payload_type", "warc_identified_payload_type"];
pub(super) const DIGEST: [&str; 4] = ["digest", "warc_payload_digest", "content_digest", "signature"];
pub(super) const HOP_PATH: [&str; 1] = ["hop_path"];
const CLIENT: [&str; 2] = ["client", "remote_client"];
const REFERER: [&str; 2] = ["referer", "referrer"];
const AGENT: [&str; 1] = ["user_agent"];
/// Where a redirect leads to: a reference.
pub(super) const TARGET: [&str; 3] = ["redirect", "fetch_redirect", "location"];
/// The URI that a crawler came from.
pub(super) const VIA: &str = "via";
/// Records of Nutch's CrawlDb have it beside their status.
pub(super) const STATUS_NAME: &str = "status_name";

/// The names of all these fields: a report reads no others.
pub(crate) fn fields() -> Vec<String> {
    let names: [&[&str]; 16] = [
        &TIME,
        &STATUS,
        &SIZE,
        &MICROS,
        &MILLIS,
        &METHOD,
        &PROTOCOL,
        &MEDIA,
        &DIGEST,
        &HOP_PATH,
        &CLIENT,
        &REFERER,
        &AGENT,
        &TARGET,
        &[VIA],
        &[STATUS_NAME],
    ];
    names.into_iter().flatten().map(|name| (*name).to_owned()).collect()
}

/// The columns of a batch, those that it has.
struct Fields {
    record: Option<Int64Array>,
    uri: Option<StringViewArray>,
    raw: Option<StringViewArray>,
    error: Option<StringViewArray>,
    error_offset: Option<Int64Array>,
    path: Option<StringViewArray>,
    host: Option<StringViewArray>,
    time: Option<TimestampMillisecondArray>,
    status: Option<Int64Array>,
    size: Option<Int64Array>,
    micros: Option<Int64Array>,
}

fn column(batch: &RecordBatch, names: &[&str], to: &DataType) -> Option<ArrayRef> {
    let mut columns = names.iter().filter_map(|name| batch.column_by_name(name)).filter_map(|found| {
        if found.data_type() == to {
            return Some(Arc::clone(found));
        }
        // What is no value of the type is null.
        cast_with_options(found, to, &CastOptions { safe: true, ..CastOptions::default() }).ok()
    });
    let first = columns.next()?;
    columns.try_fold(first, or_else)
}

/// The values of one column, and of the other where it has none.
fn or_else(one: ArrayRef, other: ArrayRef) -> Option<ArrayRef> {
    match one.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => Some(one),
        Some(nulls) if nulls.null_count() == one.len() => Some(other),
        Some(_) if other.null_count() == other.len() => Some(one),
        Some(nulls) => zip(&BooleanArray::new(nulls.inner().clone(), None), &one, &other).ok(),
    }
}

pub(super) fn texts(batch: &RecordBatch, names: &[&str]) -> Option<StringViewArray> {
    column(batch, names, &DataType::Utf8View).map(|array| array.as_string_view().clone())
}

pub(super) fn numbers(batch: &RecordBatch, names: &[&str]) -> Option<Int64Array> {
    column(batch, names, &DataType::Int64).map(|array| array.as_primitive::<Int64Type>().clone())
}

pub(super) fn times(batch: &RecordBatch, names: &[&str]) -> Option<TimestampMillisecondArray> {
    // As an offset: Arrow finds the name UTC in texts only where it has a table of zones.
    let to = DataType::Timestamp(TimeUnit::Millisecond, Some("+00:00".into()));
    let array = column(batch, names, &to)?;
    array.as_primitive_opt::<TimestampMillisecondType>().cloned()
}

pub(super) fn value(array: Option<&StringViewArray>, row: usize) -> Option<&str> {
    array.filter(|array| array.is_valid(row)).map(|array| array.value(row))
}

pub(super) fn number(array: Option<&Int64Array>, row: usize) -> Option<i64> {
    array.filter(|array| array.is_valid(row)).map(|array| array.value(row))
}

/// A number of bytes or microseconds: none is negative.
pub(super) fn amount(array: Option<&Int64Array>, row: usize) -> Option<u64> {
    number(array, row).and_then(|number| u64::try_from(number).ok())
}

/// Puts the counts of a batch from the source of this name into `partial`, which has none.
pub(super) fn count(batch: &RecordBatch, source: &str, partial: &mut Partial) {
    let own = |column: Column| [column.as_str()];
    let fields = Fields {
        record: numbers(batch, &own(Column::Record)),
        uri: texts(batch, &own(Column::Uri)),
        raw: texts(batch, &own(Column::Raw)),
        error: texts(batch, &own(Column::Error)),
        error_offset: numbers(batch, &own(Column::ErrorOffset)),
        path: texts(batch, &own(Column::Path)),
        host: texts(batch, &own(Column::Host)),
        time: times(batch, &TIME),
        status: numbers(batch, &STATUS),
        size: numbers(batch, &SIZE),
        micros: micros(batch),
    };
    for (figure, names) in [
        (Figure::Scheme, &own(Column::Scheme)[..]),
        (Figure::Host, &own(Column::Host)),
        (Figure::HostKind, &own(Column::HostKind)),
        (Figure::PublicSuffix, &own(Column::PublicSuffix)),
        (Figure::RegisteredDomain, &own(Column::RegisteredDomain)),
        (Figure::Template, &own(Column::Template)),
        (Figure::Trap, &own(Column::Trap)),
        (Figure::Method, &METHOD),
        (Figure::Protocol, &PROTOCOL),
        (Figure::Digest, &DIGEST),
        (Figure::HopPath, &HOP_PATH),
        (Figure::Visitor, &CLIENT),
        (Figure::Agent, &AGENT),
    ] {
        each(texts(batch, names).as_ref(), |text| partial.add(figure, text, 1));
    }
    each(texts(batch, &MEDIA).as_ref(), |text| {
        let media = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        partial.add(Figure::MediaType, &media, 1);
    });
    each(texts(batch, &REFERER).as_ref(), |text| {
        if let Some(host) = host_of(text) {
            partial.add(Figure::Referrer, &lower(host), 1);
        }
    });
    each(texts(batch, &own(Column::Query)).as_ref(), |query| {
        parameters(query, |name| partial.add(Figure::Parameter, name, 1));
    });
    whole_numbers(partial, Figure::Port, numbers(batch, &own(Column::Port)).as_ref());
    whole_numbers(partial, Figure::Status, fields.status.as_ref());
    flags(partial, numbers(batch, &own(Column::Flags)).as_ref());
    disagreements(partial, batch);
    let is_server = is_server(batch);
    responses(partial, &fields, batch.num_rows(), is_server);
    let Partial { texts, paths, .. } = partial;
    // The paths of requests are looked at once each, where all of them is there.
    for (path, sum) in paths.iter(REQUESTS).filter(|(path, _)| is_whole(path)) {
        add_path(texts, path, sum);
    }
    each(fields.path.as_ref(), |path| {
        if !is_server || !is_whole(path) {
            add_path(texts, path, 1);
        }
    });
    examples(partial, &fields, source);
}

/// Adds what a path begins and ends with.
fn add_path(texts: &mut [Texts], path: &str, sum: u64) {
    if let Some(segment) = first_segment(path) {
        texts[Figure::FirstSegment as usize].add(segment, sum);
    }
    if let Some(extension) = file_type(path) {
        texts[Figure::FileType as usize].add(&extension.to_ascii_lowercase(), sum);
    }
}

/// Whether any record is that of a request that a server got.
pub(super) fn is_server(batch: &RecordBatch) -> bool {
    let mut columns = CLIENT.iter().chain(&METHOD).filter_map(|name| batch.column_by_name(name));
    columns.any(|column| column.null_count() < column.len())
}

fn micros(batch: &RecordBatch) -> Option<Int64Array> {
    let millis: Option<Int64Array> =
        numbers(batch, &MILLIS).map(|millis| millis.unary(|millis: i64| millis.saturating_mul(1000)));
    match (numbers(batch, &MICROS), millis) {
        (Some(micros), Some(millis)) => {
            or_else(Arc::new(micros), Arc::new(millis)).map(|all| all.as_primitive::<Int64Type>().clone())
        }
        (micros, millis) => micros.or(millis),
    }
}

pub(super) fn each(array: Option<&StringViewArray>, mut count: impl FnMut(&str)) {
    let Some(array) = array else { return };
    if array.null_count() == 0 {
        (0..array.len()).for_each(|row| count(array.value(row)));
    } else if array.null_count() < array.len() {
        array.iter().flatten().for_each(count);
    }
}

/// Numbers that have few values.
fn whole_numbers(partial: &mut Partial, figure: Figure, array: Option<&Int64Array>) {
    let mut sums: BTreeMap<i64, u64> = BTreeMap::new();
    array
        .into_iter()
        .flat_map(|array| array.iter().flatten())
        .for_each(|number| *sums.entry(number).or_default() += 1);
    sums.iter().for_each(|(number, sum)| partial.add(figure, &number.to_string(), *sum));
}

fn flags(partial: &mut Partial, array: Option<&Int64Array>) {
    let mut sums = [0_u64; 32];
    for flags in array.into_iter().flat_map(Int64Array::values).filter(|flags| **flags != 0) {
        (0..32).filter(|bit| flags >> bit & 1 == 1).for_each(|bit| sums[bit] += 1);
    }
    for (flag, name) in FLAG_NAMES {
        let sum = sums[flag.trailing_zeros() as usize];
        if sum > 0 {
            partial.add(Figure::Flag, name, sum);
        }
    }
}

fn disagreements(partial: &mut Partial, batch: &RecordBatch) {
    let found = batch.column_by_name(Column::Disagreement.as_str());
    let Some(lists) = found.and_then(|found| found.as_list_opt::<i32>()) else { return };
    if let Some(names) = lists.values().as_string_view_opt() {
        let (first, last) = (lists.value_offsets()[0], lists.value_offsets()[lists.len()]);
        (first..last).for_each(|at| partial.add(Figure::Disagreement, names.value(at as usize), 1));
    }
}

/// What depends on several fields of a row.
fn responses(partial: &mut Partial, fields: &Fields, rows: usize, is_server: bool) {
    let Fields { time, status, size, micros, path, host, .. } = fields;
    let mut at: HashMap<i64, usize> = HashMap::new();
    let mut last = None;
    let mut failed = String::new();
    let amounts = |array: &Option<Int64Array>| match array {
        Some(array) => Histogram::of(array.iter().flatten().filter_map(|number| u64::try_from(number).ok())),
        None => Histogram::default(),
    };
    partial.sizes = amounts(size);
    partial.times = amounts(micros);
    for row in 0..rows {
        let code = number(status.as_ref(), row);
        let bytes = amount(size.as_ref(), row);
        let took = amount(micros.as_ref(), row);
        if let Some(time) = time.as_ref().filter(|time| time.is_valid(row)) {
            let millis = time.value(row);
            let (first, end) = partial.ends.unwrap_or((millis, millis));
            partial.ends = Some((first.min(millis), end.max(millis)));
            let minute = millis.div_euclid(60_000);
            let index = match last {
                Some((same, index)) if same == minute => index,
                _ => *at.entry(minute).or_insert_with(|| {
                    partial.minutes.push((minute, Interval::default()));
                    partial.minutes.len() - 1
                }),
            };
            last = Some((minute, index));
            let interval = &mut partial.minutes[index].1;
            interval.classes[class(code)] += 1;
            interval.bytes = interval.bytes.saturating_add(bytes.unwrap_or(0));
        }
        let is_failure = code.is_some_and(|code| code <= 0 || code >= 400);
        if is_server {
            let Some(path) = value(path.as_ref(), row) else { continue };
            partial.paths.add(path, [1, bytes.unwrap_or(0), took.unwrap_or(0)]);
            if let Some(code) = code.filter(|_| is_failure) {
                failed.clear();
                failed.push_str(&code.to_string());
                failed.push(' ');
                failed.push_str(path);
                partial.add(Figure::FailedPath, &failed, 1);
            }
        } else {
            let Some(host) = value(host.as_ref(), row) else { continue };
            partial.hosts.add(host, [bytes.unwrap_or(0), took.unwrap_or(0), u64::from(is_failure)]);
        }
    }
}

fn examples(partial: &mut Partial, fields: &Fields, source: &str) {
    let Some(error) = fields.error.as_ref().filter(|error| error.null_count() < error.len()) else { return };
    for row in (0..error.len()).filter(|row| error.is_valid(*row)) {
        let examples = partial.examples.entry(error.value(row).to_owned()).or_default();
        if examples.len() == EXAMPLES {
            continue;
        }
        // The text as read.
        let raw = value(fields.raw.as_ref(), row).or_else(|| value(fields.uri.as_ref(), row));
        let text = Masked::new(raw.unwrap_or_default().as_bytes(), false);
        let offset = usize::try_from(number(fields.error_offset.as_ref(), row).unwrap_or(0)).unwrap_or(0);
        examples.push(Example {
            source: source.to_owned(),
            record: number(fields.record.as_ref(), row).unwrap_or(0),
            offset: text.at(offset) as u64,
            text: String::from_utf8_lossy(&text.text).chars().take(200).collect(),
        });
    }
}

/// The first segment of an absolute path, with the slashes around it.
fn first_segment(path: &str) -> Option<&str> {
    let inner = path.strip_prefix('/')?;
    Some(memchr(b'/', inner.as_bytes()).map_or(path, |slash| &path[..slash + 2]))
}

/// What follows the last dot of the last segment. As it is letters and digits, no slash stands in it: the end of the
/// path is enough.
fn file_type(path: &str) -> Option<&str> {
    let end = path.len();
    let letters = path.bytes().rev().take(9).take_while(u8::is_ascii_alphanumeric).count();
    let name = path.as_bytes()[..end - letters].strip_suffix(b".")?;
    let fits = matches!(letters, 1..=8) && name.last().is_some_and(|&byte| byte != b'/');
    fits.then(|| &path[end - letters..])
}

/// The names of parameters, those that are not empty.
fn parameters(query: &str, mut each: impl FnMut(&str)) {
    let mut rest = query;
    loop {
        let end = memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        let pair = &rest[..end];
        let name = &pair[..memchr(b'=', pair.as_bytes()).unwrap_or(end)];
        if !name.is_empty() {
            each(name);
        }
        match rest.get(end + 1..) {
            Some(after) => rest = after,
            None => return,
        }
    }
}

/// Hosts are the same in upper and lower case.
fn lower(host: &str) -> Cow<'_, str> {
    match host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => host.to_ascii_lowercase().into(),
        false => host.into(),
    }
}

/// The host of an absolute reference, without user information and port.
pub(super) fn host_of(uri: &str) -> Option<&str> {
    let rest = match uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://")) {
        Some(rest) => rest,
        None => {
            let (scheme, rest) = uri.split_at(memchr(b':', uri.as_bytes())?);
            // A relative reference may have a whole URI in its query.
            let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
            rest.strip_prefix("://").filter(|_| scheme.bytes().all(is_scheme))?
        }
    };
    let authority = &rest[..memchr3(b'/', b'?', b'#', rest.as_bytes()).unwrap_or(rest.len())];
    let host = &authority[memrchr(b'@', authority.as_bytes()).map_or(0, |at| at + 1)..];
    let end =
        if host.starts_with('[') { host.find(']').map(|end| end + 1) } else { memchr(b':', host.as_bytes()) };
    let host = &host[..end.unwrap_or(host.len())];
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths_and_referrers() {
        for (path, segment, extension) in [
            ("", None, None),
            ("/", Some("/"), None),
            ("/a", Some("/a"), None),
            ("/a/b.tar.gz", Some("/a/"), Some("gz")),
            ("//a.b/c", Some("//"), None),
            ("a/b.html", None, Some("html")),
            ("/.htaccess", Some("/.htaccess"), None),
            ("/a.", Some("/a."), None),
            ("/a.toolonganending", Some("/a.toolonganending"), None),
            ("/a.b-c", Some("/a.b-c"), None),
            ("/a.12345678", Some("/a.12345678"), Some("12345678")),
            ("/a.123456789", Some("/a.123456789"), None),
            ("/a.é", Some("/a.é"), None),
            ("/é.gz", Some("/é.gz"), Some("gz")),
            ("a.b/c", None, None),
            ("gz", None, None),
            (".gz", None, None),
            ("a.gz", None, Some("gz")),
        ] {
            assert_eq!((first_segment(path), file_type(path)), (segment, extension), "{path}");
        }
        for (uri, host) in [
            ("http://example.com/a", Some("example.com")),
            ("http://u:p@example.com:80?a", Some("example.com")),
            ("http://[::1]:80/", Some("[::1]")),
            ("http:///a", None),
            ("/a", None),
            ("-", None),
            ("HTTPS://Example.COM:443", Some("Example.COM")),
            ("android-app://com.example", Some("com.example")),
            ("about:blank", None),
            ("/search?u=http://example.com/", None),
            ("example.com/url?q=http://example.org/", None),
            ("a b://example.com/", None),
        ] {
            assert_eq!(host_of(uri), host, "{uri}");
        }
        assert_eq!(
            (&*lower("Example.COM"), &*lower("b\u{fc}cher.example")),
            ("example.com", "b\u{fc}cher.example")
        );
    }
}
