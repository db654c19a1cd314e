//! Decompresses files for the chunker. The first bytes of a file decide its format, never its name.
//!
//! All four formats are members one after the other (gzip calls them members, zstd frames, bzip2 and xz streams), each
//! with its magic number, and they all run through one loop: check the magic, feed the member to its decoder until it
//! ends, check again. So the errors for truncated or damaged input, or for something after its end, name the byte and
//! are the same for all formats.

mod codec;
pub(crate) mod encoding;
mod member_end;
mod parallel_gzip;
mod salvage;
mod stored;
#[cfg(feature = "gzip")]
pub(crate) mod wacz;
mod wanted;
pub(crate) mod whole;

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use urimill_base::error::{Error, Result};
use urimill_base::files;
use urimill_base::streams;
use urimill_base::streams::Stream;
use urimill_base::timing;

use super::source;
use super::source::Source;
use super::{CUT_STATE, STATE_MAGIC, may_be_cut_state};
use codec::{Engine, Format, LARGEST_WINDOW, MAGIC, State, dictionary, dictionary_frame};
use encoding::{Encoding, Transcoder};
use parallel_gzip::{Ahead, LONGEST_PIECE, PIECE};
use salvage::{Failure, Salvage};
use stored::{Inner, StoredBytes};
pub use wanted::Wanted;
use whole::WholeFile;

/// WACZ where it is not built in: zip archives need the feature `gzip`.
#[cfg(not(feature = "gzip"))]
pub(crate) mod wacz {
    use super::*;

    urimill_base::left_out! {
        Error::usage(urimill_base::left_out::GZIP.missing("reader of WACZ files"));
        pub(crate) enum Part {
            pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>>;
            pub(crate) fn name(&self) -> &str;
            pub(crate) fn file_name(&self) -> &str;
        }
    }

    urimill_base::left_out! {
        Error::usage(urimill_base::left_out::GZIP.missing("reader of WACZ files"));
        pub(crate) fn parts(_: &std::path::Path, _: Wanted, _: bool) -> Result<Option<Vec<Part>>>;
    }
}

/// Opens a source. `progress` grows by every stored byte that is read.
///
/// # Errors
/// `Io` where it can't be opened or its first bytes can't be read; `Usage` for a directory, for a reader that was opened
/// before, and for [`Source::Table`], which has no bytes.
pub fn open(source: &Source, progress: &Arc<AtomicU64>) -> Result<Reader> {
    let stored = match source {
        Source::Stdin => {
            streams::check_open(Stream::Input)?;
            Inner::Stdin(io::stdin())
        }
        Source::File(path) => {
            if files::metadata(path).is_ok_and(|m| m.is_dir()) {
                return Err(source::directory(path));
            }
            Inner::File(WholeFile::open(path).map_err(|e| Error::path("read", path, e))?)
        }
        Source::Reader(reader) => Inner::Reader(reader.open()?),
        Source::Table(name) => {
            return Err(Error::usage(format!("cannot open {name}: it is a table in memory")));
        }
    };
    Reader::from_stored(source.name().into_owned(), stored, progress)
}

/// The bytes of one source, decompressed.
pub struct Reader {
    stored: StoredBytes,
    decoder: Option<Decoder>,
    /// How many bytes were read, decompressed.
    position: u64,
    /// Where members begin: in the decompressed bytes, and in the stored file. `None` unless it was asked for.
    members: Option<VecDeque<(u64, u64)>>,
    /// Set if the text is in another encoding.
    transcoder: Option<Box<Transcoder>>,
    /// Whether [`Reader::skip_member`] may skip.
    skips_members: bool,
}

/// Magic number and length of a frame that may hold a dictionary.
const DICTIONARY_HEAD: usize = 8;

struct Decoder {
    format: Format,
    engine: Box<dyn Engine>,
    in_member: bool,
    /// How many bytes of the member were decompressed.
    written: u64,
    ahead: Helpers,
    /// Set if damage is not to end the source.
    salvage: Option<Box<Salvage>>,
}

/// The helpers that decompress members ahead.
enum Helpers {
    /// Nobody.
    None,
    /// This many threads, with pieces of this many bytes, once there is a second member.
    Later(usize, usize),
    Now(Ahead),
}

impl Reader {
    /// Reads from `stored`, which errors call `name`, and detects its format. `progress` counts the bytes that are read
    /// from it.
    ///
    /// # Errors
    /// `Io` where the first bytes can't be read.
    pub fn new(
        name: impl Into<String>,
        stored: Box<dyn Read + Send>,
        progress: &Arc<AtomicU64>,
    ) -> Result<Self> {
        Reader::from_stored(name.into(), Inner::Reader(stored), progress)
    }

