//! Bases, each parsed once for all references that are resolved against it.
//!
//! The links of a page are adjacent, so the base of the record before is compared first; if pages are mixed, as in a
//! crawler's log, a small hash table has the others.

use std::borrow::Cow;

use twox_hash::XxHash3_64;
use urimill_uri::grammar::Spec;
use urimill_uri::internal::audit::{Flags, has_device_name, of_reference};
use urimill_uri::internal::classify_as;
use urimill_uri::internal::normalize::{Triplets, has_encoded_dot_segments, survey};
use urimill_uri::internal::resolve::Parts;
use urimill_uri::normalize::{Level, normalize};
use urimill_uri::passwords::hidden;
use urimill_uri::simd::{SlowPath, Split};
use urimill_uri::{Host, UriRef};

use crate::batch::Options;
use crate::batch::places::LONGEST_BASE;

/// The number of slots: up to this many bases are stored if no two share a slot.
const SLOTS: usize = 2048;
/// Longer ones are not worth the memory.
const LONGEST_KEPT: usize = 4096;

/// A base and the facts about it that every reference needs.
#[derive(Debug, Default)]
pub(crate) struct Base {
    /// The text in the field.
    given: Vec<u8>,
    /// The text after repair.
    mended: Option<Vec<u8>>,
    split: Split,
    /// Whether it is not a URI reference at all.
    is_outside_grammar: bool,
    host: Option<Host>,
    slow_path: SlowPath,
    /// Whether the path has triplets to decode before its dot segments are removed.
    encoded: bool,
    /// The normal form up to its fragment, with which a target in the same document begins (4.4), if it is not the
    /// text.
    document: Option<Vec<u8>>,
    /// The length of that normal form.
    document_len: usize,
    /// The length of the part of the path that precedes a relative one (5.2.3).
    merged: usize,
    spec: Spec,
    /// The scheme and authority of a target, if they are the same for all references from a slash on.
    root: Option<Root>,
    /// Whether the path contains a device name.
    has_device_name: bool,
}

/// The contribution of its base to the target of a reference that begins with a slash.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) flags: Flags,
    pub(super) host: Host,
}

impl Base {
    /// Replaces the text. An invalid base is stored as one without a scheme (5.1).
    fn turn(&mut self, given: &[u8], options: &Options) {
        let mut own = std::mem::take(&mut self.given);
        own.clear();
        own.extend_from_slice(given);
        let rfc = options.reading.rfc();
        *self = Base { given: own, spec: rfc.spec, ..Base::default() };
        if given.len() >= LONGEST_BASE {
            self.is_outside_grammar = true;
            return;
        }
        if let Cow::Owned(mended) = rfc.repaired(given) {
            self.mended = Some(mended);
        }
        let text = self.mended.as_deref().unwrap_or(given);
        let uri = match UriRef::parse_as(text, rfc.spec) {
            Ok(uri) if uri.is_uri() => uri,
            Ok(_) => return,
            Err(_) => {
                self.is_outside_grammar = true;
                return;
            }
        };
        let cleaned = hidden(text, options.hide);
        let document = match UriRef::parse_as(&*cleaned, rfc.spec)
            .map(|cleaned| normalize(&cleaned, rfc.level))
        {
            Ok(Cow::Owned(normal)) => Some(before_fragment(normal.into_bytes())),
            Ok(Cow::Borrowed(normal)) if normal.as_bytes() != text => Some(before_fragment(normal.into())),
            _ => None,
        };
        let merged = match (uri.path(), uri.authority()) {
            ("", Some(_)) => 1,
            // Erratum 2933.
            (path, _) if rfc.spec == Spec::Rfc3986Errata && path.ends_with("/..") => path.len() + 1,
            (path, _) => path.rfind('/').map_or(0, |at| at + 1),
        };
        let host = uri.host().map(|host| classify_as(host.as_bytes(), rfc.spec));
        let hides = if matches!(cleaned, Cow::Owned(_)) { SlowPath::AUTHORITY } else { 0 };
        let (split, slow_path) = (uri.split(), SlowPath(uri.slow_path().0 | hides));
        self.encoded = rfc.level >= Level::Percent && has_encoded_dot_segments(uri.path().as_bytes());
        (self.split, self.host, self.slow_path, self.document, self.merged) =
            (split, host, slow_path, document, merged);
        self.document_len = self.document().unwrap_or_default().len();
        self.root = self.find_root(options);
        self.has_device_name = has_device_name(self.text(), &self.split, survey(self.text()));
    }

    /// Whether the path contains a device name (7.3).
    #[inline]
    pub(crate) fn has_device_name(&self) -> bool {
        self.has_device_name
    }

    /// For a base of whose scheme and authority the kernel is sure, and for one that is a root in normal form, as in
    /// logs: a scheme, an authority and a slash.
    fn find_root(&self, options: &Options) -> Option<Root> {
        let (text, host) = (self.text(), self.host?);
        if self.is_mended() || self.spec == Spec::Rfc2396 {
            return None;
        }
        if !self.slow_path.has(SlowPath::UNSURE) {
            // Such a head has no flags.
            return Some(Root { flags: Flags::default(), host });
        }
        let is_root = text.get(self.split.path_start as usize..) == Some(b"/");
        let is_left = self.slow_path.0 & !SlowPath::AUTHORITY != 0;
        let triplets = survey(text);
        if !is_root || is_left || self.document.is_some() || triplets != Triplets::default() {
            return None;
        }
        let parsed = (&self.split, Some(host));
        Some(Root { flags: of_reference(text, parsed, triplets, self.spec, &options.port_rules), host })
    }

    /// The contribution of this base to the target of a reference that begins with a slash.
    #[inline]
    pub(super) fn root(&self) -> Option<Root> {
        self.root
    }

