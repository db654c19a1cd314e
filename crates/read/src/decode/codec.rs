//! The compression formats: how each is recognized and how its decoder is driven. [`Reader`](crate::Reader) uses
//! them and knows no format by name.

use std::fmt;
use std::io;
#[cfg(feature = "zstd")]
use std::io::Read;

#[cfg(feature = "gzip")]
use flate2::FlushDecompress;
use urimill_base::left_out::{BZIP2, Feature, GZIP, XZ, ZSTD};
#[cfg(feature = "zstd")]
use zstd::stream::raw::{DParameter, Decoder, Operation};

/// The longest magic number: bzip2's, which is long because `BZh1` could begin a text.
pub(crate) const MAGIC: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

impl Format {
    const ALL: [Format; 4] = [Format::Gzip, Format::Zstd, Format::Bzip2, Format::Xz];

    /// The format whose whole magic number `head` begins with.
    pub(crate) fn of(head: &[u8]) -> Option<Format> {
        Self::ALL.into_iter().find(|format| head.len() >= format.magic_len() && format.agrees(head))
    }

    /// The format of a stream that ends within its magic number; `all` is the whole stream.
    ///
    /// A text may begin with `BZ` or `(` too. Where a single record without a line end would look the same, the stream
    /// is taken for a text unless its `name` says otherwise. Nothing else looks like `BZh`, or like bytes that are not
    /// text.
    pub(crate) fn of_cut(all: &[u8], name: &str) -> Option<Format> {
        let begins_like =
            |format: &Format| !all.is_empty() && all.len() < format.magic_len() && format.agrees(all);
        let is_clear = |format: &Format| match format {
            Format::Bzip2 => all.len() >= b"BZh".len(),
            Format::Gzip | Format::Xz => true,
            // A skippable frame begins with a letter, `*` and `M`.
            Format::Zstd => !all.is_ascii(),
        };
        let candidates = || Self::ALL.into_iter().filter(begins_like);
        let named = |format: &Format| format.is_in_name(name);
        candidates().find(named).or_else(|| candidates().find(is_clear))
    }

    /// Whether a file's name ends as the format's do.
    fn is_in_name(self, name: &str) -> bool {
        let ends: &[&str] = match self {
            Format::Gzip => &["gz", "tgz"],
            Format::Zstd => &["zst", "zstd", "tzst"],
            Format::Bzip2 => &["bz2", "bz", "tbz", "tbz2"],
            Format::Xz => &["xz", "txz"],
        };
        name.rsplit_once('.').is_some_and(|(_, end)| ends.iter().any(|own| own.eq_ignore_ascii_case(end)))
    }

    fn magic_len(self) -> usize {
        match self {
            Format::Gzip => 3,
            Format::Zstd => 4,
            Format::Bzip2 => 10,
            Format::Xz => 6,
        }
    }

    /// Whether `head` begins with the magic number, or is a first part of it.
    ///
    /// gzip: RFC 1952 2.3.1, with deflate (8) as the only method there is. zstd: RFC 8878 3.1.1
    /// for frames and 3.1.2 for skippable ones. bzip2: level, then the mark of a block (the
    /// digits of pi) or, in an empty stream, of its end (those of its square root). xz: the .xz
    /// file format 1.1.0, 2.1.1.1.
    pub(crate) fn agrees(self, head: &[u8]) -> bool {
        let begins = |magic: &[u8]| head.iter().zip(magic).all(|(a, b)| a == b);
        match self {
            Format::Gzip => begins(b"\x1f\x8b\x08"),
            Format::Zstd => {
                let skippable = head.first().is_none_or(|b| b & 0xf0 == 0x50)
                    && head.iter().skip(1).zip(b"\x2a\x4d\x18").all(|(a, b)| a == b);
                begins(b"\x28\xb5\x2f\xfd") || skippable
            }
            Format::Bzip2 => {
                let mark = head.get(4..).unwrap_or_default();
                let marks = |magic: &[u8]| mark.iter().zip(magic).all(|(a, b)| a == b);
                begins(b"BZh")
                    && head.get(3).is_none_or(|b| (b'1'..=b'9').contains(b))
                    && (marks(b"\x31\x41\x59\x26\x53\x59") || marks(b"\x17\x72\x45\x38\x50\x90"))
            }
            Format::Xz => begins(b"\xfd7zXZ\0"),
        }
    }

    /// The multiple in which zeros may follow a member, if they may. gzip's own tool skips them (tapes end in them), xz
    /// has them by its specification (2.2).
    pub(crate) fn padding_unit(self) -> Option<u64> {
        match self {
            Format::Gzip => Some(1),
            Format::Xz => Some(4),
            Format::Zstd | Format::Bzip2 => None,
        }
    }

