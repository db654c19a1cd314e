//! Records to components, verdicts and normal forms, all as offsets.
//!
//! The kernels split a whole batch (`split`); most records are then done. The others, which they listed, take the slow
//! path here: the full parser, repair, the ladder and the flags. Further facts about a row are in short lists, because
//! most rows have none.

mod authority;
pub(crate) mod hide_passwords;
mod lowered;
mod request_targets;
mod resolve;
mod urls;

use std::borrow::Cow;

use arrow_buffer::{BooleanBuffer, Buffer};
use urimill_base::error::Result;
use urimill_uri::extract::refang;
use urimill_uri::internal::audit::{self, Flags};
use urimill_uri::internal::normalize::{self, Changes, Triplets};
use urimill_uri::internal::{parse_full, parse_full_behind};
use urimill_uri::passwords;
use urimill_uri::passwords::Hide;
use urimill_uri::simd::{SlowPath, Span, Split};
use urimill_uri::{Code, Component, Host, HostKind, Reject};

use super::rows::{IN_ARENA, Rewritten, Rows, check_room, most_written};
use crate::batch::bases::Base;
use crate::batch::{Options, RfcOptions};

use super::records::RecordFault;

/// A record as it was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'a> {
    pub(super) row: u32,
    pub(super) text: &'a [u8],
    /// Its position in the row's buffer.
    pub(super) span: Span,
    /// False only for a record that has been repaired.
    pub(super) is_utf8: bool,
}

