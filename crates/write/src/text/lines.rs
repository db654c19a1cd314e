//! Texts whose lines have a form of their own, for outputs that are not tables: one file, or a directory of files.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_schema::SchemaRef;
use urimill_base::error::Result;
use urimill_base::threads::Workers;

use super::bytes::{BytesSink, Encode};
use super::compression::Packing;
use crate::passthrough::Fit;
use crate::publish::staged_directory::{StagedDirectory, Written};
use crate::{Format, Sink, Target, UncommittedOutput, encode_error};

/// The number of bytes of a compressed file's member.
const MEMBER: usize = 1 << 20;

/// A directory of text files, published as a whole.
pub struct TextDirectory {
    folder: StagedDirectory,
    written: Vec<Written>,
}

/// A file of such a directory, compressed if its name says so.
pub struct TextFile {
    target: Target,
    path: String,
    packing: Option<Packing>,
    waiting: Vec<u8>,
    lines: u64,
}

impl TextDirectory {
    /// A directory without files.
    pub fn new(folder: StagedDirectory) -> TextDirectory {
        TextDirectory { folder, written: Vec::new() }
    }

    /// A new file at `path` in the directory.
    ///
    /// # Errors
    /// Usage, if this build cannot compress it.
    pub fn file(&self, path: &str) -> Result<TextFile> {
        let packing = Packing::of(path);
        packing.map_or(Ok(()), Packing::check)?;
        let target = Target::part(self.folder.part(path));
        Ok(TextFile { target, path: path.to_owned(), packing, waiting: Vec::new(), lines: 0 })
    }

    /// Adds a file that has all its lines.
    ///
    /// # Errors
    /// `Io`, naming the file.
    pub fn add(&mut self, file: TextFile) -> Result<()> {
        self.written.push(file.finish()?);
        Ok(())
    }

    /// The directory with these files, to be committed.
    ///
    /// # Errors
    /// `Io`, naming a file.
    pub fn close(self, threads: &Workers) -> Result<UncommittedOutput> {
        let TextDirectory { mut folder, written } = self;
        folder.settle(written, threads)?;
        Ok(UncommittedOutput::StagedDirectory(folder))
    }
}

impl TextFile {
    /// Adds a line of fields separated by tabs.
    ///
    /// # Errors
    /// `Io`, naming the file.
    pub fn line<'f>(&mut self, fields: impl IntoIterator<Item = &'f [u8]>) -> Result<()> {
        for (number, field) in fields.into_iter().enumerate() {
            self.waiting.extend_from_slice(if number == 0 { b"" } else { b"\t" });
            self.waiting.extend_from_slice(field);
        }
        self.waiting.push(b'\n');
        self.lines += 1;
        if self.waiting.len() >= MEMBER { self.flush() } else { Ok(()) }
    }

    /// Adds a line to the open member, however long that is.
    pub fn wait(&mut self, line: &[u8]) {
        self.waiting.extend_from_slice(line);
        self.waiting.push(b'\n');
        self.lines += 1;
    }

    /// Ends the open member; returns its offset in the file, and its length.
    ///
    /// # Errors
    /// `Io`, naming the file.
    pub fn end_member(&mut self) -> Result<(u64, u64)> {
        let before = self.target.written();
        self.flush()?;
        Ok((before, self.target.written() - before))
    }

    fn flush(&mut self) -> Result<()> {
        let packed = match self.packing {
            Some(packing) => {
                packing.pack(&self.waiting).map_err(|error| encode_error(self.target.name(), error))?
            }
            None => std::mem::take(&mut self.waiting),
        };
        self.waiting.clear();
        self.target.append(&packed)
    }

    fn finish(mut self) -> Result<Written> {
        // An empty file is created, too, and a compressed one has at least one member.
        if !self.waiting.is_empty() || self.target.written() == 0 {
            self.flush()?;
        }
        self.target.settle()?;
        let (bytes, checksum) = (self.target.written(), self.target.checksum());
        Ok(Written { path: self.path, rows: self.lines, bytes, checksum })
    }
}

/// Creates the sink of a text of lines, which are the first column of its batches.
pub struct LineSink {
    header: Vec<u8>,
}

impl LineSink {
    /// A text that begins with `header`.
    ///
    /// # Errors
    /// `Io`, if that cannot be written; usage, if this build cannot compress the text.
    pub fn create(target: Target, schema: SchemaRef, header: Vec<u8>) -> Result<Box<dyn Sink>> {
        let fit = Fit::new(Format::Uris, schema, 0, target.name())?;
        Ok(Box::new(BytesSink::with(Box::new(LineSink { header }), fit, target)?))
    }
}

impl Encode for LineSink {
    fn header(&self) -> Vec<u8> {
        self.header.clone()
    }

    fn encode(&self, batch: &RecordBatch) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        for line in batch.column(0).as_string::<i32>().iter().flatten() {
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
        }
        Ok(out)
    }
}
