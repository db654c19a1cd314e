//! The work of `check` on each chunk and batch: finds the records, and writes the findings in order.

use std::borrow::Cow;
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use urimill_base::error::Result;
use urimill_base::locks::lock;
use urimill_columns::batch::Original;
use urimill_pipeline::{Ahead, Look, Looked};
use urimill_read::{Chunk, Format};
use urimill_uri::Standard;
use urimill_uri::explain::bulk;
use urimill_uri::explain::bulk::{Counts, Record, Scratch};
use urimill_uri::explain::{Aspect, Contrast, Difference, Fault};
use urimill_uri::extract::refang;
use urimill_uri::passwords::{Masked, masked, masked_authority, masked_segments, masked_userinfo};
use urimill_uri::{Code, Component, Reject, Start, UriRef};

use super::{Check, Finding, FindingKind, Search};

/// The shared state of the workers.
pub(super) struct Finder<'a, R, W> {
    pub(super) run: &'a Check,
    pub(super) search: &'a Search<'a>,
    pub(super) names: &'a [String],
    pub(super) render: &'a R,
    /// Free working memory.
    pub(super) scratches: Mutex<Vec<Scratch>>,
    /// The number of records found, and the writer of the pages.
    pub(super) written: Mutex<(u64, W)>,
}

/// The length of the white space before a line that is a reference without it.
fn indent(line: &[u8], spec: Standard) -> Option<usize> {
    let text = line.trim_ascii_start();
    let Standard::Rfc(spec) = spec else { return None };
    let is_indented = !text.is_empty() && text.len() < line.len();
    (is_indented && UriRef::parse_as(text, spec).is_ok()).then(|| line.len() - text.len())
}

/// The reason why a line does not have the form `start`; the offset in `reject` includes the white space before the
/// line.
fn lack(line: &[u8], reject: Reject, start: Start, standard: Standard) -> Option<Reject> {
    let (Some(indent), Standard::Rfc(spec)) = (indent(line, standard), standard) else { return Some(reject) };
    let lack = bulk::required(&line[indent..], start, spec).err()?;
    Some(Reject { offset: lack.offset + indent, ..lack })
}

/// The text of findings, and the number of their records.
type Page = (Vec<u8>, u64);

