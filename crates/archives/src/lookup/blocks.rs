//! ZipNum: the list of blocks is searched as a text, and the blocks that may have the lines are decompressed.
//!
//! The list is read once: its keys must be in order, and its blocks must follow each other in their shards, from the
//! first byte to the last, so that no block is missing. Blocks are decompressed line by line and to their end, where
//! their checksum is.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::Value;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files;
use urimill_write::text::compression::Packing;

use super::lines::{Lines, Take, hand, open_file, scanned};
use super::order::{Is, Order, check, disorder, is_passed, key_of, what};
use super::text::{LONGEST, See, each_line};

/// An index in blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    list: Lines,
    /// The paths of the shards that `.loc` names, by name.
    named: BTreeMap<String, PathBuf>,
    is_checked: bool,
    /// The only shard of a list that names it in a line of its own.
    whole: Option<String>,
    folder: PathBuf,
    longest: usize,
}

/// The place of a block in a shard.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    shard: String,
    offset: u64,
    length: u64,
}

impl Place {
    /// Reads a line of the list: key and time, shard, offset and length separated by tabs; or key, time and an object
    /// of JSON, if the list names the shard in a line of its own.
    fn of(line: &[u8], whole: Option<&str>) -> Option<Place> {
        let text = std::str::from_utf8(line).ok()?;
        let fields: Vec<&str> = text.split('\t').collect();
        if let [_, shard, offset, length, ..] = fields[..] {
            let (offset, length) = (offset.parse().ok()?, length.parse().ok()?);
            return Some(Place { shard: shard.to_owned(), offset, length });
        }
        let object: Value = serde_json::from_str(text.splitn(3, ' ').nth(2)?).ok()?;
        let number = |name: &str| object.get(name)?.as_u64();
        Some(Place { shard: whole?.to_owned(), offset: number("offset")?, length: number("length")? })
    }

    fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.length)
    }
}

impl Blocks {
    /// Opens the index of a directory with one list of blocks.
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