impl Rows {
    /// The text of a row as read, before the row is rewritten.
    pub(super) fn text<'a>(
        buffers: &'a [Buffer],
        buffer_of: &[u32],
        row: usize,
        start: u32,
        end: u32,
    ) -> &'a [u8] {
        let buffer = buffer_of.get(row).map_or(0, |&buffer| buffer as usize);
        &buffers[buffer].as_slice()[start as usize..][..end as usize]
    }

    /// Takes every record that the kernels listed through the slow path, except those that have been through it: the
    /// first `from` records, and the first `listed` of the list.
    pub(super) fn validate_slow_rows(
        &mut self,
        (from, listed): (usize, usize),
        options: &Options,
    ) -> Result<()> {
        if completes_suffixes(self.rfc) {
            let is_unsure = |text: &[u8], has_head: bool| !has_head && normalize::is_suffix(text);
            self.leave_to_full_parser((from, listed), is_unsure);
        }
        if self.hide != Hide::Nothing {
            let hide = self.hide;
            self.leave_to_full_parser((from, listed), |text, _| hide_passwords::hides(text, hide));
        }
        if options.refang {
            self.leave_to_full_parser((from, listed), |text, _| is_harmless(text, options));
        }
        let slow_rows = std::mem::take(&mut self.splits.slow_rows);
        let buffers = std::mem::take(&mut self.buffers);
        let mut lowered = std::mem::take(&mut self.lowered);
        for rows in slow_rows[listed..].chunks(lowered::AT_ONCE) {
            self.lower_heads(&mut lowered, rows, &buffers, options);
            for &row in rows {
                let i = row as usize;
                let span = Span { start: self.splits.start[i], len: self.splits.end[i] };
                let text = Self::text(&buffers, &self.buffer_of, i, span.start, span.len);
                if !self.splits.slow_path[i].has(SlowPath::LONG) {
                    check_room(self.written(), text.len())?;
                }
                let read = Read { row, text, span, is_utf8: true };
                if let Some(reject) = self.lacks_field(&read) {
                    self.reject(&read, reject);
                } else if let Some(flags) = self.accept_lowered(&mut lowered, &read, options) {
                    self.flag(row, flags);
                } else {
                    self.validate(&read, None, options);
                }
            }
        }
        self.lowered = lowered;
        self.buffers = buffers;
        self.splits.slow_rows = slow_rows;
        Ok(())
    }

    /// Sends rows that the kernels accept to the full parser: suffix references, which also parse as relative
    /// references (4.5), and texts with user information to hide after their authority. The second argument of
    /// `is_unsure` is whether there is a scheme or an authority.
    fn leave_to_full_parser(
        &mut self,
        (from, listed): (usize, usize),
        is_unsure: impl Fn(&[u8], bool) -> bool,
    ) {
        let s = &mut self.splits;
        let of_kernel = s.slow_rows.split_off(listed);
        let mut of_kernel = of_kernel.into_iter().peekable();
        for i in from..s.len() {
            let is_listed = of_kernel.next_if_eq(&(i as u32)).is_some();
            let mut is_left = false;
            if !s.slow_path[i].has(SlowPath::UNSURE) {
                let text = Self::text(&self.buffers, &self.buffer_of, i, s.start[i], s.end[i]);
                is_left = is_unsure(text, s.scheme_end[i] > 0 || s.path_start[i] > 0);
            }
            if is_left {
                s.slow_path[i].0 |= SlowPath::AUTHORITY;
            }
            if is_listed || is_left {
                s.slow_rows.push(i as u32);
            }
        }
    }

    /// The reason why a row's record has no reference.
    #[inline]
    fn record_fault(&self, row: u32) -> Option<RecordFault> {
        if self.record_faults.is_empty() {
            return None;
        }
        let found = self.record_faults.binary_search_by_key(&row, |&(row, _)| row).ok();
        found.map(|at| self.record_faults[at].1)
    }

    /// The number of the field that is missing in a row's record.
    pub(super) fn missing_field(&self, row: u32) -> Option<u32> {
        match self.record_fault(row) {
            Some(RecordFault::MissingField(number @ 1..)) => Some(number),
            Some(RecordFault::MissingField(0) | RecordFault::Malformed(_) | RecordFault::Disagreement)
            | None => None,
        }
    }

    /// The offset at which a row's record violates its format.
    pub(super) fn malformed_at(&self, row: u32) -> Option<usize> {
        match self.record_fault(row)? {
            RecordFault::Malformed(at) => Some(at as usize),
            _ => None,
        }
    }

    /// A reject for a row whose record has no reference: if it is too short, the fault is at its end.
    #[inline]
    pub(super) fn lacks_field(&self, read: &Read<'_>) -> Option<Reject> {
        let (code, offset) = match self.record_fault(read.row)? {
            RecordFault::MissingField(_) => (Code::FieldMissing, read.text.len()),
            RecordFault::Malformed(at) => (Code::RecordMalformed, at as usize),
            RecordFault::Disagreement => (Code::Disagreement, 0),
        };
        Some(Reject { code, component: Component::Path, offset })
    }

    /// Validates one record, and resolves it if there is a base.
    pub(super) fn validate(&mut self, read: &Read<'_>, base: Option<&Base>, options: &Options) {
        let slow_path = self.splits.slow_path[read.row as usize];
        if !slow_path.has(SlowPath::UNSURE) {
            if let Some(base) = base {
                return self.resolve_split(read, slow_path, base, options);
            }
            let flags = self.accept_split(read, slow_path);
            return self.flag(read.row, flags);
        }
        if slow_path.has(SlowPath::LONG) {
            let offset = options.max_record.min(read.text.len());
            return self.reject(read, Reject { code: Code::TooLong, component: Component::Path, offset });
        }
        if let Some(form) = self.form(read.row) {
            return self.validate_form(read, form, base, options);
        }
        if base.is_none()
            && let Some(flags) = self.accept_behind_authority(read, options)
        {
            return self.flag(read.row, flags);
        }
        let parsed =
            parse_full_behind(read.text, &self.splits.get(read.row as usize), slow_path, self.rfc.spec);
        let mended = match refanged(read.text, options) {
            Cow::Owned(mut text) => {
                if self.is_list && options.drops_indents {
                    text.drain(..text.len() - text.trim_ascii_start().len());
                }
                let is_valid = parse_full(&text, self.rfc.spec).is_ok();
                let mended = mended(&text, is_valid, base.is_some(), self.rfc).map(Cow::into_owned);
                Some(Cow::Owned(mended.unwrap_or(text)))
            }
            Cow::Borrowed(text) => mended(text, parsed.is_ok(), base.is_some(), self.rfc),
        };
        if let Some(mended) = mended {
            match parse_full(&mended, self.rfc.spec) {
                Ok(found) if *mended != *read.text => {
                    let is_utf8 = std::str::from_utf8(read.text).is_ok();
                    let read = &Read { is_utf8, ..*read };
                    let of_repair = audit::of_repair(read.text, &mended, &found.0, found.1);
                    let flags = self.accept_parsed(read, Some(&mended), found, base, options);
                    return self.flag(read.row, flags | of_repair);
                }
                _ => {}
            }
        }
        match parsed {
            Ok(found) => {
                self.splits.set(read.row as usize, read.span.start, &found.0);
                let flags = self.accept_parsed(read, None, found, base, options);
                self.flag(read.row, flags);
            }
            Err(reject) => {
                let text = read.text.trim_ascii_start();
                let is_indented = self.is_list && options.drops_indents && text.len() < read.text.len();
                let found = (is_indented && !text.is_empty()).then(|| parse_full(text, self.rfc.spec).ok());
                match found.flatten() {
                    Some(found) => {
                        let flags = self.accept_parsed(read, Some(text), found, base, options);
                        self.flag(read.row, flags);
                    }
                    None => self.reject(read, reject),
                }
            }
        }
    }

    pub(super) fn accept_parsed(
        &mut self,
        read: &Read<'_>,
        other: Option<&[u8]>,
        found: (Split, Option<Host>),
        base: Option<&Base>,
        options: &Options,
    ) -> Flags {
        match base {
            Some(base) => self.resolve_parsed(read, other, found, base, options),
            None => self.accept(read, other, found, options),
        }
    }

    /// Accepts a record of whose split the kernel is sure: only triplets, dot segments and an empty path remain to be
    /// examined.
    pub(super) fn accept_split(&mut self, read: &Read<'_>, slow_path: SlowPath) -> Flags {
        let split = self.splits.get(read.row as usize);
        let tail = &read.text[split.path_start as usize..];
        let triplets =
            if slow_path.has(SlowPath::PERCENT) { normalize::survey(tail) } else { Triplets::default() };
        let (mut changes, grade) = (Changes::default(), self.rfc.grade());
        if normalize::wants_accepted(read.text, &split, slow_path, triplets, grade) {
            let host = (split.path_start > split.after_scheme()).then_some(Host::DnsName);
            let write = |out: &mut Vec<u8>| {
                let (new, changes) =
                    normalize::write_accepted(read.text, &split, slow_path, triplets, grade, out);
                (new, host, changes)
            };
            changes = self.write(read, read.text, (&split, host), write).1;
        }
        let mut flags = audit::of_triplets(read.text, triplets) | audit::of_changes(changes);
        flags.set(Flags::DEVICE_NAME, self.has_device_name(read.row, read.text, &split, triplets));
        flags
    }

    /// Whether the path of a row, if the kernel has found it, contains a device name; false if no column needs it.
    #[inline]
    pub(super) fn has_device_name(&self, row: u32, text: &[u8], split: &Split, triplets: Triplets) -> bool {
        self.devices_are_known
            && match self.has_device(row) {
                true => audit::has_device_name(text, split, triplets),
                false => audit::has_encoded_device_name(text, split, triplets),
            }
    }

    /// Accepts a valid reference by its split: the text as read, or `other`, which replaces it; without hidden user
    /// information.
    pub(super) fn accept(
        &mut self,
        read: &Read<'_>,
        other: Option<&[u8]>,
        found: (Split, Option<Host>),
        options: &Options,
    ) -> Flags {
        let text = other.unwrap_or(read.text);
        if self.hide != Hide::Nothing
            && let Some((left, of_left)) = hide_passwords::left(text, self.hide, self.rfc.spec)
        {
            let (triplets, rules) = (normalize::survey(text), &options.port_rules);
            // These flags concern the text as read.
            let flags = audit::of_reference(text, (&found.0, found.1), triplets, self.rfc.spec, rules);
            return flags | self.accept_shown(read, Some(&left), of_left, options);
        }
        self.accept_shown(read, other, found, options)
    }

    fn accept_shown(
        &mut self,
        read: &Read<'_>,
        other: Option<&[u8]>,
        (mut split, mut host): (Split, Option<Host>),
        options: &Options,
    ) -> Flags {
        let text = other.unwrap_or(read.text);
        let triplets = normalize::survey(text);
        let grade = self.rfc.grade();
        let mut flags =
            audit::of_reference(text, (&split, host), triplets, self.rfc.spec, &options.port_rules);
        let at = self.arena.len();
        if normalize::wants(text, &split, host, triplets, grade) {
            let write = |out: &mut Vec<u8>| normalize::write(text, &split, host, triplets, grade, out);
            let changes;
            ((split, host), changes) = self.write(read, text, (&split, host), write);
            flags = flags | audit::of_changes(changes);
        }
        if other.is_some() && self.arena.len() == at {
            // In normal form already, but not as read.
            self.arena.extend_from_slice(text);
            self.store(read, at, &split);
        }
        if other.is_some() && &self.arena[at..] == read.text {
            // Normalization may lead back to the text as read.
            self.discard(read, at, &split);
        }
        if let Some(kind) = host.map(Host::kind).filter(|&kind| kind != HostKind::DnsName) {
            self.kinds.push((read.row, kind));
        }
        flags
    }

    /// Writes the normal form of `text` to the arena with `write` and points the row to it, unless it equals the text.
    fn write(
        &mut self,
        read: &Read<'_>,
        text: &[u8],
        (split, host): (&Split, Option<Host>),
        write: impl FnOnce(&mut Vec<u8>) -> (Split, Option<Host>, Changes),
    ) -> ((Split, Option<Host>), Changes) {
        let at = self.arena.len();
        let (new, new_host, changes) = write(&mut self.arena);
        // Every reported change is visible.
        if changes == Changes::default() && &self.arena[at..] == text {
            self.arena.truncate(at);
            return ((*split, host), Changes::default());
        }
        match std::ptr::eq(text, read.text) {
            true => self.pre_normalized.keep_read(read.row, read.span.start, (split, host)),
            false => self.pre_normalized.keep(read.row, text, (split, host)),
        }
        self.store(read, at, &new);
        ((new, new_host), changes)
    }

    /// The number of bytes written to all arenas.
    #[inline]
    pub(super) fn written(&self) -> usize {
        self.arena.len().max(self.pre_normalized.written()).max(self.base_texts.written())
    }

    /// Points a row to its text, written at `at` of the arena.
    #[inline]
    pub(super) fn store(&mut self, read: &Read<'_>, at: usize, split: &Split) {
        self.splits.set(read.row as usize, at as u32 | IN_ARENA, split);
        self.rewritten.push(Rewritten { row: read.row, raw: read.span, is_utf8: read.is_utf8 });
    }

    /// Undoes [`Rows::store`].
    fn discard(&mut self, read: &Read<'_>, at: usize, split: &Split) {
        if self.arena.len() > at {
            self.arena.truncate(at);
            self.rewritten.pop();
            self.splits.set(read.row as usize, read.span.start, split);
        }
    }

    #[inline]
    pub(super) fn flag(&mut self, row: u32, flags: Flags) {
        if flags != Flags::default() {
            self.flags.push((row, flags));
        }
    }

    /// Stores a record outside the grammar: its text unchanged, no components.
    pub(super) fn reject(&mut self, read: &Read<'_>, reject: Reject) {
        let whole = |len: u32| Split { path_end: len, query_end: len, end: len, ..Split::default() };
        // Rejects of the full parser are known to be UTF-8 or not; others are checked here.
        let is_utf8 = match reject.code {
            Code::TooLong
            | Code::BaseNotAbsolute
            | Code::BaseInvalid
            | Code::FieldMissing
            | Code::RecordMalformed
            | Code::Disagreement => std::str::from_utf8(read.text).is_ok(),
            code if code.is_of_url_standard() => std::str::from_utf8(read.text).is_ok(),
            code => code != Code::NotUtf8,
        };
        let cleaned = match self.hide {
            Hide::Nothing => None,
            hide => match passwords::hidden(read.text, hide) {
                Cow::Owned(cleaned) => Some(cleaned),
                Cow::Borrowed(_) => None,
            },
        };
        if is_utf8 && cleaned.is_none() {
            self.splits.set(read.row as usize, read.span.start, &whole(read.span.len));
        } else {
            let at = self.arena.len();
            let cleaned = cleaned.as_deref().unwrap_or(read.text);
            let cleaned = &cleaned[..cleaned.len().min(most_written(at))];
            self.arena.extend_from_slice(String::from_utf8_lossy(cleaned).as_bytes());
            let len = (self.arena.len() - at) as u32;
            self.splits.set(read.row as usize, at as u32 | IN_ARENA, &whole(len));
            self.rewritten.push(Rewritten { row: read.row, raw: read.span, is_utf8 });
        }
        // A record's length fits in u32. Copied unchanged, the reject would be moved by one wide load, which has to
        // wait for the fields that have just been written.
        let offset = reject.offset as u32 as usize;
        self.rejects.push((read.row, Reject { offset, ..reject }));
    }

    /// The bytes of a row as read.
    pub(super) fn raw(&self, row: u32) -> &[u8] {
        let found = self.rewritten.binary_search_by_key(&row, |rewritten| rewritten.row);
        self.as_read(row, found.ok().map(|at| self.rewritten[at].raw))
    }

    /// [`Rows::raw`] for a caller that knows where the text of a rewritten row was.
    pub(super) fn as_read(&self, row: u32, rewritten: Option<Span>) -> &[u8] {
        let i = row as usize;
        let raw = rewritten.unwrap_or(Span { start: self.splits.start[i], len: self.splits.end[i] });
        Self::text(&self.buffers, &self.buffer_of, i, raw.start, raw.len)
    }

    /// One bit per row: whether it is accepted.
    pub(super) fn accepted(&self) -> BooleanBuffer {
        let count = self.splits.len();
        let mut bits = vec![0xffu8; count.div_ceil(8)];
        for &(row, _) in &self.rejects {
            bits[row as usize / 8] &= !(1 << (row % 8));
        }
        BooleanBuffer::new(bits.into(), 0, count)
    }

    /// The number of blank lines before a row: its number is that much higher.
    pub(super) fn blank_before(&self, row: u32) -> usize {
        self.splits.blank.partition_point(|&rows_before| rows_before <= row)
    }
}

