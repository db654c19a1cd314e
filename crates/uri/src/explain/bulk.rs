//! Rejects and differences in buffers of records. The kernels look at every record; only those that they cannot decide
//! are examined again, one by one.

use super::differ::{Contrast, Difference};
use crate::grammar::Spec;
use crate::reference::UriRef;
use crate::reject::{Code, Component, Reject};
use crate::simd::{self, SlowPath, Span, Splits};
use crate::standard::Standard;
use crate::start::Start;
use crate::whatwg::{self, Url};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// How many records the kernel splits at once.
const MAX_ROWS: usize = 1 << 14;

/// A record of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// How many lines precede it in the buffer, blank ones included.
    pub lines_before: usize,
    /// Its bytes without the line's end.
    pub text: &'a [u8],
}

/// Counts of one buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Records, without blank lines.
    pub records: u64,
    /// The number of records that were reported.
    pub found: u64,
}

/// Working memory, kept from one buffer to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    splits: Vec<Splits>,
    unsure: Vec<Span>,
}

/// The reject of a record that was cut to `kept` bytes.
#[must_use]
pub fn too_long(kept: usize, max_record: usize) -> Reject {
    Reject { code: Code::TooLong, component: Component::Path, offset: max_record.min(kept) }
}

/// Calls `found` for every record of `buffer[..len]` that `spec` rejects, in their order. Records longer than
/// `max_record` are rejects too.
///
/// ```
/// use urimill_uri::Spec;
/// use urimill_uri::explain::bulk::{Scratch, rejects};
/// use urimill_uri::simd::PADDING;
///
/// let mut buffer = b"http://example.com/\n\n/a b\n".to_vec();
/// let len = buffer.len();
/// buffer.push(b'\n');
/// buffer.resize(len + PADDING, 0);
/// let mut codes = Vec::new();
/// rejects(&buffer, len, (Spec::Rfc3986, 1 << 20), &mut Scratch::default(), |record, reject| {
///     codes.push((record.lines_before, record.text.to_vec(), reject.code.as_str()));
/// });
/// assert_eq!(codes, [(2, b"/a b".to_vec(), "path_invalid_char")]);
/// ```
///
/// # Panics
/// Where [`PADDING`](simd::PADDING) bytes do not come after `len`, the first of them a newline.
pub fn rejects(
    buffer: &[u8],
    len: usize,
    (spec, max_record): (Spec, usize),
    scratch: &mut Scratch,
    found: impl FnMut(Record<'_>, Reject),
) -> Counts {
    rejects_as(buffer, len, (Start::Reference, spec.into(), max_record), scratch, found)
}

/// [`rejects`], where every record must also have the form `start`: a relative reference is a reject under
/// [`Start::Uri`]. By the URL Standard every record is one without a URL, because there is no base.
///
/// # Panics
/// Panics as [`rejects`] does.
pub fn rejects_as(
    buffer: &[u8],
    len: usize,
    (start, standard, max_record): (Start, Standard, usize),
    scratch: &mut Scratch,
    mut found: impl FnMut(Record<'_>, Reject),
) -> Counts {
    let spec = standard.rfc();
    let is_whatwg = standard == Standard::Whatwg;
    if start == Start::Reference && len <= max_record {
        return scratch.rejects_alone(buffer, len, standard, found);
    }
    let looks_at_all = start != Start::Reference || is_whatwg;
    scratch.split(buffer, len, (&[spec], looks_at_all), max_record, |record, all, row| {
        let slow_path = all[0].slow_path[row];
        let reject = match slow_path.has(SlowPath::LONG) {
            false if is_whatwg => match whatwg::is_plain(record.text, &all[0].get(row), slow_path) {
                true => start.lack(record.text, &all[0].get(row), spec).map_or(Ok(()), Err),
                false => url(record.text, start),
            },
            _ if !slow_path.has(SlowPath::UNSURE) => {
                start.lack(record.text, &all[0].get(row), spec).map_or(Ok(()), Err)
            }
            true => Err(too_long(record.text.len(), max_record)),
            false => required(record.text, start, spec),
        };
        reject.map_err(|reject| found(record, reject)).is_err()
    })
}

/// Whether a text has the form `start`.
///
/// # Errors
/// The first byte that no derivation of `start` accepts, and why.
pub fn required(text: &[u8], start: Start, spec: Spec) -> Result<(), Reject> {
    match UriRef::parse_as(text, spec) {
        Ok(uri) => uri.require(start),
        Err(reject) => Err(start.earlier(text, reject, spec)),
    }
}

/// Whether a text has a URL of the form `start`.
///
/// # Errors
/// The failure of the URL Standard's parser, or what the form lacks.
pub fn url(text: &[u8], start: Start) -> Result<(), Reject> {
    let url = Url::parse(text, None)?;
    match (start, url.fragment()) {
        (Start::AbsoluteUri, Some(_)) => {
            // The first one: no component before the fragment has it unencoded.
            let offset = memchr::memchr(b'#', text).unwrap_or(text.len());
            Err(Reject { code: Code::FragmentNotAllowed, component: Component::Fragment, offset })
        }
        _ => Ok(()),
    }
}

/// Calls `found` for every record of `buffer[..len]` on which the specifications of `contrast` differ, in their
/// order. Records longer than `max_record` are rejects under all of them, and so no difference.
///
/// A record is the same under all of them if each kernel finds it valid and in normal form at every level, with the
/// components at the same offsets. With a base it must also have a scheme and differ from the base, so that it is its
/// own target and in another document.
///
/// # Panics
/// Where [`PADDING`](simd::PADDING) bytes do not come after `len`, the first of them a newline.
pub fn differences(
    buffer: &[u8],
    len: usize,
    (contrast, max_record): (&Contrast<'_>, usize),
    scratch: &mut Scratch,
    mut found: impl FnMut(Record<'_>, &[Difference]),
) -> Counts {
    let resolves = contrast.resolves();
    let own: Vec<String> =
        contrast.base_texts().map(|base| base.split('#').next().unwrap_or_default().to_owned()).collect();
    let specs: Vec<Spec> = contrast.specs().iter().map(|standard| standard.rfc()).collect();
    let has_whatwg = contrast.specs().contains(&Standard::Whatwg);
    scratch.split(buffer, len, (&specs, true), max_record, |record, all, row| {
        if all[0].slow_path[row].has(SlowPath::LONG) {
            return false;
        }
        let split = all[0].get(row);
        let is_clean = all.iter().all(|splits| splits.slow_path[row].is_none() && splits.get(row) == split)
            && (!has_whatwg || whatwg::is_plain(record.text, &split, SlowPath::default()));
        // Offsets of records that need the slow path are undefined.
        let is_own_target = || {
            let document = &record.text[..split.query_end as usize];
            split.scheme_end > 0 && own.iter().all(|base| base.as_bytes() != document)
        };
        if is_clean && (!resolves || is_own_target()) {
            return false;
        }
        // White space before a reference is not part of it.
        let differences = contrast.differences(record.text.trim_ascii_start());
        if !differences.is_empty() {
            found(record, &differences);
        }
        !differences.is_empty()
    })
}

/// Whether a record is white space alone, as blank lines are.
fn is_white(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_whitespace) && text.trim_ascii().is_empty()
}

impl Scratch {
    /// The rejects where offsets are not wanted of the others, and no record can be too long.
    fn rejects_alone(
        &mut self,
        buffer: &[u8],
        len: usize,
        standard: Standard,
        mut found: impl FnMut(Record<'_>, Reject),
    ) -> Counts {
        self.unsure.clear();
        let records = simd::list_unsure(buffer, (0, len), (standard, None), &mut self.unsure);
        let mut counts = Counts { records: records as u64, found: 0 };
        let (mut counted, mut lines_before) = (0, 0);
        for span in &self.unsure {
            let start = span.start as usize;
            let text = &buffer[start..][..span.len as usize];
            if is_white(text) {
                counts.records -= 1;
                continue;
            }
            let judged = match standard {
                Standard::Rfc(spec) => UriRef::parse_as(text, spec).map(drop),
                Standard::Whatwg => url(text, Start::Reference),
            };
            if let Err(reject) = judged {
                lines_before += memchr::memchr_iter(b'\n', &buffer[counted..start]).count();
                counted = start;
                found(Record { lines_before, text }, reject);
                counts.found += 1;
            }
        }
        counts
    }

    /// Splits `buffer[..len]` by the kernel of each specification and calls `judge` with the splits of each
    /// specification and the record's row in them. Without `looks_at_all` it is called only for records that the first
    /// kernel could not decide. `judge` returns whether it found something.
    fn split(
        &mut self,
        buffer: &[u8],
        len: usize,
        (specs, looks_at_all): (&[Spec], bool),
        max_record: usize,
        mut judge: impl FnMut(Record<'_>, &[Splits], usize) -> bool,
    ) -> Counts {
        self.splits.resize_with(specs.len(), Splits::default);
        let mut counts = Counts::default();
        let (mut at, mut lines_before) = (0, 0);
        while at < len {
            let mut next = at;
            for (splits, &spec) in self.splits.iter_mut().zip(specs) {
                splits.clear();
                next = simd::split_lines(buffer, (at, len), MAX_ROWS, max_record, (spec, None), splits).at;
            }
            let first = &self.splits[0];
            let (mut blank, mut white) = (0, 0);
            // Rows come in order.
            let mut look = |row: usize| {
                while first.blank.get(blank).is_some_and(|&rows_before| rows_before as usize <= row) {
                    blank += 1;
                }
                let (start, length) = (first.start[row] as usize, first.end[row] as usize);
                let record =
                    Record { lines_before: lines_before + row + blank, text: &buffer[start..start + length] };
                match is_white(record.text) {
                    true => white += 1,
                    false => counts.found += u64::from(judge(record, &self.splits, row)),
                }
            };
            match looks_at_all {
                false => first.slow_rows.iter().for_each(|&row| look(row as usize)),
                true => (0..first.len()).for_each(&mut look),
            }
            counts.records += (first.len() - white) as u64;
            lines_before += first.len() + first.blank.len();
            at = next;
        }
        counts
    }
}