    fn from_stored(name: String, stored: Inner, progress: &Arc<AtomicU64>) -> Result<Self> {
        let mut stored = StoredBytes::new(name, stored, Arc::clone(progress));
        let name = stored.name().to_owned();
        if name.ends_with(".state") {
            let head = stored.peek(STATE_MAGIC.len())?;
            let (is_cut, end) = (!head.is_empty() && may_be_cut_state(head), head.len() as u64);
            if is_cut {
                return Err(Error::data(&name, end, CUT_STATE));
            }
        }
        let head = stored.peek(MAGIC)?;
        // Fewer bytes are the whole input. The decoder finds that they are too few.
        let cut = || Format::of_cut(head, &name).filter(|_| head.len() < MAGIC);
        let format = Format::of(head).or_else(cut);
        let decoder = match format {
            None => None,
            Some(format) => {
                let frame = match format {
                    Format::Zstd => dictionary_frame(stored.peek(DICTIONARY_HEAD)?),
                    _ => None,
                };
                let frame = frame
                    .map(|length| stored.look_ahead(length))
                    .filter(|frame| Some(frame.len()) == dictionary_frame(frame));
                let dictionary = frame.and_then(dictionary);
                let engine = format.engine(dictionary.as_deref());
                let engine = engine.map_err(|e| stored.failed("start to decompress", e))?;
                let (in_member, written, ahead, salvage) = (true, 0, Helpers::None, None);
                Some(Decoder { format, engine, in_member, written, ahead, salvage })
            }
        };
        let (position, members, transcoder, skips_members) = (0, None, None, false);
        Ok(Reader { stored, decoder, position, members, transcoder, skips_members })
    }

    /// Lets this many threads, if more than one, decompress gzip of many members ahead. Output and errors are the same.
    /// The threads end with the reader.
    pub fn with_threads(self, threads: usize) -> Self {
        self.with_pieces(threads, PIECE)
    }

    /// The same; a thread takes about `piece` stored bytes at once.
    pub fn with_pieces(mut self, threads: usize, piece: usize) -> Self {
        if let Some(decoder) = &mut self.decoder
            && threads > 1
            && decoder.format == Format::Gzip
            && !self.skips_members
        {
            decoder.ahead = Helpers::Later(threads, piece.clamp(1, LONGEST_PIECE));
        }
        self
    }

    /// Lets [`Reader::skip_member`] skip. To be called before the first byte is read, and before
    /// [`Reader::with_threads`]: members that are skipped are not decompressed ahead.
    pub(super) fn skipping_members(self) -> Self {
        Reader { skips_members: true, ..self }
    }

    /// Transcodes text in this encoding to UTF-8. To be called before the first byte is read.
    pub fn transcoding(mut self, encoding: Option<Encoding>) -> Self {
        let encoding = encoding.filter(|encoding| !encoding.is_utf8());
        self.transcoder = encoding.map(|encoding| Box::new(Transcoder::new(encoding, self.stored.name())));
        self
    }

    /// Limits the loss from damage: a damaged member is dropped whole, unless it is longer than 16 MiB, and
    /// [`Reader::resume`] continues after it. To be called before the first byte is read.
    pub(super) fn salvaging(mut self) -> Self {
        if let Some(decoder) = &mut self.decoder {
            decoder.salvage = Some(Box::default());
        }
        self
    }

    /// Whether bytes of the damaged member were handed on that may differ from those stored.
    pub(super) fn is_unsure(&self) -> bool {
        self.salvage().is_some_and(Salvage::is_unsure)
    }

    fn salvage(&self) -> Option<&Salvage> {
        self.decoder.as_ref()?.salvage.as_deref()
    }

    /// After an error of damage: continues at the next member, and returns the byte of the stored file at which it
    /// begins. `None` if nothing follows.
    pub(super) fn resume(&mut self) -> Result<Option<u64>> {
        let Some(decoder) = &mut self.decoder else { return Ok(None) };
        let Some(salvage) = &mut decoder.salvage else { return Ok(None) };
        decoder.in_member = false;
        Ok(salvage.resume(decoder.format, &mut self.stored)?.then(|| self.stored.consumed()))
    }

