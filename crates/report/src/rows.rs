//! The rows of a batch: the counts of their fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::{Array, Int64Array, RecordBatch, StringViewArray, TimestampMillisecondArray};
use memchr::{memchr, memchr3, memrchr};
use urimill_columns::batch::{Column, Columns};
use urimill_columns::templates::file_type;
use urimill_uri::audit::FLAG_NAMES;
use urimill_uri::passwords::Masked;

use super::counter::is_whole;
use super::fields::{
    AGENT, CLIENT, DIGEST, HOP_PATH, MEDIA, METHOD, PROTOCOL, REFERER, SIZE, STATUS, TIME, amount, as_amount,
    is_server, micros, number, numbers, texts, times, value,
};
use super::figure::Figure;
use super::histogram::Histogram;
use super::partial::{EXAMPLES, Example, Partial, REQUESTS, Texts};
use super::series::{Interval, class};

/// The media types of archives for records that hold an HTTP message.
const ENVELOPE: &str = "application/http";

/// The columns that a report needs besides the records' own fields.
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

/// The figures whose texts are the values of a column.
pub(super) const OF_COLUMNS: [(Figure, Column); 7] = [
    (Figure::Scheme, Column::Scheme),
    (Figure::Host, Column::Host),
    (Figure::HostKind, Column::HostKind),
    (Figure::PublicSuffix, Column::PublicSuffix),
    (Figure::RegisteredDomain, Column::RegisteredDomain),
    (Figure::Template, Column::Template),
    (Figure::Trap, Column::Trap),
];

/// The columns that a batch has.
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

/// Adds the counts of a batch from the source with this name to `partial`, which is empty.
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
    for (figure, column) in OF_COLUMNS {
        each(texts(batch, &own(column)).as_ref(), |text| partial.add(figure, text, 1));
    }
    for (figure, names) in [
        (Figure::Method, &METHOD[..]),
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
        // The message of an archive is what contains the payload.
        if media != ENVELOPE {
            partial.add(Figure::MediaType, &media, 1);
        }
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
    // Each distinct path of a request is looked at once, if it was not cut off.
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

/// Adds the beginning and the end of a path.
fn add_path(texts: &mut [Texts], path: &str, sum: u64) {
    if let Some(segment) = first_segment(path) {
        texts[Figure::FirstSegment as usize].add(segment, sum);
    }
    if let Some(extension) = file_type(path) {
        texts[Figure::FileType as usize].add(&extension.to_ascii_lowercase(), sum);
    }
}

fn each(array: Option<&StringViewArray>, mut count: impl FnMut(&str)) {
    let Some(array) = array else { return };
    if array.null_count() == 0 {
        (0..array.len()).for_each(|row| count(array.value(row)));
    } else if array.null_count() < array.len() {
        array.iter().flatten().for_each(count);
    }
}

/// Numbers with few distinct values.
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

/// Counts that depend on several fields of a row.
fn responses(partial: &mut Partial, fields: &Fields, rows: usize, is_server: bool) {
    let Fields { time, status, size, micros, path, host, .. } = fields;
    let mut at: HashMap<i64, usize> = HashMap::new();
    let mut last = None;
    let mut failed = String::new();
    let amounts = |array: &Option<Int64Array>| match array {
        Some(array) => Histogram::of(array.iter().flatten().filter_map(as_amount)),
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

/// The names of parameters, without empty ones.
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

/// Hosts are equal in upper and lower case.
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
