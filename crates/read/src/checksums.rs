//! Counts and hashes of the input and of what was made from it, for a run that is verified. The chunker adds the text
//! as it comes from the decoder, before it is cut; the code that makes rows adds to the other checksums.
//!
//! ```text
//! decoder ──────> chunks ──> references ──> rows ──────> files
//!  read           returned   found          made         read back (`verify`)
//! ```
//!
//! Each checksum is a sum of hashes (XXH3, 64 bits, wrapping), which does not depend on the order of what is added: so
//! every worker can add to it at any time. A record that is lost, doubled or changed on the way between two of them
//! makes them differ.

use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{AnyDictionaryArray, Array, ArrayRef, GenericByteArray};
use arrow_schema::DataType;
use memchr::memchr_iter;
use twox_hash::XxHash3_64;
use urimill_base::error::{Error, ErrorKind, Result};

/// How many texts, and the sum of their hashes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Checksum {
    /// How many.
    pub count: u64,
    /// The sum of their hashes; it wraps around.
    pub hash: u64,
}

impl Checksum {
    /// Adds a text.
    #[inline]
    pub fn add(&mut self, text: &[u8]) {
        self.add_all(Checksum { count: 1, hash: XxHash3_64::oneshot(text) });
    }

    /// Adds what was summed up elsewhere.
    #[inline]
    pub fn add_all(&mut self, other: Checksum) {
        self.count = self.count.wrapping_add(other.count);
        self.hash = self.hash.wrapping_add(other.hash);
    }

    /// Takes back what was added.
    pub fn take_back(&mut self, other: Checksum) {
        self.count = self.count.wrapping_sub(other.count);
        self.hash = self.hash.wrapping_sub(other.hash);
    }
}

/// The checksum of the values of an array that [`holds_texts`](urimill_columns::batch::holds_texts); a null counts as empty.
pub fn checksum_of_texts(array: &ArrayRef) -> Checksum {
    fn of<T: ByteArrayType>(array: &GenericByteArray<T>) -> Checksum
    where
        T::Native: AsRef<[u8]>,
    {
        of_all(array.iter().map(|value| value.map(AsRef::as_ref)))
    }
    fn of_all<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> Checksum {
        let mut sum = Checksum::default();
        values.for_each(|value| sum.add(value.unwrap_or_default()));
        sum
    }
    fn of_dictionary(array: &dyn AnyDictionaryArray) -> Checksum {
        let (values, null) = (array.values(), Checksum { count: 1, hash: XxHash3_64::oneshot(b"") });
        if values.is_empty() {
            // Without values every row is null, and the library has no keys.
            return Checksum { count: array.len() as u64, hash: null.hash.wrapping_mul(array.len() as u64) };
        }
        let each: Vec<Checksum> =
            (0..values.len()).map(|at| checksum_of_texts(&values.slice(at, 1))).collect();
        let mut sum = Checksum::default();
        for (row, key) in array.normalized_keys().into_iter().enumerate() {
            sum.add_all(if array.keys().is_null(row) { null } else { each[key] });
        }
        sum
    }
    match array.data_type() {
        DataType::Utf8 => of(array.as_string::<i32>()),
        DataType::LargeUtf8 => of(array.as_string::<i64>()),
        DataType::Binary => of(array.as_binary::<i32>()),
        DataType::LargeBinary => of(array.as_binary::<i64>()),
        DataType::Utf8View => of_all(array.as_string_view().iter().map(|value| value.map(str::as_bytes))),
        DataType::BinaryView => of_all(array.as_binary_view().iter()),
        DataType::Dictionary(..) => of_dictionary(array.as_any_dictionary()),
        _ => Checksum::default(),
    }
}

/// The lines of a text that comes in pieces, without their ends (LF or CR LF).
#[derive(Debug, Default, Clone)]
pub struct Lines {
    texts: Checksum,
    blank: u64,
    /// The beginning of an unfinished line.
    begun: Vec<u8>,
}

impl Lines {
    /// Adds the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        let mut from = 0;
        for at in memchr_iter(b'\n', piece) {
            let line = &piece[from..at];
            from = at + 1;
            if self.begun.is_empty() {
                self.ended(line);
            } else {
                self.begun.extend_from_slice(line);
                let line = std::mem::take(&mut self.begun);
                self.ended(&line);
                self.begun = line;
                self.begun.clear();
            }
        }
        self.begun.extend_from_slice(&piece[from..]);
    }

    fn ended(&mut self, line: &[u8]) {
        match line.strip_suffix(b"\r").unwrap_or(line) {
            text if text.trim_ascii_start().is_empty() => self.blank += 1,
            text => self.texts.add(text),
        }
    }

    /// Ends the text: a last part without a line end is a line.
    pub fn end(&mut self) {
        if !self.begun.is_empty() {
            match self.begun.trim_ascii_start().is_empty() {
                true => self.blank += 1,
                false => self.texts.add(&self.begun),
            }
            self.begun.clear();
        }
    }

    /// Forgets the beginning of a line.
    pub(super) fn forget(&mut self) {
        self.begun.clear();
    }

    /// Takes back a piece that begins with a line, up to the end of the last one added.
    pub(super) fn take_back(&mut self, piece: &[u8]) {
        let mut back = Lines::default();
        back.push(piece);
        self.texts.take_back(back.texts);
        self.blank = self.blank.wrapping_sub(back.blank);
        // If they are equal, as they must be, nothing of the piece remains.
        self.end();
        back.texts = Checksum::default();
        back.end();
        self.texts.take_back(back.texts);
    }

    /// Adds a text that counts as one line, whatever it contains.
    pub fn whole(&mut self, text: &[u8]) {
        self.texts.add(text);
    }
}

