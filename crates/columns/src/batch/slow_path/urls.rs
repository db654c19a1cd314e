//! Rows by the URL Standard: in columns of their own (`find_urls`), or instead of the RFC (`validate_urls`,
//! [`Options::whatwg`]).
//!
//! A row that the kernels are sure of as a reference in normal form, with a scheme of the web, is its own
//! serialization: nothing is parsed or written. All others are parsed by the states of the standard.

use std::borrow::Cow;

use arrow_buffer::Buffer;
use urimill_base::error::Result;
use urimill_uri::audit::Flags;
use urimill_uri::grammar::Spec;
use urimill_uri::internal::audit;
use urimill_uri::internal::normalize::survey;
use urimill_uri::internal::{classify_as, whatwg};
use urimill_uri::passwords::{Hide, hidden};
use urimill_uri::simd::{SlowPath, Span, Split};
use urimill_uri::whatwg::{Disagreement, Disagreements, Url};
use urimill_uri::{Code, Component, Host, HostKind, Reject};

use super::hide_passwords::hides;
use super::resolve::Against;
use super::{Read, is_harmless, refanged};

use crate::batch::records::RecordFault;
use crate::batch::rows::{Rows, check_room};
use crate::batch::urls::FoundUrl;
use crate::batch::{Options, Reading};

impl Rows {
    /// Finds the URL of every row that has one, and the differences between the URL Standard and the RFC.
    pub(super) fn find_urls(&mut self, against: &Against<'_>, options: &Options) -> Result<()> {
        let buffers = std::mem::take(&mut self.buffers);
        let mut last = std::mem::take(self.urls.base_mut());
        let is_whatwg = options.reading == Reading::Whatwg;
        // Rows that the kernels found in normal form do not change then.
        self.urls.others_are_as_read =
            !against.has_bases() && options.hide == Hide::Nothing && !options.refang;
        for row in 0..self.splits.len() {
            let slow_path = self.splits.slow_path[row];
            let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            if self.urls.others_are_as_read
                && slow_path.is_none()
                && self.splits.scheme_end[row] > 0
                && !is_null
                && (is_whatwg || !self.has_quote_in_query(&buffers, row))
            {
                continue;
            }
            let has_quote =
                !is_whatwg && !slow_path.has(SlowPath::UNSURE) && self.has_quote_in_query(&buffers, row);
            let (start, split) = (self.splits.start[row], self.splits.get(row));
            let text = Self::text(&buffers, &self.buffer_of, row, start, split.end);
            let row = row as u32;
            let given = against.given(row as usize, options);
            // Without a base a reference that the kernels are sure of has no URL, and no target by the RFC either.
            let is_relative = split.scheme_end == 0 && !slow_path.has(SlowPath::UNSURE);
            let read = Read { row, text, span: Span { start, len: split.end }, is_utf8: true };
            let base = match given.map(|given| last.find(given)) {
                None => None,
                Some(Some(base)) => Some(&base.url),
                // As in the API of browsers: against a base without a URL, no reference has a URL.
                Some(None) => {
                    self.urls.found.push((row, None));
                    continue;
                }
            };
            if is_null
                || slow_path.has(SlowPath::LONG)
                || self.lacks_field(&read).is_some()
                || is_relative && base.is_none()
            {
                self.urls.found.push((row, None));
                continue;
            }
            let is_other = has_quote || is_harmless(text, options);
            if !is_other && whatwg::is_plain(text, &split, slow_path) {
                let host = Some((split.host_start, split.host_end - split.host_start));
                let url = FoundUrl { is_written: false, start, len: split.end, host };
                self.urls.found.push((row, Some(url)));
                continue;
            }
            check_room(self.urls.written(), text.len() + given.map_or(0, <[u8]>::len))?;
            let slow_path = SlowPath(slow_path.0 | if is_other { SlowPath::INVALID } else { 0 });
            self.find_url(&read, (&split, slow_path), base, options);
        }
        *self.urls.base_mut() = last;
        self.buffers = buffers;
        if options.reject_disagreements && !self.urls.disagreements.is_empty() {
            // A text that the run's specification rejects has the code of that specification.
            let is_valid = |found: &Disagreements| match options.reading {
                Reading::Whatwg => !found.contains(Disagreement::InvalidForWhatwg),
                Reading::Rfc(rfc) => rfc.repair || !found.contains(Disagreement::InvalidForRfc),
            };
            let found = self.urls.disagreements.iter().filter(|(_, found)| is_valid(found));
            let found = found.map(|&(row, _)| (row, RecordFault::Disagreement));
            self.record_faults.extend(found);
            self.record_faults.sort_unstable_by_key(|&(row, _)| row);
            self.look_at_odd();
        }
        Ok(())
    }

