//! Checks the beginnings of a chunker's sources before any record is read, so that a table has the columns of all
//! sources, and an input that is not of the format is refused.

use std::mem;
use std::sync::Arc;

use memchr::memchr_iter;
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::ExtraColumns;

use super::open::Open;
use super::{BEGINNING, BOM, Chunker};
use crate::damage::OnDamage;
use crate::decode;
use crate::decode::encoding::Encoding;
use crate::format::magic::GAP;
use crate::format::no_lines::no_lines;
use crate::format::{Beginning, First, Format};
use crate::source::Source;

/// The first bytes of a zip file.
const ZIP: &[u8] = b"PK\x03\x04";

impl Chunker {
    /// Reads the beginning of the first source that is not empty, for the facts that a format needs before any record:
    /// afterwards [`Chunker::format`] is the format of the chunks.
    ///
    /// # Errors
    /// The errors of [`Chunker::next_chunk`]; usage, if the beginning lacks what the format needs.
    pub(crate) fn look_at_first(&mut self) -> Result<()> {
        let mut format = self.format.clone();
        format.settle(self)?;
        let asked = mem::replace(&mut self.format, format);
        let Some(open) = self.current.as_mut().filter(|open| open.is_checked) else { return Ok(()) };
        self.auto = Some(asked).filter(|asked| asked.is_detected());
        let source = &self.sources[open.source];
        self.format.of_source(source, open.is_part);
        check_encoding(self.options.encoding, &self.format, &source.name())?;
        if self.format.framing().is_none() {
            open.reader.forget_members();
        }
        self.unite()
    }

    /// If the format of each source is detected: reads the beginnings of the other files, for the columns that they
    /// have beside those of the first.
    fn unite(&mut self) -> Result<()> {
        let Some(auto) = self.auto.clone().filter(|_| self.format.table().is_none()) else { return Ok(()) };
        let mut union = self.format.extra_columns();
        for source in &self.sources[self.next_source..] {
            let Some(first) = beginning(source, self.options.encoding, self.options.skip_lines) else {
                continue;
            };
            // A WACZ file is opened as the files within it, when its turn comes.
            if first.starts_with(ZIP) {
                continue;
            }
            let all_fields = auto.with_all_fields();
            let mut own = all_fields.clone().unwrap_or_else(|| auto.clone());
            own.settle(&mut known(&first, source, self.options.force_format))?;
            // Sources that do not go together are refused when their turn comes.
            let extra =
                if all_fields.is_some() { own.extra_columns().among(&union) } else { own.extra_columns() };
            union =
                Some(&union).filter(|_| own.table().is_none()).and_then(|u| u.union(&extra)).unwrap_or(union);
        }
        if union != self.format.extra_columns() {
            let remap = union.places(&self.format.extra_columns(), &self.format.extra_columns());
            self.current.iter_mut().for_each(|open| open.remap.clone_from(&remap));
            self.union = Some(union);
        }
        Ok(())
    }

    /// The columns of the fields that pass through, of all sources.
    pub(crate) fn extra_columns(&self) -> ExtraColumns {
        self.union.clone().unwrap_or_else(|| self.format.extra_columns())
    }

    /// Checks that a source whose first lines are to be skipped is text. Lines of text may be anything; other data
    /// shows in its first bytes.
    pub(super) fn check_skipped(&self, open: &mut Open) -> Result<()> {
        let format = self.auto.as_ref().unwrap_or(&self.format);
        if !format.is_detected() {
            return Ok(());
        }
        open.fill_beginning_in_time(self.capacity)?;
        let (first, source) = (&open.buffer.as_ref()[..open.filled], &self.sources[open.source]);
        let mut own = format.clone();
        match own.settle(&mut known(first, source, false)) {
            Ok(()) => check_text(OptionName::SkipLines, &own, &source.name()),
            Err(_) => Ok(()),
        }
    }

    /// Checks the beginning of a source after the first, once: detects its format, if that is wanted, and makes sure
    /// that it is not clearly something else.
    pub(super) fn check_format(&mut self) -> Result<()> {
        let all = self.extra_columns();
        let Some(open) = self.current.as_mut().filter(|open| !open.is_checked) else { return Ok(()) };
        open.is_checked = true;
        // Each file has a URI of its own.
        if self.auto.is_none() && self.format.is_document() {
            let mut own = self.format.clone();
            own.of_source(&self.sources[open.source], open.is_part);
            open.format = Some(Arc::new(own));
            return Ok(());
        }
        if self.auto.is_none()
            && !(self.options.checks_format && !self.options.force_format && self.format.has_lines())
        {
            return Ok(());
        }
        // A pipe is not waited for beyond its first chunk, if the format is known.
        if self.auto.is_some() {
            open.fill_beginning(self.capacity)?
        } else {
            open.fill_in_time(self.capacity).map(drop)?
        };
        let (first, name) = (&open.buffer.as_ref()[..open.filled], self.sources[open.source].name());
        let Some(auto) = &self.auto else {
            return no_lines(first).map_or(Ok(()), |found| Err(found.refuse(&name)));
        };
        if first.is_empty() {
            return Ok(());
        }
        // The first source decides which of its fields are wanted, if they are wanted by name.
        let (all_fields, source) = (auto.with_all_fields(), &self.sources[open.source]);
        let names = all_fields.is_some();
        let mut own = all_fields.unwrap_or_else(|| auto.clone());
        own.settle(&mut known(first, source, self.options.force_format))?;
        own.of_source(source, open.is_part);
        check_encoding(self.options.encoding, &own, &name)?;
        if own.framing().is_none() {
            open.reader.forget_members();
        }
        let extra = own.extra_columns();
        if own.is_document() {
            open.format = Some(Arc::new(own));
            return Ok(());
        }
        if own.name() == self.format.name()
            && own.wrappers() == self.format.wrappers()
            && own.guess() == self.format.guess()
            && extra == all
        {
            return Ok(());
        }
        open.remap = if extra == all {
            None
        } else {
            all.places(&if names { extra.among(&all) } else { extra.clone() }, &extra)
        };
        let is_among = extra == all || open.remap.is_some();
        if own.table().is_some() || !is_among {
            let first = self.sources.first().map_or_else(|| "the first input".into(), Source::name);
            return Err(Error::usage(format!(
                "{name} looks like {}, and {first} like {}, which have other columns: read them in calls of their own, or \
                 choose {}",
                own.name(),
                self.format.name(),
                OptionName::Keep.with("none")
            )));
        }
        open.format = Some(Arc::new(own));
        Ok(())
    }
}

