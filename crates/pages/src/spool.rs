//! The references of a page in a temporary file, in batches. Neighbours have much in common, so a reference takes one
//! byte for what it shares with the one before it, its length, and the parts that differ.
//!
//! ```text
//! batch   | bytes of texts | references: what is new, length of the text, new parts … |
//! ```

use super::reference::{Against, Link};
use std::io::Read;

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::temporary::{Temporary, TemporaryPlace};
use urimill_base::varint;
use urimill_uri::simd::Span;

/// Batches of references, first written and then read.
#[derive(Debug, Default)]
pub(super) struct Spool {
    place: TemporaryPlace,
    file: Option<Temporary>,
    batches: Vec<Batch>,
    /// Texts of links in batches that were written before they were known, by the number of the link.
    texts: Vec<(usize, Vec<u8>)>,
    scratch: Vec<u8>,
    error: Option<Error>,
    is_done: bool,
}

#[derive(Debug, Clone, Copy)]
struct Batch {
    /// The number of its first reference, and how many there are.
    first: usize,
    count: usize,
    at: u64,
    /// The number of bytes of texts, and of references.
    texts: usize,
    links: usize,
}

/// The parts that a reference shares with the one before it.
mod same {
    pub(super) const ELEMENT: u8 = 1;
    pub(super) const ATTRIBUTE: u8 = 2;
    pub(super) const REL: u8 = 4;
    pub(super) const TEXT: u8 = 8;
    pub(super) const POSITION: u8 = 16;
    pub(super) const AGAINST: u8 = 32;
    /// Its text lies where that of the one before ends.
    pub(super) const BEHIND: u8 = 64;
}

/// The first reference of a batch is compared with this one.
const NONE: Link = Link {
    raw: Span { start: 0, len: 0 },
    element: None,
    attribute: None,
    rel: None,
    text: None,
    position: None,
    against: Against::Document,
};

impl Spool {
    /// An empty spool, whose file is made in this folder.
    pub(super) fn new(place: &TemporaryPlace) -> Spool {
        Spool { place: place.clone(), ..Spool::default() }
    }

    /// Writes a batch; a fault is reported at the end.
    pub(super) fn write(&mut self, links: &[Link], texts: &[u8]) {
        if self.error.is_some() {
            return;
        }
        self.scratch.clear();
        let mut before = NONE;
        for link in links {
            put(link, &before, &mut self.scratch);
            before = *link;
        }
        let written = self.append(links.len(), texts);
        self.error = written.err();
    }

    fn append(&mut self, count: usize, texts: &[u8]) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Temporary::new(&self.place)?),
        };
        let (at, first) = (file.bytes(), self.batches.last().map_or(0, |last| last.first + last.count));
        file.push(texts)?;
        file.push(&self.scratch)?;
        self.batches.push(Batch { first, count, at, texts: texts.len(), links: self.scratch.len() });
        Ok(())
    }

    /// Sets the text of a link that is in the file.
    pub(super) fn set_text(&mut self, number: usize, text: &[u8]) {
        self.texts.push((number, text.to_vec()));
    }

    /// Everything was written.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.is_done = true;
        self.error.take().map_or(Ok(()), Err)
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// The number of references.
    pub(super) fn count(&self) -> usize {
        self.batches.last().map_or(0, |last| last.first + last.count)
    }

    /// Reads the batch that has this reference; returns the number of its first reference.
    pub(super) fn read(
        &mut self,
        number: usize,
        links: &mut Vec<Link>,
        texts: &mut Vec<u8>,
    ) -> Result<usize> {
        links.clear();
        texts.clear();
        let place = self.batches.partition_point(|batch| batch.first + batch.count <= number);
        let (Some(batch), Some(file)) = (self.batches.get(place), &self.file) else { return Ok(number) };
        let len = (batch.texts + batch.links) as u64;
        // The file reports its own faults.
        let read = file.reader(batch.at).take(len).read_to_end(texts);
        file.check()?;
        if read.is_err() || texts.len() as u64 != len {
            return Err(damaged());
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(&texts[batch.texts..]);
        texts.truncate(batch.texts);
        let (mut from, mut before) = (&self.scratch[..], NONE);
        for _ in 0..batch.count {
            before = take(&mut from, &before).ok_or_else(damaged)?;
            links.push(before);
        }
        let first = self.texts.partition_point(|&(number, _)| number < batch.first);
        for (number, text) in self.texts[first..].iter().take_while(|&&(n, _)| n < batch.first + batch.count)
        {
            let span = Span { start: texts.len() as u32, len: text.len() as u32 };
            texts.extend_from_slice(text);
            links[number - batch.first].text = Some(span);
        }
        Ok(batch.first)
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Io, "a temporary file does not have what was written to it: run it again")
}

