//! Normal forms: the ladder of RFC 3986 section 6.2, and the part of it that RFC 2396 (6) has. It comes after the
//! parser and before the columns; one writer serves single URIs and batches.
//!
//! `wants` first decides whether there is anything to do, from the kernel's verdict and a few places of the text; only
//! then is the normal form written, to the end of a buffer that the caller owns.

mod authority;
mod case;
pub(crate) mod dots;
mod ipv6;
pub(crate) mod percent;
#[cfg(feature = "idna")]
mod repair;
pub(crate) mod scheme;
#[cfg(feature = "psl")]
mod suffix;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

pub(crate) use dots::{
    decode_dot_segments, ends_with_parent, guard, has_dot_segments, has_encoded_dot_segments,
    remove_dot_segments, remove_dot_segments_but_excess,
};
#[cfg(feature = "whatwg")]
pub(crate) use ipv6::{write_decimal, write_hexadecimal_groups};
pub(crate) use percent::{Triplets, survey};
#[cfg(feature = "idna")]
pub(crate) use repair::without_space;
#[cfg(feature = "idna")]
pub use repair::{RepairOptions, repair, repair_reference, repair_with};
#[cfg(any(feature = "audit", feature = "psl"))]
pub(crate) use scheme::port_number;
#[cfg(feature = "psl")]
pub use suffix::{DefaultScheme, is_suffix};

use crate::error::Error;
use crate::grammar::Spec;
use crate::host::{Host, HostKind, classify_as};
use crate::reference::UriRef;
use crate::simd::{SlowPath, Split};
use crate::uri::{AsUriRef, Uri, forwarded};
use authority::Authority;

/// A rung of the ladder; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// The text unchanged (6.2.1).
    None,
    /// Scheme and host in lower case, the digits of triplets in upper case (6.2.2.1).
    Case,
    /// Triplets of unreserved characters decoded (6.2.2.2).
    Percent,
    /// Dot segments removed from the path of every URI, and of a reference whose path begins with a slash (6.2.2.3).
    /// Other relative paths need their base.
    Syntax,
    /// What the scheme declares equal: default ports, empty paths, default hosts, … (6.2.3). Without a scheme only what
    /// every scheme declares equal.
    #[default]
    Scheme,
}

impl Level {
    /// Every level, the lowest first.
    pub const ALL: [Level; 5] = [Level::None, Level::Case, Level::Percent, Level::Syntax, Level::Scheme];

    /// The name on the command line and in file metadata.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Case => "case",
            Level::Percent => "percent",
            Level::Syntax => "syntax",
            Level::Scheme => "scheme",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Level {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|level| level.as_str() == name).ok_or_else(|| {
            Error::usage(format!("there is no level {name:?}: use none, case, percent, syntax or scheme"))
        })
    }
}

/// What normalization changed in one URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[doc(hidden)]
pub struct Changes {
    pub case: bool,
    pub percent: bool,
    pub dots: bool,
    pub port: bool,
}

/// The normal form of a URI reference: borrowed where the reference already is in it.
///
/// ```
/// use std::borrow::Cow;
/// use urimill_uri::{Level, UriRef, normalize};
///
/// let uri = UriRef::parse("HTTP://www.Example.com:80/%7Esmith/./home.html")?;
/// assert_eq!(normalize(&uri, Level::Case), "http://www.example.com:80/%7Esmith/./home.html");
/// assert_eq!(normalize(&uri, Level::Percent), "http://www.example.com:80/~smith/./home.html");
/// assert_eq!(normalize(&uri, Level::Syntax), "http://www.example.com:80/~smith/home.html");
/// assert_eq!(normalize(&uri, Level::Scheme), "http://www.example.com/~smith/home.html");
///
/// let normal = UriRef::parse("http://example.com/~smith/home.html")?;
/// assert!(matches!(normalize(&normal, Level::Scheme), Cow::Borrowed(_)));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[inline]
#[must_use]
pub fn normalize<'a>(uri: impl AsUriRef<'a>, level: Level) -> Cow<'a, str> {
    let uri = uri.uri_ref();
    if uri.slow_path().is_none() || level == Level::None {
        return Cow::Borrowed(uri.as_str());
    }
    changed(&uri, level).map_or(Cow::Borrowed(uri.as_str()), Cow::Owned)
}

