//! References to targets: the slow path of every row of a batch that has bases. What `resolve` and `normalize` do for
//! one reference is done here with their pieces, and nothing is parsed again: a target's offsets are known from where
//! it was written. Resolution takes 53 ns a reference, and 207 ns with fluent-uri (Zen 4, page after page).
//!
//! A reference that is its own target stays a view into the input. Every other target is written to the arena, most of
//! them directly in normal form.

use std::borrow::Cow;

use arrow_buffer::Buffer;
use urimill_base::error::Result;
use urimill_base::timing;
use urimill_base::timing::Step;
use urimill_uri::grammar::Spec;
use urimill_uri::internal::audit::{self, Flags};
use urimill_uri::internal::normalize::{self, Triplets};
use urimill_uri::internal::parse_full;
use urimill_uri::internal::resolve::{self, Mode, Parts, Remarks};
use urimill_uri::simd;
use urimill_uri::simd::{SlowPath, Span, Split};
use urimill_uri::{Code, Component, Host, HostKind, Reject};

use super::Read;
use super::hide_passwords;
use super::{is_harmless, mend, refanged};
use crate::batch::bases::{Base, Bases, Root};
use crate::batch::places::Places;
use crate::batch::rows::{IN_ARENA, Rows, check_room};
use crate::batch::{Options, Reading, RfcOptions};

/// The base of each row's reference.
pub(super) struct Against<'a> {
    bases: &'a mut Bases,
    /// The rows' own; an empty one means that of the options.
    own: Option<&'a Places>,
    /// Whether rows may have no base.
    are_defaults: bool,
    has_bases: bool,
}

impl<'a> Against<'a> {
    /// Whether any row has one.
    pub(super) fn has_bases(&self) -> bool {
        self.has_bases
    }

    /// The text of a row's base; `None` if it has none.
    #[inline(always)]
    pub(super) fn given<'o>(&self, row: usize, options: &'o Options) -> Option<&'o [u8]>
    where
        'a: 'o,
    {
        let own = self.own.map_or(&b""[..], |places| places.text(row));
        let common = options.base.as_deref().unwrap_or_default().as_bytes();
        Some(if own.is_empty() { common } else { own }).filter(|base| !base.is_empty())
    }

    /// The base of a row; `None` if its reference is not resolved. If a base is missing, the empty one.
    #[inline]
    fn base(&mut self, row: usize, options: &Options) -> Option<&Base> {
        let given = self.given(row, options);
        if given.is_none() && (!self.has_bases || self.are_defaults) {
            return None;
        }
        Some(self.bases.find(given.unwrap_or_default(), options))
    }
}

impl Rows {
    /// Whether [`Rows::validate_batch`] validates only rows that the kernels listed, each by itself.
    pub(crate) fn has_slow_rows_alone(&self, options: &Options) -> bool {
        options.base.is_none() && options.reading != Reading::Whatwg && !self.urls.are_wanted()
    }

    /// Validates the rows that the kernels listed, or with bases all rows.
    pub(crate) fn validate_batch(
        &mut self,
        bases: &mut Bases,
        own: Option<&Places>,
        options: &Options,
    ) -> Result<()> {
        let _slow_path = timing::step(Step::SlowPath);
        let has_bases = own.is_some() || options.base.is_some();
        let mut against = Against { bases, own, are_defaults: self.are_defaults, has_bases };
        if self.urls.are_wanted() {
            self.find_urls(&against, options)?;
        }
        if options.reading == Reading::Whatwg {
            return self.validate_urls(&against, options);
        }
        if has_bases {
            return self.validate_all(&mut against, options);
        }
        self.validate_slow_rows((0, 0), options)?;
        self.flag_devices();
        Ok(())
    }

    /// Finds rows, from `from` on, that may have a device name in their path: the flag of section 7.3 that a text in
    /// normal form may have. Runs before the slow path, which changes the facts about rows.
    pub(crate) fn find_devices(&mut self, from: usize, are_lines: bool, options: &Options) {
        if options.columns.have_flags() {
            self.devices_are_known = true;
            let texts: Vec<&[u8]> = self.buffers.iter().map(Buffer::as_slice).collect();
            let (found, how) = ((&self.splits, from), (are_lines, options.isa));
            simd::find_devices(found, &texts, &self.buffer_of, how, &mut self.devices);
        }
    }