    /// Finds the URL of one row, whose `split` is right if the kernels are sure of it by the URL Standard.
    fn find_url(
        &mut self,
        read: &Read<'_>,
        (split, slow_path): (&Split, SlowPath),
        base: Option<&Url<'static>>,
        options: &Options,
    ) {
        let meant = self.meant(read, options);
        let text = &*meant;
        let at = self.urls.bytes.len();
        let out = &mut self.urls.bytes;
        let relative = base.and_then(|base| whatwg::write_relative(text, split, slow_path, base, out));
        let has_plain_head = !slow_path.has(SlowPath::UNSURE) && split.scheme_end > 0;
        let (written, found) = match relative {
            _ if !self.urls.wants_disagreements() => (
                relative.map_or_else(|| whatwg::write(text, base, &mut self.urls.bytes), Ok),
                Disagreements::default(),
            ),
            Some(split) => (Ok(split), Disagreements::default()),
            None if has_plain_head => {
                let path = &text[split.path_start as usize..split.path_end as usize];
                (whatwg::write(text, base, &mut self.urls.bytes), whatwg::disagreements_of_path(path))
            }
            None => whatwg::write_compared(text, base, self.rfc.spec, &mut self.urls.bytes),
        };
        if !found.is_empty() {
            self.urls.disagreements.push((read.row, found));
        }
        // After resolution the password may no longer be in the user information: hide it before.
        let written = match hidden(text, options.hide) {
            Cow::Owned(left) if written.is_ok() => {
                self.urls.bytes.truncate(at);
                whatwg::write(&left, base, &mut self.urls.bytes)
            }
            _ => written,
        };
        let url = written.ok().map(|split| {
            let is_written = self.urls.bytes[at..] != *read.text;
            if !is_written {
                self.urls.bytes.truncate(at);
            }
            let has_host = split.host_start > split.after_scheme();
            let host = has_host.then_some((split.host_start, split.host_end - split.host_start));
            let start = if is_written { at as u32 } else { read.span.start };
            FoundUrl { is_written, start, len: split.end, host }
        });
        self.urls.found.push((read.row, url));
    }

