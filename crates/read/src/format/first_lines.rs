//! The first lines of an input, for the detection of its format, and the forms of fields that may hold a URI.

use super::BEGINNING;

/// At most this many lines are examined, enough that a broken one among them does not matter.
pub const LINES: usize = 16;

/// The first lines that are not blank, without their ends.
pub fn lines(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    // The last one of a long beginning is not whole.
    let whole = match memchr::memrchr(b'\n', first) {
        Some(newline) if first.len() >= BEGINNING => &first[..newline],
        _ => first,
    };
    let trimmed = whole.split(|&b| b == b'\n').map(trim);
    trimmed.filter(|line| !line.trim_ascii().is_empty()).take(LINES)
}

/// Whether more than half of the first lines pass a test.
pub fn most(first: &[u8], looks: impl Fn(&[u8]) -> bool) -> bool {
    let (found, all) =
        lines(first).fold((0, 0), |(found, all), line| (found + usize::from(looks(line)), all + 1));
    2 * found > all
}

/// Whether a text begins with a scheme and its colon (RFC 3986, 3.1).
pub fn has_scheme(text: &[u8]) -> bool {
    let is_scheme = |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let len = text.iter().take_while(|b| is_scheme(b)).count();
    text.first().is_some_and(u8::is_ascii_alphabetic) && text.get(len) == Some(&b':')
}

/// Whether a text may be the URI that a crawler fetched: it has a scheme, or begins with a name with a dot in it. A
/// media type has neither.
pub fn may_be_fetched(text: &[u8]) -> bool {
    let name = text.split(|&b| b == b'/').next().unwrap_or_default();
    text == b"-" || has_scheme(text) || name.contains(&b'.')
}

/// Whether a text begins with the name of a host that has a dot in it, and perhaps a port, and no scheme before it.
pub fn begins_with_host(text: &[u8]) -> bool {
    let end = text.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(text.len());
    let name = text[..end].split(|&b| b == b':').next().unwrap_or_default();
    let port = text[..end].get(name.len() + 1..).unwrap_or_default();
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    name.contains(&b'.')
        && name.first().is_some_and(u8::is_ascii_alphanumeric)
        && name.iter().all(is_of_name)
        && port.iter().all(u8::is_ascii_digit)
}

/// Whether a text begins with a scheme and two slashes, as the URIs of the web do.
pub fn is_of_web(text: &[u8]) -> bool {
    if text.starts_with(b"http://") || text.starts_with(b"https://") {
        return true;
    }
    let slashes = text.iter().position(|&b| b == b':').map_or(&b""[..], |colon| &text[colon..]);
    has_scheme(text) && slashes.starts_with(b"://")
}

/// A line without the carriage return at its end, and without the NUL bytes before it in a log that was truncated in
/// place.
pub fn trim(line: &[u8]) -> &[u8] {
    let line = &line[..line.len() - usize::from(line.ends_with(b"\r"))];
    &line[line.iter().take_while(|&&b| b == 0).count()..]
}
