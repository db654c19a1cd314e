//! A state as bytes: a line that identifies it, the version, the state, and a checksum of everything before it.
//!
//! ```text
//! "urimill report state\n"  21 bytes
//! version                   u32
//! accounts, inputs, options, sets, figures …  numbers are u64, texts and sketches have their length before them
//! XXH3-64                   u64, of all bytes before
//! ```
//! All numbers are little-endian. Sketches are in the form of Apache DataSketches, which programs in other languages read.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::pieces_checksum::PiecesChecksum;
use urimill_read::STATE_MAGIC as MAGIC;

use super::counter::{Counter, LONGEST};
use super::crawl::{
    Crawl, Groups, MOST_OF_GROUP, Page, Pages, Redirect, Redirects, Sample, Variant, Variants,
};
use super::figure::Figure;
use super::histogram::{Histogram, RANGES};
use super::hosts::{Hosts, MOST as MOST_HOSTS, Moments, Seen};
use super::origin::{MOST_INPUTS, Options, Origin};
use super::partial::Example;
use super::series::{Interval, Series};
use super::{Accounts, MOST_OF_NAME, Rejected, State};

/// The version of the form.
const VERSION: u32 = 4;

/// The number of bytes written at once.
const PIECE: usize = 1 << 18;

impl State {
    /// Whether a file with this beginning is a state.
    pub fn is_state(beginning: &[u8]) -> bool {
        beginning.starts_with(MAGIC)
    }

    /// The state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to a vector cannot fail.
        let _ = self.write_to(&mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        bytes
    }

    /// Passes the state to `take` as bytes, piece by piece.
    ///
    /// # Errors
    /// The errors of `take`.
    pub fn write_to(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut out =
            Writer { buffer: MAGIC.to_vec(), checksum: PiecesChecksum::default(), take, done: Ok(()) };
        out.buffer.extend(VERSION.to_le_bytes());
        self.accounts.all().iter().for_each(|(_, value)| out.number(*value));
        out.list(&self.origin.inputs, |out, ((checksum, size), name)| {
            out.number(*checksum);
            out.number(*size);
            out.text(name);
        });
        out.list(self.origin.options.as_slice(), |out, options| {
            out.list(options, |out, (name, values)| {
                out.text(name);
                out.list(values, |out, value| out.text(value));
            });
        });
        out.list(&self.formats, |out, name| out.text(name));
        out.list(&self.inputs, |out, name| out.text(name));
        out.number(self.input_count);
        out.list(&self.codes, |out, (code, rejected)| {
            out.text(code);
            out.number(rejected.records);
            out.list(&rejected.examples, |out, example| {
                out.text(&example.source);
                out.number(example.record as u64);
                out.number(example.offset);
                out.text(&example.text);
            });
        });
        out.list(&self.damages, |out, (source, sentence, records)| {
            out.text(source);
            out.text(sentence);
            out.number(*records);
        });
        out.number(self.damage_count);
        let figures: Vec<_> = Figure::ALL.iter().zip(&self.figures).collect();
        out.list(&figures, |out, (figure, counter)| {
            out.text(figure.as_str());
            counter.to_bytes().iter().for_each(|sketch| out.bytes(sketch));
        });
        for histogram in [&self.sizes, &self.times] {
            for number in [histogram.count, histogram.sum, histogram.least, histogram.most] {
                out.number(number);
            }
            out.list(&histogram.ranges, |out, (range, count)| {
                out.number(u64::from(*range));
                out.number(*count);
            });
        }
        out.number(self.series.width as u64);
        out.list(&self.series.intervals, |out, (minute, counts)| {
            out.number(*minute as u64);
            counts.classes.iter().for_each(|count| out.number(*count));
            out.number(counts.bytes);
        });
        self.series.hours.iter().flatten().for_each(|count| out.number(*count));
        out.list(self.series.ends.as_slice(), |out, (first, last)| {
            out.number(*first as u64);
            out.number(*last as u64);
        });
        crawl_to_bytes(&self.crawl, &mut out);
        hosts_to_bytes(&self.hosts, &mut out);
        out.end()
    }

