//! JSON: objects a line, whose member with the URI has to be named, and documents, which are not read.

use serde_json::{Map, Value};

use super::Foreign;
use crate::option_name::OptionName;
use crate::read::format::fields::list;
use crate::read::format::first_lines::{has_scheme, lines};

/// Members of the objects that some software writes, and which software that is.
const WRITERS: &[(&[&str], &str)] = &[
    (&["ClientRequestURI"], "of Cloudflare"),
    (&["request", "logger"], "of Caddy"),
    (&["RequestPath", "DownstreamStatus"], "of Traefik"),
    (&["DownstreamStatus"], "of Traefik"),
    (&["httpRequest"], "of Google Cloud"),
    (&["__CURSOR"], "of journald"),
    (&["__REALTIME_TIMESTAMP"], "of journald"),
    (&["log", "stream", "time"], "of Docker"),
    (&["ecs.version"], "of the Elastic Common Schema"),
    (&["response_code", "upstream_host"], "of Envoy"),
    (&["id.orig_h"], "of Zeek"),
    (&["request_uri"], "of nginx"),
    (&["remote_addr"], "of nginx"),
];

/// Members are looked for so deep within others.
const DEEPEST: usize = 4;

/// What an input is that begins with a JSON value.
pub(super) fn find(first: &[u8]) -> Option<Foreign> {
    let begin = first.trim_ascii_start();
    if begin.starts_with(b"{") {
        return object(first);
    }
    let is_list =
        begin.starts_with(b"[") && matches!(begin[1..].trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    is_list.then(|| {
        let parsed = serde_json::from_slice::<Value>(first).ok();
        let items = parsed.as_ref().and_then(Value::as_array).into_iter().flatten();
        let objects: Vec<&Map<String, Value>> = items.filter_map(Value::as_object).take(16).collect();
        let member = member(&objects).unwrap_or_else(|| "NAME".to_owned());
        let advice = format!(
            "say which member of its objects holds the URI, as in {} {}; make lines of other items with jq -c '.[]' FILE",
            OptionName::Format.with("json"),
            OptionName::UriField.with(&member)
        );
        Foreign::new("a JSON document, a list", advice)
    })
}

fn object(first: &[u8]) -> Option<Foreign> {
    if let Some(object) = lines(first).next().and_then(parsed) {
        let objects: Vec<Map<String, Value>> = lines(first).filter_map(parsed).collect();
        let writer = WRITERS.iter().find(|(names, _)| names.iter().all(|name| object.contains_key(*name)));
        let writer = writer.map_or(String::new(), |(_, writer)| format!(" {writer}"));
        let names: Vec<Vec<u8>> = object.keys().map(|name| name.clone().into_bytes()).collect();
        let member = member(&objects.iter().collect::<Vec<_>>());
        let advice = format!(
            "say which member holds the URI, {} {} {}{}{}",
            if member.is_some() { "as in" } else { "with" },
            OptionName::Format.with("jsonl"),
            OptionName::UriField.with(member.as_deref().unwrap_or("NAME")),
            if names.is_empty() { "" } else { "; its members are " },
            list(&names)
        );
        return Some(Foreign::new(format!("JSON Lines{writer}"), advice));
    }
    // A line of a list may begin with a brace; one of a document is followed by a name.
    let begin = first.trim_ascii_start();
    if !matches!(begin[1..].trim_ascii_start().first(), Some(b'"')) || !begin.contains(&b':') {
        return None;
    }
    Some(Foreign::new(
        "a JSON document",
        "convert it to lines with jq -c . FILE, or find its URIs with urimill extract FILE",
    ))
}

/// Names of members with the URI, the more specific ones first.
const NAMES: [&str; 8] =
    ["url", "uri", "request_uri", "ClientRequestURI", "requestUrl", "RequestPath", "request_url", "path"];

/// The member, perhaps one within others, that is a URI in most objects: a whole one before a path, one with such a
/// name before others.
fn member(objects: &[&Map<String, Value>]) -> Option<String> {
    let mut found: Vec<(String, usize, usize)> = Vec::new();
    for object in objects {
        each(&[], object, &mut |path, value| {
            let Some(text) = value.as_str() else { return };
            let is_whole = has_scheme(text.as_bytes()) && text.contains("://");
            if !is_whole && !text.starts_with('/') {
                return;
            }
            let at = found.iter().position(|(name, ..)| name == path).unwrap_or_else(|| {
                found.push((path.to_owned(), 0, 0));
                found.len() - 1
            });
            found[at].1 += 1;
            found[at].2 += usize::from(is_whole);
        });
    }
    let rank = |path: &str| {
        let name = path.rsplit('.').next().unwrap_or(path);
        NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)).unwrap_or(NAMES.len())
    };
    // The members in nearly every object, and among them those with a known name.
    let most = found.iter().map(|&(_, count, _)| count).max()?;
    let found = found.into_iter().filter(|&(_, count, _)| count * 10 >= most * 9);
    let key = |(path, count, whole): &(String, usize, usize)| {
        let is_named = rank(path) < NAMES.len();
        (!is_named, 2 * whole < *count, rank(path), path.matches('.').count())
    };
    let best = found.min_by_key(key)?;
    // A path of another name may be one of files.
    (rank(&best.0) < NAMES.len() || 2 * best.2 >= best.1).then_some(best.0)
}

/// Calls `with` for each member of an object, and each within them, with the names to it. `before` are the names
/// to the object.
fn each(before: &[&str], object: &Map<String, Value>, with: &mut dyn FnMut(&str, &Value)) {
    for (name, value) in object {
        let names = [before, &[name.as_str()]].concat();
        with(&names.join("."), value);
        if let Value::Object(inner) = value
            && names.len() <= DEEPEST
        {
            each(&names, inner, with);
        }
    }
}

/// The names of an object's members.
pub(super) fn members(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    Some(first_object(line)?.keys().map(|name| name.clone().into_bytes()).collect())
}

/// The names of those within its members.
pub(super) fn members_within(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    each(&[], &first_object(line)?, &mut |path, _| {
        if path.contains('.') {
            names.push(path.as_bytes().to_vec());
        }
    });
    Some(names)
}

fn first_object(line: &[u8]) -> Option<Map<String, Value>> {
    // More of them may follow on the same line, as in an array.
    match serde_json::Deserializer::from_slice(line).into_iter::<Value>().next()?.ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn parsed(line: &[u8]) -> Option<Map<String, Value>> {
    line.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(line).ok()).flatten()
}
