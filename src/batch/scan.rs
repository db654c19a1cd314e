//! Records to components, verdicts and normal forms, all as offsets.
//!
//! The kernels split a whole batch; most records are then done. The others, which they listed, get a
//! second look here: the careful parser, repair, the ladder and the flags. What a row needs beyond
//! its offsets stands in short lists, because most rows need nothing.

use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};

use super::{MAX_ROWS, Options};
use crate::audit::{self, Flags};
use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::normalize::{self, Changes, Level, RepairOptions, Triplets};
use crate::simd::{self, Care, PADDING, Span, Split, Splits};
use crate::uri::{Code, Component, Host, HostKind, Reject, careful};

/// The bit of a row's start that says its text lies in the arena.
pub(super) const IN_ARENA: u32 = 1 << 31;

/// The rows of one batch. Entries of the lists are in the order of their rows, which come first.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Offsets by row; `start` has [`IN_ARENA`] set for texts that were written anew.
    pub(super) splits: Splits,
    /// What was read.
    pub(super) buffers: Vec<Buffer>,
    /// By row, which of `buffers` it lies in; empty where there is one.
    pub(super) buffer_of: Vec<u32>,
    /// What was written.
    pub(super) arena: Vec<u8>,
    /// Rows that are null in the input.
    pub(super) nulls: Option<NullBuffer>,
    /// Hosts that are no DNS name.
    pub(super) kinds: Vec<(u32, HostKind)>,
    pub(super) flags: Vec<(u32, Flags)>,
    pub(super) rejects: Vec<(u32, Reject)>,
    /// Where the text as read lies, for rows that lie in the arena.
    pub(super) moved: Vec<Moved>,
}

/// A row whose text is not the one that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    pub(super) row: u32,
    /// In the row's buffer.
    pub(super) raw: Span,
    /// Whether what was read is UTF-8.
    pub(super) is_utf8: bool,
}

impl Rows {
    /// The lines of `buffer[from..to]`, at most [`MAX_ROWS`]; answers where the next one begins.
    pub(super) fn lines(
        &mut self,
        buffer: &Buffer,
        range: (usize, usize),
        options: &Options,
    ) -> Result<usize> {
        self.clear();
        self.buffers.push(buffer.clone());
        let how = (options.spec, options.isa);
        let progress = simd::split_lines(buffer, range, MAX_ROWS, options.max_record, how, &mut self.splits);
        self.judge_unclear(options)?;
        Ok(progress.at)
    }

    /// One record of which `buffer[..to]` is the beginning.
    pub(super) fn overlong(&mut self, buffer: &Buffer, to: usize, options: &Options) -> Result<()> {
        self.clear();
        self.buffers.push(buffer.clone());
        let split = Split { end: to as u32, ..Split::default() };
        self.splits.push(0, &split, Care(Care::LONG));
        self.judge_unclear(options)
    }

    /// Records by place, in runs of rows of one buffer: `(buffer, behind the run's last row)`.
    pub(super) fn spans(
        &mut self,
        buffers: Vec<Buffer>,
        (spans, runs): (&[Span], &[(u32, usize)]),
        nulls: Option<NullBuffer>,
        options: &Options,
    ) -> Result<()> {
        self.clear();
        self.buffers = buffers;
        self.nulls = nulls;
        let how = (options.spec, options.isa);
        let mut from = 0;
        for &(buffer, to) in runs {
            let bytes = self.buffers[buffer as usize].as_slice();
            let has_padding = |span: &Span| (span.start + span.len) as usize + PADDING <= bytes.len();
            // Where an array ends without padding its last values are split one by one.
            for part in spans[from..to].chunk_by(|a, b| has_padding(a) == has_padding(b)) {
                if has_padding(&part[0]) {
                    simd::split_spans(bytes, part, options.max_record, how, &mut self.splits);
                } else {
                    for span in part {
                        let text = &bytes[span.start as usize..][..span.len as usize];
                        let (split, care) = simd::split_one(text, how);
                        let long = if text.len() > options.max_record { Care::LONG } else { 0 };
                        self.splits.push(span.start, &split, Care(care.0 | long));
                    }
                }
            }
            if self.buffers.len() > 1 {
                self.buffer_of.resize(to, buffer);
            }
            from = to;
        }
        self.judge_unclear(options)
    }

    fn clear(&mut self) {
        self.splits.clear();
        self.buffers.clear();
        self.buffer_of.clear();
        self.arena.clear();
        self.nulls = None;
        self.kinds.clear();
        self.flags.clear();
        self.rejects.clear();
        self.moved.clear();
    }

