//! Sort-friendly keys (SURT: sort-friendly URI reordering transform), as used by the indexes of web archives: the form
//! of [`wayback`](super::wayback) with the labels of the host reversed, so that the pages of a domain sort together.
//!
//! ```text
//! http://www.example.com:8080/A/B/?d&c   the URI
//! com,example:8080)/a/b?c&d              the key
//! http://(com,example:8080,)/a/b?c&d     with its scheme and a comma after the last label
//! ```
//!
//! 1. The rules of the form, scheme and user information left out.
//! 2. The labels of the host in reverse order, with commas between them; those of an IPv4 address too. An IPv6 address
//!    loses its brackets, as in the tools.
//! 3. Where there is a port, it comes after its colon, before the closing parenthesis.
//! 4. A URI without a host has its form as key, with its scheme (`mailto:a@example.com`, `dns:example.com`), and
//!    `filedesc:` records stay as they are to the letter.
//! 5. A relative reference has no key and gets `-`, which in an index means that a field is missing.

use super::DropParams;
use super::plain::{self, LastHost, with_room};
use super::wayback::{Page, Rules};
use crate::grammar::{Spec, ip};
use crate::host::HostKind;
use crate::options::setters;
use crate::reference::UriRef;
use crate::simd::Split;
use crate::uri::AsUriRef;
use alloc::string::String;
use alloc::vec::Vec;

/// How a key is laid out. The default is the layout of CDX and CDXJ files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SurtOptions {
    /// Put a comma after the last label: `com,example,)/`. Default: false.
    pub trailing_comma: bool,
    /// Put the scheme before the key, and an opening parenthesis: `http://(com,example)/`. Default: false.
    pub with_scheme: bool,
    /// Reverse the numbers of an IPv4 address like labels. Default: true.
    pub reverse_ip: bool,
    /// The form that the key is made of.
    pub rules: Rules,
}

impl Default for SurtOptions {
    fn default() -> Self {
        SurtOptions { trailing_comma: false, with_scheme: false, reverse_ip: true, rules: Rules::default() }
    }
}

setters!(SurtOptions { trailing_comma: bool, with_scheme: bool, reverse_ip: bool, rules: Rules });

/// The key of a URI in the layout of CDX and CDXJ files.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::canonical::surt;
///
/// let key = |text| surt(&UriRef::parse(text).unwrap());
/// assert_eq!(key("http://www.example.com:80/a/B?c"), "com,example)/a/b?c");
/// assert_eq!(key("https://user@example.co.uk:8443/?b=2&a=1#top"), "uk,co,example:8443)/?a=1&b=2");
/// assert_eq!(key("dns:archive.org"), "dns:archive.org");
/// assert_eq!(key("../up"), "-");
/// ```
#[must_use]
pub fn surt<'a>(uri: impl AsUriRef<'a>) -> String {
    surt_with(uri, &SurtOptions::default())
}

/// [`surt()`] in another layout.
#[must_use]
pub fn surt_with<'a>(uri: impl AsUriRef<'a>, options: &SurtOptions) -> String {
    let uri = uri.uri_ref();
    let mut out = Vec::with_capacity(uri.as_str().len() + 8);
    write_surt(&uri, options, &mut out);
    super::ascii(out)
}

/// Appends the key, which is ASCII and never empty.
pub fn write_surt(uri: &UriRef<'_>, options: &SurtOptions, out: &mut Vec<u8>) {
    let is_default = *options == SurtOptions::default();
    if !(is_default
        && with_room(uri, out, |text, split, room| {
            write_plain(text, (split, uri.host_kind()), (&mut LastHost::new(), &mut Vec::new()), room)
        }))
    {
        write_in_steps(uri, options, out);
    }
}

/// Writes the key of a plain URI in the layout of CDX and CDXJ files; returns how long it is.
#[inline(always)]
fn write_plain(
    text: &[u8],
    (split, kind): (&Split, Option<HostKind>),
    (last, memory): (&mut LastHost, &mut Vec<u8>),
    room: &mut [u8],
) -> Option<usize> {
    // Rule 1 of the form is about empty hosts and ports.
    let has_plain_host = kind == Some(HostKind::DnsName)
        && split.host_end == split.path_start
        && split.host_end > split.host_start
        && split.scheme_end > 0
        && split.scheme_end as usize != FILEDESC.len();
    if !has_plain_host {
        return None;
    }
    let head = last.write(text, (split.host_start, split.host_end), room);
    Some(head + plain::write_path_and_query(text, split, memory, &mut room[head..])?)
}

const FILEDESC: &str = "filedesc";

/// [`write_surt`] without a look at whether the URI is plain.
fn write_in_steps(uri: &UriRef<'_>, options: &SurtOptions, out: &mut Vec<u8>) {
    let Some(scheme) = uri.scheme() else { return out.push(b'-') };
    if scheme == FILEDESC {
        return out.extend_from_slice(uri.as_str().as_bytes());
    }
    let page = Page::of(uri);
    let has_host = write_head(&page, options, out);
    page.write_path_and_query_in_steps(has_host, (&options.rules, &DropParams::none()), out);
}

