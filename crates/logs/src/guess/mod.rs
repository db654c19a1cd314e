//! JSON of any shape: where no definition fits the objects of an input, their members are judged by their names
//! (`names`) and by their values in the first lines (`values`). The result is an ordinary definition, which the engine
//! of objects reads; members that are not taken for anything go to the column `extra`.

mod members;
pub(crate) mod names;
mod values;

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::{Map, Value};
use urimill_base::locks::lock;
use urimill_read::format::first_lines::trim;

use super::definition::{Definition, Form};
use members::{Member, Members};
use names::Meaning;
use values::Given;

/// The name of the format.
pub const NAME: &str = "json-log";
/// What it is.
pub const ABOUT: &str = "JSON of any shape, an object a line: members are judged by their names and values";

/// At most this many objects are looked at.
const OBJECTS: usize = 256;
/// An input is a log if this many members beside the URI are ones of a request.
const PROOFS: usize = 2;

/// Columns that show that an object is the record of a request.
const OF_REQUESTS: &[&str] = &[
    "time",
    "client",
    "status",
    "size",
    "user_agent",
    "referer",
    "duration_us",
    "http_version",
    "forwarded_for",
];

/// What the objects of an input are.
pub(crate) enum Guess {
    /// Records of requests.
    Log(&'static Definition),
    /// Objects in which something makes the URI, but little else is known.
    Doubtful(&'static Definition),
    /// No member makes a URI: what was found.
    NoUri(String),
    /// Not objects.
    No,
}

/// Judges the lines of an input.
pub(crate) fn guess<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Guess {
    let (mut objects, mut count) = (Vec::new(), 0);
    for line in lines.take(OBJECTS) {
        count += 1;
        objects.extend(parsed(line));
    }
    if 2 * objects.len() <= count {
        return Guess::No;
    }
    let members = Members::of(&objects);
    let mut taken = Taken { members: &members.all, objects: objects.len(), fields: Vec::new() };
    let has_uri = taken.uri();
    if !has_uri {
        taken.of_request_line();
    }
    taken.others();
    match (has_uri, taken.is_log()) {
        (false, _) => Guess::NoUri(taken.sentence()),
        (true, true) => Guess::Log(taken.definition()),
        (true, false) => Guess::Doubtful(taken.definition()),
    }
}

/// The lines of the beginning of an input.
pub(crate) fn lines(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    // The last one may not be whole.
    let whole = memchr::memrchr(b'\n', first).map_or(first, |newline| &first[..newline]);
    whole.split(|&b| b == b'\n').map(trim).filter(|line| !line.trim_ascii().is_empty())
}

fn parsed(line: &[u8]) -> Option<Map<String, Value>> {
    line.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(line).ok()).flatten()
}

/// What the members are taken for.
struct Taken<'m> {
    members: &'m [Member],
    /// The number of objects.
    objects: usize,
    /// The member and the field of each.
    fields: Vec<(&'m Member, String)>,
}

impl<'m> Taken<'m> {
    /// The members of a meaning that are not taken, the best first: frequent ones, then by its names, depth and place.
    fn ranked(&self, meaning: &Meaning) -> Vec<&'m Member> {
        let rank = |member: &Member| member.names.iter().find_map(|name| meaning.rank(name));
        let is_free = |member: &&Member| self.fields.iter().all(|(taken, _)| taken.path != member.path);
        let mut found: Vec<_> = self
            .members
            .iter()
            .filter(is_free)
            .filter_map(|member| Some((rank(member)?, member)))
            .filter(|(_, member)| Given::new(&member.values).are(meaning.values))
            .collect();
        // One that few objects have is not preferred.
        let most = found.iter().map(|(_, member)| member.count).max().unwrap_or_default();
        found.sort_by_key(|&(rank, member)| (2 * member.count < most, rank, member.depth));
        found.into_iter().map(|(_, member)| member).collect()
    }

    fn take(&mut self, meaning: &Meaning) -> bool {
        let found = self.ranked(meaning).first().copied();
        found.inspect(|&member| self.fields.push((member, meaning.field.to_owned()))).is_some()
    }

    /// Whether most objects have a member.
    fn is_frequent(&self, member: &Member) -> bool {
        2 * member.values.len() > self.objects
    }

