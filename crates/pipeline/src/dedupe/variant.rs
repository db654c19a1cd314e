//! A distinct text as the tables hold it: its normal form, then down the ladder each form that differs from the one
//! above it, and finally the text as read.
//!
//! ```text
//! | kind | rungs | length of each form but the last, u32 | normal form | … | text as read |
//! ```
//!
//! If another key than the normal form decides which records are equal, the key precedes the normal form, as if it were
//! the highest rung.
//!
//! `rungs` has a bit for each step down that changes something; a text in normal form has none, and is stored once.
//! Since each level includes those below it, texts that are equal on one rung are equal on all above it. Sorted by
//! their forms from the top down, the texts of a group that are equal on a rung are therefore adjacent, and the first
//! form in which two neighbours differ determines the rung on which they become equal. So rungs and distinct texts are
//! counted without holding a group in memory.

use std::borrow::Cow;
use std::cmp::Ordering;

use urimill_columns::batch::{Options, Reading, RfcOptions};
use urimill_uri::normalize::{Level, normalize, repair_with};
use urimill_uri::{Code, UriRef};

use super::rungs::Rungs;

/// The kind of a record: valid, a reject with a code, or a reject whose end was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind(pub(super) u8);

impl Kind {
    pub(super) const VALID: Kind = Kind(0);
    /// It is unknown whether two of these are equal: each is a row of its own.
    pub(super) const CUT: Kind = Kind(u8::MAX);
    /// A valid one that a key other than its normal form makes equal to others.
    pub(super) const KEYED: Kind = Kind(u8::MAX - 2);
    /// The record states that it has no URI.
    pub(super) const NULL: Kind = Kind(u8::MAX - 1);

    pub(super) fn reject(code: &str) -> Kind {
        let number = Code::ALL.iter().position(|known| known.as_str() == code);
        Kind(number.expect("the column error holds the names of codes") as u8 + 1)
    }

    /// The code of a reject.
    pub(super) fn code(self) -> Option<Code> {
        match self {
            Kind::VALID | Kind::KEYED | Kind::NULL => None,
            Kind::CUT => Some(Code::TooLong),
            Kind(number) => Code::ALL.get(usize::from(number) - 1).copied(),
        }
    }
}

/// A record from a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: Kind,
    /// The key of a group of [`Kind::KEYED`].
    pub(super) key: Option<&'a [u8]>,
    /// The normal form, or the bytes of a reject: the group's key unless `key` is set.
    pub(super) normal: &'a [u8],
    /// The text as read, if it differs.
    pub(super) raw: Option<&'a [u8]>,
}

impl<'a> Record<'a> {
    /// The key of the group.
    pub(super) fn group(&self) -> &'a [u8] {
        self.key.unwrap_or(self.normal)
    }

    /// The text as read, if it is not the group's key.
    pub(super) fn last(&self) -> Option<&'a [u8]> {
        self.raw.or(self.key.filter(|key| *key != self.normal).map(|_| self.normal))
    }

    /// The record as it is stored, in two parts. `out` is memory for the first.
    pub(super) fn stored<'t>(&'t self, options: &Options, out: &'t mut Vec<u8>) -> [&'t [u8]; 2] {
        out.clear();
        if self.last().is_none() {
            out.extend_from_slice(&[self.kind.0, 0]);
            return [out, self.normal];
        }
        let (steps, forms) = forms(self, options);
        out.extend_from_slice(&[self.kind.0, steps.0]);
        for form in &forms[..forms.len() - 1] {
            // Texts are shorter than a gigabyte: see `MAX_RECORD`.
            out.extend_from_slice(&(form.len() as u32).to_le_bytes());
        }
        forms.iter().for_each(|form| out.extend_from_slice(form));
        [out, b""]
    }

    /// Whether `stored` is this record's text.
    pub(super) fn is(&self, stored: &[u8]) -> bool {
        let variant = Variant::read(stored);
        let is_same = variant.kind == self.kind && variant.group() == self.group();
        let is_same = is_same && (self.key.is_none() || variant.normal() == self.normal);
        is_same && self.kind != Kind::CUT && variant.last() == self.last()
    }
}

