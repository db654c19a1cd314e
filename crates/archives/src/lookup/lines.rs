//! A sorted text of lines, searched by bisection: only the parts of a file that are examined are read, a few kilobytes
//! at a time.
//!
//! Bisection relies on the order of lines that it does not see. So a text of up to [`WHOLE`] bytes is read once to
//! check that its lines are sorted; of a longer one [`PLACES`] lines are compared, and all lines that a search meets.

use std::io::{BufReader, Cursor, ErrorKind as Io, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files;
use urimill_base::files::File;
use urimill_base::option_name::OptionName;
use urimill_write::text::compression::Packing;

use super::order::{Is, Order, check, compared, disorder, is_passed, no_line, what};
use super::text::{LONGEST, See, bare, each_line, too_long};

/// The bytes read at once; a shorter text is read from its beginning.
const STEP: usize = 8 << 10;
/// The longest text that is read once to check its order, which takes some hundredths of a second.
const WHOLE: u64 = 64 << 20;
/// The number of lines of a longer text that are compared, at equal distances.
const PLACES: u64 = 256;
/// The buffer with which a text is read as a whole.
const BUFFER: usize = 1 << 20;

/// The text.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    path: PathBuf,
    len: u64,
    /// Recognizes lines.
    what: fn(&[u8]) -> Is,
    /// The longest line that is read.
    longest: usize,
    /// The bytes read last, and their offset.
    buffer: Vec<u8>,
    at: u64,
    is_checked: bool,
}

/// Takes a line and a function that names its place; returns whether it needs more.
pub(super) type Take<'t> = dyn FnMut(&str, &dyn Fn() -> String) -> Result<bool> + 't;

