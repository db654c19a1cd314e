//! The member of an object that holds a line, by a path of names.

use std::sync::LazyLock;

use urimill_columns::batch::Records;
use urimill_read::format::json;
use urimill_read::format::json::Value;
use urimill_read::format::json::path;

use super::array::Array;

/// A member that holds lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name in options and summaries.
    pub(crate) name: String,
    path: Vec<String>,
}

/// The names of members that are known to hold lines, the surer ones first.
pub(crate) const LINES: &[&str] = &[
    "event.original",
    "message",
    "log",
    "MESSAGE",
    "_raw",
    "result._raw",
    "textPayload",
    "jsonPayload.message",
    "jsonPayload.log",
    "_source.event.original",
    "_source.message",
    "line",
    "event",
    "body",
    "short_message",
    "full_message",
    "@message",
    "msg",
    "Message",
    "Body",
    "Log",
    "LogMessage",
    "LogEntry",
    "content",
    "raw",
    "rawlog",
];

/// The members with the time of the line, the surer ones first.
pub(crate) const TIMES: &[&str] = &[
    "@timestamp",
    "_SOURCE_REALTIME_TIMESTAMP",
    "__REALTIME_TIMESTAMP",
    "_time",
    "result._time",
    "timestamp",
    "time",
    "_source.@timestamp",
    "date",
    "ts",
    "Timestamp",
    "TimeStamp",
    "TimeGenerated",
    "Time",
    "@t",
    "logEvents[0].timestamp",
];

/// The members with the host of the line.
pub(crate) const HOSTS: &[&str] = &[
    "host.name",
    "host.hostname",
    "_HOSTNAME",
    "host",
    "hostname",
    "result.host",
    "_source.host.name",
    "_source.host",
    "kubernetes.host",
    "agent.hostname",
    "beat.hostname",
    "source_name",
    "Host",
    "Computer",
    "logStream",
];

impl Member {
    /// The member at this path, which is written as for `--uri-field`.
    pub(super) fn new(path: &str) -> Member {
        Member { name: format!("json:{path}"), path: path::parts(path) }
    }

    /// Docker's files (json-file).
    pub(super) fn docker() -> Member {
        Member { name: "docker".into(), ..Member::new("log") }
    }

    /// journald's objects.
    pub(super) fn journald() -> Member {
        Member { name: "journald".into(), ..Member::new("MESSAGE") }
    }

    /// Whether this is the member of that path.
    pub(super) fn is_at(&self, path: &[String]) -> bool {
        self.path == path
    }

    /// Whether it is in an element of an array.
    pub(super) fn is_in(&self, array: &Array) -> bool {
        let (around, rest) = self.path.split_at(array.path.len().min(self.path.len()));
        around == array.path && rest.first().is_some_and(|element| element.parse::<usize>().is_ok())
    }

    /// The text of the member of an object with these members.
    pub(super) fn text(&self, bytes: &[u8], members: &[(Value, Value)]) -> Option<Vec<u8>> {
        let mut only = Only::default();
        members.iter().for_each(|&(key, value)| only.see(bytes, (key, value), &self.path));
        let value = only.value(bytes, &self.path).filter(|value| value.is_text())?;
        let mut records = Records::default();
        let text = value.text(bytes, &mut records);
        Some(records.bytes_of(bytes, text).to_vec())
    }

    /// The value of the member in the object at `bytes[start..end]`, if it is a text.
    ///
    /// # Errors
    /// The byte where the text is not an object.
    pub(crate) fn find(&self, bytes: &[u8], start: usize, end: usize) -> Result<Option<Value>, usize> {
        Ok(find(bytes, (start, end), &self.path)?.filter(|value| value.is_text()))
    }
}

/// The first of these members that the object has, as a text or a number.
pub(crate) fn first(bytes: &[u8], range: (usize, usize), paths: &[&str]) -> Option<Value> {
    let is_value =
        |value: &Value| !value.is_null() && !matches!(bytes[value.whole.start as usize], b'{' | b'[');
    paths.iter().find_map(|path| find(bytes, range, &path::parts(path)).ok()?.filter(is_value))
}

