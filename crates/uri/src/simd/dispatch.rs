//! Chooses the kernel, once or by name; and the safe entry points of the kernels.

#[cfg(feature = "std")]
use alloc::format;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::sync::OnceLock;

use super::devices::{self, Paths};
use super::records;
use super::scalar::Scalar;
use super::splits::{SlowPath, Span, Split, Splits};
use super::text::PADDING;
use super::triplets::{self, TripletKinds, TripletSurvey};
use super::views::{self, Parts};
#[cfg(feature = "std")]
use crate::error::{Error, Result};
use crate::grammar::chars::Charset;

#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, devices_avx2, triplets_avx2, triplets_avx512, views_avx2, views_avx512};

/// Whether the processor has a feature. Only the standard library can detect it; without `std`, the features that the
/// program is compiled for count.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
macro_rules! has {
    ($feature:tt) => {
        std::is_x86_feature_detected!($feature)
    };
}
#[cfg(all(feature = "std", target_arch = "aarch64"))]
macro_rules! has {
    ($feature:tt) => {
        std::arch::is_aarch64_feature_detected!($feature)
    };
}
#[cfg(all(not(feature = "std"), any(target_arch = "x86_64", target_arch = "aarch64")))]
macro_rules! has {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
    };
}

/// An instruction set that a kernel is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Portable Rust.
    Scalar,
    /// x86-64 with AVX2 and BMI.
    Avx2,
    /// x86-64 with AVX-512 F, BW, CD and VBMI.
    Avx512,
    /// aarch64.
    Neon,
}

#[cfg(feature = "std")]
static CHOSEN: OnceLock<Isa> = OnceLock::new();

impl Default for Isa {
    /// The instruction set chosen for this processor.
    fn default() -> Self {
        Isa::chosen()
    }
}

impl Isa {
    const ALL: [Isa; 4] = [Isa::Scalar, Isa::Avx2, Isa::Avx512, Isa::Neon];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }

    /// Whether this processor supports it.
    // Without `std` the results are constants.
    #[cfg_attr(not(feature = "std"), allow(clippy::nonminimal_bool, clippy::eq_op))]
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Isa::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.is_available()
                    && has!("avx512f")
                    && has!("avx512bw")
                    && has!("avx512vbmi")
                    && has!("avx512cd")
            }
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => has!("neon"),
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }

    /// All that this processor has, the slowest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        Self::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// The one in use: the fastest that this processor supports, or the one named by [`Isa::select`]. Without the
    /// feature `std` the fastest that the program is compiled for.
    #[must_use]
    pub fn chosen() -> Isa {
        #[cfg(not(feature = "std"))]
        return Self::fastest();
        #[cfg(feature = "std")]
        *CHOSEN.get_or_init(Self::fastest)
    }

    fn fastest() -> Isa {
        Self::available().last().unwrap_or(Isa::Scalar)
    }

    /// Uses the kernel of this name in the whole process. For programs and measurements; call it before anything is
    /// parsed. A batch may use its own kernel.
    ///
    /// # Errors
    /// Usage: no kernel has this name, this processor does not support it, or another one is already in use.
    #[cfg(feature = "std")]
    pub fn select(name: &str) -> Result<()> {
        let found = Self::available().find(|isa| isa.as_str() == name);
        let isa = found.ok_or_else(|| {
            let names: Vec<_> = Self::available().map(Isa::as_str).collect();
            Error::usage(format!("{name} names no kernel of this machine: use one of {}", names.join(", ")))
        })?;
        match *CHOSEN.get_or_init(|| isa) {
            chosen if chosen == isa => Ok(()),
            chosen => Err(Error::usage(format!("the kernel {} is in use already", chosen.as_str()))),
        }
    }
}

/// The progress of [`split_lines`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The start of the first record that is not split.
    pub at: usize,
    /// Whether all records were split.
    pub done: bool,
}