/// The normal form, if it differs from the text.
fn changed(uri: &UriRef<'_>, level: Level) -> Option<String> {
    let text = uri.as_str().as_bytes();
    let (split, spec) = (uri.split(), uri.spec());
    // For an address the ladder needs the number, for another host only its kind.
    let host = uri.host().zip(uri.host_kind()).map(|(host, kind)| match kind {
        HostKind::DnsName => Host::DnsName,
        HostKind::RegName => Host::RegName,
        HostKind::IpvFuture => Host::IpvFuture,
        HostKind::Ipv4 | HostKind::Ipv6 => classify_as(host.as_bytes(), spec),
    });
    let triplets = survey(text);
    let wanted = match uri.slow_path().has(SlowPath::UNSURE) {
        false => wants_accepted(text, &split, uri.slow_path(), triplets, (level, spec)),
        true => wants(text, &split, host, triplets, (level, spec)),
    };
    if !wanted {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() + 8);
    let _ = match uri.slow_path().has(SlowPath::UNSURE) {
        false => write_accepted(text, &split, uri.slow_path(), triplets, (level, spec), &mut out),
        true => {
            let (split, _, changes) = write(text, &split, host, triplets, (level, spec), &mut out);
            (split, changes)
        }
    };
    // It may be equal after all; and the normal form of ASCII is ASCII.
    String::from_utf8(out).ok().filter(|normal| normal != uri.as_str())
}

impl UriRef<'_> {
    /// The normal form at a level of the ladder (6.2), as a URI of its own. [`normalize`] gives the same as a text, and
    /// copies none that is in normal form.
    ///
    /// ```
    /// use urimill_uri::{Level, Uri};
    ///
    /// let uri: Uri = "HTTP://www.Example.com:80/%7Esmith/./home.html".parse()?;
    /// assert_eq!(uri.normalized(Level::Scheme), "http://www.example.com/~smith/home.html");
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn normalized(&self, level: Level) -> Uri {
        match normalize(self, level) {
            Cow::Borrowed(_) => self.to_uri(),
            Cow::Owned(normal) => Uri::of_valid(normal, self.spec()),
        }
    }
}

forwarded! {
    /// The normal form at a level of the ladder (6.2): [`UriRef::normalized`].
    #[must_use]
    normalized(level: Level) -> Uri;
}

/// Whether the normal form at `level` may differ from the text. A `false` is always right.
#[doc(hidden)]
#[must_use]
pub fn wants(
    text: &[u8],
    split: &Split,
    host: Option<Host>,
    triplets: Triplets,
    (level, spec): (Level, Spec),
) -> bool {
    let part = |from: u32, to: u32| &text[from as usize..to as usize];
    let path = part(split.path_start, split.path_end);
    level >= Level::Case
        && (triplets.has(Triplets::LOWER_HEX)
            || case::has_upper(part(0, split.scheme_end))
            || case::host_wants(part(split.host_start, split.host_end)))
        || level >= Level::Percent && triplets.has_unreserved(spec)
        || removes_dots(level, spec) && is_resolved(split, path) && has_dot_segments(path)
        || level >= Level::Scheme && scheme::wants(text, split, host, spec)
}

/// [`wants`] for a reference that the kernel has accepted whole: scheme and host are in lower case and
/// without triplets, the host is a DNS name, there is neither user information nor a port, and the
/// scheme, if any, is `http` or `https`.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn wants_accepted(
    text: &[u8],
    split: &Split,
    slow_path: SlowPath,
    triplets: Triplets,
    (level, spec): (Level, Spec),
) -> bool {
    let path = (split.path_start as usize, split.path_end as usize);
    level >= Level::Case && triplets.has(Triplets::LOWER_HEX)
        || level >= Level::Percent && triplets.has_unreserved(spec)
        || removes_dots(level, spec)
            && slow_path.has(SlowPath::DOTS)
            && text.get(path.0) == Some(&b'/')
            && dots::are_in(text, path)
        || level >= Level::Scheme
            && spec != Spec::Rfc2396
            && slow_path.has(SlowPath::EMPTY_PATH)
            && split.scheme_end > 0
}