/// The members of an object: their names and values.
pub(super) fn members(bytes: &[u8]) -> Option<Vec<(Value, Value)>> {
    let mut members = Vec::new();
    json::members(bytes, 0, bytes.len(), |key, value| members.push((key, value))).ok()?;
    Some(members)
}

/// The only member whose name begins a path.
#[derive(Debug, Default)]
struct Only {
    /// Its value, and how many names of the path it takes.
    found: Option<(Value, usize)>,
    count: usize,
}

impl Only {
    fn see(&mut self, bytes: &[u8], (key, value): (Value, Value), path: &[String]) {
        if let Some(taken) = joined(&key.name(bytes), path) {
            (self.found, self.count) = (Some((value, taken)), self.count + 1);
        }
    }

    fn value(self, bytes: &[u8], path: &[String]) -> Option<Value> {
        let (value, taken) = self.found.filter(|_| self.count == 1)?;
        within(bytes, value, &path[taken..])
    }
}

/// The value at a path of an object; none if a name on the way comes twice. Some shippers join names of a path with dots.
fn find(bytes: &[u8], (start, end): (usize, usize), path: &[String]) -> Result<Option<Value>, usize> {
    let mut only = Only::default();
    json::members(bytes, start, end, |key, value| only.see(bytes, (key, value), path))?;
    Ok(only.value(bytes, path))
}

/// How many of the first names of a path a name joins with dots; none if it is another name.
fn joined(name: &[u8], path: &[String]) -> Option<usize> {
    let mut rest = name;
    for (at, part) in path.iter().enumerate() {
        rest = rest.strip_prefix(part.as_bytes())?;
        if rest.is_empty() {
            return Some(at + 1);
        }
        rest = rest.strip_prefix(b".")?;
    }
    None
}

/// The value at a path in a value that is known to be right.
fn within(bytes: &[u8], value: Value, path: &[String]) -> Option<Value> {
    let Some((name, rest)) = path.split_first() else { return Some(value) };
    let range = (value.whole.start as usize, (value.whole.start + value.whole.len) as usize);
    match bytes[range.0] {
        b'{' => find(bytes, range, path).ok()?,
        b'[' => {
            let number: usize = name.parse().ok()?;
            let (mut at, mut found) = (0, None);
            json::elements_within(bytes, value, |element| {
                found = found.or((at == number).then_some(element));
                at += 1;
            });
            // Each of several elements would be a line.
            found.filter(|_| at == 1).and_then(|element| within(bytes, element, rest))
        }
        _ => None,
    }
}

/// The paths of an object's texts that may be lines, those of known names first.
pub(super) fn texts(object: &serde_json::Value) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    collect(object, &mut Vec::new(), &mut found);
    found.sort_by_cached_key(|path| KNOWN.iter().position(|line| line == path).unwrap_or(KNOWN.len()));
    found.truncate(MOST);
    found
}

/// The paths of [`LINES`].
static KNOWN: LazyLock<Vec<Vec<String>>> =
    LazyLock::new(|| LINES.iter().map(|line| path::parts(line)).collect());

/// At most this many members of an object are tried.
const MOST: usize = 24;
/// Members are looked for in objects within objects up to this depth.
const DEPTH: usize = 4;

fn collect(value: &serde_json::Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let mut member = |name: &str, value: &serde_json::Value| {
        let depth = path.len();
        path.extend(name.split('.').map(str::to_owned));
        match value {
            // The first line of a log may be any text.
            serde_json::Value::String(text)
                if super::may_be_line(text.as_bytes()) || KNOWN.contains(path) =>
            {
                found.push(path.clone())
            }
            _ if path.len() < DEPTH => collect(value, path, found),
            _ => {}
        }
        path.truncate(depth);
    };
    match value {
        serde_json::Value::Object(members) => {
            members.iter().for_each(|(name, value)| member(name, value));
        }
        serde_json::Value::Array(values) if values.len() == 1 => member("0", &values[0]),
        _ => {}
    }
}

/// A path as a user writes it.
pub(super) fn written(path: &[String]) -> String {
    let name = |name: &String| match name.parse::<usize>() {
        Ok(number) => format!("[{number}]"),
        Err(_) => format!(".{name}"),
    };
    let text: String = path.iter().map(name).collect();
    text.strip_prefix('.').map_or(text.clone(), str::to_owned)
}