    /// Takes the members that make the URI: a URI with a scheme, or a request line, or a reference, or a path.
    fn uri(&mut self) -> bool {
        let frequent = |found: Vec<&'m Member>| found.into_iter().filter(|&member| self.is_frequent(member));
        let urls: Vec<_> = frequent(self.ranked(&names::URL)).collect();
        let lines: Vec<_> = frequent(self.ranked(&names::REQUEST)).collect();
        let paths: Vec<_> = frequent(self.ranked(&names::PATH)).collect();
        let whole = urls.iter().copied().find(|member| Given::new(&member.values).are_whole().0);
        let Some(member) =
            whole.or(lines.first().copied()).or(urls.first().copied()).or(paths.first().copied())
        else {
            return false;
        };
        let given = Given::new(&member.values);
        let (is_whole, are_all_whole) = given.are_whole();
        let is_line = whole.is_none() && !lines.is_empty();
        let is_path = whole.is_none() && !is_line && urls.is_empty();
        let place = self.fields.len();
        self.fields.push((member, String::new()));
        let has_query = !is_line && self.query(member);
        let kind = match () {
            () if is_line => "request",
            () if given.lack_schemes() => ":uri",
            () if is_whole && has_query => ":uri",
            () if has_query => ":whole-path",
            () if is_path => ":path",
            () => ":url",
        };
        self.fields[place].1 = kind.to_owned();
        if !are_all_whole {
            let has_host = self.take(&names::HOST) || self.take(&names::DOUBTFUL_HOST);
            if has_host {
                self.take(&names::SCHEME);
                self.take(&names::PORT);
                self.take(&names::SECURE);
            }
        }
        if !is_line {
            self.of_request_line();
        }
        true
    }

    fn of_request_line(&mut self) {
        for meaning in names::OF_REQUEST_LINE {
            self.take(meaning);
        }
    }

    /// Takes the query, if the URIs lack it.
    fn query(&mut self, uri: &Member) -> bool {
        let has_queries = Given::new(&uri.values).texts().any(|text| text.contains('?'));
        let found = self.ranked(&names::QUERY).first().copied();
        let is_wanted =
            |member: &&Member| !has_queries && Given::new(&member.values).texts().next().is_some();
        let Some(member) = found.filter(is_wanted) else { return false };
        self.fields.push((member, names::QUERY.field.to_owned()));
        true
    }

    /// Takes the members that do not make the URI.
    fn others(&mut self) {
        for meaning in names::OTHERS {
            match meaning.values {
                values::Values::Duration => self.duration(meaning),
                _ => {
                    self.take(meaning);
                }
            }
        }
        let has_time = self.fields.iter().any(|(_, field)| field == "time");
        if let (false, Some(_), Some(_)) =
            (has_time, self.ranked(&names::DATE).first(), self.ranked(&names::CLOCK).first())
        {
            self.take(&names::DATE);
            self.take(&names::CLOCK);
        }
    }

    /// Takes a duration whose unit is known: its name ends with the unit, or each value.
    fn duration(&mut self, meaning: &Meaning) {
        let is_free = |member: &&Member| self.fields.iter().all(|(taken, _)| taken.path != member.path);
        let found = self.members.iter().filter(is_free).filter_map(|member| {
            let given = Given::new(&member.values);
            let (name, unit) = member.names.iter().find_map(|name| {
                let with_unit = UNITS.iter().find_map(|(word, unit)| {
                    let name = name.strip_suffix(word)?;
                    Some((meaning.rank(name.strip_suffix("in").unwrap_or(name))?, *unit))
                });
                with_unit.or_else(|| Some((meaning.rank(name)?, "")))
            })?;
            let unit = match unit {
                "" if given.have_units() => "s",
                "" => return None,
                unit => unit,
            };
            given.are(meaning.values).then_some(((name, member.depth), member, unit))
        });
        let mut ranked: Vec<_> = found.collect();
        ranked.sort_by_key(|&(rank, ..)| rank);
        if let Some(&(_, member, unit)) = ranked.first() {
            self.fields.push((member, format!("{}:{unit}", meaning.field)));
        }
    }