    /// [`to_bytes`](Self::to_bytes) back. `name` is used in the error.
    ///
    /// # Errors
    /// Data, if the bytes are not a state, are damaged, or are of a version that this program does not know.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<State> {
        let wrong = |what: &str| Error::new(ErrorKind::Data, format!("{name}: {what}"));
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(wrong("this is no state of a report: make one with the option state"));
        };
        let Some((version, _)) = rest.split_first_chunk::<4>() else {
            return Err(wrong("the state is truncated: make it again"));
        };
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(wrong(&format!(
                "the state has version {version}, and this program knows version {VERSION}: make it again"
            )));
        }
        let sealed = bytes.split_last_chunk::<8>();
        let is_whole =
            sealed.is_some_and(|(before, sum)| XxHash3_64::oneshot(before) == u64::from_le_bytes(*sum));
        if !is_whole {
            return Err(wrong(
                "the checksum of the state is wrong: it is truncated or damaged; make it again",
            ));
        }
        let body = &rest[4..rest.len().saturating_sub(8).max(4)];
        read(&mut Reader(body)).ok_or_else(|| wrong("the state contradicts itself: make it again"))
    }
}

fn read(from: &mut Reader<'_>) -> Option<State> {
    let mut state = State::new().ok()?;
    let mut accounts = [0; 11];
    for value in &mut accounts {
        *value = from.number()?;
    }
    state.accounts = Accounts::from_values(accounts);
    state.origin = origin(from)?;
    state.formats = from.list(Reader::text)?.into_iter().collect();
    state.inputs = from.list(Reader::text)?.into_iter().collect();
    state.input_count = from.number()?;
    let codes = from.list(|from| {
        let (code, records) = (from.text()?, from.number()?);
        let examples = from.list(|from| {
            let (source, record) = (from.text()?, from.number()? as i64);
            Some(Example { source, record, offset: from.number()?, text: from.text()? })
        })?;
        let examples: BTreeSet<Example> = examples.into_iter().collect();
        Some((code, Rejected { records, examples }))
    })?;
    state.codes = codes.into_iter().collect();
    let damages = from.list(|from| Some((from.text()?, from.text()?, from.number()?)))?;
    state.damages = damages.into_iter().collect();
    state.damage_count = from.number()?;
    let figures = from.list(|from| {
        let figure = from.text()?;
        let figure = Figure::ALL.iter().find(|known| known.as_str() == figure)?;
        let (items, distinct) = (from.bytes()?, from.bytes()?);
        Counter::from_bytes(items, distinct, figure.size()).map(|counter| (*figure, counter))
    })?;
    // Missing figures are empty.
    for (figure, counter) in figures {
        state.figures[figure as usize] = counter;
    }
    state.sizes = histogram(from)?;
    state.times = histogram(from)?;
    state.series = series(from)?;
    state.crawl = Crawl { pages: pages(from)?, groups: groups(from)?, redirects: redirects(from)? };
    state.hosts = hosts(from)?;
    (from.0.is_empty() && state.fits()).then_some(state)
}

fn origin(from: &mut Reader<'_>) -> Option<Origin> {
    let inputs = from.list(|from| Some(((from.number()?, from.number()?), from.short_text()?)))?;
    let count = inputs.len();
    let inputs: BTreeMap<_, _> = inputs.into_iter().collect();
    let options = optional(from, |from| {
        let options = from.list(|from| {
            let name = from.text()?;
            Some((name, from.list(Reader::text)?.into_iter().collect::<BTreeSet<_>>()))
        })?;
        Some(options.into_iter().collect::<Options>())
    })?;
    (inputs.len() == count && count <= MOST_INPUTS).then_some(Origin { inputs, options })
}