/// Opens a regular file: a pipe or a device cannot be searched.
///
/// # Errors
/// `Io` if it cannot be opened, `Usage` if it is not a file.
pub(super) fn open_file(path: &Path) -> Result<File> {
    let failed = |error| Error::path("open", path, error);
    // Opening a pipe would wait for a writer.
    if !files::metadata(path).map_err(failed)?.is_file() {
        return Err(Error::usage(format!(
            "{} is no file but a pipe, a directory or a device, and a search reads at many places: write it to a file \
             first",
            path.display()
        )));
    }
    File::open(path).map_err(failed)
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Lines> {
        let file = open_file(path)?;
        let len = file.metadata().map_err(|error| Error::path("open", path, error))?.len();
        let path = path.to_owned();
        Ok(Lines { file, path, len, what, longest: LONGEST, buffer: Vec::new(), at: 0, is_checked: false })
    }

    /// The text with lines of another form: `what` recognizes them.
    pub(super) fn of_lines(self, what: fn(&[u8]) -> Is) -> Lines {
        Lines { what, ..self }
    }

    /// Limits lines to `longest` bytes.
    pub(super) fn limit(&mut self, longest: usize) {
        self.longest = longest.min(LONGEST);
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The first bytes.
    pub(super) fn beginning(&mut self) -> Result<&[u8]> {
        self.bytes(0)
    }

    /// Calls `see` with all lines in their order, until it answers `false`.
    pub(super) fn all(&mut self, see: &mut See<'_>) -> Result<bool> {
        let (name, path) = (self.name(), self.path.clone());
        let failed = |error| Error::path("read", &path, error);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let reader = BufReader::with_capacity(BUFFER, &mut self.file);
        each_line(reader, (self.longest, &name), failed, see)
    }

    /// Checks once that the lines are in order: all of them, or [`PLACES`] of a long text.
    fn check_order(&mut self) -> Result<()> {
        if self.is_checked {
            return Ok(());
        }
        let (name, mut order) = (self.name(), Order::default());
        if self.len <= WHOLE {
            self.all(&mut |at, line| check(&mut order, line, at, &name).map(|_| true))?;
        } else {
            let last = self.len - STEP as u64;
            let places = (0..PLACES).map(|place| last / PLACES * place).chain([last]);
            for place in places {
                if let Some((at, line)) = self.line_after(place)?
                    && !order.takes(&line)
                {
                    return Err(disorder(&format!("the line at byte {at}"), &name));
                }
            }
        }
        self.is_checked = true;
        Ok(())
    }

    /// Calls `take` with the lines that begin with `prefix`.
    pub(super) fn each(&mut self, prefix: &[u8], take: &mut Take<'_>) -> Result<()> {
        self.check_order()?;
        let (mut at, mut order, name) = (self.before(prefix)?, Order::default(), self.name());
        while let Some((line, next)) = self.line(at)? {
            if check(&mut order, &line, at, &name)? {
                if line.starts_with(prefix) {
                    if !hand(&line, at, &name, take)? {
                        return Ok(());
                    }
                } else if &line[..] > prefix {
                    return Ok(());
                }
            }
            at = next;
        }
        Ok(())
    }

    /// Like `each`, but reads all lines, in any order.
    pub(super) fn scan(&mut self, prefix: &[u8], take: &mut Take<'_>) -> Result<()> {
        let name = self.name();
        self.all(&mut |at, line| scanned(line, (at, &name), prefix, take))?;
        Ok(())
    }

    /// The start of the last line that is less than `target`, or of the first line.
    pub(super) fn before(&mut self, target: &[u8]) -> Result<u64> {
        // The line at `low` is less, or the first; all that begin at or after `high` are not.
        let (mut low, mut high) = (0, self.len);
        // Their keys; every key that is met lies between them.
        let (mut least, mut greatest) = (Vec::new(), None::<Vec<u8>>);
        while high - low > STEP as u64 {
            let middle = low + (high - low) / 2;
            match self.line_after(middle)? {
                Some((at, line)) if at < high => {
                    let key = compared(&line);
                    if key < &least[..] || greatest.as_ref().is_some_and(|greatest| key > &greatest[..]) {
                        return Err(disorder(&format!("the line at byte {at}"), &self.name()));
                    }
                    match &line[..] < target {
                        true => (low, least) = (at, key.to_owned()),
                        false => (high, greatest) = (middle, Some(key.to_owned())),
                    }
                }
                _ => high = middle,
            }
        }
        let mut at = low;
        while let Some((line, next)) = self.line(at)? {
            match (self.what)(&line) {
                Is::Line if &line[..] >= target => break,
                Is::Line => low = at,
                Is::Passed => {}
                Is::Other => return Err(no_line(&format!("the line at byte {at} of {}", self.name()))),
            }
            at = next;
        }
        Ok(low)
    }

    /// The first line of the index that begins after a byte, and its offset.
    fn line_after(&mut self, at: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let Some((_, mut place)) = self.line(at)? else { return Ok(None) };
        while let Some((line, next)) = self.line(place)? {
            match (self.what)(&line) {
                Is::Line => return Ok(Some((place, line))),
                Is::Passed => place = next,
                Is::Other => return Err(no_line(&format!("the line at byte {place} of {}", self.name()))),
            }
        }
        Ok(None)
    }

    /// The rest of the line that contains a byte, and the start of the next one; `None` at the end.
    pub(super) fn line(&mut self, at: u64) -> Result<Option<(Vec<u8>, u64)>> {
        if at >= self.len {
            return Ok(None);
        }
        let mut line = Vec::new();
        loop {
            let from = at + line.len() as u64;
            let piece = self.bytes(from)?;
            let end = memchr::memchr(b'\n', piece);
            let is_last = piece.is_empty();
            line.extend_from_slice(&piece[..end.unwrap_or(piece.len())]);
            if line.len() > self.longest {
                return Err(too_long(at, &self.name(), self.longest));
            }
            if end.is_some() || is_last {
                let next = at + line.len() as u64 + u64::from(!is_last);
                return Ok(Some((bare(at, &line).to_vec(), next)));
            }
        }
    }

    /// Some bytes from `from` on; empty at the end.
    fn bytes(&mut self, from: u64) -> Result<&[u8]> {
        if from < self.at || from >= self.at + self.buffer.len() as u64 {
            let failed = |error| Error::path("read", &self.path, error);
            self.buffer.resize(STEP, 0);
            self.at = from;
            self.file.seek(SeekFrom::Start(from)).map_err(failed)?;
            let mut filled = 0;
            while filled < STEP {
                match self.file.read(&mut self.buffer[filled..]) {
                    Ok(0) => break,
                    Ok(read) => filled += read,
                    Err(error) if error.kind() == Io::Interrupted => {}
                    Err(error) => return Err(failed(error)),
                }
            }
            self.buffer.truncate(filled);
        }
        Ok(&self.buffer[((from - self.at) as usize).min(self.buffer.len())..])
    }

    /// Refuses a file whose beginning is not CDXJ text.
    pub(super) fn check_form(&mut self) -> Result<()> {
        let name = self.name();
        let first = self.first_line()?;
        let what = match &first[..] {
            [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] if !self.is_packed_archive()? => {
                "it is compressed as a whole: decompress it, make an index in blocks, or name the list of its blocks \
                 (.idx)"
            }
            [b'P', b'K', 3, 4, ..] => {
                "it is a zip archive, such as WACZ: make an index of it with urimill index, or take its own out of \
                 indexes/"
            }
            [b'W', b'A', b'R', b'C', b'/', ..] | [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                "it is a web archive: make an index of it with urimill index"
            }
            _ if first.starts_with(b" CDX") || is_cdx(&first) => {
                "it is CDX: make one of CDXJ with urimill index, of the archives that it names"
            }
            [] => return Ok(()),
            _ => match (what(&first), std::str::from_utf8(&first)) {
                (Is::Line | Is::Passed, _) => return Ok(()),
                (Is::Other, Ok(_)) => "its first line has no key, 14 to 17 digits, and object of JSON",
                (Is::Other, Err(_)) => "it is not UTF-8",
            },
        };
        Err(Error::usage(format!(
            "{name} cannot be searched: {what} ({})",
            OptionName::OutputFormat.with_any(&["cdxj", "zipnum", "parquet"])
        )))
    }

    /// Whether a compressed file is a web archive.
    fn is_packed_archive(&mut self) -> Result<bool> {
        let packed = self.bytes(0)?.to_vec();
        let packing = if packed.starts_with(b"\x1f\x8b") { Packing::Gzip } else { Packing::Zstd };
        let mut begin = [0; 5];
        let read = packing.unpack(Cursor::new(packed)).and_then(|mut reader| reader.read_exact(&mut begin));
        Ok(read.is_ok() && matches!(&begin, b"WARC/" | b"filed"))
    }

    /// The first line that a search does not skip; empty if there is none.
    fn first_line(&mut self) -> Result<Vec<u8>> {
        let mut at = 0;
        while let Some((line, next)) = self.line(at)? {
            if !is_passed(&line) || line.starts_with(b" CDX") {
                return Ok(line);
            }
            at = next;
        }
        Ok(Vec::new())
    }
}

/// Whether this is a line of CDX: at least seven fields, and the second is a time.
fn is_cdx(line: &[u8]) -> bool {
    let mut words = line.split(|&b| b == b' ');
    let time = words.nth(1).unwrap_or_default();
    super::is_time(time) && words.count() >= 5 && !line.ends_with(b"}")
}

/// Passes a line on if it begins with `prefix`; the order of lines does not matter.
pub(super) fn scanned(
    line: &[u8],
    (at, name): (u64, &str),
    prefix: &[u8],
    take: &mut Take<'_>,
) -> Result<bool> {
    match what(line) {
        Is::Line if line.starts_with(prefix) => hand(line, at, name, take),
        Is::Other => Err(no_line(&format!("the line at byte {at} of {name}"))),
        Is::Line | Is::Passed => Ok(true),
    }
}

/// Passes a line on.
pub(super) fn hand(line: &[u8], at: u64, name: &str, take: &mut Take<'_>) -> Result<bool> {
    let place = || format!("the line at byte {at} of {name}");
    let text = std::str::from_utf8(line)
        .map_err(|_| Error::new(ErrorKind::Data, format!("{} is not UTF-8", place())))?;
    take(text, &place)
}