/// The forms of a text from the top down, each different from the one before, and the rungs on which they differ.
fn forms<'a>(record: &Record<'a>, options: &Options) -> (Rungs, Vec<Cow<'a, [u8]>>) {
    let (normal, raw) = (record.normal, record.raw.unwrap_or(record.normal));
    let mut steps = Rungs::default();
    let mut forms = vec![Cow::Borrowed(record.group())];
    let mut step = |rung: Rungs, form: Cow<'a, [u8]>| {
        if forms.last() != Some(&form) {
            steps |= rung;
            forms.push(form);
        }
    };
    step(Rungs::KEY, Cow::Borrowed(normal));
    if record.raw.is_none() {
        return (steps, forms);
    }
    let Reading::Rfc(rfc) = options.reading else {
        step(Rungs::RESOLVE, Cow::Borrowed(raw));
        return (steps, forms);
    };
    // White space before a URI is not part of it.
    let indented =
        || ladder(normal, Some(raw.trim_ascii_start()).filter(|text| text.len() < raw.len())?, rfc);
    let repaired = || {
        rfc.repair.then(|| repair_with(raw, rfc.repairs(false))).and_then(|text| ladder(normal, &text, rfc))
    };
    match ladder(normal, raw, rfc).or_else(indented).or_else(repaired) {
        Some(rungs) => rungs.into_iter().for_each(|(rung, form)| step(rung, Cow::Owned(form))),
        // Differences that the ladder does not explain come from resolution of the repaired text.
        None => {
            let is_repaired = rfc.repair && UriRef::parse_as(raw, rfc.spec).is_err();
            let reference =
                if is_repaired { repair_with(raw, rfc.repairs(false)) } else { Cow::Borrowed(raw) };
            step(Rungs::RESOLVE, reference);
        }
    }
    step(Rungs::REPAIR, Cow::Borrowed(raw));
    (steps, forms)
}

/// For each rung the form below it, from the top down; `None` if `text` does not lead to `normal`.
fn ladder(normal: &[u8], text: &[u8], rfc: RfcOptions) -> Option<Vec<(Rungs, Vec<u8>)>> {
    let uri = UriRef::parse_as(text, rfc.spec).ok()?;
    if normalize(&uri, rfc.level).as_bytes() != normal {
        return None;
    }
    let levels = Level::ALL.windows(2).rev().filter(|pair| pair[1] <= rfc.level);
    let below = |pair: &[Level]| {
        Rungs::of(pair[1]).map(|rung| (rung, normalize(&uri, pair[0]).into_owned().into_bytes()))
    };
    Some(levels.filter_map(below).collect())
}

/// A stored text, split into its parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variant<'a> {
    pub(super) kind: Kind,
    steps: Rungs,
    lengths: &'a [u8],
    forms: &'a [u8],
}

impl<'a> Variant<'a> {
    pub(super) fn read(stored: &'a [u8]) -> Variant<'a> {
        let steps = Rungs(stored[1]);
        let (lengths, forms) = stored[2..].split_at(4 * steps.count());
        Variant { kind: Kind(stored[0]), steps, lengths, forms }
    }

    /// The key of its group.
    pub(super) fn group(&self) -> &'a [u8] {
        self.walk().next().unwrap_or_default()
    }

    /// The normal form, or the bytes of a reject.
    pub(super) fn normal(&self) -> &'a [u8] {
        self.walk().nth(usize::from(self.steps.has(Rungs::KEY))).unwrap_or_default()
    }

    /// The text as read, if it is not the group's key.
    pub(super) fn last(&self) -> Option<&'a [u8]> {
        self.walk().last().filter(|_| !self.steps.is_empty())
    }

    /// Writes what a row keeps of it: without the forms below the normal form.
    pub(super) fn store_row(&self, out: &mut Vec<u8>) {
        out.clear();
        let has_key = self.steps.has(Rungs::KEY);
        out.extend_from_slice(&[self.kind.0, if has_key { Rungs::KEY.0 } else { 0 }]);
        if has_key {
            out.extend_from_slice(&(self.group().len() as u32).to_le_bytes());
            out.extend_from_slice(self.group());
        }
        out.extend_from_slice(self.normal());
    }

    fn walk(&self) -> Forms<'a> {
        Forms { lengths: self.lengths, forms: Some(self.forms) }
    }
}

/// The forms of a variant from the top down.
struct Forms<'a> {
    lengths: &'a [u8],
    forms: Option<&'a [u8]>,
}

impl<'a> Iterator for Forms<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let forms = self.forms?;
        let Some((&length, lengths)) = self.lengths.split_first_chunk() else {
            return self.forms.take();
        };
        let (form, rest) = forms.split_at(u32::from_le_bytes(length) as usize);
        (self.lengths, self.forms) = (lengths, Some(rest));
        Some(form)
    }
}

/// The order of two stored texts in a run, and the rung on which they become equal, if they do.
pub(super) fn relate(a: &[u8], b: &[u8]) -> (Ordering, Option<Rungs>) {
    let (a, b) = (Variant::read(a), Variant::read(b));
    let (mut forms_a, mut forms_b) = (a.walk(), b.walk());
    let (mut form_a, mut form_b) = (forms_a.next(), forms_b.next());
    let order = form_a.cmp(&form_b).then(a.kind.cmp(&b.kind));
    if order.is_ne() || a.kind == Kind::CUT {
        return (order, None);
    }
    for (rung, _) in Rungs::NAMES.into_iter().skip(1).rev() {
        if a.steps.has(rung) {
            form_a = forms_a.next();
        }
        if b.steps.has(rung) {
            form_b = forms_b.next();
        }
        let order = form_a.cmp(&form_b);
        if order.is_ne() {
            return (order, Some(rung));
        }
    }
    (Ordering::Equal, Some(Rungs::IDENTICAL))
}