    /// Examines those rows, of which the first `from` have been examined, and keeps the ones that have a device name.
    /// Rows of whose scheme and authority the kernels are not sure are kept too: they are examined when these are
    /// known.
    pub(crate) fn look_at_devices(&mut self, from: usize) {
        let mut kept = from;
        for at in from..self.devices.len() {
            let row = self.devices[at] as usize;
            let text =
                Self::text(&self.buffers, &self.buffer_of, row, self.splits.start[row], self.splits.end[row]);
            if self.splits.slow_path[row].has(SlowPath::UNSURE)
                || audit::has_device_name(text, &self.splits.get(row), Triplets::default())
            {
                self.devices[kept] = row as u32;
                kept += 1;
            }
        }
        self.devices.truncate(kept);
    }

    /// Whether a row is one of these.
    #[inline]
    pub(crate) fn has_device(&self, row: u32) -> bool {
        !self.devices.is_empty() && self.devices.binary_search(&row).is_ok()
    }

    /// Flags the rows that needed no slow path and have no other flags.
    pub(crate) fn flag_devices(&mut self) {
        if !self.devices.is_empty() {
            let clear = self.devices.iter().filter(|&&row| self.splits.slow_path[row as usize].is_none());
            self.flags.extend(clear.map(|&row| (row, Flags::DEVICE_NAME)));
            self.flags.sort_unstable_by_key(|&(row, _)| row);
        }
    }