    /// Puts the next bytes into `buf` and returns how many; 0 is the end (or an empty `buf`).
    ///
    /// # Errors
    /// `Io` where the system fails to read, `Data` where a compressed stream is truncated,
    /// corrupt, followed by something else, or asks for a window of more than 128 MiB: with the byte of the stored file
    /// up to which the decoder had taken it. zstd takes block by block, so there it is the start of the block. `Usage`
    /// where a text in another encoding has the byte-order mark of yet another.
    pub fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let Some(mut transcoder) = self.transcoder.take() else { return self.read_stored(buf) };
        let read = transcoder.read(buf, |buf| self.read_stored(buf));
        self.transcoder = Some(transcoder);
        read
    }

    /// Whether a read need not wait for longer than this, as far as that is known: a writer at the other end of a pipe
    /// may take its time. Compressed bytes count as ready.
    pub(super) fn is_ready(&self, within: Duration) -> bool {
        self.decoder.is_some() || self.stored.is_ready(within)
    }

    /// Steps over the next `n` bytes, if they need not be read; returns how many these were: `n` or 0. Bytes of a file
    /// that is not compressed need not be, up to its last one.
    ///
    /// # Errors
    /// `Io` where the system fails.
    pub(super) fn skip(&mut self, n: u64) -> Result<u64> {
        if self.decoder.is_some() || self.transcoder.is_some() {
            return Ok(0);
        }
        let skipped = self.stored.skip(n)?;
        self.position += skipped;
        Ok(skipped)
    }

    /// Steps over the rest of a gzip member without decompressing it, if it is `left` bytes long; returns whether it did.
    /// It does where the member's own trailer says that length: see [`member_end`]. Damage in these bytes is not noticed.
    pub(super) fn skip_member(&mut self, left: u64) -> bool {
        let Some(decoder) = self.decoder.as_mut().filter(|_| self.skips_members) else { return false };
        let skips = self.transcoder.is_none() && decoder.skip_rest(&mut self.stored, left);
        self.position += if skips { left } else { 0 };
        skips
    }

    /// Reads in the stored encoding.
    fn read_stored(&mut self, buf: &mut [u8]) -> Result<usize> {
        let read = match &mut self.decoder {
            _ if buf.is_empty() => 0,
            None => self.stored.read(buf)?,
            Some(decoder) => {
                let (members, position) = (&mut self.members, self.position);
                decoder.read(&mut self.stored, buf, |ahead, stored| {
                    if let Some(members) = members {
                        begin(members, (position + ahead as u64, stored));
                    }
                })?
            }
        };
        self.position += read as u64;
        Ok(read)
    }

    /// From now on records where members begin, for [`Reader::stored_at`]. To be called before the first one is read.
    pub(super) fn remember_members(&mut self) {
        self.members = Some(VecDeque::from([(self.position, self.stored.consumed())]));
    }

    /// Stops recording members.
    pub(super) fn forget_members(&mut self) {
        self.members = None;
    }

    /// Whether the stored bytes are compressed.
    pub(super) fn is_compressed(&self) -> bool {
        self.decoder.is_some()
    }

    /// The position in the stored file from which a decompressed byte can be read: in an uncompressed file the byte
    /// itself, in a compressed one the start of a member that begins with it. Members before it are forgotten.
    pub(super) fn stored_at(&mut self, place: u64) -> Option<u64> {
        if !self.is_compressed() {
            return Some(place);
        }
        self.pass(place);
        let &(begin, stored) = self.members.as_ref()?.front()?;
        (begin == place).then_some(stored)
    }

    /// The position of the end in the stored file; `None` if members are not recorded.
    pub(super) fn stored_end(&self) -> Option<u64> {
        self.members.as_ref().map(|_| self.stored.consumed())
    }

    /// Forgets members that begin before a byte.
    pub(super) fn pass(&mut self, place: u64) {
        if let Some(members) = &mut self.members {
            members.drain(..members.partition_point(|&(begin, _)| begin < place));
        }
    }
}

/// Adds a member. All but the last of the members that begin at the same byte are empty, so only the last is kept.
fn begin(members: &mut VecDeque<(u64, u64)>, member: (u64, u64)) {
    if members.back().is_some_and(|&(place, _)| place == member.0) {
        members.pop_back();
    }
    members.push_back(member);
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.decoder.as_ref().map(|d| d.format);
        f.debug_struct("Reader")
            .field("format", &format)
            .field("consumed", &self.stored.consumed())
            .finish_non_exhaustive()
    }
}

