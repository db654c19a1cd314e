//! Opens the sources of a chunker, one after the other, and the files within a source that holds several.

use urimill_base::error::{Error, Result};
use urimill_base::left_out::GZIP;
use urimill_base::option_name::OptionName;
use urimill_uri::simd::PADDING;

use super::open::Open;
use super::{Chunker, Lines};
use crate::damage::OnDamage;
use crate::decode;
use crate::decode::wacz;
use crate::decode::wacz::Part;
use crate::decode::whole::SizeBefore;
use crate::decode::{Reader, Wanted};
use crate::format::Format;
use crate::format::framing::Framing;
use crate::source::Source;

impl Chunker {
    /// The current source has ended.
    pub(super) fn close(&mut self) {
        if let Some(open) = self.current.take() {
            self.next_record = open.next_record;
        }
    }

    /// Opens the next source, or the next part of the current one; false after the last.
    pub(super) fn open_next(&mut self) -> Result<bool> {
        if let Some(part) = self.parts.pop_front() {
            return self.open_part(&part);
        }
        let source = self.next_source;
        let Some(named) = self.sources.get(source) else { return Ok(false) };
        self.next_source += 1;
        self.next_record = 1;
        let wanted = self.auto.as_ref().unwrap_or(&self.format).in_wacz();
        let mut before = None;
        if let (Some(wanted), Source::File(path)) = (wanted, named) {
            before = Some(SizeBefore::of(path));
            let is_named = self.format.name() == "wacz";
            if (GZIP.is_built_in || is_named)
                && let Some(parts) = wacz::parts(path, wanted, is_named)?
            {
                self.parts = parts.into();
                return self.open_next();
            }
        }
        if self.format.name() == "wacz" && wanted == Some(Wanted::Archives) && self.auto.is_none() {
            return Err(no_wacz(named));
        }
        let reader = decode::open(named, &self.progress)?;
        before.map_or(Ok(()), |before| before.check())?;
        let (name, file_name) = (named.name().into_owned(), named.file_name());
        let open = Open { file_name, ..Open::new(reader, (source, name), self.buffer()) };
        self.set_up(open)
    }

    fn open_part(&mut self, part: &Part) -> Result<bool> {
        let source = self.next_source - 1;
        let name = format!("{}/{}", self.sources[source].name(), part.name());
        let reader = Reader::new(name.clone(), part.open()?, &self.progress)?;
        let mut open = Open::new(reader, (source, name), self.buffer());
        (open.file_name, open.is_part) = (Some(part.file_name().as_bytes().into()), true);
        open.next_record = self.next_record;
        self.set_up(open)
    }

    fn buffer(&self) -> urimill_base::pool::PooledBuffer {
        self.pool.take(self.capacity + PADDING)
    }

    fn set_up(&mut self, mut open: Open) -> Result<bool> {
        // Verification counts the bytes that are read.
        if self.options.skips_bodies && self.options.checksums.is_none() {
            open.reader = open.reader.skipping_members();
        }
        open.reader = open.reader.with_threads(self.options.threads);
        if self.options.on_damage != OnDamage::Fail {
            open.reader = open.reader.salvaging();
        }
        let is_archive = |format: &Format| {
            matches!(format.framing(), Some((Framing::Warc(_) | Framing::Arc(_), ..))) || format.is_detected()
        };
        if is_archive(&self.format) || self.auto.is_some() {
            open.reader.remember_members();
        }
        open.reader = open.reader.transcoding(self.options.encoding);
        open.lines = self.options.checksums.as_ref().map(|_| Lines::default());
        open.handling = self.handling();
        open.is_live = self.options.is_live;
        // After damage a character may begin at any byte.
        if self.options.encoding.is_some_and(|encoding| !encoding.is_single_byte()) {
            open.handling.on_damage = open.handling.on_damage.min(OnDamage::Keep);
        }
        open.skip_bom()?;
        if open.buffer.as_ref()[..open.filled].starts_with(b"\0") {
            open.skip_hole(self.capacity)?;
        }
        if self.options.skip_lines > 0 {
            self.check_skipped(&mut open)?;
            open.skip_lines(self.options.skip_lines, self.capacity)?;
        }
        self.current = Some(open);
        Ok(true)
    }
}

/// A WACZ file is requested, and this is not one.
fn no_wacz(source: &Source) -> Error {
    let name = source.name();
    Error::usage(match source {
        Source::File(_) => {
            let from = OptionName::Format.named();
            format!("{name} is not a WACZ file, a zip archive with web archives in archive/: check {from}")
        }
        _ => format!(
            "cannot read WACZ from {name}: its directory stands at its end, and {} cannot go back; give a file",
            source.flow()
        ),
    })
}
