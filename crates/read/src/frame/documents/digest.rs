//! The parts of a block that the index of a web archive needs: the header of HTTP at its beginning, and the digest of
//! the payload after that, if the record does not have it. The payload is hashed as it is skipped.

use sha1::{Digest, Sha1};
use urimill_base::error::Result;

use super::{LONGEST_BLOCK, RecordWalk};
use crate::format::framing::Framing;
use crate::format::headers::{arc, warc};

/// How many more bytes of a block are read if the header does not end in the bytes at hand.
const STEP: usize = 4 << 10;

/// The digest of a payload, on the way through its block.
pub(super) struct PayloadDigest {
    sha: Sha1,
    /// The bytes before the payload that are still to come.
    before: usize,
}

impl PayloadDigest {
    /// Takes the next bytes of the block.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let before = self.before.min(bytes.len());
        self.before -= before;
        self.sha.update(&bytes[before..]);
    }

    pub(super) fn finish(self) -> [u8; 20] {
        self.sha.finalize().into()
    }
}

impl RecordWalk<'_> {
    /// The length of the header of HTTP at the beginning of the block, its empty line included; 0 if the record is of
    /// another kind. A header longer than a record's may be is cut.
    pub(super) fn wanted_of_http(&mut self, length: u64) -> Result<usize> {
        let has_http = match self.archive.framing {
            Framing::Arc(_) => arc::has_http(self.last_header()),
            _ => warc::has_http(self.last_header()),
        };
        let most = usize::try_from(length).unwrap_or(usize::MAX);
        if !has_http || most == 0 {
            return Ok(0);
        }
        let longest = self.archive.longest.min(most);
        let mut searched = 0;
        let mut seen = self.ahead().len().min(longest);
        let end = loop {
            let end = http_end(&self.ahead()[..seen], &mut searched);
            if end.is_some() || seen == longest {
                break end;
            }
            self.reach(longest.min(seen + STEP))?;
            let more = self.ahead().len().min(longest);
            if more == seen {
                break None;
            }
            seen = more;
        };
        let is_cut = end.is_none() && seen < most;
        if let Some(head) = self.framed_records.last_mut() {
            head.is_cut = is_cut;
        }
        Ok(end.unwrap_or(seen))
    }

    /// The number of bytes that a request sends after the header of HTTP and that are wanted.
    pub(super) fn wanted_of_request(&self, length: u64, header: usize) -> usize {
        let is_cut = self.framed_records.last().is_none_or(|head| head.is_cut);
        if is_cut || !has_body(self.ahead()) {
            return 0;
        }
        usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(header).min(LONGEST_BLOCK)
    }

    /// Whether the record with this header is a request or its answer, and the other one is the last of the chunk: then
    /// the chunk does not end between them. Two records pair if they are neighbours and neither belongs to an earlier
    /// pair.
    pub(super) fn goes_with_last(&self, header: &[u8]) -> bool {
        let of = |at: usize| {
            let head = &self.framed_records[at];
            &self.out.as_ref()[head.start as usize..][..head.len as usize]
        };
        let Some(last) = self.framed_records.len().checked_sub(1) else { return false };
        let before = (0..last).rev().take_while(|&at| warc::are_of_one_exchange(of(at), of(at + 1))).count();
        before.is_multiple_of(2) && warc::are_of_one_exchange(of(last), header)
    }

    /// The digest of the payload that begins `before` bytes from here; `None` if the record has one, or if it is
    /// unknown where the payload begins.
    pub(super) fn payload_digest(&self, before: usize) -> Option<PayloadDigest> {
        let wants = match self.archive.framing {
            Framing::Arc(_) => true,
            _ => warc::lacks_digest(self.last_header()),
        };
        let is_cut = self.framed_records.last().is_none_or(|head| head.is_cut);
        (wants && !is_cut).then(|| PayloadDigest { sha: Sha1::new(), before })
    }

    /// The header of the record that was kept last.
    pub(super) fn last_header(&self) -> &[u8] {
        let Some(head) = self.framed_records.last() else { return &[] };
        &self.out.as_ref()[head.start as usize..][..head.len as usize]
    }
}

/// Whether a request that begins so may send a body.
fn has_body(request: &[u8]) -> bool {
    [&b"POST "[..], b"PUT "]
        .iter()
        .any(|method| request.get(..method.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(method)))
}

/// The end of the empty line that ends a header of HTTP. `searched` is where its last line begins.
fn http_end(bytes: &[u8], searched: &mut usize) -> Option<usize> {
    loop {
        let rest = &bytes[*searched..];
        let newline = memchr::memchr(b'\n', rest)?;
        *searched += newline + 1;
        if rest[..newline].trim_ascii().is_empty() {
            return Some(*searched);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_end_with_a_line_without_text() {
        // (bytes, the end of the header)
        let cases: &[(&[u8], Option<usize>)] = &[
            (b"HTTP/1.1 200 OK\r\n\r\nbody", Some(19)),
            (b"HTTP/1.1 200 OK\na: b\n\n\nbody", Some(22)),
            (b"HTTP/1.1 200 OK\na: b\n \t\nbody", Some(24)),
            (b"\r\nbody\r\n\r\n", Some(2)),
            (b"HTTP/1.1 200 OK\r\na: b", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(http_end(bytes, &mut 0), *expected, "{}", bytes.escape_ascii());
            // In pieces.
            let mut searched = 0;
            let found = (0..=bytes.len()).find_map(|end| http_end(&bytes[..end], &mut searched));
            assert_eq!(found, *expected, "{}", bytes.escape_ascii());
        }
    }
}
