//! JSON: objects a line, whose member with the URI has to be named, and documents, which are not read.

use serde_json::Value;

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

/// What an input is that begins with a JSON value.
pub(super) fn find(first: &[u8]) -> Option<Foreign> {
    let begin = first.trim_ascii_start();
    if begin.starts_with(b"{") {
        return object(first);
    }
    let is_list =
        begin.starts_with(b"[") && matches!(begin[1..].trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    is_list.then(|| {
        let advice = format!(
            "say which member of its objects holds the URI, as in {} {}; make lines of other items with jq -c '.[]' FILE",
            OptionName::Format.with("json"),
            OptionName::UriField.with("NAME")
        );
        Foreign::new("a JSON document, a list", advice)
    })
}

fn object(first: &[u8]) -> Option<Foreign> {
    let line = lines(first).next().unwrap_or_default();
    if let Some(Value::Object(object)) = parsed(line) {
        let writer = WRITERS.iter().find(|(names, _)| names.iter().all(|name| object.contains_key(*name)));
        let writer = writer.map_or(String::new(), |(_, writer)| format!(" {writer}"));
        let names: Vec<Vec<u8>> = object.keys().map(|name| name.clone().into_bytes()).collect();
        return Some(Foreign::new(format!("JSON Lines{writer}"), advice(&object, &names)));
    }
    // A line of a list may begin with a brace; one of a document is followed by a name.
    let begin = first.trim_ascii_start();
    if !matches!(begin[1..].trim_ascii_start().first(), Some(b'"')) || !begin.contains(&b':') {
        return None;
    }
    Some(Foreign::new(
        "a JSON document",
        "convert it to lines with jq -c, or find its URIs with urimill extract",
    ))
}

/// Which member may hold the URI.
fn advice(object: &serde_json::Map<String, Value>, names: &[Vec<u8>]) -> String {
    let is_uri = |value: &Value| {
        value.as_str().is_some_and(|text| has_scheme(text.as_bytes()) && text.contains("://"))
    };
    let is_path = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('/'));
    let within = object.get("request").and_then(Value::as_object).filter(|within| within.contains_key("uri"));
    let named = ["url", "uri", "request_uri", "ClientRequestURI", "path", "RequestPath", "request_url"];
    let named =
        named.into_iter().find(|name| object.get(*name).is_some_and(|value| is_uri(value) || is_path(value)));
    let found =
        named.or_else(|| object.iter().find(|(_, value)| is_uri(value)).map(|(name, _)| name.as_str()));
    match (found, within) {
        (Some(name), _) => {
            format!(
                "say which member holds the URI, as in {} {}; its members are {}",
                OptionName::Format.with("jsonl"),
                OptionName::UriField.with(name),
                list(names)
            )
        }
        (None, Some(_)) => "its URI is in another object: take it out, as in jq -r '\"https://\" + .request.host + .request.uri' \
                            FILE | urimill normalize"
            .to_owned(),
        (None, None) => {
            format!(
                "say which member holds the URI, with {} {}; its members are {}",
                OptionName::Format.with("jsonl"),
                OptionName::UriField.with("NAME"),
                list(names)
            )
        }
    }
}

/// The names of an object's members.
pub(super) fn members(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    // More of them may follow on the same line, as in an array.
    match serde_json::Deserializer::from_slice(line).into_iter::<Value>().next()?.ok()? {
        Value::Object(object) => Some(object.keys().map(|name| name.clone().into_bytes()).collect()),
        _ => None,
    }
}

fn parsed(line: &[u8]) -> Option<Value> {
    line.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(line).ok()).flatten()
}
