//! ARC, the files of web archives before WARC: a line, and a block whose length the line gives. The first record
//! describes the file.
//!
//! ```text
//! filedesc://a.arc 0.0.0.0 20080430204825 text/plain 1301                   version 1: URI, address, time, media type,
//! http://www.archive.org/ 207.241.229.39 20080430204826 text/html 680      length
//! http://a/ 192.0.2.1 20080430204826 text/html 200 CHECK - 680 a.arc 300   version 2: status, checksum, location, offset
//!                                                                          and file name before the length
//! ```

use std::ops::Range;

use super::warc::is_web;
use crate::format::first_lines::has_scheme;

/// The beginning of the first record's line.
pub const MAGIC: &[u8] = b"filedesc:";

/// The words of a header, by place in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The URI.
    pub url: Range<usize>,
    /// The address of the host.
    pub address: Range<usize>,
    /// When it was fetched.
    pub time: Range<usize>,
    /// The media type.
    pub mime: Range<usize>,
    /// The words that only version 2 has: status, checksum, location, offset and file name.
    pub more: Option<[Range<usize>; 5]>,
    /// The length of the block, as it is written.
    pub digits: Range<usize>,
    /// The length of the block, in bytes.
    pub(crate) length: u64,
}

impl Header {
    /// The header in a line.
    ///
    /// # Errors
    /// The byte of the line from which on it is not a header.
    pub fn of(line: &[u8]) -> Result<Header, usize> {
        let mut words: Vec<Range<usize>> = Vec::with_capacity(10);
        let mut start = 0;
        for end in memchr::memchr_iter(b' ', line).chain([line.len()]) {
            words.push(start..end);
            start = end + 1;
        }
        let count = words.len();
        let digits = words[count - 1].clone();
        let length =
            std::str::from_utf8(&line[digits.clone()]).ok().filter(|text| is_digits(text.as_bytes()));
        let Some(length) = length.and_then(|digits| digits.parse::<i64>().ok()) else {
            return Err(digits.start);
        };
        // A URI may have spaces in it: the time has only one place, after an address.
        let is_time_at = |at: usize| {
            at >= 2
                && matches!(words[at].len(), 12 | 14 | 17)
                && is_digits(&line[words[at].clone()])
                && is_address(&line[words[at - 1].clone()])
        };
        let at = |behind: usize| count.checked_sub(behind).filter(|&at| is_time_at(at));
        let (time, more) = match (at(3), at(8)) {
            (Some(time), None) => (time, None),
            (None, Some(time)) => (time, Some([2, 3, 4, 5, 6].map(|behind| words[time + behind].clone()))),
            _ => return Err(words.get(1).map_or(0, |word| word.start)),
        };
        let url = 0..words[time - 2].end;
        let [address, mime] = [words[time - 1].clone(), words[time + 1].clone()];
        if !has_scheme(&line[url.clone()]) || mime.is_empty() {
            return Err(0);
        }
        Ok(Header {
            url,
            address,
            time: words[time].clone(),
            mime,
            more,
            digits,
            length: length.cast_unsigned(),
        })
    }
}

/// Whether a header may begin here without a line end before it: some writers leave that out. Without the first letters
/// of its scheme it is not a header: then the length of the record before is wrong.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    const SCHEMES: [&[u8]; 6] = [b"http://", b"https://", b"ftp://", b"dns:", b"whois:", b"metadata:"];
    SCHEMES.iter().any(|scheme| bytes.starts_with(scheme))
}

/// Whether the block of a record with this header may begin with a header of HTTP.
pub(crate) fn has_http(line: &[u8]) -> bool {
    is_web(line)
}

/// The words of a header that an index has: URI, time and media type, if it is one.
pub fn index_words(line: &[u8]) -> Option<[&[u8]; 3]> {
    let Header { url, time, mime, .. } = Header::of(line).ok()?;
    Some([&line[url], &line[time], &line[mime]])
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn is_address(text: &[u8]) -> bool {
    let is_part = |b: &u8| b.is_ascii_hexdigit() || matches!(b, b'.' | b':');
    text == b"-" || text.len() >= 2 && text.iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parsed<'a> = Result<(&'a str, &'a str, u64), usize>;

    #[test]
    fn headers_of_both_versions() {
        // (line, URI, media type and length, or the byte at which it is not a header)
        let cases: &[(&str, Parsed<'_>)] = &[
            ("http://h/ 192.0.2.1 20080430204826 text/html 680", Ok(("http://h/", "text/html", 680))),
            ("http://h/a b 192.0.2.1 20080430204826 text/html 680", Ok(("http://h/a b", "text/html", 680))),
            ("dns:h 2001:db8::1 20080430204826 text/dns 6", Ok(("dns:h", "text/dns", 6))),
            ("http://h/ 0.0.0.0 200804302048 text/html 0", Ok(("http://h/", "text/html", 0))),
            ("http://h/ 0.0.0.0 20080430204826123 text/html 0", Ok(("http://h/", "text/html", 0))),
            (
                "http://h/ 192.0.2.1 20080430204826 text/html 200 C - 5 a.arc 7",
                Ok(("http://h/", "text/html", 7)),
            ),
            ("http://h/ 192.0.2.1 20080430204826 text/html -1", Err(45)),
            ("http://h/ 192.0.2.1 20080430204826 text/html 99999999999999999999", Err(45)),
            ("http://h/ 192.0.2.1 20080430204826 text/html; charset=x 680", Err(10)),
            ("http://h/ example 20080430204826 text/html 680", Err(10)),
            (" 192.0.2.1 20080430204826 text/html 680", Err(0)),
            ("/a 192.0.2.1 20080430204826 text/html 680", Err(0)),
            ("h/a 192.0.2.1 20080430204826 text/html 680", Err(0)),
            ("192.0.2.1 20080430204826 text/html 680", Err(10)),
            ("680", Err(0)),
            ("", Err(0)),
        ];
        for (line, expected) in cases {
            let found = Header::of(line.as_bytes());
            let found = found.map(|header| (&line[header.url], &line[header.mime], header.length));
            assert_eq!(found, *expected, "{line}");
        }
    }
}
