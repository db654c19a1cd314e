//! The references that a WAT has of a page: what somebody extracted from a WARC file and wrote as JSON, one record of
//! metadata for each of its records (Web Archive Transformation). `Base`, `Links` and what stands in `Head` are the page's,
//! and header fields are the response's.

use serde_json::{Map, Value};

use super::header::field;
use super::link::{Against, Links, Place};
use super::values::refresh;

/// What the record describes.
#[derive(Debug, Default)]
pub(super) struct Described {
    /// The page, if it is a response or a resource.
    pub(super) uri: Option<String>,
    pub(super) is_page: bool,
    /// What the page says its base is.
    pub(super) base: Option<String>,
}

fn object<'v>(value: &'v Map<String, Value>, name: &str) -> Option<&'v Map<String, Value>> {
    value.get(name)?.as_object()
}

fn text<'v>(value: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// Adds the references of a block.
///
/// # Errors
/// The byte from which on it is not JSON.
pub(super) fn read(block: &[u8], links: &mut Links) -> Result<Described, usize> {
    let value: Value = serde_json::from_slice(block).map_err(|error| {
        let lines = block.split_inclusive(|&b| b == b'\n').take(error.line().saturating_sub(1));
        lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1)
    })?;
    let Some(envelope) = value.as_object().and_then(|value| object(value, "Envelope")) else {
        return Ok(Described::default());
    };
    let header = object(envelope, "WARC-Header-Metadata").or_else(|| object(envelope, "ARC-Header-Metadata"));
    let uri =
        header.and_then(|header| text(header, "WARC-Target-URI").or_else(|| text(header, "Target-URI")));
    let kind = header.and_then(|header| text(header, "WARC-Type"));
    let payload = object(envelope, "Payload-Metadata");
    let http = payload.and_then(|payload| object(payload, "HTTP-Response-Metadata"));
    let is_page = kind.is_none_or(|kind| matches!(kind, "response" | "resource"))
        && (http.is_some() || kind == Some("resource"));
    let mut described = Described { uri: uri.map(str::to_owned), is_page, base: None };
    let Some(http) = http.filter(|_| is_page) else { return Ok(described) };
    if let Some(fields) = object(http, "Headers") {
        headers(fields, links);
    }
    let Some(html) = object(http, "HTML-Metadata") else { return Ok(described) };
    let head = object(html, "Head");
    if let Some(base) = head.and_then(|head| text(head, "Base")) {
        let (element, attribute) = (Some(&b"base"[..]), Some(&b"href"[..]));
        links
            .push(base.as_bytes(), Place { element, attribute, against: Against::Outer, ..Place::default() });
        described.base = Some(base.to_owned());
    }
    for list in ["Link", "Scripts", "Metas"] {
        let items = head.and_then(|head| head.get(list)?.as_array()).into_iter().flatten();
        items.filter_map(Value::as_object).for_each(|item| link(item, list, links));
    }
    let items = html.get("Links").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_object).for_each(|item| link(item, "Links", links));
    Ok(described)
}

/// The references in header fields.
fn headers(fields: &Map<String, Value>, links: &mut Links) {
    for (name, value) in fields {
        // A field that comes several times may have a list.
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        values
            .iter()
            .filter_map(Value::as_str)
            .for_each(|value| field(name.as_bytes(), value.as_bytes(), links));
    }
}

/// The reference of one item: its `url`, and `path`, such as `A@/href` or `STYLE/#text`, which says where it stood.
fn link(item: &Map<String, Value>, list: &str, links: &mut Links) {
    let path = text(item, "path").unwrap_or_default();
    if list == "Metas" {
        let is_refresh = text(item, "http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
        let url =
            text(item, "content").filter(|_| is_refresh).and_then(|content| refresh(content.as_bytes()));
        let (element, attribute) = (Some(&b"meta"[..]), Some(&b"content"[..]));
        return url.into_iter().for_each(|url| {
            links.push(url, Place { element, attribute, ..Place::default() });
        });
    }
    let (element, attribute) = match path.split_once("@/") {
        Some((element, attribute)) => (element.to_ascii_lowercase(), attribute.to_ascii_lowercase()),
        None => match path.split_once('/') {
            Some((element, _)) => (element.to_ascii_lowercase(), "url()".to_owned()),
            None => (path.to_ascii_lowercase(), String::new()),
        },
    };
    let words = text(item, "text").or_else(|| text(item, "alt"));
    let place = Place {
        element: Some(element.as_bytes()).filter(|name| !name.is_empty()),
        attribute: Some(attribute.as_bytes()).filter(|name| !name.is_empty()),
        rel: text(item, "rel").map(str::as_bytes),
        text: words.map(str::as_bytes),
        ..Place::default()
    };
    if let Some(url) = text(item, "url").or_else(|| text(item, "href")) {
        links.push(url.as_bytes(), place);
    }
}
