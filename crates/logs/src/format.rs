//! The answers of a log that a definition describes to the chunker and the workers.

use urimill_base::error::Result;
use urimill_base::temporary::TemporaryPlace;
use urimill_columns::batch::{ExtraColumns, Records};
use urimill_read::format::fields::Layout;
use urimill_read::format::first_lines::lines;
use urimill_read::format::framing::{ChunkText, Framing};
use urimill_read::format::{Beginning, Behind, Cut, DefinitionFile, First, Format, RecordFormat, Stop};

use super::definition::{Form, HeaderKind};
use super::named;
use super::pattern::Pattern;
use super::wrappers::column::Column;
use super::wrappers::parts;
use super::{Engine, Log, access, detect, guess};

impl RecordFormat for Log {
    fn name(&self) -> &'static str {
        self.definition.name
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.extra.clone()
    }

    fn framing(&self) -> Option<(Framing, usize, TemporaryPlace)> {
        self.array().map(|array| (Framing::Json(array.path, true), self.longest, TemporaryPlace::default()))
    }

    fn is_judged(&self) -> bool {
        true
    }

    fn find(&self, chunk: &ChunkText<'_>, place: (usize, usize), records: &mut Records) -> usize {
        if self.array().is_some() {
            return self.elements(chunk, place, records);
        }
        // Lines before the header of a table.
        (0..chunk.lines_before_header(place.0)).for_each(|_| records.push_blank());
        chunk.log_until(self.read(chunk.layout, chunk.text(), place, records), records)
    }

    fn begin(&mut self, beginning: &mut dyn Beginning) -> Result<Option<Format>> {
        let First { bytes, source, .. } = beginning.first()?;
        self.look_at(bytes, &source)?;
        Ok(None)
    }

    fn open(&self, first: &[u8], _: &str) -> Result<(Layout, usize)> {
        let Engine::Named(head, _) = self.engine else { return Ok((Layout::default(), 0)) };
        let bare = || match &self.wrappers[..] {
            [] => head.bare(lines(first)).map(|names| (names, 0)),
            wrappers => {
                let lines = detect::within(first, wrappers);
                head.bare(lines.iter().map(Vec::as_slice)).map(|names| (names, 0))
            }
        };
        let (names, header) = head.first(first).or_else(bare).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', &first[..header]).count() as u32;
        Ok((Layout { names: names.into(), comments: lines.saturating_sub(1), ..Layout::default() }, header))
    }

    // A header may be in the bytes, or a line go on after them.
    fn reopen(&self, bytes: &[u8], layout: &Layout) -> Option<Layout> {
        if !self.wrappers.is_empty() {
            let mut unfinished = layout.unfinished;
            parts::follow(&mut unfinished, bytes);
            return (unfinished != layout.unfinished).then(|| Layout { unfinished, ..layout.clone() });
        }
        let Engine::Named(head, _) = self.engine else { return None };
        head.last(bytes).map(|names| Layout { names: names.into(), ..Layout::default() })
    }

    fn wrappers(&self) -> Vec<String> {
        self.wrappers.iter().map(|wrapper| wrapper.name().to_owned()).collect()
    }

    fn guess(&self) -> Option<String> {
        let Form::Objects { fields, .. } = &self.definition.form else { return None };
        let pairs = fields.iter().map(|(path, field)| (guess::of_field(field), *path));
        (self.definition.name == guess::NAME).then(|| guess::sentence(pairs))
    }

    fn definition(&self) -> Result<Option<DefinitionFile>> {
        self.file()
    }

    // One of its lines may be a comment, or the header of a table.
    fn has_comments(&self) -> bool {
        matches!(self.engine, Engine::Named(HeaderKind::Extended(_) | HeaderKind::Zeek(_), _))
            || !self.definition.skip.is_empty()
            || self.column().is_some_and(Column::has_header)
    }

    fn has_quotes(&self) -> bool {
        self.column().is_some()
    }

    fn cut(&self, bytes: &[u8], searched: usize, behind: Behind) -> Option<Cut> {
        match self.column() {
            Some(column) => column.rule().cut(bytes, behind),
            None => urimill_read::format::lines::cut(bytes, searched, behind),
        }
    }

    fn stop(&self, first: &[u8]) -> Option<Stop> {
        let mut lines = detect::within(first, &self.wrappers);
        lines.retain(|line| !self.definition.skips(line));
        match &self.engine {
            Engine::Lines(forms) => lines.iter().find_map(|line| {
                let (at, slot) = Pattern::stop(forms, line)?;
                Some(Stop::new(line, at, slot.map(|slot| self.shape.name_of(slot).to_owned())))
            }),
            Engine::Clf => lines.iter().find_map(|line| access::stop(line)),
            Engine::Objects(_) | Engine::Pairs(_) | Engine::Named(..) => None,
        }
    }

    fn field_at(&self, first: &[u8], line: &str, at: usize) -> Option<String> {
        let line = line.as_bytes();
        let Engine::Named(head, _) = self.engine else { return None };
        let bare = || head.bare(lines(first));
        let names = head.first(first).map(|(names, _)| names).or_else(bare)?;
        let mut parts = Vec::new();
        named::split(line, (0, line.len()), head.between(line), &mut parts);
        names.get(parts.iter().filter(|part| (part.inner.start as usize) < at).count()).cloned()
    }
}
