//! Bases, parsed once for all references that stand against them. Between the records' fields and their targets.
//!
//! The links of a page stand together, so the base of the record before is compared first; where pages are
//! mixed, as in a crawler's log, a small table by hash has the others.

use std::borrow::Cow;

use twox_hash::XxHash3_64;

use super::Options;
use crate::grammar::Spec;
use crate::normalize::{normalize, repair};
use crate::resolve::{self, Parts};
use crate::simd::{Care, Split};
use crate::uri::{self, Host, UriRef};

/// As many bases are kept, if no two of them meet in a slot.
const SLOTS: usize = 256;
/// Longer ones are not worth the memory.
const LONGEST_KEPT: usize = 4096;

/// A base and what every reference wants to know of it.
#[derive(Debug, Default)]
pub(super) struct Base {
    /// As the field has it.
    given: Vec<u8>,
    text: Vec<u8>,
    split: Split,
    host: Option<Host>,
    care: Care,
    /// The normal form up to its fragment: what a target in the same document begins with (4.4).
    document: Vec<u8>,
    /// How much of the path stands before a relative one (5.2.3).
    merged: usize,
    /// What stands before a relative path in a target: the base's text up to there.
    folder: Vec<u8>,
    /// Whether it is what repair made of `given`.
    is_mended: bool,
}

impl Base {
    /// A text that can be no base has no scheme (5.1), one outside the grammar neither.
    fn new(given: &[u8], options: &Options) -> Base {
        let mended = match options.repair && UriRef::parse_as(given, options.spec).is_err() {
            true => repair(given),
            false => Cow::Borrowed(given),
        };
        let text = mended.as_ref();
        let given = given.to_vec();
        let Some(uri) = UriRef::parse_as(text, options.spec).ok().filter(UriRef::is_uri) else {
            return Base { given, ..Base::default() };
        };
        let normal = normalize(&uri, options.level);
        let document = normal.split('#').next().unwrap_or_default();
        let merged = match (uri.path(), uri.authority()) {
            ("", Some(_)) => 1,
            (path, _) => path.rfind('/').map_or(0, |at| at + 1),
        };
        let path_start = uri.split().path_start as usize;
        let folder = match uri.path() {
            "" => [&text[..path_start], &b"/"[..merged]].concat(),
            _ => text[..path_start + merged].to_vec(),
        };
        Base {
            folder,
            is_mended: text != given,
            given,
            text: text.to_vec(),
            split: uri.split(),
            host: uri.host().map(|host| uri::classify(host.as_bytes())),
            care: uri.care(),
            document: document.as_bytes().to_vec(),
            merged,
        }
    }

    pub(super) fn is_absolute(&self) -> bool {
        self.split.scheme_end > 0
    }

    /// Whether it is not the base that was given, but what repair made of it.
    pub(super) fn is_mended(&self) -> bool {
        self.is_mended
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn care(&self) -> Care {
        self.care
    }

    /// As the writer of targets takes it.
    #[inline]
    pub(super) fn parts(&self) -> Parts<'_, Host> {
        let dots = self.care.has(Care::DOTS | Care::UNSURE);
        Parts { text: &self.text, split: self.split, host: self.host, dots }
    }

    /// Appends the target of a reference that stands in it as it is, behind a part of the base (5.2.2): without
    /// scheme, authority and dot segments. So are most; `None` for the others.
    #[inline]
    pub(super) fn write_simple(
        &self,
        reference: &Parts<'_, Host>,
        spec: Spec,
        out: &mut Vec<u8>,
    ) -> Option<Split> {
        let (base, own) = (&self.split, &reference.split);
        if reference.dots || own.path_start > 0 || spec == Spec::Rfc2396 {
            return None;
        }
        let head = match reference.text.first() {
            None | Some(b'#') => &self.text[..base.query_end as usize],
            Some(b'?') => &self.text[..base.path_end as usize],
            Some(b'/') => &self.text[..base.path_start as usize],
            Some(b'.') => return None,
            Some(_) if self.care.has(Care::DOTS) => return None,
            Some(_) => &self.folder,
        };
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

    /// Whether resolution has removed dot segments on the way to a target with this path length.
    pub(super) fn removed_dots(&self, reference: &Parts<'_, Host>, keeps_scheme: bool, path: u32) -> bool {
        let own = reference.path();
        let inherits = !keeps_scheme && reference.host.is_none();
        let before = match own.first() {
            None if inherits => return false,
            Some(b'/') | None => 0,
            Some(_) if inherits => self.merged,
            Some(_) => 0,
        };
        before + own.len() != path as usize
    }

    /// Whether a normal form up to its fragment names the document that the base names.
    #[inline]
    pub(super) fn is_document(&self, normal: &[u8]) -> bool {
        self.document == normal
    }
}

/// Whether a reference is resolved as it is: with a scheme that counts, and without dot segments.
#[inline]
pub(super) fn is_own_target(base: &Base, reference: &Parts<'_, Host>, options: &Options) -> bool {
    resolve::keeps_scheme(&base.parts(), reference, options.mode) && !reference.has_dot_segments()
}

/// The bases met of late. All are parsed with the same options.
#[derive(Debug, Default)]
pub(super) struct Bases {
    /// The last slot is for bases that are not kept.
    slots: Vec<Base>,
    last: usize,
}

impl Bases {
    /// The base with this text.
    #[inline]
    pub(super) fn find(&mut self, text: &[u8], options: &Options) -> &Base {
        let is_last = self.slots.get(self.last).is_some_and(|base| base.given == text);
        if !is_last {
            self.turn_to(text, options);
        }
        &self.slots[self.last]
    }

    fn turn_to(&mut self, text: &[u8], options: &Options) {
        if self.slots.is_empty() {
            // What an empty slot holds is right for the empty text.
            self.slots.resize_with(SLOTS + 1, Base::default);
        }
        self.last = match text.len() {
            ..=LONGEST_KEPT => XxHash3_64::oneshot(text) as usize % SLOTS,
            _ => SLOTS,
        };
        if self.slots[self.last].given != text {
            self.slots[self.last] = Base::new(text, options);
        }
    }
}