/// A checksum to which any thread may add.
#[derive(Debug, Default)]
struct SharedChecksum {
    count: AtomicU64,
    hash: AtomicU64,
    blank: AtomicU64,
}

impl SharedChecksum {
    fn add(&self, sum: Checksum) {
        // All of them wrap around.
        self.count.fetch_add(sum.count, Ordering::Relaxed);
        self.hash.fetch_add(sum.hash, Ordering::Relaxed);
    }

    fn add_lines(&self, lines: &Lines) {
        self.add(lines.texts);
        self.blank.fetch_add(lines.blank, Ordering::Relaxed);
    }

    fn sum(&self) -> Checksum {
        Checksum { count: self.count.load(Ordering::SeqCst), hash: self.hash.load(Ordering::SeqCst) }
    }

    fn lines(&self) -> (Checksum, u64) {
        (self.sum(), self.blank.load(Ordering::SeqCst))
    }
}

/// The checksums of one run.
#[derive(Debug, Default)]
pub struct ReadChecksums {
    read: SharedChecksum,
    returned: SharedChecksum,
    found: SharedChecksum,
    made: SharedChecksum,
    not_read_back: AtomicU64,
}

impl ReadChecksums {
    /// Adds text of a source, as it came from the decoder.
    pub fn read(&self, lines: &Lines) {
        self.read.add_lines(lines);
    }

    /// Adds text of chunks, once their rows are handed on.
    pub fn returned(&self, lines: &Lines) {
        self.returned.add_lines(lines);
    }

    /// Adds references of records, before they are parsed. For lists of lines these are the lines, and the chunker adds
    /// them.
    pub fn found(&self, references: Checksum) {
        self.found.add(references);
    }

    /// Adds the lines of a source, which are its references.
    pub(super) fn found_lines(&self, lines: &Lines) {
        self.found.add(lines.texts);
    }

    /// Adds the texts that rows were made from, and how many of the rows go to columns from which they cannot be read
    /// back.
    pub fn made(&self, texts: Checksum, not_read_back: u64) {
        self.made.add(texts);
        self.not_read_back.fetch_add(not_read_back, Ordering::Relaxed);
    }

    /// Returns the references that were found.
    pub fn references(&self) -> Checksum {
        self.found.sum()
    }

    /// Returns whether the text of every row can be read back from the columns of the outputs.
    pub fn reads_all_back(&self) -> bool {
        self.not_read_back.load(Ordering::SeqCst) == 0
    }

    /// Compares the input, the chunks, and the texts that rows were made from.
    ///
    /// # Errors
    /// `Internal` where they differ.
    pub fn check(&self) -> Result<()> {
        let ((read, blank), (returned, returned_blank)) = (self.read.lines(), self.returned.lines());
        if (read, blank) != (returned, returned_blank) {
            return Err(lost(
                "lines that were read",
                "the lines that the rows were made from",
                (read.count.wrapping_add(blank), returned.count.wrapping_add(returned_blank)),
            ));
        }
        let (found, made) = (self.found.sum(), self.made.sum());
        match found == made {
            true => Ok(()),
            false => Err(lost(
                "records that were read",
                "the records that the rows hold",
                (found.count, made.count),
            )),
        }
    }

    /// Compares the references with those read back from the finished outputs.
    ///
    /// # Errors
    /// `Data` where they differ.
    pub fn check_readback(&self, readback: Checksum) -> Result<()> {
        let found = self.references();
        if found == readback {
            return Ok(());
        }
        let what = match found.count == readback.count {
            true => format!("some of the {} records differ from those that were read", found.count),
            false => format!("they hold {} records, and {} were read", readback.count, found.count),
        };
        Err(Error::new(
            ErrorKind::Data,
            format!("the outputs, read back, do not hold the input: {what}; nothing was published"),
        ))
    }
}

fn lost(what: &str, others: &str, (due, found): (u64, u64)) -> Error {
    let difference = match due == found {
        true => format!("the number of both is {due}, and their bytes differ"),
        false => format!("their numbers are {due} and {found}"),
    };
    let sentence = format!(
        "the {what} differ from {others}: {difference}; nothing was published. Test the memory of this \
         machine; if it is sound, report this as a defect of urimill"
    );
    Error::new(ErrorKind::Internal, sentence)
}