fn histogram(from: &mut Reader<'_>) -> Option<Histogram> {
    let (count, sum, least, most) = (from.number()?, from.number()?, from.number()?, from.number()?);
    let ranges = from.list(|from| {
        let range = u16::try_from(from.number()?).ok().filter(|range| *range < RANGES)?;
        Some((range, from.number()?))
    })?;
    let ranges: std::collections::BTreeMap<u16, u64> = ranges.into_iter().collect();
    let all = ranges.values().try_fold(0_u64, |all, count| all.checked_add(*count))?;
    (all == count && least <= most).then_some(Histogram { ranges, count, sum, least, most })
}

fn series(from: &mut Reader<'_>) -> Option<Series> {
    let width = usize::try_from(from.number()?).ok().filter(|width| *width < Series::WIDTHS)?;
    let intervals = from.list(|from| {
        let minute = from.number()? as i64;
        let mut counts = Interval::default();
        for count in &mut counts.classes {
            *count = from.number()?;
        }
        counts.bytes = from.number()?;
        Series::is_begin(minute, width).then_some((minute, counts))
    })?;
    let mut hours = [[0; 24]; 7];
    for count in hours.iter_mut().flatten() {
        *count = from.number()?;
    }
    let ends = from.list(|from| Some((from.number()? as i64, from.number()? as i64)))?;
    Some(Series { width, intervals: intervals.into_iter().collect(), hours, ends: ends.first().copied() })
}

fn crawl_to_bytes(crawl: &Crawl, out: &mut Writer<'_>) {
    let Crawl { pages, groups, redirects } = crawl;
    out.list(pages.limit().as_slice(), |out, limit| out.number(*limit));
    out.list(pages.entries(), |out, (hash, page)| {
        out.number(*hash);
        out.text(&page.uri);
        out.list(page.digest.as_slice(), |out, digest| out.text(digest));
    });
    out.list(groups.limit().as_slice(), |out, (base, name)| {
        out.number(*base);
        out.number(*name);
    });
    out.list(groups.entries(), |out, ((base, name), group)| {
        out.number(*base);
        out.number(*name);
        out.text(&group.name);
        out.list(&group.uris, |out, variant| {
            out.number(variant.hash);
            out.list(variant.digest.as_slice(), |out, digest| out.number(*digest));
            out.text(&variant.uri);
        });
    });
    out.list(redirects.limit().as_slice(), |out, limit| out.number(*limit));
    out.list(redirects.entries(), |out, (key, redirect)| {
        out.number(*key);
        for ((hash, uri), leads) in redirect.hashes.iter().zip(&redirect.uris).zip(redirect.leads) {
            out.number(*hash);
            out.text(uri);
            out.number(u64::from(leads));
        }
    });
}

fn hosts_to_bytes(hosts: &Hosts, out: &mut Writer<'_>) {
    [hosts.records, hosts.bytes, hosts.error].into_iter().for_each(|number| out.number(number));
    out.list(hosts.by_name(), |out, (host, seen)| {
        let (bits, spans) = seen.moments.parts();
        out.text(host);
        [seen.records, seen.bytes, u64::from(bits)].into_iter().for_each(|number| out.number(number));
        out.list(spans, |out, (first, last)| {
            out.number(*first as u64);
            out.number(*last as u64);
        });
    });
}

fn hosts(from: &mut Reader<'_>) -> Option<Hosts> {
    let (records, bytes, error) = (from.number()?, from.number()?, from.number()?);
    let list = from.list(|from| {
        let host = from.short_text()?;
        let (records, bytes, bits) = (from.number()?, from.number()?, u32::try_from(from.number()?).ok()?);
        let spans = from.list(|from| Some((from.number()? as i64, from.number()? as i64)))?;
        Some((host, Seen { records, bytes, moments: Moments::from_parts(bits, spans)? }))
    })?;
    (list.len() <= MOST_HOSTS).then(|| Hosts { hosts: list.into_iter().collect(), records, bytes, error })
}