    /// Validates every row by the URL Standard, against its base if it has one.
    pub(super) fn validate_urls(&mut self, against: &Against<'_>, options: &Options) -> Result<()> {
        let buffers = std::mem::take(&mut self.buffers);
        let mut last = std::mem::take(self.urls.base_mut());
        // From here on: the rows that may have user information, a port or another kind of host.
        self.splits.slow_rows.clear();
        for row in 0..self.splits.len() {
            let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            let slow_path = self.splits.slow_path[row];
            let is_simple = slow_path.is_none() && self.splits.scheme_end[row] > 0;
            if is_simple
                && options.hide == Hide::Nothing
                && !options.refang
                && !against.has_bases()
                && !is_null
            {
                continue;
            }
            let split = self.splits.get(row);
            let text = Self::text(&buffers, &self.buffer_of, row, self.splits.start[row], split.end);
            // The end of this function does the same for the other rows.
            self.splits.slow_path[row].0 |= SlowPath::INVALID;
            let is_harmless = is_harmless(text, options);
            let is_plain =
                whatwg::is_plain(text, &split, slow_path) && !hides(text, options.hide) && !is_harmless;
            let given = against.given(row, options);
            let base = given.map(|given| last.find(given));
            if let Some(base) = base
                && (!is_null || self.base_texts.are_of_all_rows())
            {
                let text = base.map_or_else(
                    || String::from_utf8_lossy(given.unwrap_or_default()),
                    |base| before_fragment(base.url.href()).into(),
                );
                self.base_texts.push_text(row, text.as_bytes());
            }
            if is_null {
                continue;
            }
            if is_plain && !matches!(base, Some(None)) {
                let mut flags = self.flags_of_plain(row as u32, text, &split);
                let base = base.flatten().map(|base| &base.url);
                flags.set(Flags::SAME_DOCUMENT, is_document(base, text, &split));
                self.flag(row as u32, flags);
                continue;
            }
            let span = Span { start: self.splits.start[row], len: split.end };
            let read = Read { row: row as u32, text, span, is_utf8: true };
            if !slow_path.has(SlowPath::LONG) && !matches!(base, Some(None)) {
                check_room(self.written(), text.len() + given.map_or(0, <[u8]>::len))?;
            }
            self.splits.slow_rows.push(row as u32);
            match (self.lacks_field(&read), base) {
                (Some(reject), _) => self.reject(&read, reject),
                (None, _) if slow_path.has(SlowPath::LONG) => {
                    let offset = options.max_record.min(text.len());
                    self.reject(&read, Reject { code: Code::TooLong, component: Component::Path, offset });
                }
                (None, Some(None)) => {
                    let first = &mut self.bad_bases[1];
                    first.get_or_insert_with(|| given.unwrap_or_default().to_vec());
                    let reject = Reject { code: Code::BaseInvalid, component: Component::Scheme, offset: 0 };
                    self.reject(&read, reject);
                }
                (None, base) => {
                    let base = base.flatten();
                    if options.hide == Hide::Nothing
                        && !is_harmless
                        && let Some(base) = base.filter(|base| base.is_plain)
                        && self.resolve_plain(&read, (&split, slow_path), &base.url)
                    {
                        continue;
                    }
                    self.validate_url(&read, base.map(|base| &base.url), options);
                }
            }
        }
        *self.urls.base_mut() = last;
        self.buffers = buffers;
        self.flag_devices();
        Ok(())
    }