/// Whether the dot segments of a path mean the same against every base: it follows a scheme, or begins with a slash.
fn is_resolved(split: &Split, path: &[u8]) -> bool {
    split.scheme_end > 0 || path.first() == Some(&b'/')
}

/// Whether dot segments are removed. By RFC 2396 (4, 5.2) they have a meaning only in relative paths, which need a
/// base.
fn removes_dots(level: Level, spec: Spec) -> bool {
    level >= Level::Syntax && spec != Spec::Rfc2396
}

/// Removes the dot segments of the path `out[from..]`, if it has any, and guards the rest; returns whether that changed
/// anything. The path is not empty.
pub(crate) fn clean(has_authority: bool, out: &mut Vec<u8>, from: usize) -> bool {
    let before = (out.len(), out[from]);
    remove_dot_segments(out, from);
    guard(has_authority, out, from);
    // Length and first byte stay the same only if a guard was removed and put back.
    before != (out.len(), out.get(from).copied().unwrap_or_default())
}

/// Appends the normal form of a valid reference to `out`; returns the offsets of its components and the kind of its
/// host. `split` is relative to `text`, the result's to the first byte written; `triplets` are those of the text.
#[doc(hidden)]
pub fn write(
    text: &[u8],
    split: &Split,
    host: Option<Host>,
    triplets: Triplets,
    (level, spec): (Level, Spec),
    out: &mut Vec<u8>,
) -> (Split, Option<Host>, Changes) {
    out.reserve(text.len() + 8);
    let base = out.len();
    let at = |out: &Vec<u8>| (out.len() - base) as u32;
    let part = |from: u32, to: u32| &text[from as usize..to as usize];
    let percent = percent::Writer::new(level, spec, triplets);
    let mut done = Changes::default();
    let mut now = Split::default();

    if split.scheme_end > 0 {
        done.case |= case::write_lower(part(0, split.scheme_end), out);
        now.scheme_end = at(out);
        out.push(b':');
    }
    let entry = scheme::entry(&out[base..base + now.scheme_end as usize], level, spec);
    (now.host_start, now.host_end) = (at(out), at(out));

    let mut new_host = host;
    if let Some(host) = host {
        out.extend_from_slice(b"//");
        let authority = Authority {
            text: part(split.after_scheme() + 2, split.path_start),
            host_start: (split.host_start - split.after_scheme() - 2) as usize,
            host_end: (split.host_end - split.after_scheme() - 2) as usize,
            host,
        };
        let start = at(out);
        let written = match spec {
            Spec::Rfc3986 | Spec::Rfc3986Errata => authority.write(entry, level, &percent, out, &mut done),
            Spec::Rfc2396 => authority.write_rfc2396(entry, &percent, out, &mut done),
        };
        (now.host_start, now.host_end) = (start + written.host_start as u32, start + written.host_end as u32);
        new_host = Some(written.host);
    }

    let removes_dots = removes_dots(level, spec);
    let tail = Tail { entry, percent, has_authority: host.is_some(), removes_dots, may_have_dots: true };
    tail.write(text, split, (&mut now, base), out, &mut done);
    let path = base + now.path_start as usize;
    if host.is_none() && entry.has_default_host() && add_authority(out, path, base + now.path_end as usize) {
        let longer = at(out) - now.end;
        let behind = now.path_start + 2;
        (now.host_start, now.host_end, now.path_start) = (behind, behind, behind);
        now.path_end += longer;
        now.query_end += longer;
        now.end += longer;
        new_host = Some(classify_as(b"", spec));
    }
    (now, new_host, done)
}

/// Puts an empty authority, which means the default host as before, before the path `out[from..to]` of a reference
/// without authority. Returns whether there is one now: a path without a root cannot follow an authority.
pub(crate) fn add_authority(out: &mut Vec<u8>, from: usize, to: usize) -> bool {
    match &out[from..to] {
        // After an authority the path needs no guard: the guard's two bytes become the authority.
        [b'/', b'.', b'/', b'/', ..] => out[from + 1] = b'/',
        [b'/', ..] => dots::insert(*b"//", out, from),
        _ => return false,
    }
    true
}