/// Splits the newline-ended records of `buffer[from..to]` and appends them to `out`, at most `most` of them. Blank
/// lines are listed separately; a carriage return before a newline is not part of a record. `isa` is for tests and
/// benchmarks; `None` uses the current one.
///
/// # Panics
/// If `buffer` does not have [`PADDING`] bytes after `to`, there is a newline neither at `to` nor before it, or `to`
/// does not fit in 31 bits.
pub fn split_lines(
    buffer: &[u8],
    (from, to): (usize, usize),
    most: usize,
    max_record: usize,
    (charset, isa): (impl Into<Charset>, Option<Isa>),
    out: &mut Splits,
) -> Progress {
    assert!(from <= to && to + PADDING <= buffer.len() && to <= i32::MAX as usize, "no padding");
    let is_ended = buffer[..to].last() == Some(&b'\n');
    assert!(is_ended || buffer[to] == b'\n', "a newline ends the lines, or begins the padding");
    let (table, range) = (charset.into().table(), (from, to));
    // Reserve as many records as are asked for; each begins at a byte of its own.
    let most = most.min(to - from);
    // SAFETY: padding and newline are there by the assertions, the instruction set by `checked`.
    let at = unsafe {
        match checked(isa) {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::lines(buffer, range, most, max_record, table, out),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::lines(buffer, range, most, max_record, table, out),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => neon::lines(buffer, range, most, max_record, table, out),
            _ => records::lines::<Scalar>(buffer, range, most, max_record, table, out),
        }
    };
    Progress { at, done: at >= to }
}

/// Appends those newline-ended records of `buffer[from..to]` of which a kernel cannot be sure that they are valid:
/// references by an RFC, or absolute URLs by the URL Standard, whose charset is [`Charset::Urls`]. Returns the number
/// of records, without blank lines. Kernels differ in the records that they are sure of.
///
/// # Panics
/// As [`split_lines`].
pub fn list_unsure(
    buffer: &[u8],
    (from, to): (usize, usize),
    (charset, isa): (impl Into<Charset>, Option<Isa>),
    out: &mut Vec<Span>,
) -> usize {
    assert!(from <= to && to + PADDING <= buffer.len() && to <= i32::MAX as usize, "no padding");
    assert!(buffer[to] == b'\n', "the padding begins with a newline");
    let (charset, range) = (charset.into(), (from, to));
    // SAFETY: padding and newline are there by the assertions, the instruction set by `checked`.
    unsafe {
        match checked(isa) {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::unsure(buffer, range, charset, out),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::unsure(buffer, range, charset, out),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => neon::unsure(buffer, range, charset, out),
            _ => records::unsure::<Scalar>(buffer, range, charset == Charset::Urls, charset.table(), out),
        }
    }
}

/// Splits the records at `spans` of `buffer` and appends them to `out`: empty ones are ordinary records, and a carriage
/// return is an ordinary byte.
///
/// # Panics
/// If a span does not have [`PADDING`] bytes of the buffer after it.
pub fn split_spans(
    buffer: &[u8],
    spans: &[Span],
    max_record: usize,
    (charset, isa): (impl Into<Charset>, Option<Isa>),
    out: &mut Splits,
) {
    let end = spans.iter().map(|span| span.start as usize + span.len as usize).max().unwrap_or(0);
    assert!(spans.is_empty() || end + PADDING <= buffer.len(), "no padding behind a span");
    let table = charset.into().table();
    // SAFETY: the padding is there by the assertion, the instruction set by `checked`.
    unsafe {
        match checked(isa) {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::spans(buffer, spans, max_record, table, out),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::spans(buffer, spans, max_record, table, out),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => neon::spans(buffer, spans, max_record, table, out),
            _ => records::spans::<Scalar>(buffer, spans, max_record, table, out),
        }
    }
}

/// Splits one text, which needs no padding.
///
/// # Panics
/// Where the text does not fit in 31 bits.
#[must_use]
pub fn split_one(text: &[u8], (charset, isa): (impl Into<Charset>, Option<Isa>)) -> (Split, SlowPath) {
    assert!(text.len() <= i32::MAX as usize, "a text of 2 GiB and more is no URI");
    let table = charset.into().table();
    // SAFETY: the instruction set is there by `checked`.
    unsafe {
        match checked(isa) {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::one(text, table),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::one(text, table),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => neon::one(text, table),
            _ => records::one::<Scalar>(text, table),
        }
    }
}