    /// The text to parse for a row: the reference of a request's target, or a harmless text restored.
    fn meant<'t>(&self, read: &Read<'t>, options: &Options) -> Cow<'t, [u8]> {
        match self.form(read.row) {
            Some(form) => Cow::Owned([form.prefix(), read.text].concat()),
            None => refanged(read.text, options),
        }
    }

    /// Whether a row has a `'` in its query, which a special URL encodes.
    #[inline]
    fn has_quote_in_query(&self, buffers: &[Buffer], row: usize) -> bool {
        let (from, to) = (self.splits.path_end[row], self.splits.query_end[row]);
        if from == to {
            return false;
        }
        let text = Self::text(buffers, &self.buffer_of, row, self.splits.start[row], to);
        memchr::memchr(b'\'', &text[from as usize..]).is_some()
    }

    /// The flags of a URL that is its own serialization: those of its triplets and device names.
    fn flags_of_plain(&self, row: u32, text: &[u8], split: &Split) -> Flags {
        let triplets = survey(text);
        let mut flags = audit::of_triplets(text, triplets);
        flags.set(Flags::DEVICE_NAME, self.has_device_name(row, text, split, triplets));
        flags
    }

    /// Resolves a row that the kernels are sure of, against a base that they are sure of, too; returns false, and does
    /// nothing, if the parser is needed.
    fn resolve_plain(
        &mut self,
        read: &Read<'_>,
        (split, slow_path): (&Split, SlowPath),
        base: &Url<'static>,
    ) -> bool {
        let at = self.arena.len();
        let Some(split) = whatwg::write_relative(read.text, split, slow_path, base, &mut self.arena) else {
            return false;
        };
        let url = &self.arena[at..];
        let triplets = survey(url);
        let mut flags = audit::of_triplets(url, triplets);
        flags.set(Flags::DEVICE_NAME, audit::has_device_name(url, &split, triplets));
        flags.set(Flags::SAME_DOCUMENT, is_document(Some(base), url, &split));
        self.store(read, at, &split);
        self.flag(read.row, flags);
        true
    }

    /// Validates one row.
    fn validate_url(&mut self, read: &Read<'_>, base: Option<&Url<'static>>, options: &Options) {
        let mut text = self.meant(read, options);
        let is_refanged = is_harmless(read.text, options);
        let at = self.arena.len();
        let mut written = whatwg::write(&text, base, &mut self.arena);
        if is_refanged && written.is_err() {
            text = Cow::Borrowed(read.text);
            self.arena.truncate(at);
            written = whatwg::write(&text, base, &mut self.arena);
        }
        // These flags concern the text as read.
        let flags = written.map(|split| flags_of_url(&self.arena[at..], &split, options));
        if options.hide != Hide::Nothing && written.is_ok() {
            // A base may turn it into something else than user information.
            if let Cow::Owned(left) = hidden(&text, options.hide) {
                self.arena.truncate(at);
                written = whatwg::write(&left, base, &mut self.arena);
            }
            if let Cow::Owned(left) = hidden(&self.arena[at..], options.hide) {
                self.arena.truncate(at);
                written = whatwg::write(&left, None, &mut self.arena);
            }
        }
        let split = match written {
            Ok(split) => split,
            Err(failure) => {
                let prefix = self.form(read.row).map_or(0, |form| form.prefix().len());
                let reject = Reject::from(failure);
                return self.reject(read, Reject { offset: reject.offset.saturating_sub(prefix), ..reject });
            }
        };
        let url = &self.arena[at..];
        let host = host_of_url(url, &split);
        let mut flags = flags.unwrap_or_default();
        flags.set(Flags::SAME_DOCUMENT, is_document(base, url, &split));
        flags.set(Flags::REPAIRED, is_refanged && matches!(text, Cow::Owned(_)));
        if *url == *read.text {
            self.arena.truncate(at);
            self.splits.set(read.row as usize, read.span.start, &split);
        } else {
            let is_utf8 = std::str::from_utf8(read.text).is_ok();
            self.store(&Read { is_utf8, ..*read }, at, &split);
        }
        if let Some(kind) = host.map(|host| host.kind()).filter(|&kind| kind != HostKind::DnsName) {
            self.kinds.push((read.row, kind));
        }
        self.flag(read.row, flags);
    }
}

/// The host of a URL in RFC 3986's notation.
fn host_of_url(url: &[u8], split: &Split) -> Option<Host> {
    (split.host_start > split.after_scheme())
        .then(|| classify_as(&url[split.host_start as usize..split.host_end as usize], Spec::Rfc3986))
}

fn flags_of_url(url: &[u8], split: &Split, options: &Options) -> Flags {
    let parts = (split, host_of_url(url, split));
    audit::of_reference(url, parts, survey(url), Spec::Rfc3986, &options.port_rules)
}

/// A URL without its fragment.
fn before_fragment(href: &str) -> &str {
    href.split_once('#').map_or(href, |(before, _)| before)
}

/// Whether a URL names the same document as its base.
fn is_document(base: Option<&Url<'_>>, url: &[u8], split: &Split) -> bool {
    base.is_some_and(|base| before_fragment(base.href()).as_bytes() == &url[..split.query_end as usize])
}