    /// The command that decompresses a stream of this format to a pipe, however much memory it asks for.
    pub(crate) fn tool(self) -> &'static str {
        match self {
            Format::Gzip => "gzip -dc",
            Format::Zstd => "zstd -dc --long=31",
            Format::Bzip2 => "bzip2 -dc",
            Format::Xz => "xz -dc",
        }
    }

    /// The decoder; of zstd with a dictionary, if there is one.
    #[allow(unreachable_code, unreachable_patterns, reason = "a build has all decoders, some or none")]
    pub(crate) fn engine(self, dictionary: Option<&[u8]>) -> io::Result<Box<dyn Engine>> {
        #[cfg(not(feature = "zstd"))]
        let _ = dictionary;
        Ok(match self {
            #[cfg(feature = "gzip")]
            Format::Gzip => Box::new(gzip_member()),
            #[cfg(feature = "zstd")]
            Format::Zstd => Box::new(Zstd::new(dictionary)?),
            #[cfg(feature = "bzip2")]
            Format::Bzip2 => Box::new(bzip2::Decompress::new(false)),
            #[cfg(feature = "xz")]
            Format::Xz => Box::new(xz_stream()?),
            absent => {
                let what = absent.feature().missing(&format!("decoder of {absent}"));
                return Err(io::Error::new(io::ErrorKind::Unsupported, what));
            }
        })
    }

    /// The feature that includes its decoder.
    fn feature(self) -> Feature {
        match self {
            Format::Gzip => GZIP,
            Format::Zstd => ZSTD,
            Format::Bzip2 => BZIP2,
            Format::Xz => XZ,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gzip => "gzip",
            Format::Zstd => "zstd",
            Format::Bzip2 => "bzip2",
            Format::Xz => "xz",
        })
    }
}

/// A decoder of one member at a time.
pub(crate) trait Engine: Send {
    /// Takes some of `input` and writes some of `output`, as much as it can of either.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step;

    /// Gets ready for the first byte of another member.
    fn restart(&mut self) -> io::Result<()>;
}

/// What one call of an [`Engine`] did.
pub(crate) struct Step {
    pub(crate) consumed: usize,
    pub(crate) written: usize,
    pub(crate) state: State,
}

impl Step {
    /// By the bytes that were read and written until then, and until now.
    #[cfg_attr(
        not(any(feature = "gzip", feature = "zstd", feature = "bzip2", feature = "xz")),
        allow(dead_code, reason = "for engines alone")
    )]
    fn since(before: (u64, u64), now: (u64, u64), state: State) -> Step {
        Step { consumed: (now.0 - before.0) as usize, written: (now.1 - before.1) as usize, state }
    }
}

#[cfg_attr(not(all(feature = "zstd", feature = "xz")), allow(dead_code, reason = "for engines alone"))]
pub(crate) enum State {
    More,
    /// The member is complete and its checksum right.
    Ended,
    Corrupt(String),
    /// It asks for more memory than [`LARGEST_WINDOW`].
    TooLarge,
}

/// The largest window that a stream may ask for: the default limit of the zstd tool, and twice what the largest level
/// of xz needs. The number comes from the stream, so without a limit a file of a few bytes could cause gigabytes to be
/// allocated. gzip looks back 32 KiB at most, bzip2 900 kB.
pub(crate) const LARGEST_WINDOW: u64 = 128 << 20;

#[cfg(feature = "gzip")]
fn gzip_member() -> flate2::Decompress {
    const LARGEST_WINDOW_BITS: u8 = 15;
    flate2::Decompress::new_gzip(LARGEST_WINDOW_BITS)
}

/// The decoder has a fast and a slow path, and only the second says what is wrong with a code. Which one runs depends
/// on how much input it gets at once, and the message about a file must not.
#[cfg(feature = "gzip")]
fn reason(message: Option<&str>) -> Option<&str> {
    match message {
        Some(
            "repeated call with bad state"
            | "invalid distance code"
            | "invalid distance too far back"
            | "invalid literal/length code",
        ) => Some("invalid code"),
        other => other,
    }
}

#[cfg(feature = "gzip")]
impl Engine for flate2::Decompress {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let before = (self.total_in(), self.total_out());
        let state = match self.decompress(input, output, FlushDecompress::None) {
            Ok(flate2::Status::StreamEnd) => State::Ended,
            Ok(flate2::Status::Ok | flate2::Status::BufError) => State::More,
            Err(e) => State::Corrupt(reason(e.message()).map_or_else(|| e.to_string(), str::to_owned)),
        };
        Step::since(before, (self.total_in(), self.total_out()), state)
    }

    // The decoder's own `reset` would forget that it reads gzip.
    fn restart(&mut self) -> io::Result<()> {
        *self = gzip_member();
        Ok(())
    }
}

#[cfg(feature = "bzip2")]
impl Engine for bzip2::Decompress {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let before = (self.total_in(), self.total_out());
        let state = match self.decompress(input, output) {
            Ok(bzip2::Status::StreamEnd) => State::Ended,
            Ok(bzip2::Status::MemNeeded) => State::Corrupt("it asks for more memory than there is".into()),
            Ok(_) => State::More,
            Err(bzip2::Error::Data) => State::Corrupt("invalid data or a wrong checksum".into()),
            Err(e) => State::Corrupt(e.to_string()),
        };
        Step::since(before, (self.total_in(), self.total_out()), state)
    }

    fn restart(&mut self) -> io::Result<()> {
        *self = bzip2::Decompress::new(false);
        Ok(())
    }
}