fn put(link: &Link, before: &Link, out: &mut Vec<u8>) {
    let parts = |link: &Link| [link.element, link.attribute, link.rel, link.text];
    let (own, others) = (parts(link), parts(before));
    let flags = [same::ELEMENT, same::ATTRIBUTE, same::REL, same::TEXT];
    let shared = flags.iter().zip(own.iter().zip(&others)).filter(|(_, (own, other))| own == other);
    let mut flag = shared.fold(0, |all, (flag, _)| all | flag);
    let is = |is_same: bool, flag: u8| if is_same { flag } else { 0 };
    flag |= is(link.position == before.position, same::POSITION);
    flag |= is(link.against == before.against, same::AGAINST);
    flag |= is(link.raw.start == before.raw.start + before.raw.len, same::BEHIND);
    out.push(flag);
    varint::write(link.raw.len.into(), out);
    if flag & same::BEHIND == 0 {
        varint::write(link.raw.start.into(), out);
    }
    for (part, other) in flags.iter().zip(own) {
        if flag & part == 0 {
            match other {
                Some(span) => {
                    varint::write(u64::from(span.start) + 1, out);
                    varint::write(span.len.into(), out);
                }
                None => varint::write(0, out),
            }
        }
    }
    if flag & same::POSITION == 0 {
        varint::write(link.position.map_or(0, |at| u64::from(at) + 1), out);
    }
    if flag & same::AGAINST == 0 {
        varint::write(
            match link.against {
                Against::Outer => 0,
                Against::Document => 1,
                Against::Element(number) => u64::from(number) + 2,
            },
            out,
        );
    }
}

fn take(from: &mut &[u8], before: &Link) -> Option<Link> {
    let (&flag, rest) = from.split_first()?;
    *from = rest;
    let mut link = *before;
    link.raw.len = u32::try_from(varint::read(from)?).ok()?;
    link.raw.start = match flag & same::BEHIND {
        0 => u32::try_from(varint::read(from)?).ok()?,
        _ => before.raw.start + before.raw.len,
    };
    let parts = [
        (same::ELEMENT, &mut link.element),
        (same::ATTRIBUTE, &mut link.attribute),
        (same::REL, &mut link.rel),
        (same::TEXT, &mut link.text),
    ];
    for (part, span) in parts {
        if flag & part == 0 {
            *span = match varint::read(from)? {
                0 => None,
                start => Some(Span {
                    start: u32::try_from(start - 1).ok()?,
                    len: u32::try_from(varint::read(from)?).ok()?,
                }),
            };
        }
    }
    if flag & same::POSITION == 0 {
        link.position = match varint::read(from)? {
            0 => None,
            at => Some(u32::try_from(at - 1).ok()?),
        };
    }
    if flag & same::AGAINST == 0 {
        link.against = match varint::read(from)? {
            0 => Against::Outer,
            1 => Against::Document,
            number => Against::Element(u32::try_from(number - 2).ok()?),
        };
    }
    Some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_come_back_as_they_were() {
        let span = |start, len| Some(Span { start, len });
        let links: Vec<Link> = (0..3000u32)
            .map(|n| Link {
                raw: Span { start: n * 3, len: n % 3 + 1 },
                element: span(n / 100, 4).filter(|_| n % 7 > 0),
                attribute: span(7, 4),
                rel: span(n, n % 2).filter(|_| n % 5 == 0),
                text: span(u32::MAX - n, 300).filter(|_| n % 3 == 0),
                position: (n % 11 > 0).then_some(u32::MAX - n / 4),
                against: [Against::Outer, Against::Document, Against::Element(n)][n as usize % 3],
            })
            .collect();
        let mut spool = Spool::default();
        let (first, second) = links.split_at(1000);
        spool.write(first, b"first");
        spool.write(second, b"second");
        spool.set_text(1, b"known later");
        spool.finish().expect("a temporary file");
        assert_eq!(spool.count(), links.len());
        let (mut list, mut texts) = (Vec::new(), Vec::new());
        // (a number in the batch, the number of its first, the links, the texts)
        let later = [links[0], Link { text: span(5, 11), ..links[1] }];
        let cases: [(usize, usize, Vec<Link>, &[u8]); 3] = [
            (0, 0, [&later[..], &first[2..]].concat(), b"firstknown later"),
            (1000, 1000, second.to_vec(), b"second"),
            (999, 0, [&later[..], &first[2..]].concat(), b"firstknown later"),
        ];
        for (number, begin, expected, text) in cases {
            assert_eq!(spool.read(number, &mut list, &mut texts).expect("it is there"), begin);
            assert_eq!(texts, text);
            assert!(list == expected, "batch of {number}");
        }
        assert_eq!(spool.read(3000, &mut list, &mut texts).expect("none"), 3000);
        assert!(list.is_empty());
    }
}