impl<R, W> Look for Finder<'_, R, W>
where
    R: Fn(&Finding<'_>, &mut Vec<u8>) + Sync,
    W: FnMut(&[u8]) -> Result<()> + Send,
{
    type Seen = Page;

    fn chunk(&self, chunk: &Chunk, format: &Format, _: &mut Ahead<'_, Page>) -> Option<(Page, u64)> {
        if !format.is_plain_list() || self.run.refang {
            return None;
        }
        let spare = || lock(&self.scratches);
        let mut scratch = spare().pop().unwrap_or_default();
        let (page, Counts { records, found }) = self.lines(chunk, &mut scratch);
        spare().push(scratch);
        Some(((page, found), records))
    }

    fn batch(&self, looked: &Looked<'_>) -> Result<Page> {
        let (mut page, mut found) = (Vec::new(), 0);
        let numbers = looked.batch.column(0).as_primitive::<Int64Type>().values();
        let is_list = looked.chunk.is_some_and(|(_, format)| format.is_plain_list());
        for (original, &record) in looked.normalizer.originals().zip(numbers) {
            found += u64::from(self.record(&mut page, (looked.source, record), &original, is_list));
        }
        Ok((page, found))
    }

    fn then(&self, (page, found): Page) -> Result<()> {
        let mut written = lock(&self.written);
        written.0 += found;
        (written.1)(&page)
    }
}

impl<R, W> Finder<'_, R, W>
where
    R: Fn(&Finding<'_>, &mut Vec<u8>),
{
    /// The text of the findings in a chunk of lines, and its counts.
    fn lines(&self, chunk: &Chunk, scratch: &mut Scratch) -> (Vec<u8>, Counts) {
        let mut page = Vec::new();
        let max_record = self.run.max_record;
        let place = |record: &Record<'_>| chunk.first_record + record.lines_before as i64;
        let mut indented = 0;
        let mut counts = match self.search {
            Search::Rejects(start, spec) => {
                let how = (*start, *spec, max_record);
                bulk::rejects_as(&chunk.bytes, chunk.len, how, scratch, |record, reject| {
                    let Some(reject) = lack(record.text, reject, *start, *spec) else {
                        indented += 1;
                        return;
                    };
                    let fault = Fault::new(record.text, reject, spec.rfc());
                    let at = (chunk.source, place(&record), record.text);
                    self.found(&mut page, at, FindingKind::Reject(&fault));
                })
            }
            Search::Differences(contrast) => {
                let how = (contrast, max_record);
                bulk::differences(&chunk.bytes, chunk.len, how, scratch, |record, differences| {
                    let at = (chunk.source, place(&record), record.text);
                    self.differ(&mut page, at, contrast, differences);
                })
            }
        };
        counts.found -= indented;
        (page, counts)
    }

    /// Examines a record of a batch; returns whether there is a finding.
    fn record(
        &self,
        page: &mut Vec<u8>,
        (source, record): (usize, i64),
        original: &Original<'_>,
        is_list: bool,
    ) -> bool {
        if original.is_null {
            return false;
        }
        match self.search {
            Search::Rejects(start, spec) => {
                let (text, reject) = match original.reject {
                    Some(reject) => {
                        (Cow::Borrowed(original.text), Some(start.earlier(original.text, reject, spec.rfc())))
                    }
                    None if *start == Start::Reference => return false,
                    // Offsets count in the reference, which may differ from the text.
                    None => {
                        let reference = self.reference(original, is_list);
                        let lack = match spec {
                            Standard::Rfc(spec) => bulk::required(&reference, *start, *spec).err(),
                            Standard::Whatwg => bulk::url(&reference, *start).err(),
                        };
                        (reference, lack)
                    }
                };
                let Some(reject) = reject else { return false };
                let fault = Fault::new(&text, reject, spec.rfc());
                self.found(page, (source, record, &text), FindingKind::Reject(&fault));
                true
            }
            Search::Differences(contrast) => {
                // These rejects have no reference.
                let code = original.reject.map(|reject| reject.code);
                if matches!(code, Some(Code::TooLong | Code::FieldMissing | Code::RecordMalformed)) {
                    return false;
                }
                let differences = contrast.differences(&self.reference(original, is_list));
                if !differences.is_empty() {
                    self.differ(page, (source, record, original.text), contrast, &differences);
                }
                !differences.is_empty()
            }
        }
    }

    /// The reference in a record; on a line of a list, white space before it is not part of it.
    fn reference<'t>(&self, original: &Original<'t>, is_list: bool) -> Cow<'t, [u8]> {
        match original.reference() {
            Cow::Borrowed(text) => {
                let text = if is_list { text.trim_ascii_start() } else { text };
                if self.run.refang { refang(text) } else { Cow::Borrowed(text) }
            }
            reference => reference,
        }
    }

    fn differ(
        &self,
        page: &mut Vec<u8>,
        at: (usize, i64, &[u8]),
        contrast: &Contrast<'_>,
        differences: &[Difference],
    ) {
        let (.., text) = at;
        let masked: Vec<_>;
        let differences = match self.run.show_passwords {
            true => differences,
            false => {
                let may_be_path = Masked::new(text, false).is_changed();
                masked = differences.iter().map(|one| without_passwords(one, may_be_path)).collect();
                &masked
            }
        };
        self.found(page, at, FindingKind::Differences(contrast.specs(), differences));
    }

    /// Renders a finding: the index of its source, the number of its record, and the text.
    fn found(&self, page: &mut Vec<u8>, (source, record, text): (usize, i64, &[u8]), kind: FindingKind<'_>) {
        let text = Masked::new(text, self.run.show_passwords);
        let finding = Finding { source: self.names[source].as_str(), record, text, kind };
        (self.render)(&finding, page);
    }
}

/// A difference with masked passwords; by some specification a password may be part of a path.
fn without_passwords(difference: &Difference, may_be_path: bool) -> Difference {
    let mask = |value: &String| match difference.aspect {
        Aspect::Component(Component::Userinfo) => masked_userinfo(value).into_owned(),
        Aspect::Component(Component::Host) => masked_authority(value).into_owned(),
        _ if may_be_path => masked_segments(value),
        _ => masked(value).into_owned(),
    };
    let values = difference.values.iter().map(|value| value.as_ref().map(mask)).collect();
    Difference { aspect: difference.aspect, values }
}