impl Open {
    /// Skips the first lines.
    pub(super) fn skip_lines(&mut self, mut lines: u64, capacity: usize) -> Result<()> {
        while lines > 0 && !(self.ended && self.filled == 0) {
            if self.filled == 0 {
                self.read(capacity)?;
            }
            let passed = passed_lines(&self.buffer.as_ref()[..self.filled], &mut lines);
            self.leave_out(passed);
        }
        Ok(())
    }
}

/// The number of bytes of `bytes` that are in the first lines; subtracts their lines from the number of lines left.
fn passed_lines(bytes: &[u8], lines: &mut u64) -> usize {
    if *lines == 0 {
        return 0;
    }
    for newline in memchr_iter(b'\n', bytes) {
        *lines -= 1;
        if *lines == 0 {
            return newline + 1;
        }
    }
    bytes.len()
}

/// The reason to refuse a file by its beginning, if its format is detected; `None` if only later bytes can show one.
pub fn refusal(source: &Source, format: &Format) -> Option<Error> {
    let first = beginning(source, None, 0).filter(|first| !first.starts_with(ZIP))?;
    let mut own = format.clone();
    own.settle(&mut known(&first, source, false)).err()
}

fn known<'a>(bytes: &'a [u8], source: &'a Source, is_forced: bool) -> First<'a> {
    First { bytes, source: source.name(), is_whole: false, is_forced }
}

/// The beginning of the first source that is not empty.
impl Beginning for Chunker {
    fn first(&mut self) -> Result<First<'_>> {
        let mut is_there = self.current.as_ref().is_some_and(|open| open.is_checked);
        while !is_there && (self.current.is_some() || self.open_next()?) {
            let Some(open) = &mut self.current else { break };
            match self.format.is_detected() {
                true => open.fill_beginning(self.capacity)?,
                false => open.fill_beginning_in_time(self.capacity)?,
            }
            is_there = open.filled > 0;
            if is_there {
                open.is_checked = true;
                if self.options.checks_format && !self.options.force_format && self.format.has_lines() {
                    let name = self.sources[open.source].name();
                    no_lines(&open.buffer.as_ref()[..open.filled])
                        .map_or(Ok(()), |found| Err(found.refuse(&name)))?;
                }
                break;
            }
            // If it begins with damage, the contents are unknown.
            open.handling.on_damage = open.handling.on_damage.min(OnDamage::Keep);
            open.resume()?;
            self.close();
        }
        let (bytes, source) = match &self.current {
            Some(open) => (&open.buffer.as_ref()[..open.filled], self.sources[open.source].name()),
            None => (&b""[..], "the input".into()),
        };
        Ok(First { bytes, source, is_whole: false, is_forced: self.options.force_format })
    }
}

/// Checks that a source is text, if an encoding is given.
fn check_encoding(encoding: Option<Encoding>, format: &Format, name: &str) -> Result<()> {
    match encoding {
        Some(_) => check_text(OptionName::Encoding, format, name),
        None => Ok(()),
    }
}

/// Checks that a source is text, because `option` is only for text.
fn check_text(option: OptionName, format: &Format, name: &str) -> Result<()> {
    match format.is_text() {
        true => Ok(()),
        false => Err(Error::usage(format!(
            "{} applies to text formats, and {name} looks like {}: drop it",
            option.named(),
            format.name()
        ))),
    }
}

/// The beginning of a source that can be read twice: of a file that is not a pipe and not damaged.
fn beginning(source: &Source, encoding: Option<Encoding>, mut skip_lines: u64) -> Option<Vec<u8>> {
    let Source::File(path) = source else { return None };
    urimill_base::files::metadata(path).ok().filter(|metadata| metadata.is_file())?;
    // The bytes read here are read again, and counted then.
    let mut reader = decode::open(source, &Arc::default()).ok()?.transcoding(encoding);
    let mut first = vec![0; BEGINNING];
    let (mut filled, mut is_passed) = (0, false);
    while filled < first.len() {
        match reader.read(&mut first[filled..]).ok()? {
            0 => break,
            read => filled += read,
        }
        // See `Open::skip_hole`.
        let nuls = first[..filled].iter().take_while(|&&b| b == 0).count();
        if nuls == filled && filled == first.len() {
            (filled, is_passed) = (0, true);
        } else if nuls < filled && (is_passed || nuls >= GAP) {
            first.copy_within(nuls..filled, 0);
            filled -= nuls;
        }
        let passed = passed_lines(&first[..filled], &mut skip_lines);
        first.copy_within(passed..filled, 0);
        filled -= passed;
    }
    first.truncate(filled);
    let begin = if first.starts_with(BOM) { BOM.len() } else { 0 };
    Some(first.split_off(begin)).filter(|first| !first.is_empty())
}