    /// Whether the objects are records of requests: a path alone may be one of files.
    fn is_log(&self) -> bool {
        let has = |name: &str| self.fields.iter().any(|(_, field)| of_field(field) == name);
        let uri = self.fields.first().map(|(member, _)| Given::new(&member.values));
        let is_whole = uri.is_some_and(|given| given.are_whole().0);
        let others = OF_REQUESTS.iter().filter(|name| has(name)).count();
        let has_method = has("method") || has("request") || has("protocol");
        let is_of_http = has_method || has("status") || has("user_agent") || has("http_version");
        (is_whole || is_of_http) && others + usize::from(has_method) >= PROOFS
    }

    fn sentence(&self) -> String {
        sentence(self.fields.iter().map(|(member, field)| (of_field(field), &*member.path)))
    }

    fn definition(&self) -> &'static Definition {
        static MADE: Mutex<BTreeMap<String, &'static Definition>> = Mutex::new(BTreeMap::new());
        let fields: Vec<(&str, &str)> =
            self.fields.iter().map(|(member, field)| (&*member.path, &**field)).collect();
        let told_by = self.told_by();
        let key = format!("{told_by:?}{fields:?}");
        let mut made = lock(&MADE);
        if let Some(definition) = made.get(&key) {
            return definition;
        }
        let leak = |text: &str| -> &'static str { text.to_owned().leak() };
        let fields = fields.into_iter().map(|(path, field)| (leak(path), leak(field)));
        let form = Form::Objects {
            detected_by: told_by.iter().map(|path| leak(path)).collect::<Vec<_>>().leak(),
            fields: fields.collect::<Vec<_>>().leak(),
            has_more_escapes: false,
        };
        let definition: &'static Definition = Box::leak(Box::new(Definition {
            name: NAME,
            about: ABOUT,
            form,
            escapes: Default::default(),
            values: &[],
            before: &[],
            nulls: &[],
            skip: &[],
            file: "",
        }));
        made.insert(key, definition);
        definition
    }

    /// The members by which an object is told: what makes the URI, and two that nearly all objects have.
    fn told_by(&self) -> Vec<String> {
        let is_in_all = |member: &Member| {
            let uri = self.fields.first().map_or(0, |(uri, _)| uri.count);
            member.count >= uri && !member.is_element
        };
        // The array is the member of an object, not its elements.
        let uri = self.fields.first().map(|(member, _)| match member.path.rfind('[') {
            Some(at) if member.is_element => member.path[..at].to_owned(),
            _ => member.path.clone(),
        });
        let others =
            self.fields.iter().skip(1).filter(|(member, field)| is_in_all(member) && field != ":query");
        uri.into_iter().chain(others.take(2).map(|(member, _)| member.path.clone())).collect()
    }
}

/// The words for units at the end of names.
const UNITS: &[(&str, &str)] = &[
    ("milliseconds", "ms"),
    ("millisecond", "ms"),
    ("millis", "ms"),
    ("msecs", "ms"),
    ("msec", "ms"),
    ("ms", "ms"),
    ("microseconds", "us"),
    ("micros", "us"),
    ("usecs", "us"),
    ("usec", "us"),
    ("us", "us"),
    ("µs", "us"),
    ("nanoseconds", "ns"),
    ("nanos", "ns"),
    ("nsecs", "ns"),
    ("nsec", "ns"),
    ("ns", "ns"),
    ("seconds", "s"),
    ("secs", "s"),
    ("sec", "s"),
    ("s", "s"),
];

/// The name of a field in a sentence: that of its column, or the part of the URI that it makes.
pub(crate) fn of_field(field: &str) -> &str {
    match field.split_once(':') {
        Some(("", "uri")) => "url",
        Some(("", "whole-path")) => "path",
        Some(("", "doubtful-host")) => "host",
        Some(("", "secure")) => "https",
        Some(("", kind)) => kind,
        Some((name, _)) => name,
        None => field,
    }
}

/// What the members were taken for: `url = "request.url", status = "resp_code"`.
pub(crate) fn sentence<'f>(pairs: impl Iterator<Item = (&'f str, &'f str)>) -> String {
    let pairs: Vec<_> = pairs.map(|(field, path)| format!("{field} = {path:?}")).collect();
    pairs.join(", ")
}
