//! Text in other encodings than UTF-8: transcoded between decompression and the chunker. From here on all text is
//! UTF-8, and offsets count UTF-8 bytes.
//!
//! Bytes that are invalid in the encoding are never replaced silently: they become [`DAMAGED`], which is invalid in
//! UTF-8, so their record is a reject (`not_utf8`).

use std::fmt;
use std::str::FromStr;

use encoding_rs::{Decoder, DecoderResult, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

/// The encoding of a text: one of those that the Encoding Standard of WHATWG has, by any of its labels. `utf-16` is the
/// one of the two that the byte-order mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(Option<&'static encoding_rs::Encoding>);

impl FromStr for Encoding {
    type Err = Error;

    fn from_str(label: &str) -> Result<Encoding> {
        if label.eq_ignore_ascii_case("utf-16") || label.eq_ignore_ascii_case("utf16") {
            return Ok(Encoding(None));
        }
        let found = encoding_rs::Encoding::for_label(label.as_bytes());
        // The one of them is for what must not be read, the other for what scripts do.
        let found = found.filter(|&encoding| encoding != REPLACEMENT && encoding != X_USER_DEFINED);
        found.map(|encoding| Encoding(Some(encoding))).ok_or_else(|| {
            Error::usage(format!(
                "there is no encoding {label:?}: use utf-16, utf-16le, utf-16be, latin1, windows-1252, shift_jis, gb18030 or \
                 another label of the Encoding Standard"
            ))
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("utf-16"),
            Some(encoding) => f.write_str(&encoding.name().to_ascii_lowercase()),
        }
    }
}

impl Encoding {
    /// Whether it is UTF-8, the default.
    pub(crate) fn is_utf8(self) -> bool {
        self.0 == Some(UTF_8)
    }

    /// Whether each byte is a character, so that a text can be read from any byte on.
    pub(crate) fn is_single_byte(self) -> bool {
        self.0.is_some_and(encoding_rs::Encoding::is_single_byte)
    }
}

/// Replaces bytes that are invalid in the encoding.
const DAMAGED: u8 = 0xff;

/// Longer than any byte-order mark is.
const MARK: usize = 3;

/// How much is read at once.
const READ: usize = 64 << 10;

/// Two bytes become at most three, and the mark of damaged bytes is one byte.
const WRITTEN: usize = 2 * READ;

/// Makes UTF-8 of a text as it comes.
pub(crate) struct Transcoder {
    encoding: Encoding,
    /// The name of the text in messages.
    name: String,
    /// Known from the first bytes on.
    decoder: Option<Decoder>,
    read: Box<[u8]>,
    taken: usize,
    filled: usize,
    written: Vec<u8>,
    given: usize,
    /// Whether the input has ended, and whether the decoder was told.
    has_ended: bool,
    is_finished: bool,
}

impl Transcoder {
    pub(crate) fn new(encoding: Encoding, name: &str) -> Transcoder {
        Transcoder {
            encoding,
            name: name.to_owned(),
            decoder: None,
            read: vec![0; READ].into(),
            taken: 0,
            filled: 0,
            written: Vec::with_capacity(WRITTEN),
            given: 0,
            has_ended: false,
            is_finished: false,
        }
    }

    /// Puts the next bytes of UTF-8 into `buf` and returns how many; 0 is the end. `fill` reads bytes of the text.
    ///
    /// # Errors
    /// The errors of `fill`; usage, where the byte-order mark belongs to another encoding.
    pub(crate) fn read(
        &mut self,
        buf: &mut [u8],
        mut fill: impl FnMut(&mut [u8]) -> Result<usize>,
    ) -> Result<usize> {
        while self.given == self.written.len() && !self.is_finished {
            while !self.has_ended
                && (self.taken == self.filled || self.decoder.is_none() && self.filled < MARK)
            {
                if self.taken == self.filled {
                    (self.taken, self.filled) = (0, 0);
                }
                let more = fill(&mut self.read[self.filled..])?;
                self.filled += more;
                self.has_ended = more == 0;
            }
            self.decode()?;
        }
        let count = buf.len().min(self.written.len() - self.given);
        buf[..count].copy_from_slice(&self.written[self.given..][..count]);
        self.given += count;
        Ok(count)
    }

    fn decode(&mut self) -> Result<()> {
        let stored = &self.read[self.taken..self.filled];
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            None => {
                let encoding = of_mark(self.encoding, stored, &self.name)?;
                self.decoder.insert(encoding.new_decoder_with_bom_removal())
            }
        };
        self.written.resize(WRITTEN, 0);
        let (out, last) = (&mut self.written[..WRITTEN - 1], self.has_ended);
        let (result, taken, mut written) = decoder.decode_to_utf8_without_replacement(stored, out, last);
        self.taken += taken;
        match result {
            DecoderResult::InputEmpty => self.is_finished = last,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => {
                self.written[written] = DAMAGED;
                written += 1;
            }
        }
        self.written.truncate(written);
        self.given = 0;
        Ok(())
    }
}

/// The encoding of a text that begins with `first`.
fn of_mark(encoding: Encoding, first: &[u8], name: &str) -> Result<&'static encoding_rs::Encoding> {
    let marked = encoding_rs::Encoding::for_bom(first).map(|(marked, _)| marked);
    match (encoding.0, marked) {
        (None, Some(marked)) if marked == UTF_16LE || marked == UTF_16BE => Ok(marked),
        // Nothing is nothing in either.
        (None, None) if first.is_empty() => Ok(UTF_16LE),
        (None, None) => Err(Error::usage(format!(
            "{name} does not begin with the byte-order mark of UTF-16: use {}",
            OptionName::Encoding.with_any(&["utf-16le", "utf-16be"])
        ))),
        (Some(asked), Some(marked)) if asked != marked => Err(other_mark(encoding, marked, name)),
        (None, Some(marked)) => Err(other_mark(encoding, marked, name)),
        (Some(asked), _) => Ok(asked),
    }
}