/// A value that may be missing.
fn optional<'a, T>(
    from: &mut Reader<'a>,
    each: impl FnMut(&mut Reader<'a>) -> Option<T>,
) -> Option<Option<T>> {
    let mut values = from.list(each)?;
    (values.len() <= 1).then(|| values.pop())
}

fn pages(from: &mut Reader<'_>) -> Option<Pages> {
    let limit = optional(from, Reader::number)?;
    let entries = from.list(|from| {
        let (hash, uri) = (from.number()?, from.short_text()?);
        let digest = optional(from, Reader::short_text)?;
        Some((hash, Page { uri, digest }))
    })?;
    Sample::from_entries(limit, entries)
}

fn groups(from: &mut Reader<'_>) -> Option<Groups> {
    let limit = optional(from, |from| Some((from.number()?, from.number()?)))?;
    let entries = from.list(|from| {
        let key = (from.number()?, from.number()?);
        let name = from.short_text()?;
        let uris = from.list(|from| {
            let hash = from.number()?;
            let digest = optional(from, Reader::number)?;
            Some(Variant { hash, digest, uri: from.short_text()? })
        })?;
        let is_right =
            (1..=MOST_OF_GROUP).contains(&uris.len()) && uris.is_sorted_by(|one, next| one.hash < next.hash);
        is_right.then_some((key, Variants { name, uris }))
    })?;
    Sample::from_entries(limit, entries)
}

fn redirects(from: &mut Reader<'_>) -> Option<Redirects> {
    let limit = optional(from, Reader::number)?;
    let entries = from.list(|from| {
        let key = from.number()?;
        let mut end = || Some((from.number()?, from.short_text()?, from.number()? == 1));
        let ((first, uri, leads), (second, other, is_led_to)) = (end()?, end()?);
        let redirect = Redirect { hashes: [first, second], uris: [uri, other], leads: [leads, is_led_to] };
        Some((key, redirect))
    })?;
    Sample::from_entries(limit, entries)
}

struct Writer<'a> {
    /// Bytes that were not passed on yet.
    buffer: Vec<u8>,
    /// The checksum of the bytes that were.
    checksum: PiecesChecksum,
    take: &'a mut dyn FnMut(&[u8]) -> Result<()>,
    /// The first error: from then on nothing is passed on.
    done: Result<()>,
}

impl Writer<'_> {
    fn number(&mut self, number: u64) {
        self.buffer.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.buffer.extend(bytes);
        if self.buffer.len() >= PIECE {
            self.hand_out();
        }
    }

    fn hand_out(&mut self) {
        self.checksum.add(&self.buffer);
        if self.done.is_ok() {
            self.done = (self.take)(&self.buffer);
        }
        self.buffer.clear();
    }

    /// The checksum comes last.
    fn end(mut self) -> Result<()> {
        self.hand_out();
        let checksum = self.checksum.value();
        self.number(checksum);
        self.hand_out();
        self.done
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn list<I: IntoIterator>(&mut self, items: I, mut each: impl FnMut(&mut Self, I::Item))
    where
        I::IntoIter: ExactSizeIterator,
    {
        let items = items.into_iter();
        self.number(items.len() as u64);
        items.for_each(|item| each(self, item));
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A text with the most bytes of a name.
    fn text(&mut self) -> Option<String> {
        let bytes = self.bytes().filter(|bytes| bytes.len() <= MOST_OF_NAME)?;
        String::from_utf8(bytes.to_vec()).ok()
    }

    /// A text with the most bytes of texts in samples.
    fn short_text(&mut self) -> Option<Box<str>> {
        self.text().filter(|text| text.len() <= LONGEST).map(String::into_boxed_str)
    }

    /// A list; nothing is allocated for items that are missing.
    fn list<T>(&mut self, mut each: impl FnMut(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| each(self)).collect()
    }
}