/// Appends the part before the path; returns whether it contains a host.
fn write_head(page: &Page<'_>, options: &SurtOptions, out: &mut Vec<u8>) -> bool {
    let mark = out.len();
    if options.with_scheme {
        page.write_scheme(out);
        out.extend_from_slice(b"//(");
    }
    let from = out.len();
    let has_host = page.write_host(&options.rules, out);
    if has_host {
        turn_round(out, from, options);
        page.write_port(&options.rules, out);
        if options.trailing_comma {
            out.push(b',');
        }
        out.push(b')');
    } else {
        out.truncate(mark);
        page.write_scheme(out);
    }
    has_host
}

/// Writes key after key, and computes the host's part once for a run of URIs that share it, as in a list sorted by host
/// or the links of one page.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::canonical::{SurtOptions, SurtWriter};
///
/// let (mut keys, mut out) = (SurtWriter::new(SurtOptions::default()), Vec::new());
/// for text in ["http://www.example.com/b", "http://www.example.com/a?b"] {
///     keys.write(&UriRef::parse(text)?, &mut out);
///     out.push(b'\n');
/// }
/// assert_eq!(out, b"com,example)/b\ncom,example)/a?b\n");
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[derive(Debug, Clone)]
pub struct SurtWriter {
    options: SurtOptions,
    is_default: bool,
    last: LastHost,
    memory: Vec<u8>,
    /// The text before the path of the last URI, and the specification that it was parsed by.
    origin: (Vec<u8>, Spec),
    head: Vec<u8>,
}

impl SurtWriter {
    /// For keys in this layout.
    #[must_use]
    pub fn new(options: SurtOptions) -> Self {
        SurtWriter {
            options,
            is_default: options == SurtOptions::default(),
            last: LastHost::new(),
            memory: Vec::new(),
            origin: (Vec::new(), Spec::default()),
            head: Vec::new(),
        }
    }

    /// Appends the same key as [`write_surt`].
    pub fn write(&mut self, uri: &UriRef<'_>, out: &mut Vec<u8>) {
        let is_written = self.is_default
            && with_room(uri, out, |text, split, room| {
                write_plain(text, (split, uri.host_kind()), (&mut self.last, &mut self.memory), room)
            });
        if !is_written {
            self.write_in_steps(uri, out);
        }
    }

    /// Writes the same key for a text that has been split, and that [`BEHIND`](plain::BEHIND) bytes follow, to a slice
    /// that has [`ROOM`](plain::ROOM) bytes more than the text; returns the key's length. `None`, with anything in the
    /// slice, if the key needs [`SurtWriter::write_in_steps`].
    ///
    /// If fewer bytes follow, or the slice is smaller.
    #[doc(hidden)]
    #[inline(always)]
    pub fn write_plain(
        &mut self,
        text: &[u8],
        (split, kind): (&Split, Option<HostKind>),
        room: &mut [u8],
    ) -> Option<usize> {
        let memory = (&mut self.last, &mut self.memory);
        if self.is_default { write_plain(text, (split, kind), memory, room) } else { None }
    }

    /// Appends the same key, the long way.
    #[doc(hidden)]
    #[inline(never)]
    pub fn write_in_steps(&mut self, uri: &UriRef<'_>, out: &mut Vec<u8>) {
        // Without a host, and in `http://http://…`, the text before the path does not determine that part of the key.
        let is_plain =
            uri.authority().is_some_and(|authority| !authority.is_empty() && !authority.ends_with(':'));
        if !is_plain || uri.scheme().is_none_or(|scheme| scheme == FILEDESC) {
            return write_in_steps(uri, &self.options, out);
        }
        let page = Page::of(uri);
        let origin = &uri.as_str().as_bytes()[..uri.split().path_start as usize];
        if self.origin.0 == origin && self.origin.1 == uri.spec() {
            out.extend_from_slice(&self.head);
        } else {
            let mark = out.len();
            if !write_head(&page, &self.options, out) {
                out.truncate(mark);
                return write_in_steps(uri, &self.options, out);
            }
            self.head.clear();
            self.head.extend_from_slice(&out[mark..]);
            self.origin.0.clear();
            self.origin.0.extend_from_slice(origin);
            self.origin.1 = uri.spec();
        }
        page.write_path_and_query_in_steps(true, (&self.options.rules, &DropParams::none()), out);
    }
}

/// Rule 2, on the host `out[from..]`.
fn turn_round(out: &mut Vec<u8>, from: usize, options: &SurtOptions) {
    let host = &mut out[from..];
    if let [b'[', .., b']'] = host {
        out.pop();
        out.remove(from);
        return;
    }
    if !options.reverse_ip && ip::ipv4(host).is_some() {
        return;
    }
    host.reverse();
    for label in host.split_mut(|&byte| byte == b'.') {
        label.reverse();
    }
    for byte in host {
        if *byte == b'.' {
            *byte = b',';
        }
    }
}

#[cfg(test)]
mod tests;