    /// The text of a row as it was read, before the row is moved.
    fn text<'a>(buffers: &'a [Buffer], buffer_of: &[u32], row: usize, start: u32, end: u32) -> &'a [u8] {
        let buffer = buffer_of.get(row).map_or(0, |&buffer| buffer as usize);
        &buffers[buffer].as_slice()[start as usize..][..end as usize]
    }

    /// The second look at every record that the kernels left.
    fn judge_unclear(&mut self, options: &Options) -> Result<()> {
        if completes_suffixes(options) {
            self.doubt_suffixes();
        }
        let unclear = std::mem::take(&mut self.splits.unclear);
        let buffers = std::mem::take(&mut self.buffers);
        for &row in &unclear {
            let i = row as usize;
            let raw = Span { start: self.splits.start[i], len: self.splits.end[i] };
            let text = Self::text(&buffers, &self.buffer_of, i, raw.start, raw.len);
            // Percent-encoding triples a text at most; the arena's offsets are as wide as a buffer's.
            if self.arena.len() + 3 * text.len() + PADDING > i32::MAX as usize {
                return Err(Error::usage("a batch of more than 2 GiB of changed URIs: give it in parts"));
            }
            self.judge(row, text, raw, options);
        }
        self.buffers = buffers;
        self.splits.unclear = unclear;
        Ok(())
    }

    /// To the kernels a suffix reference is the relative reference that it also is (4.5): takes them at their
    /// word no longer.
    fn doubt_suffixes(&mut self) {
        let s = &mut self.splits;
        let mut clear = s.unclear.iter().copied().peekable();
        let mut unclear = Vec::with_capacity(s.unclear.len());
        for i in 0..s.len() {
            let is_listed = clear.next_if_eq(&(i as u32)).is_some();
            let mut is_suffix = false;
            if !s.care[i].has(Care::UNSURE) && s.scheme_end[i] == 0 && s.path_start[i] == 0 {
                let text = Self::text(&self.buffers, &self.buffer_of, i, s.start[i], s.end[i]);
                is_suffix = normalize::is_suffix(text);
            }
            if is_suffix {
                s.care[i].0 |= Care::AUTHORITY;
            }
            if is_listed || is_suffix {
                unclear.push(i as u32);
            }
        }
        s.unclear = unclear;
    }

    fn judge(&mut self, row: u32, text: &[u8], raw: Span, options: &Options) {
        let care = self.splits.care[row as usize];
        if !care.has(Care::UNSURE) {
            return self.accept_split(row, text, raw, care, (options.level, options.spec));
        }
        if care.has(Care::LONG) {
            let offset = options.max_record.min(text.len());
            let reject = Reject { code: Code::TooLong, component: Component::Path, offset };
            return self.reject(row, text, raw, reject);
        }
        let parsed = careful(text, options.spec);
        let completes = completes_suffixes(options) && normalize::is_suffix(text);
        if options.repair && (parsed.is_err() || is_prefixed(text) || completes) {
            let how = RepairOptions { default_scheme: options.default_scheme };
            let mended = normalize::repair_with(text, how);
            match careful(&mended, options.spec) {
                Ok(found) if mended != text => {
                    let is_utf8 = std::str::from_utf8(text).is_ok();
                    return self.accept(
                        row,
                        &mended,
                        found,
                        Moved { row, raw, is_utf8 },
                        true,
                        (options.level, options.spec),
                    );
                }
                _ => {}
            }
        }
        match parsed {
            Ok(found) => {
                self.splits.set(row as usize, raw.start, &found.0);
                self.accept(
                    row,
                    text,
                    found,
                    Moved { row, raw, is_utf8: true },
                    false,
                    (options.level, options.spec),
                );
            }
            Err(reject) => self.reject(row, text, raw, reject),
        }
    }

    /// Takes a record whose split the kernel vouches for: only triplets, dot segments and an empty path
    /// are left to look at.
    fn accept_split(&mut self, row: u32, text: &[u8], raw: Span, care: Care, level: (Level, Spec)) {
        let split = self.splits.get(row as usize);
        let tail = &text[split.path_start as usize..];
        let triplets = if care.has(Care::PERCENT) { normalize::survey(tail) } else { Triplets::default() };
        let mut changes = Changes::default();
        if normalize::wants_accepted(text, &split, care, triplets, level) {
            let host = (split.path_start > split.after_scheme()).then_some(Host::DnsName);
            changes = self.write(row, text, (&split, host), Moved { row, raw, is_utf8: true }, level).1;
        }
        self.flag(row, audit::flags_of_accepted(triplets, changes));
    }

    /// Takes a record that the careful parser has split, or what repair made of one (`is_mended`).
    fn accept(
        &mut self,
        row: u32,
        text: &[u8],
        (mut split, mut host): (Split, Option<Host>),
        moved: Moved,
        is_mended: bool,
        level: (Level, Spec),
    ) {
        let triplets = normalize::survey(text);
        let mut changes = Changes::default();
        let at = self.arena.len();
        if normalize::wants(text, &split, host, triplets, level) {
            ((split, host), changes) = self.write(row, text, (&split, host), moved, level);
        }
        if is_mended && self.arena.len() == at {
            // In normal form already, but not what was read.
            self.arena.extend_from_slice(text);
            self.splits.set(row as usize, at as u32 | IN_ARENA, &split);
            self.moved.push(moved);
        }
        let normal = if self.arena.len() > at { &self.arena[at..] } else { text };
        let mut flags = audit::flags(normal, &split, host, triplets, changes);
        flags.set(Flags::REPAIRED, is_mended);
        self.flag(row, flags);
        if let Some(kind) = host.map(Host::kind).filter(|&kind| kind != HostKind::DnsName) {
            self.kinds.push((row, kind));
        }
    }

    /// Writes a normal form to the arena and puts the row there, unless it is the text again.
    fn write(
        &mut self,
        row: u32,
        text: &[u8],
        (split, host): (&Split, Option<Host>),
        moved: Moved,
        level: (Level, Spec),
    ) -> ((Split, Option<Host>), Changes) {
        let at = self.arena.len();
        let (new, new_host, changes) = normalize::write(text, split, host, level, &mut self.arena);
        if &self.arena[at..] == text {
            self.arena.truncate(at);
            return ((*split, host), Changes::default());
        }
        self.splits.set(row as usize, at as u32 | IN_ARENA, &new);
        self.moved.push(moved);
        ((new, new_host), changes)
    }

    fn flag(&mut self, row: u32, flags: Flags) {
        if flags != Flags::default() {
            self.flags.push((row, flags));
        }
    }

    /// Keeps a record outside the grammar: its text as it is, no components.
    fn reject(&mut self, row: u32, text: &[u8], raw: Span, reject: Reject) {
        let whole = |len: u32| Split { path_end: len, query_end: len, end: len, ..Split::default() };
        // The careful parser has looked; a record that is too long it has not seen.
        let is_utf8 = match reject.code {
            Code::TooLong => std::str::from_utf8(text).is_ok(),
            code => code != Code::NotUtf8,
        };
        if is_utf8 {
            self.splits.set(row as usize, raw.start, &whole(raw.len));
        } else {
            let at = self.arena.len();
            self.arena.extend_from_slice(String::from_utf8_lossy(text).as_bytes());
            let len = (self.arena.len() - at) as u32;
            self.splits.set(row as usize, at as u32 | IN_ARENA, &whole(len));
            self.moved.push(Moved { row, raw, is_utf8: false });
        }
        self.rejects.push((row, reject));
    }

    /// The bytes of a row as they were read.
    pub(super) fn raw(&self, row: u32) -> &[u8] {
        let i = row as usize;
        let raw = match self.moved.binary_search_by_key(&row, |moved| moved.row) {
            Ok(at) => self.moved[at].raw,
            Err(_) => Span { start: self.splits.start[i], len: self.splits.end[i] },
        };
        Self::text(&self.buffers, &self.buffer_of, i, raw.start, raw.len)
    }

    /// A bit a row: whether it is no reject.
    pub(super) fn accepted(&self) -> BooleanBuffer {
        let count = self.splits.len();
        let mut bits = vec![0xffu8; count.div_ceil(8)];
        for &(row, _) in &self.rejects {
            bits[row as usize / 8] &= !(1 << (row % 8));
        }
        BooleanBuffer::new(bits.into(), 0, count)
    }

    /// How many blank lines stand before a row: its number is that much higher.
    pub(super) fn blank_before(&self, row: u32) -> usize {
        self.splits.blank.partition_point(|&rows_before| rows_before <= row)
    }
}

/// Whether valid texts may be mended because they are suffix references.
fn completes_suffixes(options: &Options) -> bool {
    options.repair && options.default_scheme.is_some()
}

/// Whether a valid text begins with the prefix of Appendix C, which is a scheme by its form.
fn is_prefixed(text: &[u8]) -> bool {
    text.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:"))
}