/// Whether valid texts may be repaired because they are suffix references.
fn completes_suffixes(rfc: RfcOptions) -> bool {
    rfc.repair && rfc.default_scheme.is_some()
}

/// The text, restored if it is defanged and [`Options::refang`] is set.
pub(super) fn refanged<'t>(text: &'t [u8], options: &Options) -> Cow<'t, [u8]> {
    if options.refang { refang(text) } else { Cow::Borrowed(text) }
}

/// Whether a text is defanged, and is to be restored.
#[inline]
pub(super) fn is_harmless(text: &[u8], options: &Options) -> bool {
    matches!(refanged(text, options), Cow::Owned(_))
}

/// The repaired text, if there is something to repair.
fn mended<'t>(text: &'t [u8], is_valid: bool, is_resolved: bool, rfc: RfcOptions) -> Option<Cow<'t, [u8]>> {
    let completes = || !is_resolved && completes_suffixes(rfc) && normalize::is_suffix(text);
    let wants = rfc.repair && (!is_valid || is_prefixed(text) || completes());
    wants.then(|| mend(text, is_resolved, rfc))
}

/// The repaired text. White space alone means the base, as in browsers; without a base it has no meaning.
pub(super) fn mend(text: &[u8], is_resolved: bool, rfc: RfcOptions) -> Cow<'_, [u8]> {
    match is_resolved && text.iter().all(|&b| b <= b' ') {
        true => Cow::Borrowed(b""),
        false => normalize::repair_with(text, rfc.repairs(is_resolved)),
    }
}

/// Whether a valid text begins with the prefix of Appendix C, which has the form of a scheme.
fn is_prefixed(text: &[u8]) -> bool {
    text.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:"))
}