fn other_mark(asked: Encoding, marked: &'static encoding_rs::Encoding, name: &str) -> Error {
    let advice = match marked == UTF_8 {
        true => format!("drop {}", OptionName::Encoding.named()),
        false => format!("use {}", OptionName::Encoding.with(&Encoding(Some(marked)).to_string())),
    };
    Error::usage(format!(
        "{name} begins with the byte-order mark of {}, not as {asked} does: {advice}",
        marked.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcoded(encoding: &str, stored: &[u8], piece: usize) -> Result<Vec<u8>> {
        let mut transcoder = Transcoder::new(encoding.parse()?, "in");
        let (mut at, mut out) = (0, Vec::new());
        let mut buf = [0; 7];
        loop {
            let read = transcoder.read(&mut buf, |buf| {
                let count = piece.min(buf.len()).min(stored.len() - at);
                buf[..count].copy_from_slice(&stored[at..at + count]);
                at += count;
                Ok(count)
            })?;
            if read == 0 {
                return Ok(out);
            }
            out.extend_from_slice(&buf[..read]);
        }
    }

    #[test]
    fn text_becomes_utf_8_however_it_comes() {
        // (encoding, bytes, text)
        let cases: &[(&str, &[u8], &[u8])] = &[
            ("utf-16", b"\xff\xfea\0\xe9\0\n\0", "aé\n".as_bytes()),
            ("UTF-16", b"\xfe\xff\0a\0\xe9", "aé".as_bytes()),
            ("utf-16", b"", b""),
            ("utf-16le", b"a\0=\xd8\x00\xde", "a😀".as_bytes()),
            ("utf-16be", b"\xd8=\xde\x00", "😀".as_bytes()),
            ("utf-16be", b"\xfe\xff\0a", b"a"),
            // A half of a pair, half of a unit.
            ("utf-16le", b"a\0=\xd8b\0", b"a\xffb"),
            ("utf-16le", b"a\0b", b"a\xff"),
            ("latin1", b"caf\xe9\x80", "café€".as_bytes()),
            ("windows-1251", b"\xcf", "П".as_bytes()),
            ("iso-8859-2", b"\xb1", "ą".as_bytes()),
            ("shift_jis", b"\x83A\xff", b"\xe3\x82\xa2\xff"),
            ("gb18030", b"\xd6\xd0", "中".as_bytes()),
            ("utf-8", b"\xef\xbb\xbfa", b"a"),
        ];
        for (encoding, stored, text) in cases {
            for piece in [1, 2, 3, 1 << 20] {
                let found = transcoded(encoding, stored, piece).expect(encoding);
                assert_eq!(found, *text, "{encoding} {stored:?} in pieces of {piece}");
            }
        }
        let long = "a é 😀\n".repeat(50_000);
        let stored: Vec<u8> = long.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(transcoded("utf-16le", &stored, 4093).expect("a text"), long.as_bytes());
    }

    #[test]
    fn marks_of_other_encodings_are_refused() {
        for (encoding, stored, part) in [
            ("utf-16", &b"a\0b\0"[..], "use encoding(utf-16le or utf-16be)"),
            ("utf-16", b"\xef\xbb\xbfa", "drop encoding"),
            ("utf-16le", b"\xfe\xff\0a", "use encoding(utf-16be)"),
            ("latin1", b"\xff\xfea\0", "mark of UTF-16LE, not as windows-1252 does: use encoding(utf-16le)"),
        ] {
            let error = transcoded(encoding, stored, 1).expect_err(encoding).to_string();
            assert!(error.contains(part), "{encoding}: {error}");
        }
        for label in ["", "utf-99", "replacement", "x-user-defined"] {
            assert!(label.parse::<Encoding>().is_err(), "{label}");
        }
    }
}