/// The length of the prefix of `text` that a path, a query or a fragment can hold, with whole triplets: up to the
/// text's end, a `#` or a byte outside the grammar. 0 if a triplet in it is broken.
#[must_use]
pub fn text_run(text: &[u8], (charset, isa): (impl Into<Charset>, Option<Isa>)) -> usize {
    let table = charset.into().table();
    // SAFETY: the instruction set is there by `checked`.
    unsafe {
        match checked(isa) {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::run(text, table),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::run(text, table),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => neon::run(text, table),
            _ => records::run::<Scalar>(text, table),
        }
    }
}

/// Makes views of a part of each record, whose text is the first or the second of `texts`; `given` gets a bit per
/// record, set if it has the part, lowest first.
///
/// # Panics
/// If the arrays differ in length, or a part does not lie in its text.
pub fn string_views(
    texts: [&[u8]; 2],
    parts: &Parts<'_>,
    isa: Option<Isa>,
    out: &mut [u128],
    given: &mut [u8],
) {
    let count = out.len();
    assert!(parts.is_whole() && parts.len() == count && given.len() == count.div_ceil(8), "a length");
    // Whole groups; the records of a group at an edge of its text, and the last ones, one by one.
    #[cfg(target_arch = "x86_64")]
    let mut in_groups = |size: usize, views: views::Groups| {
        let mut at = 0;
        while at < count {
            // SAFETY: the assertion checked the lengths, `checked` the instruction set.
            at = unsafe { views(texts, parts, at, out, given) };
            let left = at..count.min(at + size);
            views::portable(texts, parts, left.clone(), out, given);
            at = left.end;
        }
    };
    match checked(isa) {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => in_groups(views_avx512::GROUP, views_avx512::views),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => in_groups(views_avx2::GROUP, views_avx2::views),
        _ => views::portable(texts, parts, 0..count, out, given),
    }
}

/// Appends the indices, in order, of records whose path has a segment that begins like a device name (RFC 3986 section
/// 7.3), such as `/aux` and `/COM1`, in letters that are not triplets. Records with a fault, too long ones, and those
/// whose authority ends too far away are left out. False positives are possible: the caller must check, the more so if
/// the kernel is not sure of scheme or authority. The first `from` records are skipped. Each record lies in the text
/// that `text_of` names, or in the first if that is empty; those of [`split_lines`] are known to be in order.
///
/// # Panics
/// If a record does not lie in its text.
pub fn find_devices(
    (splits, from): (&Splits, usize),
    texts: &[&[u8]],
    text_of: &[u32],
    (are_lines, isa): (bool, Option<Isa>),
    out: &mut Vec<u32>,
) {
    let paths = Paths { splits, texts, text_of, from, are_lines };
    match checked(isa) {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => {
            // SAFETY: the instruction set is there by `checked`: whoever has AVX-512 has AVX2.
            let find = |text: &[u8], places: &mut _| unsafe { devices_avx2::find(text, places) };
            paths.find(find, out)
        }
        _ => paths.find(|text, places| devices::portable(text, 0, places), out),
    }
}

/// Examines all triplets of a text. A `%` without two hexadecimal digits after it is not a triplet.
#[must_use]
pub fn survey_triplets(text: &[u8], kinds: &TripletKinds, isa: Option<Isa>) -> TripletSurvey {
    match checked(isa) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the instruction set is there by `checked`.
        Isa::Avx512 => unsafe { triplets_avx512::survey(text, kinds) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx2 => unsafe { triplets_avx2::survey(text, kinds) },
        _ => triplets::portable(text, kinds),
    }
}

/// The instruction set asked for, or a panic if this processor does not support it.
#[inline]
fn checked(isa: Option<Isa>) -> Isa {
    match isa {
        None => Isa::chosen(),
        Some(isa) => {
            assert!(isa.is_available(), "{} is not available here", isa.as_str());
            isa
        }
    }
}