    /// Opens the index of a list of blocks; next to it may be a list of shards.
    pub(super) fn open(path: &Path) -> Result<Blocks> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let names = path.with_extension("loc");
        let mut named = BTreeMap::new();
        if files::find(&names).map_err(|error| Error::path("look at", &names, error))?.is_some() {
            Lines::open(&names)?.all(&mut |_, line| {
                let text = String::from_utf8_lossy(line);
                let mut words = text.split('\t');
                if let (Some(name), Some(place)) = (words.next(), words.next()) {
                    named.insert(name.to_owned(), folder.join(place));
                }
                Ok(true)
            })?;
        }
        let list = Lines::open(path)?.of_lines(what_of_list);
        Ok(Blocks { list, named, is_checked: false, whole: None, folder, longest: LONGEST })
    }

    /// Limits lines to `longest` bytes.
    pub(super) fn limit(&mut self, longest: usize) {
        self.longest = longest.min(LONGEST);
        self.list.limit(longest);
    }

    fn path_of(&self, shard: &str) -> PathBuf {
        self.named.get(shard).cloned().unwrap_or_else(|| self.folder.join(shard))
    }

    /// Checks once that the list names each block once, in order.
    fn check_list(&mut self) -> Result<()> {
        if self.is_checked {
            return Ok(());
        }
        let path = self.list.path().display().to_string();
        let (mut order, mut ends, mut whole) = (Order::default(), BTreeMap::<String, u64>::new(), None);
        self.list.all(&mut |at, line| {
            if what_of_list(line) == Is::Passed {
                whole = whole.take().or_else(|| shard_of(line));
                return Ok(true);
            }
            if !order.takes(line) {
                return Err(disorder(&format!("the line at byte {at}"), &path));
            }
            let place = Place::of(line, whole.as_deref());
            let Some((end, place)) = place.and_then(|place| Some((place.end()?, place))) else {
                return Err(Error::new(
                    ErrorKind::Data,
                    format!(
                        "the line at byte {at} of {path} does not say where a block is: key and time, shard, offset, \
                         length"
                    ),
                ));
            };
            let before = ends.insert(place.shard.clone(), end).unwrap_or(0);
            if before != place.offset {
                let (shard, offset) = (&place.shard, place.offset);
                return Err(incomplete(&path, &format!(
                    "the line at byte {at} has a block at byte {offset} of {shard}, and the block before it ends at byte \
                     {before}"
                )));
            }
            Ok(true)
        })?;
        // A shard that no line names has no blocks, and must be empty.
        for name in self.named.keys() {
            ends.entry(name.clone()).or_insert(0);
        }
        for (shard, &end) in &ends {
            let file = self.path_of(shard);
            let found = files::find(&file).map_err(|error| Error::path("look at", &file, error))?;
            // A shard that is missing is an error only when a block of it is read.
            if let Some(found) = found.filter(|found| found.is_file() && found.len() != end) {
                let size = found.len();
                return Err(incomplete(
                    &path,
                    &format!(
                        "its blocks of {shard} end at byte {end}, and {} has {size} bytes",
                        file.display()
                    ),
                ));
            }
        }
        (self.is_checked, self.whole) = (true, whole);
        Ok(())
    }

    /// Calls `take` with the lines that begin with `prefix`. The first line of the block after them is read, too: if it
    /// has the key in the list, nothing is left out.
    pub(super) fn each(&mut self, prefix: &[u8], take: &mut Take<'_>) -> Result<()> {
        self.check_list()?;
        let mut at = self.list.before(prefix)?;
        let mut order = Order::default();
        while let Some((line, next)) = self.list.line(at)? {
            at = next;
            let Some(place) = Place::of(&line, self.whole.as_deref()) else { continue };
            if !order.takes(&line) {
                return Err(self.unfit(&format!("lines before the block of {}", printed(&line))));
            }
            let is_behind = &line[..] > prefix && !line.starts_with(prefix);
            if !self.block((&line, &place), (prefix, is_behind), &mut order, take)? || is_behind {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The lines of one block, or only the first; returns whether more are needed. `order` has the key of its line in
    /// the list.
    fn block(
        &self,
        (listed, place): (&[u8], &Place),
        (prefix, only_first): (&[u8], bool),
        order: &mut Order,
        take: &mut Take<'_>,
    ) -> Result<bool> {
        let path = self.path_of(&place.shard);
        let name = format!("the block at byte {} of {}", place.offset, path.display());
        let mut file = open_file(&path)?;
        file.seek(SeekFrom::Start(place.offset)).map_err(|error| Error::path("read", &path, error))?;
        let (mut is_begun, mut wants_more) = (false, true);
        self.unpacked(file.take(place.length), &name, &path, &mut |at, line| {
            if !is_begun && what(line) != Is::Passed && key_of(line) != key_of(listed) {
                return Err(self.unfit(&format!("the first line of {name}")));
            }
            if !check(order, line, at, &name)? {
                return Ok(true);
            }
            is_begun = true;
            if wants_more && line.starts_with(prefix) {
                wants_more = hand(line, at, &name, take)?;
            }
            // The checksum at its end proves that it is complete.
            Ok(!only_first)
        })?;
        if !is_begun {
            return Err(self.unfit(&format!("{name}, which has no line,")));
        }
        Ok(wants_more)
    }

    fn unfit(&self, what: &str) -> Error {
        let list = self.list.path().display();
        let sentence =
            format!("{what} and the list of blocks {list} do not fit together; make the index again");
        Error::new(ErrorKind::Data, sentence)
    }

    /// Calls `see` with the lines that are compressed in `stored`.
    fn unpacked(
        &self,
        stored: impl Read + 'static,
        name: &str,
        path: &Path,
        see: &mut See<'_>,
    ) -> Result<()> {
        let failed = |error| Error::path("decompress a block of", path, error);
        let lines = BufReader::with_capacity(1 << 16, Packing::Gzip.unpack(stored).map_err(failed)?);
        each_line(lines, (self.longest, name), failed, see)?;
        Ok(())
    }

    /// Like `each`, but reads all lines of all shards, whatever blocks the list has.
    pub(super) fn scan(&mut self, prefix: &[u8], take: &mut Take<'_>) -> Result<()> {
        let (mut shards, mut whole) = (BTreeSet::new(), None);
        self.list.all(&mut |_, line| {
            whole = whole.take().or_else(|| shard_of(line));
            shards.extend(Place::of(line, whole.as_deref()).map(|place| place.shard));
            Ok(true)
        })?;
        shards.extend(self.named.keys().cloned());
        for shard in shards {
            let path = self.path_of(&shard);
            let name = path.display().to_string();
            let mut wants_more = true;
            self.unpacked(open_file(&path)?, &name, &path, &mut |at, line| {
                wants_more = scanned(line, (at, &name), prefix, take)?;
                Ok(wants_more)
            })?;
            if !wants_more {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The kind of a line of the list for a search. A key may begin like a comment.
fn what_of_list(line: &[u8]) -> Is {
    match is_passed(line) && Place::of(line, Some("")).is_none() {
        true => Is::Passed,
        false => Is::Line,
    }
}

/// The shard that a line about the list names.
fn shard_of(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line.strip_prefix(b"!meta ")?).ok()?;
    let object: Value = serde_json::from_str(text.split_once(' ')?.1).ok()?;
    Some(object.get("filename")?.as_str()?.to_owned())
}

fn printed(line: &[u8]) -> String {
    String::from_utf8_lossy(key_of(line)).into_owned()
}

fn incomplete(path: &str, what: &str) -> Error {
    let sentence = format!("the list of blocks {path} is not whole: {what}; make the index again");
    Error::new(ErrorKind::Data, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_lists_say_where_blocks_are() {
        let place = |shard: &str, offset, length| Some(Place { shard: shard.into(), offset, length });
        // (line, the shard that the list names once, the place)
        for (line, whole, expected) in [
            ("com,a)/ 20240101000000\tcdx-0\t5\t7\t1", None, place("cdx-0", 5, 7)),
            ("com,a)/ 20240101000000\tcdx-0\t5\t7", None, place("cdx-0", 5, 7)),
            ("com,a)/ 2024 {\"offset\": 5, \"length\": 7}", Some("a.cdx.gz"), place("a.cdx.gz", 5, 7)),
            ("com,a)/ 2024 {\"offset\": 5, \"length\": 7}", None, None),
            ("com,a)/ 20240101000000\tcdx-0\t5", None, None),
            ("com,a)/ 20240101000000\tcdx-0\t-5\t7", None, None),
        ] {
            assert_eq!(Place::of(line.as_bytes(), whole), expected, "{line}");
        }
        let meta = b"!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}";
        assert_eq!(shard_of(meta), Some("index.cdx.gz".to_owned()));
    }
}