impl Decoder {
    /// Calls `begins` with the position of each member that begins: relative to the bytes read before, and in the
    /// stored file.
    fn read(
        &mut self,
        stored: &mut StoredBytes,
        buf: &mut [u8],
        mut begins: impl FnMut(usize, u64),
    ) -> Result<usize> {
        loop {
            if let Some(given) = self.give(buf)? {
                return Ok(given);
            }
            if !self.in_member {
                if !self.next_member(stored)? {
                    return Ok(0);
                }
                if self.take_ahead(stored, &mut begins) {
                    continue;
                }
                begins(0, stored.consumed());
                self.engine.restart().map_err(|e| stored.failed("go on to decompress", e))?;
                (self.in_member, self.written) = (true, 0);
                self.salvage.iter_mut().for_each(|salvage| salvage.begin());
            }
            let Some(mut salvage) = self.salvage.take() else {
                match self.step(stored, buf, None).map_err(|failure| failure.error)? {
                    0 => continue,
                    written => return Ok(written),
                }
            };
            let written = if salvage.is_long() {
                salvage.pass(|taken| self.step(stored, buf, Some(taken)))
            } else {
                salvage.hold(|taken, out| {
                    let written = self.step(stored, out, Some(taken))?;
                    Ok((written, !self.in_member))
                });
                Ok(0)
            };
            self.salvage = Some(salvage);
            match written? {
                0 => {}
                written => return Ok(written),
            }
        }
    }

    /// Bytes that are ready without decoding; then the error after them.
    fn give(&mut self, buf: &mut [u8]) -> Result<Option<usize>> {
        if let Helpers::Now(ahead) = &mut self.ahead {
            match ahead.give(buf) {
                0 => {}
                given => return Ok(Some(given)),
            }
        }
        let Some(salvage) = &mut self.salvage else { return Ok(None) };
        match salvage.give(buf) {
            0 => salvage.failure().map_or(Ok(None), Err),
            given => Ok(Some(given)),
        }
    }

    /// One step of the current member; returns how many bytes it wrote. The stored bytes that it consumed are appended
    /// to `taken`.
    fn step(
        &mut self,
        stored: &mut StoredBytes,
        buf: &mut [u8],
        taken: Option<&mut Vec<u8>>,
    ) -> Result<usize, Failure> {
        let format = self.format;
        let input = stored.peek(1)?;
        let at_end = input.is_empty();
        let inflates = timing::step(timing::Step::Inflate);
        let step = self.engine.step(input, buf);
        drop(inflates);
        taken.into_iter().for_each(|taken| taken.extend_from_slice(&input[..step.consumed]));
        stored.consume(step.consumed);
        self.written += step.written as u64;
        match step.state {
            State::Corrupt(why) => {
                return Err(stored.damaged(format_args!("the {format} stream is corrupt ({why})")).into());
            }
            State::TooLarge => return Err(stored.too_large(format, LARGEST_WINDOW, format.tool()).into()),
            State::Ended => self.in_member = false,
            State::More if step.written > 0 => {}
            // At the end of the file a decoder may still have output that it held back.
            State::More if at_end => {
                let error = stored.damaged(format_args!("the {format} stream is truncated"));
                return Err(Failure { error, is_truncated: true });
            }
            State::More if step.consumed == 0 => {
                let what = format_args!("the {format} stream is corrupt (it makes no progress)");
                return Err(stored.damaged(what).into());
            }
            State::More => {}
        }
        Ok(step.written)
    }

    /// Steps over the rest of the member if it is `left` bytes long; returns whether it did. A member that may be handed
    /// out again because of damage is not stepped over.
    fn skip_rest(&mut self, stored: &mut StoredBytes, left: u64) -> bool {
        let is_plain = self.in_member && self.salvage.is_none() && matches!(self.ahead, Helpers::None);
        if !is_plain || self.format != Format::Gzip {
            return false;
        }
        let Some(end) = member_end::find(stored, self.written, left) else { return false };
        stored.consume(end);
        self.in_member = false;
        true
    }

    /// Checks what follows a member: false at the end of the file.
    fn next_member(&mut self, stored: &mut StoredBytes) -> Result<bool> {
        let format = self.format;
        if let Some(unit) = format.padding_unit()
            && stored.skip_zeros()? % unit != 0
        {
            return Err(stored.damaged(format_args!("the padding of the {format} stream is incomplete")));
        }
        let head = stored.peek(MAGIC)?;
        if head.is_empty() {
            return Ok(false);
        }
        if !format.agrees(head) {
            return Err(stored.damaged(format_args!("the {format} stream is followed by other data")));
        }
        Ok(true)
    }

    /// Takes the members that begin here if they were decompressed ahead; returns whether they were.
    fn take_ahead(&mut self, stored: &mut StoredBytes, begins: &mut impl FnMut(usize, u64)) -> bool {
        if let Helpers::Later(threads, piece) = self.ahead {
            // A member shorter than a piece is decompressed before a thread has started.
            if stored.look_ahead(piece).len() < piece {
                return false;
            }
            self.ahead = Ahead::start(threads, piece).map_or(Helpers::None, Helpers::Now);
        }
        let Helpers::Now(ahead) = &mut self.ahead else { return false };
        let here = stored.consumed();
        let taken = ahead.take(stored, |at, place| begins(at, here + place as u64));
        stored.consume(taken);
        taken > 0
    }
}
