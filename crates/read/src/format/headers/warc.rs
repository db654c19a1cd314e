//! The header of a WARC record: named fields after a line with the version (ISO 28500). Headers of HTTP have the same
//! form. The walk over an archive reads it for lengths, and the worker for a record's fields.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// The beginning of every record; a version follows.
pub const MAGIC: &[u8] = b"WARC/";

/// The name of the field with the length of the block.
pub const CONTENT_LENGTH: &[u8] = b"Content-Length";
/// The name of the field with the URI.
pub const TARGET: &[u8] = b"WARC-Target-URI";

/// Line ends with white space around them count as one space.
pub fn unfolded(value: &[u8]) -> Vec<u8> {
    value.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).collect::<Vec<_>>().join(&b' ')
}

/// Whether the block of a record with this header begins with a header of HTTP.
pub(crate) fn has_http(header: &[u8]) -> bool {
    let (mut kind, mut target) = (None, None);
    for (name, value) in fields(header) {
        let slot = match () {
            () if name.eq_ignore_ascii_case(b"WARC-Type") => &mut kind,
            () if name.eq_ignore_ascii_case(TARGET) => &mut target,
            () => continue,
        };
        slot.get_or_insert(value);
    }
    let is_message = kind.is_some_and(|kind| matches!(&*kind, b"response" | b"request" | b"revisit"));
    is_message && target.is_some_and(|target| is_web(target.strip_prefix(b"<").unwrap_or(&target)))
}

/// Whether a URI is one of HTTP.
pub(crate) fn is_web(uri: &[u8]) -> bool {
    uri.starts_with(b"http:") || uri.starts_with(b"https:")
}

/// Whether a record with this header has a payload, and does not say its digest.
pub(crate) fn lacks_digest(header: &[u8]) -> bool {
    !fields(header).any(|(name, value)| {
        name.eq_ignore_ascii_case(b"WARC-Payload-Digest") && !value.is_empty()
            || name.eq_ignore_ascii_case(b"WARC-Type") && matches!(&*value, b"warcinfo" | b"revisit")
    })
}

/// Whether two records are a request and its answer: they have one target, and if either names other records, at least
/// one names the other.
pub(crate) fn are_of_one_exchange(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (Ends::of(one), Ends::of(other));
    let are_two = matches!(
        (&*one.kind, &*other.kind),
        (b"request", b"response" | b"revisit") | (b"response" | b"revisit", b"request")
    );
    let names = |a: &Ends<'_>, b: &Ends<'_>| !b.id.is_empty() && a.others.contains(&b.id);
    let are_alone = one.others.is_empty() && other.others.is_empty();
    are_two
        && !one.target.is_empty()
        && one.target == other.target
        && (are_alone || names(&one, &other) || names(&other, &one))
}

/// The fields of a header that show to which exchange of messages its record belongs.
#[derive(Default)]
struct Ends<'h> {
    kind: Cow<'h, [u8]>,
    target: Cow<'h, [u8]>,
    id: Cow<'h, [u8]>,
    others: Vec<Cow<'h, [u8]>>,
}

impl<'h> Ends<'h> {
    fn of(header: &'h [u8]) -> Ends<'h> {
        let mut ends = Ends::default();
        for (name, value) in fields(header) {
            match () {
                () if name.eq_ignore_ascii_case(b"WARC-Type") => ends.kind = value,
                () if name.eq_ignore_ascii_case(TARGET) => ends.target = value,
                () if name.eq_ignore_ascii_case(b"WARC-Record-ID") => ends.id = value,
                () if name.eq_ignore_ascii_case(b"WARC-Concurrent-To") => ends.others.push(value),
                () => {}
            }
        }
        ends
    }
}

/// The fields of a header, by name and value.
pub(crate) fn fields(header: &[u8]) -> impl Iterator<Item = (&[u8], Cow<'_, [u8]>)> {
    let fields = named(header, 0..header.len()).filter(|field| !field.name.is_empty());
    fields.map(|field| {
        let value = &header[field.value];
        let value = match memchr(b'\n', value) {
            None => Cow::Borrowed(value),
            Some(_) => Cow::Owned(unfolded(value)),
        };
        (&header[field.name], value)
    })
}

/// A named field: where its name and its value stand.
pub struct Named {
    /// Its name.
    pub name: Range<usize>,
    /// Its value.
    pub value: Range<usize>,
}

/// The named fields of the header that stands at `head`. A line without a colon has an empty name.
pub fn named(bytes: &[u8], head: Range<usize>) -> impl Iterator<Item = Named> {
    let mut at = line_end(bytes, head.start, head.end) + 1;
    std::iter::from_fn(move || {
        if at < head.end {
            let start = at;
            let mut end = line_end(bytes, start, head.end);
            while end + 1 < head.end && matches!(bytes[end + 1], b' ' | b'\t') {
                end = line_end(bytes, end + 1, head.end);
            }
            at = end + 1;
            let Some(colon) = memchr(b':', &bytes[start..end]) else {
                return Some(Named { name: start..start, value: start..end });
            };
            let name = trimmed(bytes, start..start + colon);
            return Some(Named { name, value: trimmed(bytes, start + colon + 1..end) });
        }
        None
    })
}

/// Where the line ends that has `from` in it.
fn line_end(bytes: &[u8], from: usize, end: usize) -> usize {
    memchr(b'\n', &bytes[from..end]).map_or(end, |newline| from + newline)
}

/// A range without the white space at its ends.
pub fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &bytes[range.clone()];
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    start..start + text.trim_ascii().len()
}

/// The length of the block after a header, in bytes.
///
/// The byte of the header where the length is missing: that of the field's value, or the end.
pub(crate) fn block_length(head: &[u8]) -> std::result::Result<u64, usize> {
    let mut fields = named(head, 0..head.len());
    let field = fields.find(|field| head[field.name.clone()].eq_ignore_ascii_case(CONTENT_LENGTH));
    let Some(Named { value, .. }) = field else { return Err(head.len()) };
    let digits = &head[value.clone()];
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    // A file is no longer than that on any system.
    let length = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i64>().ok());
    length.filter(|_| is_number).map(i64::cast_unsigned).ok_or(value.start)
}

/// Whether an archive that begins so is a WAT: the block of its first metadata record decides it.
pub fn begins_wat(first: &[u8]) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(first, text).is_some();
    has(b"\r\n\r\n{\"Container\":{") || has(b"\r\n\r\n{\"Envelope\":{")
}