    /// Resolves and validates every row.
    fn validate_all(&mut self, against: &mut Against<'_>, options: &Options) -> Result<()> {
        let buffers = std::mem::take(&mut self.buffers);
        // From here on: the rows that may have user information, a port or another kind of host.
        self.splits.slow_rows.clear();
        for row in 0..self.splits.len() {
            if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                if self.base_texts.are_of_all_rows()
                    && let Some(base) = against.base(row, options)
                {
                    self.base_texts.push(row, base);
                }
                continue;
            }
            let span = Span { start: self.splits.start[row], len: self.splits.end[row] };
            let text = Self::text(&buffers, &self.buffer_of, row, span.start, span.len);
            let read = Read { row: row as u32, text, span, is_utf8: true };
            let base = against.base(row, options);
            if !self.splits.slow_path[row].has(SlowPath::LONG) {
                let from_base = base.filter(|base| base.is_absolute()).map_or(0, Base::len);
                check_room(self.written(), from_base + text.len())?;
            }
            if let Some(base) = base {
                self.base_texts.push(row, base);
            }
            if hide_passwords::hides(text, options.hide) || is_harmless(text, options) {
                self.splits.slow_path[row].0 |= SlowPath::AUTHORITY;
            }
            let slow_path = self.splits.slow_path[row];
            if (slow_path.0 | base.map_or(0, |base| base.slow_path().0)) & SlowPath::UNSURE != 0 {
                self.splits.slow_rows.push(row as u32);
            }
            if let Some(reject) = self.lacks_field(&read) {
                self.reject(&read, reject);
                continue;
            }
            let Some(base) = base else {
                if !slow_path.is_none() {
                    self.validate(&read, None, options);
                }
                continue;
            };
            if base.is_absolute() || base.is_missing() && self.has_scheme(&read, options) {
                match slow_path.has(SlowPath::UNSURE) {
                    false => self.resolve_split(&read, slow_path, base, options),
                    true => self.validate(&read, Some(base), options),
                }
            } else {
                // The fault is in another field, so no byte of the text is at fault.
                let code = if base.is_outside_grammar() { Code::BaseInvalid } else { Code::BaseNotAbsolute };
                let component = Component::Scheme;
                let first = &mut self.bad_bases[usize::from(code == Code::BaseInvalid)];
                first.get_or_insert_with(|| base.given().to_vec());
                self.reject(&read, Reject { code, component, offset: 0 });
            }
        }
        self.buffers = buffers;
        Ok(())
    }

    /// Whether a reference has a scheme, so that it needs no base: the target is the one that it has with any other.
    fn has_scheme(&self, read: &Read<'_>, options: &Options) -> bool {
        if !self.splits.slow_path[read.row as usize].has(SlowPath::UNSURE) {
            return self.splits.scheme_end[read.row as usize] > 0;
        }
        let text = refanged(read.text, options);
        let text = if self.rfc.repair { mend(&text, true, self.rfc) } else { Cow::Borrowed(&*text) };
        let end = text.iter().position(|b| !b.is_ascii_alphanumeric() && !b"+-.".contains(b));
        end.is_some_and(|end| text[end] == b':' && text[0].is_ascii_alphabetic())
    }

    /// Resolves a reference of whose split the kernel is sure.
    #[inline]
    pub(crate) fn resolve_split(
        &mut self,
        read: &Read<'_>,
        slow_path: SlowPath,
        base: &Base,
        options: &Options,
    ) {
        let row = read.row as usize;
        if slow_path.is_none() && self.rfc.mode == Mode::Strict && self.splits.scheme_end[row] > 0 {
            // Its own target, in normal form, as are most links to other sites.
            let document = &read.text[..self.splits.query_end[row] as usize];
            let mut flags = Flags::default();
            flags.set(Flags::SAME_DOCUMENT, self.rfc.spec != Spec::Rfc2396 && base.is_document(document));
            flags.set(Flags::DEVICE_NAME, self.has_device(read.row));
            return self.flag(read.row, flags);
        }
        if slow_path.is_none()
            && let Some(root) = base.root()
            && read.text.first() == Some(&b'/')
            && (self.splits.path_start[row] == 0 || !base.slow_path().has(SlowPath::UNSURE))
        {
            let flags = self.accept_from_slash(read, root, base);
            return self.flag(read.row, flags);
        }
        // The offsets are stored one by one: one wide copy would have to wait for all of them.
        let mut parts = Parts {
            text: read.text,
            split: self.splits.get(row),
            host: None,
            dots: slow_path.has(SlowPath::DOTS),
            encoded: false,
            spec: self.rfc.spec,
        };
        if slow_path.has(SlowPath::PERCENT) {
            parts = parts.at(self.rfc.level);
        }
        if parts.split.path_start > parts.split.after_scheme() {
            parts.host = Some(Host::DnsName);
        }
        let mut flags = if resolve::is_own_target(&base.parts(), &parts, self.rfc.mode) {
            self.accept_split(read, slow_path)
        } else if parts.encoded | base.is_involved() {
            self.accept_target(read, None, (parts.split, parts.host), base, options)
        } else {
            self.write_target(read, slow_path, &parts, base)
        };
        flags.set(Flags::SAME_DOCUMENT, self.is_same_document(read, &parts, base));
        self.flag(read.row, flags);
    }

    /// Accepts a reference that begins with a slash, of which the kernel is sure, against a base that has a [`Root`]:
    /// the target is in normal form, and only whether it equals the base depends on both.
    #[inline]
    fn accept_from_slash(&mut self, read: &Read<'_>, root: Root, base: &Base) -> Flags {
        let at = self.arena.len();
        let split = base.write_from_slash(read.text, &self.splits.get(read.row as usize), &mut self.arena);
        let mut flags = root.flags;
        flags.set(Flags::DEVICE_NAME, self.has_device(read.row));
        flags.set(Flags::SAME_DOCUMENT, base.is_document(&self.arena[at..][..split.query_end as usize]));
        self.store(read, at, &split);
        if root.host.kind() != HostKind::DnsName {
            self.kinds.push((read.row, root.host.kind()));
        }
        flags
    }

    /// Resolves a reference that the full parser has split: the text as read or `other`, its repaired form.
    pub(crate) fn resolve_parsed(
        &mut self,
        read: &Read<'_>,
        other: Option<&[u8]>,
        (split, host): (Split, Option<Host>),
        base: &Base,
        options: &Options,
    ) -> Flags {
        let parts = parsed_parts(other.unwrap_or(read.text), (split, host), self.rfc);
        let mut flags = if resolve::is_own_target(&base.parts(), &parts, self.rfc.mode) {
            let mut flags = self.accept(read, other, (split, host), options);
            audit::set_remarks(&mut flags, remarks(base, &parts, self.rfc.mode));
            flags
        } else {
            self.accept_target(read, other, (split, host), base, options)
        };
        flags.set(Flags::SAME_DOCUMENT, self.is_same_document(read, &parts, base));
        flags
    }

    /// Writes the target of any reference against any base, and accepts it as a written text.
    pub(crate) fn accept_target(
        &mut self,
        read: &Read<'_>,
        other: Option<&[u8]>,
        (split, host): (Split, Option<Host>),
        base: &Base,
        options: &Options,
    ) -> Flags {
        let text = other.unwrap_or(read.text);
        let parts = parsed_parts(text, (split, host), self.rfc);
        let keeps_scheme = resolve::keeps_scheme(&base.parts(), &parts, self.rfc.mode);
        let own = resolve::as_uri(&base.parts(), &parts, self.rfc.mode, self.rfc.level);
        let mut target = std::mem::take(&mut self.scratch);
        target.clear();
        if parts.encoded || base.parts().encoded || own.is_some() {
            // Keys and canonical forms are made from the target to the letter, which is the same at every level.
            let (base, parts) = (base.parts().undecoded(), parts.undecoded());
            let found = resolve::write(&base, &parts, self.rfc.mode, &mut target);
            self.pre_normalized.keep(read.row, &target, (&found.split, found.host));
            target.clear();
        }
        let own = own.and_then(|own| parse_full(&own.text, self.rfc.spec).ok().map(|found| (own, found)));
        let found = match &own {
            Some((own, found)) => {
                let parts = parsed_parts(&own.text, *found, self.rfc);
                resolve::write(&base.parts(), &parts, self.rfc.mode, &mut target)
            }
            None => resolve::write(&base.parts(), &parts, self.rfc.mode, &mut target),
        };
        let mut flags = match target == text {
            true => self.accept(read, other, (split, host), options),
            false => self.accept(read, Some(&target), (found.split, found.host), options),
        };
        let (dots, decoded) = own.map_or((false, false), |(own, _)| (own.dots_removed, own.decoded));
        if found.dots_removed | dots {
            // Hiding may have removed some of what the reference holds.
            flags =
                flags | Flags::DOT_SEGMENTS_REMOVED | audit::of_data(text, &split, normalize::survey(text));
        }
        flags.set(Flags::PERCENT_DECODED, found.decoded | decoded);
        flags.set(Flags::REPAIRED, base.is_mended() && !keeps_scheme);
        audit::set_remarks(&mut flags, remarks(base, &parts, self.rfc.mode));
        self.scratch = target;
        flags
    }

    /// [`Rows::accept_target`] if the kernel is sure of both: then it would also be sure of the target, so its normal
    /// form needs little work.
    #[inline]
    fn write_target(
        &mut self,
        read: &Read<'_>,
        slow_path: SlowPath,
        parts: &Parts<'_, Host>,
        base: &Base,
    ) -> Flags {
        let at = self.arena.len();
        // The base has a host, and so has a reference with a scheme: only dots can cause remarks.
        let mut remarks = Remarks::default();
        let has_triplets = slow_path.has(SlowPath::PERCENT);
        let (mut split, removed, keeps_scheme) = match base.write_simple(parts, &mut self.arena) {
            Some(split) => (split, false, false),
            None => {
                let (base_parts, mode) = (base.parts(), self.rfc.mode);
                let written = resolve::write(&base_parts, parts, mode, &mut self.arena);
                if parts.has_dot_segments() || base.slow_path().has(SlowPath::DOTS) {
                    remarks = resolve::remarks_of_parts(&base_parts, parts, mode);
                }
                let keeps_scheme = resolve::keeps_scheme(&base_parts, parts, mode);
                (written.split, written.dots_removed, keeps_scheme)
            }
        };

        let percent = (slow_path.0 | base.slow_path().0) & SlowPath::PERCENT;
        let dots = match self.rfc.spec {
            // Dot segments are not removed from a path that is taken from the base (5.2.2).
            _ if parts.path().is_empty() => base.slow_path().0 & SlowPath::DOTS,
            // Excess dot segments stay.
            Spec::Rfc3986Errata => SlowPath::DOTS,
            _ => 0,
        };
        // The host of a base that the kernel is sure of is a name, and the reference has no other kind of host.
        let host = Some(Host::DnsName);
        let is_rootless = split.path_start == split.path_end;
        let slow_path = SlowPath(percent | dots | if is_rootless { SlowPath::EMPTY_PATH } else { 0 });
        let target = &self.arena[at..];
        let triplets = match percent {
            0 => Triplets::default(),
            _ => normalize::survey(&target[split.path_start as usize..]),
        };
        let mut flags = audit::of_triplets(target, triplets);
        // Each segment of the target is one of the base or of the reference.
        let has_device = match base.has_device_name() && self.devices_are_known {
            true => audit::has_device_name(target, &split, triplets),
            false => self.has_device_name(read.row, target, &split, triplets),
        };
        flags.set(Flags::DEVICE_NAME, has_device);
        if !slow_path.is_none()
            && normalize::wants_accepted(target, &split, slow_path, triplets, self.rfc.grade())
        {
            self.scratch.clear();
            self.scratch.extend_from_slice(target);
            self.arena.truncate(at);
            self.pre_normalized.keep(read.row, &self.scratch, (&split, host));
            let (text, grade) = (&self.scratch, self.rfc.grade());
            let changes;
            (split, changes) =
                normalize::write_accepted(text, &split, slow_path, triplets, grade, &mut self.arena);
            flags = flags | audit::of_changes(changes);
        }
        if &self.arena[at..] == read.text {
            self.arena.truncate(at);
        } else {
            self.store(read, at, &split);
        }
        if removed {
            let text = parts.text;
            let triplets = if has_triplets { normalize::survey(text) } else { Triplets::default() };
            flags = flags | Flags::DOT_SEGMENTS_REMOVED | audit::of_triplets(text, triplets);
            let has_device = self.has_device_name(read.row, text, &parts.split, triplets);
            flags.set(Flags::DEVICE_NAME, has_device);
        }
        flags.set(Flags::REPAIRED, base.is_mended() && !keeps_scheme);
        audit::set_remarks(&mut flags, remarks);
        flags
    }

    /// RFC 3986, 4.4: target and base, both in normal form, are equal except for the fragment. RFC 2396, 4.2: the
    /// reference is empty or only a fragment.
    #[inline]
    pub(crate) fn is_same_document(&self, read: &Read<'_>, parts: &Parts<'_, Host>, base: &Base) -> bool {
        if self.rfc.spec == Spec::Rfc2396 {
            return parts.split.query_end == 0;
        }
        let (start, document) =
            (self.splits.start[read.row as usize], self.splits.query_end[read.row as usize] as usize);
        let text = match start & IN_ARENA {
            0 => read.text,
            _ => &self.arena[(start & !IN_ARENA) as usize..],
        };
        base.is_document(&text[..document])
    }
}

/// A reference that the full parser has split, as the writer of targets takes it.
fn parsed_parts<'t>(
    text: &'t [u8],
    (split, host): (Split, Option<Host>),
    rfc: RfcOptions,
) -> Parts<'t, Host> {
    Parts { text, split, host, dots: true, encoded: false, spec: rfc.spec }.at(rfc.level)
}

/// The remarks about a reference as written.
fn remarks(base: &Base, parts: &Parts<'_, Host>, mode: Mode) -> Remarks {
    resolve::remarks_of_parts(&base.parts().undecoded(), &parts.undecoded(), mode)
}
