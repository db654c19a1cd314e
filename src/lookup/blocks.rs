//! ZipNum: the list of blocks is searched as a text, and the blocks that may have the lines are decompressed.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::lines::{Lines, Take};
use crate::error::{Error, ErrorKind, Result};
use crate::files;
use crate::files::File;
use crate::write::text::compression::Packing;

/// No block is longer when it is decompressed.
const LONGEST: usize = 256 << 20;

/// An index in blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    list: Lines,
    /// The paths of the shards, by name.
    shards: BTreeMap<String, PathBuf>,
    folder: PathBuf,
}

impl Blocks {
    /// That of a directory with one list of blocks.
    pub(super) fn of_directory(path: &Path) -> Result<Blocks> {
        let failed = |error| Error::path("list", path, error);
        let mut lists = Vec::new();
        for entry in files::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?.path();
            if entry.extension().is_some_and(|end| end == "idx") {
                lists.push(entry);
            }
        }
        match &lists[..] {
            [list] => Blocks::open(list),
            _ => Err(Error::usage(format!(
                "{} has {} files that end with .idx, and should have one: name the list of blocks itself",
                path.display(),
                lists.len()
            ))),
        }
    }

    /// That of a list of blocks; beside it may be a list of shards.
    pub(super) fn open(path: &Path) -> Result<Blocks> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let names = path.with_extension("loc");
        let mut shards = BTreeMap::new();
        if files::find(&names).map_err(|error| Error::path("look at", &names, error))?.is_some() {
            let (mut lines, mut at) = (Lines::open(&names)?, 0);
            while let Some((line, next)) = lines.line(at)? {
                let text = String::from_utf8_lossy(&line).into_owned();
                let mut words = text.split('\t');
                if let (Some(name), Some(place)) = (words.next(), words.next()) {
                    shards.insert(name.to_owned(), folder.join(place));
                }
                at = next;
            }
        }
        Ok(Blocks { list: Lines::open(path)?, shards, folder })
    }

    /// Calls `take` with the lines that begin with `prefix`.
    pub(super) fn each(&mut self, prefix: &[u8], take: &mut Take<'_>) -> Result<()> {
        let mut at = self.list.before(prefix)?;
        while let Some((line, next)) = self.list.line(at)? {
            // What begins with ! describes the list.
            if !line.starts_with(b"!") {
                if &line[..] > prefix && !line.starts_with(prefix) {
                    return Ok(());
                }
                if !self.block(&line, at, prefix, take)? {
                    return Ok(());
                }
            }
            at = next;
        }
        Ok(())
    }

    /// The lines of one block; answers whether the next may have more.
    fn block(&self, line: &[u8], at: u64, prefix: &[u8], take: &mut Take<'_>) -> Result<bool> {
        let damaged = |what: &str| {
            let sentence = format!("the line at byte {at} of {} {what}", self.list.path().display());
            Error::new(ErrorKind::Data, sentence)
        };
        let text = std::str::from_utf8(line).map_err(|_| damaged("is not UTF-8"))?;
        let fields: Vec<&str> = text.split('\t').collect();
        let place = match fields[..] {
            [_, shard, offset, length, ..] => {
                offset.parse::<u64>().ok().zip(length.parse::<usize>().ok()).map(|place| (shard, place))
            }
            _ => None,
        };
        let Some((shard, (offset, length))) = place else {
            return Err(damaged("does not say where a block is: key and time, shard, offset, length"));
        };
        let path = self.shards.get(shard).cloned().unwrap_or_else(|| self.folder.join(shard));
        let mut file = File::open(&path).map_err(|error| Error::path("open", &path, error))?;
        let mut stored = vec![0; length.min(LONGEST)];
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut stored))
            .map_err(|error| Error::path("read", &path, error))?;
        let mut lines = Vec::new();
        Packing::Gzip
            .unpack(Cursor::new(stored))
            .and_then(|reader| reader.take(LONGEST as u64).read_to_end(&mut lines))
            .map_err(|error| Error::path("decompress a block of", &path, error))?;
        for line in lines.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            if line.starts_with(prefix) {
                let place = || format!("a line of the block at byte {offset} of {}", path.display());
                let text = std::str::from_utf8(line)
                    .map_err(|_| Error::new(ErrorKind::Data, format!("{} is not UTF-8", place())))?;
                if !take(text, &place)? {
                    return Ok(false);
                }
            } else if line > prefix {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
