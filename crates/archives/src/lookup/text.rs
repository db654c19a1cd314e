//! Reads a text line by line from any reader.

use std::io::{BufRead, ErrorKind as Io};

use memchr::memchr_iter;
use urimill_base::error::{Error, ErrorKind, Result};

/// The longest line of an index: its key and its members may take several times the header of a record, of which at
/// most a mebibyte is read.
pub(super) const LONGEST: usize = 32 << 20;

/// Receives a line and its offset; returns whether it needs more.
pub(super) type See<'s> = dyn FnMut(u64, &[u8]) -> Result<bool> + 's;

/// Calls `see` with each line of `reader` until it returns `false`. Returns whether it needed all of them.
///
/// # Errors
/// The error of `failed` if the text cannot be read, `Data` if a line is longer than `longest`, and those of `see`.
pub(super) fn each_line(
    mut reader: impl BufRead,
    (longest, path): (usize, &str),
    failed: impl Fn(std::io::Error) -> Error,
    see: &mut See<'_>,
) -> Result<bool> {
    let (mut held, mut at) = (Vec::new(), 0u64);
    loop {
        let seen = match reader.fill_buf() {
            Ok(seen) => seen,
            Err(error) if error.kind() == Io::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if seen.is_empty() {
            return if held.is_empty() { Ok(true) } else { see(at, bare(at, &held)) };
        }
        let mut from = 0;
        for end in memchr_iter(b'\n', seen) {
            let piece = &seen[from..end];
            let length = held.len() + piece.len();
            if length > longest {
                return Err(too_long(at, path, longest));
            }
            let wants_more = match held.is_empty() {
                true => see(at, bare(at, piece))?,
                false => {
                    held.extend_from_slice(piece);
                    let wants_more = see(at, bare(at, &held))?;
                    held.clear();
                    wants_more
                }
            };
            at += length as u64 + 1;
            from = end + 1;
            if !wants_more {
                return Ok(false);
            }
        }
        held.extend_from_slice(&seen[from..]);
        if held.len() > longest {
            return Err(too_long(at, path, longest));
        }
        let taken = seen.len();
        reader.consume(taken);
    }
}

/// A line that begins at byte `at` of a text, without the carriage return at its end and the byte-order mark of the
/// text.
pub(super) fn bare(at: u64, line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.strip_prefix(b"\xef\xbb\xbf").filter(|_| at == 0).unwrap_or(line)
}

/// The error of a line that is too long.
pub(super) fn too_long(at: u64, path: &str, longest: usize) -> Error {
    Error::new(ErrorKind::Data, format!("the line at byte {at} of {path} is longer than {longest} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_come_whole_whatever_the_buffer() {
        let text = "a\r\n\nlonger than it\nb";
        for size in [1, 2, 3, 100] {
            let mut found = Vec::new();
            let done = each_line(
                BufReader::with_capacity(size, text.as_bytes()),
                (14, "t"),
                |error| Error::io("read", "t", error),
                &mut |at, line| {
                    found.push((at, String::from_utf8_lossy(line).into_owned()));
                    Ok(true)
                },
            );
            let expected = [(0, "a"), (3, ""), (4, "longer than it"), (19, "b")];
            assert_eq!(found, expected.map(|(at, line)| (at, line.to_owned())), "{size}");
            assert!(done.expect("lines"), "{size}");
            let short = each_line(
                BufReader::with_capacity(size, text.as_bytes()),
                (13, "t"),
                |error| Error::io("read", "t", error),
                &mut |_, _| Ok(true),
            );
            assert!(short.is_err(), "{size}");
        }
    }
}
