//! URIs that are made of fields, on their way to the records: by a template, or of the line of a request. For the
//! formats whose fields a user names.

use urimill_columns::batch::{Records, Text};
use urimill_uri::simd::Span;

use super::request;
use super::request::Target;
use super::template::{Made, Template};

/// Where a record begins, and its base, where records have bases.
pub(crate) type Begun = (u32, Option<Text>);

/// Pushes the record whose fields are `parts`; `made` is room for its URI.
pub fn push_made(
    template: &Template,
    parts: &[Option<Text>],
    (start, base): Begun,
    (bytes, made): (&[u8], &mut Vec<u8>),
    records: &mut Records,
) {
    let written = template.write(|at| parts[at].map(|part| records.bytes_of(bytes, part)), made);
    if written == Made::Null {
        return records.push_null(start, base);
    }
    let text = records.unescape(|out| out.extend_from_slice(made));
    match written {
        Made::Malformed(at) => records.push_malformed_text(start, text, at as u32, base.is_some()),
        _ => records.push(start, text, base),
    }
}

/// Pushes the record whose field `line` is the line of a request; returns its method and its protocol.
pub(crate) fn push_request(
    line: Option<Text>,
    (start, base): Begun,
    bytes: &[u8],
    records: &mut Records,
) -> [Option<Text>; 2] {
    let text = line.map_or(&b""[..], |line| records.bytes_of(bytes, line));
    let Some(line) = line.filter(|_| !text.iter().all(|&b| b == b'-' || b == b' ')) else {
        records.push_null(start, base);
        return [None, None];
    };
    let Some(parts) = request::parts(text, 0, text.len()) else {
        records.push_malformed_text(start, line, 0, base.is_some());
        return [None, None];
    };
    let of = |span: Span| &text[span.start as usize..][..span.len as usize];
    let target = request::target(of(parts.method), of(parts.target));
    let part = |span: Span| line.part(span.start, span.len);
    match target {
        None => records.push_malformed_text(start, line, parts.target.start, base.is_some()),
        Some(Target::Server) => records.push_null(start, base),
        Some(Target::Reference) => records.push(start, part(parts.target), base),
        Some(Target::Form(form)) => {
            records.push(start, part(parts.target), base);
            records.read_as(form);
        }
    }
    [Some(part(parts.method)), parts.protocol.map(part)]
}
