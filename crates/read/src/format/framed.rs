//! Formats whose records are found before they are in a chunk ([`super::framing`]) and that know their fields: ARC
//! files, sitemaps, feeds, HAR files, dumps of Nutch; and arrays of JSON objects, whose members a user names. Each
//! reads one record at a time.

use urimill_base::error::Result;
use urimill_base::temporary::TemporaryPlace;
use urimill_columns::batch::{Cell, ExtraColumns, Records, Text};

use super::base::{BATCH_BYTES, Within};
use super::fields::Layout;
use super::format_row::FormatRow;
use super::framed_record::{Cells, Is, PLACES, Place};
use super::framing::{ChunkText, Framing, Keeps, RecordState};
use super::jsonl::{Jsonl, Scratch};
use super::keep::SelectedFields;
use super::{Asked, Blocks, Format, RecordFormat, beginning, jsonl, span};

/// The format.
#[derive(Debug, Clone)]
pub struct Framed {
    family: &'static Family,
    chosen: SelectedFields,
    /// The members to read, if the document is an array of objects.
    items: Option<Box<Jsonl>>,
    longest: usize,
    /// The folder for blocks of archives that are too long for a chunk, if chunks hold the blocks.
    pub(crate) blocks: Option<TemporaryPlace>,
    /// The parts that chunks hold instead, if an index is made.
    pub(crate) indexes: Option<Keeps>,
    /// The base against which `xml:base` in a document is resolved.
    pub(crate) within: Within,
}

/// The differences between these formats.
pub struct Family {
    /// The name of the format.
    pub name: &'static str,
    /// How the records are found.
    pub framing: Framing,
    /// Pushes a record and fills its cells, or returns that it is malformed.
    pub read: fn(&Place<'_>, &mut Cells, &mut Records) -> Is,
}

impl std::fmt::Debug for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The row of arrays of objects.
pub const ARRAY: FormatRow = FormatRow {
    name: "json",
    meaning: "An array of JSON objects",
    others: "",
    reader: |format, asked| {
        let members = Some(Box::new(Jsonl::asked(format, asked)?));
        Ok(Framed::with(&ITEMS, SelectedFields::default(), members, asked).into())
    },
    ..jsonl::ROW
};

/// Arrays of objects.
static ITEMS: Family = Family {
    name: "json",
    framing: Framing::Json(&[], false),
    read: |place, _, records| place.malformed(place.range.start, records),
};

impl Framed {
    /// A format of this family.
    ///
    /// # Errors
    /// Usage, if no field has one of the names.
    pub fn of(family: &'static Family, format: &FormatRow, asked: &Asked) -> Result<Format> {
        Ok(Framed::with(family, format.selected(asked)?, None, asked).into())
    }

    fn with(
        family: &'static Family,
        chosen: SelectedFields,
        items: Option<Box<Jsonl>>,
        asked: &Asked,
    ) -> Framed {
        let (longest, within) = (asked.longest, asked.within.clone());
        Framed { family, chosen, items, longest, blocks: None, indexes: None, within }
    }
}

impl RecordFormat for Framed {
    fn name(&self) -> &'static str {
        self.family.name
    }

    fn extra_columns(&self) -> ExtraColumns {
        match &self.items {
            Some(items) => items.extra_columns(),
            None => self.chosen.extra.clone(),
        }
    }

    fn framing(&self) -> Option<(Framing, usize, TemporaryPlace)> {
        let framing = match (self.family.framing, self.indexes) {
            (Framing::Arc(_), Some(keeps)) => Framing::Arc(keeps),
            (Framing::Arc(_), None) if self.blocks.is_some() => Framing::Arc(Keeps::Text),
            (framing, _) => framing,
        };
        Some((framing, self.longest, self.blocks.clone().unwrap_or_default()))
    }

    fn is_text(&self) -> bool {
        !matches!(self.family.framing, Framing::Arc(_))
    }

    fn is_judged(&self) -> bool {
        self.items.is_some() || matches!(self.family.framing, Framing::Paragraphs)
    }

    fn unseen(&self, seen: u64) -> Option<&str> {
        self.items.as_ref()?.unseen(seen)
    }

    fn field_of_beginning(&self, _: &Layout, text: &[u8]) -> Option<(Vec<u8>, bool)> {
        beginning::field(beginning::object(text), |bytes, records| {
            if let Some(items) = &self.items {
                items.record(bytes, span(0, bytes.len()), &mut Scratch::default(), records);
            }
        })
    }

    fn blocks(&self) -> Option<Blocks> {
        self.blocks.as_ref().map(|_| Blocks::Arc)
    }

    fn hold_blocks(&mut self, place: &TemporaryPlace) {
        self.blocks = self.items.is_none().then(|| place.clone());
    }

    fn hold_index(&mut self, posts: bool) {
        self.indexes = Some(Keeps::Index { posts });
    }

    fn find(&self, chunk: &ChunkText<'_>, (from, most): (usize, usize), records: &mut Records) -> usize {
        let first = chunk.framed_records.partition_point(|head| (head.start as usize) < from);
        let name = chunk.file_name;
        let name = name.map(|name| records.unescape(|out| out.extend_from_slice(name)));
        let bytes = chunk.text();
        let mut scratch = Scratch::default();
        for head in &chunk.framed_records[first..] {
            if records.len() == most || records.bytes() > BATCH_BYTES && !records.is_empty() {
                return head.start as usize;
            }
            let start = head.start as usize;
            let range = start..start + head.len as usize;
            let place = Place { bytes, range, head, name, chosen: &self.chosen, within: &self.within };
            let whole = place.whole();
            let mut cells = [Cell::NULL; PLACES];
            let is = match (head.whole, &self.items) {
                (RecordState::Junk, _) => {
                    place.malformed(start, records);
                    records.mark_mismatch(whole);
                    Is::Row
                }
                // Longer than a record may be, whatever it is: the kernels say so.
                (RecordState::Beginning, _) => {
                    records.push(head.start, Text::Read(whole), None);
                    Is::Row
                }
                (RecordState::Unmeasured(at), _) => place.malformed(start + at as usize, records),
                (RecordState::Yes, Some(items)) => {
                    items.record(bytes, whole, &mut scratch, records);
                    records.place(head.offset);
                    continue;
                }
                (RecordState::Yes, None) => (self.family.read)(&place, &mut cells, records),
            };
            if is == Is::NoRow {
                records.push_blank();
                continue;
            }
            records.place(head.offset);
            if !self.chosen.places.is_empty() && matches!(head.whole, RecordState::Yes) {
                records.keep(self.chosen.places.iter().map(|&(place, _)| cells[usize::from(place)]));
            }
        }
        chunk.len
    }
}