/// One stream, with a dictionary of at most [`LARGEST_WINDOW`], plus the decoder's own state.
#[cfg(feature = "xz")]
fn xz_stream() -> io::Result<liblzma::stream::Stream> {
    const STATE: u64 = 1 << 20;
    Ok(liblzma::stream::Stream::new_stream_decoder(LARGEST_WINDOW + STATE, 0)?)
}

#[cfg(feature = "xz")]
impl Engine for liblzma::stream::Stream {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let before = (self.total_in(), self.total_out());
        let state = match self.process(input, output, liblzma::stream::Action::Run) {
            Ok(liblzma::stream::Status::StreamEnd) => State::Ended,
            Ok(_) => State::More,
            Err(liblzma::stream::Error::MemLimit) => State::TooLarge,
            Err(liblzma::stream::Error::Data) => State::Corrupt("invalid data or a wrong checksum".into()),
            Err(e) => State::Corrupt(e.to_string()),
        };
        Step::since(before, (self.total_in(), self.total_out()), state)
    }

    fn restart(&mut self) -> io::Result<()> {
        *self = xz_stream()?;
        Ok(())
    }
}

/// zstd says how many bytes it wants next (a header, a block). It gets exactly those: then it decodes without copying,
/// and an error is known to lie in the current block.
#[cfg(feature = "zstd")]
struct Zstd {
    decoder: Decoder<'static>,
    wanted: usize,
}

#[cfg(feature = "zstd")]
impl Zstd {
    /// RFC 8878 3.1.1: the magic number and the first byte of the header.
    const FRAME_START: usize = 5;
    /// The library's message for a frame with a larger window; it has no code for that here.
    const TOO_LARGE: &str = "Frame requires too much memory for decoding";

    fn new(dictionary: Option<&[u8]>) -> io::Result<Self> {
        let mut decoder = match dictionary {
            Some(dictionary) => Decoder::with_dictionary(dictionary)?,
            None => Decoder::new()?,
        };
        decoder.set_parameter(DParameter::WindowLogMax(LARGEST_WINDOW.ilog2()))?;
        Ok(Zstd { decoder, wanted: Self::FRAME_START })
    }
}

#[cfg(feature = "zstd")]
impl Engine for Zstd {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let input = &input[..input.len().min(self.wanted)];
        match self.decoder.run_on_buffers(input, output) {
            Ok(done) => {
                self.wanted = done.remaining;
                let state = if done.remaining == 0 { State::Ended } else { State::More };
                Step { consumed: done.bytes_read, written: done.bytes_written, state }
            }
            Err(e) => {
                let why = e.to_string();
                let state = if why == Self::TOO_LARGE { State::TooLarge } else { State::Corrupt(why) };
                Step { consumed: 0, written: 0, state }
            }
        }
    }

    fn restart(&mut self) -> io::Result<()> {
        self.wanted = Self::FRAME_START;
        self.decoder.reinit()
    }
}

/// The skippable frame that holds the dictionary of all other frames (Zstandard Compression of WARC Files 1.0).
const DICTIONARY_FRAME: &[u8] = b"\x5d\x2a\x4d\x18";

/// The largest dictionary, both compressed and decompressed.
pub(crate) const LARGEST_DICTIONARY: usize = 16 << 20;

/// The length of the frame at the start of `head`, if it holds a dictionary.
pub(crate) fn dictionary_frame(head: &[u8]) -> Option<usize> {
    let size = head.strip_prefix(DICTIONARY_FRAME)?.first_chunk::<4>()?;
    let size = u32::from_le_bytes(*size) as usize;
    (size <= LARGEST_DICTIONARY).then_some(DICTIONARY_FRAME.len() + 4 + size)
}

/// The dictionary in the content of such a frame, which may be compressed itself; `None` if there is none.
pub(crate) fn dictionary(frame: &[u8]) -> Option<Vec<u8>> {
    const MAGIC: &[u8] = b"\x37\xa4\x30\xec";
    let content = &frame[DICTIONARY_FRAME.len() + 4..];
    if content.starts_with(MAGIC) {
        return Some(content.to_vec());
    }
    let dictionary = decompressed(content)?;
    (dictionary.len() <= LARGEST_DICTIONARY && dictionary.starts_with(MAGIC)).then_some(dictionary)
}

#[cfg(feature = "zstd")]
fn decompressed(content: &[u8]) -> Option<Vec<u8>> {
    let mut dictionary = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(content).ok()?;
    decoder.take(LARGEST_DICTIONARY as u64 + 1).read_to_end(&mut dictionary).ok()?;
    Some(dictionary)
}

#[cfg(not(feature = "zstd"))]
fn decompressed(_: &[u8]) -> Option<Vec<u8>> {
    None
}