    fn text(&self) -> &[u8] {
        self.mended.as_deref().unwrap_or(&self.given)
    }

    /// The text in the field.
    pub(crate) fn given(&self) -> &[u8] {
        &self.given
    }

    /// Whether it is empty, as that of a row without a base.
    pub(crate) fn is_missing(&self) -> bool {
        self.given.is_empty()
    }

    pub(crate) fn is_absolute(&self) -> bool {
        self.split.scheme_end > 0
    }

    /// Whether it is not a URI reference, as opposed to one without a scheme.
    pub(crate) fn is_outside_grammar(&self) -> bool {
        self.is_outside_grammar
    }

    /// Whether it is not the given base but its repaired form.
    pub(crate) fn is_mended(&self) -> bool {
        self.mended.is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.text().len()
    }

    pub(crate) fn slow_path(&self) -> SlowPath {
        self.slow_path
    }

    /// The base in the form that the writer of targets takes.
    #[inline]
    pub(crate) fn parts(&self) -> Parts<'_, Host> {
        let dots = self.slow_path.has(SlowPath::DOTS | SlowPath::UNSURE);
        let spec = self.spec;
        Parts { spec, text: self.text(), split: self.split, host: self.host, dots, encoded: self.encoded }
    }

    /// Whether the writer of targets needs the whole base: the kernel is not sure of it, or its dot segments have
    /// triplets.
    #[inline]
    pub(crate) fn is_involved(&self) -> bool {
        self.encoded | self.slow_path.has(SlowPath::UNSURE)
    }

    /// Appends the target of a reference that occurs in it unchanged, after a part of the base (5.2.2): a reference
    /// without scheme, authority and dot segments, as most are; `None` for the others.
    ///
    /// `inline(always)`: its result would be written field by field, and read wider than that, which has to wait.
    #[inline(always)]
    pub(crate) fn write_simple(&self, reference: &Parts<'_, Host>, out: &mut Vec<u8>) -> Option<Split> {
        let (base, own) = (&self.split, &reference.split);
        if reference.dots || own.path_start > 0 || self.spec == Spec::Rfc2396 {
            return None;
        }
        let end = match reference.text.first() {
            None | Some(b'#') => base.query_end as usize,
            Some(b'?') => base.path_end as usize,
            Some(b'/') => base.path_start as usize,
            Some(b'.') => return None,
            Some(_) if self.slow_path.has(SlowPath::DOTS | SlowPath::EMPTY_PATH) => return None,
            Some(_) => base.path_start as usize + self.merged,
        };
        let head = &self.text()[..end];
        out.reserve(head.len() + reference.text.len());
        out.extend_from_slice(head);
        out.extend_from_slice(reference.text);
        let behind = |at: u32, inherited: u32| if at > 0 { head.len() as u32 + at } else { inherited };
        Some(Split {
            path_end: behind(own.path_end, base.path_end),
            query_end: behind(own.query_end, base.query_end),
            end: head.len() as u32 + own.end,
            ..*base
        })
    }

    /// Appends the target of a reference that begins with a slash and has no dot segments (5.2.2). Not for RFC 2396.
    #[inline(always)]
    pub(super) fn write_from_slash(&self, text: &[u8], own: &Split, out: &mut Vec<u8>) -> Split {
        let takes_authority = own.path_start == 0;
        let head = if takes_authority { self.split.path_start } else { self.split.after_scheme() };
        out.reserve(head as usize + text.len());
        out.extend_from_slice(&self.text()[..head as usize]);
        out.extend_from_slice(text);
        let (authority, by) = if takes_authority { (&self.split, 0) } else { (own, head) };
        Split {
            scheme_end: self.split.scheme_end,
            host_start: by + authority.host_start,
            host_end: by + authority.host_end,
            path_start: by + authority.path_start,
            path_end: head + own.path_end,
            query_end: head + own.query_end,
            end: head + own.end,
        }
    }

    /// Its normal form up to its fragment; `None` if it cannot be a base.
    #[inline]
    pub(crate) fn document(&self) -> Option<&[u8]> {
        self.is_absolute().then(|| match &self.document {
            Some(document) => document,
            None => &self.text()[..self.split.query_end as usize],
        })
    }

    /// Whether a normal form up to its fragment names the same document as the base.
    #[inline]
    pub(crate) fn is_document(&self, normal: &[u8]) -> bool {
        // Few have the same length; a call to compare them costs more than this test.
        self.document_len == normal.len() && self.document().unwrap_or_default() == normal
    }
}

/// Recently seen bases. All are parsed with the same options.
#[derive(Debug, Default)]
pub(crate) struct Bases {
    /// The last slot is for bases that are not stored.
    slots: Vec<Base>,
    last: usize,
}

impl Bases {
    /// The base with this text.
    #[inline]
    pub(crate) fn find(&mut self, text: &[u8], options: &Options) -> &Base {
        let is_last = self.slots.get(self.last).is_some_and(|base| base.given == text);
        if !is_last {
            self.turn_to(text, options);
        }
        &self.slots[self.last]
    }

    fn turn_to(&mut self, text: &[u8], options: &Options) {
        if self.slots.is_empty() {
            // The contents of an empty slot are right for the empty text.
            let spec = options.reading.rfc().spec;
            self.slots.resize_with(SLOTS + 1, || Base { spec, ..Base::default() });
        }
        self.last = match text.len() {
            ..=LONGEST_KEPT => XxHash3_64::oneshot(text) as usize % SLOTS,
            _ => SLOTS,
        };
        if self.slots[self.last].given != text {
            self.slots[self.last].turn(text, options);
        }
    }
}

fn before_fragment(mut text: Vec<u8>) -> Vec<u8> {
    text.truncate(memchr::memchr(b'#', &text).unwrap_or(text.len()));
    text
}