/// [`write`] for a reference that the kernel has accepted whole, as for [`wants_accepted`]: nothing before the path
/// changes, so the host's kind stays.
#[doc(hidden)]
pub fn write_accepted(
    text: &[u8],
    split: &Split,
    slow_path: SlowPath,
    triplets: Triplets,
    (level, spec): (Level, Spec),
    out: &mut Vec<u8>,
) -> (Split, Changes) {
    out.reserve(text.len() + 8);
    let base = out.len();
    let percent = percent::Writer::new(level, spec, triplets);
    let is_dotted = removes_dots(level, spec) && slow_path.has(SlowPath::DOTS);
    if percent.has_work() && !is_dotted && split.path_start < split.path_end {
        // Only triplets change, unless decoded dots appear.
        out.extend_from_slice(text);
        let (mut now, mut done) = (*split, Changes::default());
        let ends = [&mut now.path_end, &mut now.query_end];
        let copy = (&mut out[base..], split.path_start as usize);
        let (len, has_dots) = percent.in_copy(text, copy, ends, &mut done);
        if !(has_dots && removes_dots(level, spec)) {
            out.truncate(base + len);
            now.end = len as u32;
            return (now, done);
        }
        out.truncate(base);
    }
    let has_authority = split.path_start > split.after_scheme();
    if is_dotted && !percent.has_work() && has_authority && split.path_start < split.path_end {
        // Only dot segments change.
        let (mut now, mut done) = (*split, Changes::default());
        let path = (split.path_start as usize, split.path_end as usize);
        let shorter = dots::append_without(text, path, out) as u32;
        done.dots = shorter > 0;
        (now.path_end, now.query_end, now.end) =
            (now.path_end - shorter, now.query_end - shorter, now.end - shorter);
        return (now, done);
    }
    out.extend_from_slice(&text[..split.path_start as usize]);
    let tail = Tail {
        entry: scheme::entry(&text[..split.scheme_end as usize], level, spec),
        percent,
        has_authority,
        removes_dots: removes_dots(level, spec),
        may_have_dots: slow_path.has(SlowPath::DOTS),
    };
    let (mut now, mut done) = (*split, Changes::default());
    tail.write(text, split, (&mut now, base), out, &mut done);
    (now, done)
}

/// The way to write path, query and fragment.
struct Tail {
    entry: scheme::Entry,
    percent: percent::Writer,
    has_authority: bool,
    /// Whether dot segments are removed, if there are any.
    removes_dots: bool,
    /// Whether there may be dot segments before triplets are decoded.
    may_have_dots: bool,
}

impl Tail {
    /// Appends path, query and fragment; sets their offsets in `now`, whose text begins at `base` of `out`.
    fn write(
        &self,
        text: &[u8],
        split: &Split,
        (now, base): (&mut Split, usize),
        out: &mut Vec<u8>,
        done: &mut Changes,
    ) {
        let Tail { entry, percent, has_authority, removes_dots, may_have_dots } = *self;
        let at = |out: &Vec<u8>| (out.len() - base) as u32;
        let part = |from: u32, to: u32| &text[from as usize..to as usize];
        now.path_start = at(out);
        let from = out.len();
        let has_new_dots = percent.text(part(split.path_start, split.path_end), out, done);
        if removes_dots
            && (may_have_dots | has_new_dots)
            && out.len() > from
            && is_resolved(now, &out[from..])
        {
            done.dots = clean(has_authority, out, from);
        }
        entry.lower_path(&mut out[from..], done);
        if has_authority && out.len() == from && entry.roots_empty_path() {
            out.push(b'/');
        }
        now.path_end = at(out);

        if split.path_end < split.query_end {
            out.push(b'?');
            percent.text(part(split.path_end + 1, split.query_end), out, done);
        }
        now.query_end = at(out);
        if split.query_end < split.end {
            out.push(b'#');
            percent.text(part(split.query_end + 1, split.end), out, done);
        }
        now.end = at(out);
    }
}
