//! Reads as much as possible of a damaged compressed source, if damage is not to end the run. Used by
//! [`Reader`](crate::Reader).
//!
//! A decoder may output wrong bytes for a while before it detects an error. So a member is held back until its checksum
//! is verified, unless it is too long to be held; a damaged one is dropped whole. The output of a truncated member is
//! right as far as it goes. After the damage the next member is looked for from the byte after the damaged one's first,
//! because the decoder may have run into the members that follow.

use urimill_base::error::{Error, Result};

use super::codec::{Format, MAGIC};
use super::parallel_gzip::begins_member;
use super::stored::StoredBytes;

/// Longer members are handed on as they come, and their stored bytes are forgotten.
const LONGEST: usize = 16 << 20;

/// How much of the stored bytes is searched at once.
const WINDOW: usize = 64 << 10;

/// The current member, as far as it is held.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    /// Its stored bytes, as far as they are held.
    stored: Vec<u8>,
    /// Its decompressed bytes.
    held: Vec<u8>,
    /// How many of them have been handed on.
    given: usize,
    /// Whether they may be handed on.
    released: bool,
    /// Whether the member is too long to be held.
    is_long: bool,
    /// The error, reported once all released bytes have been handed on.
    failed: Option<Error>,
    /// Whether bytes were handed on that may differ from those stored.
    is_unsure: bool,
}

impl Salvage {
    /// Begins a member.
    pub(crate) fn begin(&mut self) {
        *self = Salvage {
            stored: std::mem::take(&mut self.stored),
            held: std::mem::take(&mut self.held),
            ..Salvage::default()
        };
        self.stored.clear();
        self.held.clear();
    }

    /// Whether the member is handed on as it comes.
    pub(crate) fn is_long(&self) -> bool {
        self.is_long
    }

    /// Whether bytes of the damaged member were handed on before its checksum was verified.
    pub(crate) fn is_unsure(&self) -> bool {
        self.is_unsure
    }

    /// Puts released bytes into `buf`; 0 if there are none.
    pub(crate) fn give(&mut self, buf: &mut [u8]) -> usize {
        if !self.released {
            return 0;
        }
        let count = buf.len().min(self.held.len() - self.given);
        buf[..count].copy_from_slice(&self.held[self.given..self.given + count]);
        self.given += count;
        if self.given == self.held.len() {
            self.held.clear();
            (self.given, self.released) = (0, false);
        }
        count
    }

    /// The error that ends the member, after its bytes.
    pub(crate) fn failure(&mut self) -> Option<Error> {
        self.failed.take()
    }

    /// Lets `decode` append bytes after those held, and to the vector the stored bytes that it consumes for them: it
    /// returns how many, and whether the member has ended.
    pub(crate) fn hold(
        &mut self,
        decode: impl FnOnce(&mut Vec<u8>, &mut [u8]) -> Result<(usize, bool), Failure>,
    ) {
        let len = self.held.len();
        self.held.resize(len + WINDOW, 0);
        let decoded = decode(&mut self.stored, &mut self.held[len..]);
        self.forget_stored();
        let written = decoded.as_ref().map_or(0, |&(written, _)| written);
        self.held.truncate(len + written);
        match decoded {
            Ok((_, true)) => self.released = !self.held.is_empty(),
            Ok(_) if self.held.len() >= LONGEST => (self.released, self.is_long) = (true, true),
            Ok(_) => {}
            Err(Failure { error, is_truncated }) => {
                if !is_truncated {
                    self.held.clear();
                }
                self.released = !self.held.is_empty();
                self.failed = Some(error);
            }
        }
    }

    /// The same directly into the caller's buffer, for a long member.
    pub(crate) fn pass(
        &mut self,
        decode: impl FnOnce(&mut Vec<u8>) -> Result<usize, Failure>,
    ) -> Result<usize> {
        let decoded = decode(&mut self.stored);
        self.forget_stored();
        decoded.map_err(|Failure { error, is_truncated }| {
            self.is_unsure = !is_truncated;
            error
        })
    }

    /// After such a long member the next one is searched for where the decoder has got to.
    fn forget_stored(&mut self) {
        if self.stored.len() > LONGEST {
            self.stored.clear();
        }
    }

    /// Advances to where the next member seems to begin, after the first byte of the damaged one. False at the end.
    pub(crate) fn resume(&mut self, format: Format, stored: &mut StoredBytes) -> Result<bool> {
        if let [_, behind @ ..] = &self.stored[..] {
            stored.give_back(behind);
        }
        self.begin();
        loop {
            let seen = stored.peek(WINDOW)?;
            let (length, at_end) = (seen.len(), seen.len() < WINDOW);
            let found = (0..length).find(|&at| begins(format, &seen[at..]));
            if let Some(found) = found {
                stored.consume(found);
                return Ok(true);
            }
            // A part of a magic number may be at the end of the visible bytes.
            stored.consume(if at_end { length } else { length - MAGIC });
            if at_end {
                return Ok(false);
            }
        }
    }
}

/// Whether it looks like the beginning of a member.
fn begins(format: Format, bytes: &[u8]) -> bool {
    Format::of(bytes) == Some(format) && (format != Format::Gzip || begins_member(bytes))
}

/// Why a member cannot be read further.
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// Whether it only ends too early: its output is right.
    pub(crate) is_truncated: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, is_truncated: false }
    }
}
