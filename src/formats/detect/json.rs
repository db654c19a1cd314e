//! JSON: an object on each line, whose member with the URI has to be named, and documents, which are not read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Map, Value};
use urimill_base::option_name::OptionName;
use urimill_read::format::fields::list;
use urimill_read::format::first_lines::{is_of_web, lines};
use urimill_read::format::foreign::Foreign;
use urimill_read::format::json::each;

use super::advice;

/// Members of the objects of some software, and the software.
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

/// Describes an input that begins with a JSON value.
pub(super) fn find(first: &[u8]) -> Option<Foreign> {
    let begin = first.trim_ascii_start();
    if begin.starts_with(b"{") {
        return object(first);
    }
    let is_list =
        begin.starts_with(b"[") && matches!(begin[1..].trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    is_list.then(|| {
        let items = items(begin);
        let objects: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
        let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        let are_uris = !texts.is_empty() && texts.iter().all(|text| may_be_uri(text));
        let advice = match member(&objects) {
            Some(member) => format!(
                "say which member of its objects holds the URI, as in {} {}",
                OptionName::Format.with("json"),
                OptionName::UriField.with(&member)
            ),
            None if are_uris => {
                "make lines of its items, as in jq -r '.[]' FILE | urimill normalize".to_owned()
            }
            None => advice::of_text(first).to_owned(),
        };
        Foreign::new("a JSON document, a list", advice)
    })
}

/// The first items of a list whose end may be missing.
fn items(list: &[u8]) -> Vec<Value> {
    let (mut items, mut at) = (Vec::new(), 1);
    while items.len() < 16 {
        let mut values = serde_json::Deserializer::from_slice(&list[at..]).into_iter::<Value>();
        let Some(Ok(item)) = values.next() else { break };
        at += values.byte_offset();
        items.push(item);
        let rest = list[at..].trim_ascii_start();
        if rest.first() != Some(&b',') {
            break;
        }
        at = list.len() - rest.len() + 1;
    }
    items
}

fn may_be_uri(text: &str) -> bool {
    text.starts_with('/') || is_of_web(text.as_bytes())
}

fn object(first: &[u8]) -> Option<Foreign> {
    if let Some(object) = lines(first).next().and_then(parsed) {
        let objects: Vec<Map<String, Value>> = lines(first).filter_map(parsed).collect();
        let writer = WRITERS.iter().find(|(names, _)| names.iter().all(|name| object.contains_key(*name)));
        let writer = writer.map_or(String::new(), |(_, writer)| format!(" {writer}"));
        let names: Vec<Vec<u8>> = object.keys().map(|name| name.clone().into_bytes()).collect();
        let objects: Vec<&Map<String, Value>> = objects.iter().collect();
        let member = member(&objects);
        if let Some((name, member)) = log_of(&objects).filter(|_| member.is_none()) {
            let advice = format!(
                "read that, as in jq -r '{}' FILE | urimill normalize {}",
                jq_path(&member),
                OptionName::Format.with(name)
            );
            let member = member.join(".");
            return Some(Foreign::new(
                format!("JSON Lines{writer} with a log of the format {name} in {member}"),
                advice,
            ));
        }
        let advice = format!(
            "say which member holds the URI, {} {} {}{}{}{}",
            if member.is_some() { "as in" } else { "with" },
            OptionName::Format.with("jsonl"),
            OptionName::UriField.with(member.as_deref().unwrap_or("NAME")),
            if names.is_empty() { "" } else { "; its members are " },
            list(&names),
            match member.is_none() && advice::holds_uris(first) {
                true => "; urimill extract FILE finds the URIs in its texts",
                false => "",
            }
        );
        return Some(Foreign::new(format!("JSON Lines{writer}"), advice));
    }
    // A line of a list may begin with a brace; one of a document is followed by a name.
    let begin = first.trim_ascii_start();
    if !matches!(begin[1..].trim_ascii_start().first(), Some(b'"')) || !begin.contains(&b':') {
        return None;
    }
    let values = serde_json::Deserializer::from_slice(first).into_iter::<Value>();
    let values: Vec<Value> = values.map_while(Result::ok).take(16).collect();
    let member = member(&values.iter().filter_map(Value::as_object).collect::<Vec<_>>());
    let advice = match member {
        Some(member) => format!(
            "make a line of each object, as in jq -c . FILE | urimill normalize {} {}",
            OptionName::Format.with("jsonl"),
            OptionName::UriField.with(&member)
        ),
        None => advice::of_text(first).to_owned(),
    };
    Some(Foreign::new("a JSON document", advice))
}

/// Names of members with the URI, the more specific ones first.
const NAMES: [&str; 10] = [
    "url",
    "uri",
    "request_uri",
    "requestUri",
    "ClientRequestURI",
    "requestUrl",
    "RequestPath",
    "request_url",
    "cs-uri-stem",
    "path",
];

/// The members in which a member `path` may be that of a URI.
const HOLDERS: [&str; 7] = ["", "url", "uri", "request", "req", "http", "httpRequest"];

/// The member, perhaps a nested one, that is a URI in most objects: a whole URI before a path, a known name before
/// others.
fn member(objects: &[&Map<String, Value>]) -> Option<String> {
    let mut found: Vec<Member> = Vec::new();
    for object in objects {
        each(&[], object, &mut |names, value| {
            let Some(text) = value.as_str() else { return };
            let is_whole = is_of_web(text.as_bytes());
            if !is_whole && !text.starts_with('/') {
                return;
            }
            let path = names.join(".");
            let at = found.iter().position(|member| member.path == path).unwrap_or_else(|| {
                found.push(Member { path, count: 0, whole: 0, first: text.to_owned(), varies: false });
                found.len() - 1
            });
            let member = &mut found[at];
            member.count += 1;
            member.whole += usize::from(is_whole);
            member.varies |= member.first != text;
        });
    }
    // The members in nearly every object, and among them those with a known name.
    let most = found.iter().map(|member| member.count).max()?;
    let key = |member: &Member| {
        let depth = member.path.matches('.').count();
        (!member.is_named(), !member.varies, !member.is_whole(), member.rank(), depth)
    };
    // A path of another name may be one of files.
    found.retain(|member| member.is_named() || member.is_whole());
    let frequent =
        found.iter().filter(|member| member.count * 10 >= most * 9).min_by_key(|member| key(member));
    // Logs of several kinds may have it in the objects of one kind.
    let many = || found.iter().filter(|member| member.count * 2 >= objects.len());
    let best = frequent.or_else(|| many().min_by_key(|member| (Reverse(member.count), key(member))))?;
    Some(best.path.clone())
}

/// The format of a log whose lines are in a member of most objects, and the path of names to that member.
fn log_of(objects: &[&Map<String, Value>]) -> Option<(&'static str, Vec<String>)> {
    let mut lines: BTreeMap<Vec<String>, Vec<u8>> = BTreeMap::new();
    for object in objects {
        each(&[], object, &mut |names, value| {
            if let Some(text) = value.as_str().filter(|text| !text.trim_end().contains('\n')) {
                let lines = lines.entry(names.iter().map(|&name| name.to_owned()).collect()).or_default();
                lines.extend_from_slice(text.trim_end().as_bytes());
                lines.push(b'\n');
            }
        });
    }
    lines.into_iter().find_map(|(names, lines)| Some((urimill_logs::detect(&lines)?.name(), names)))
}

/// The path to a member as jq writes it, within the single quotes of a shell.
fn jq_path(names: &[String]) -> String {
    names.iter().map(|name| format!(".{}", Value::from(&**name)).replace('\'', "\\u0027")).collect()
}

/// A member of some objects with the text of a URI in it, or of a path.
struct Member {
    path: String,
    count: usize,
    /// The number of its texts that begin with a scheme.
    whole: usize,
    first: String,
    /// Whether its texts differ.
    varies: bool,
}

impl Member {
    /// Whether half of its texts are URIs with a scheme.
    fn is_whole(&self) -> bool {
        2 * self.whole >= self.count
    }

    fn rank(&self) -> usize {
        let mut names = self.path.rsplit('.');
        let (name, holder) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        // The path of a file or of a program is not the path of a URI.
        let is_of_file = name == "path" && !HOLDERS.iter().any(|known| known.eq_ignore_ascii_case(holder));
        let known = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name));
        known.filter(|_| !is_of_file).unwrap_or(NAMES.len())
    }

    fn is_named(&self) -> bool {
        self.rank() < NAMES.len()
    }
}

fn parsed(line: &[u8]) -> Option<Map<String, Value>> {
    line.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(line).ok()).flatten()
}
