//! Scheme and authority of URIs that the kernels leave to the careful parser: a port, user information, an address. The
//! same ones come again and again (a load balancer writes `https://host:443` in every line), so each is judged once, and
//! of the URIs that begin with it the path, the query and the fragment alone.

use twox_hash::XxHash3_64;

use super::Options;
use super::scan::{Read, Rows};
use crate::grammar::Spec;
use crate::passwords::Hide;
use crate::simd::{Care, Split};
use crate::uri::{Host, HostKind};
use urimill_uri::internal::audit::{self, Flags};
use urimill_uri::internal::normalize::{self, Triplets};
use urimill_uri::internal::{careful, careful_behind};

/// As many are kept, if no two of them meet in a slot.
const SLOTS: usize = 256;
/// Longer ones are not worth the memory.
const LONGEST: usize = 256;

/// What stands before a path, and what its URI has because of it.
#[derive(Debug, Default)]
struct Head {
    given: Vec<u8>,
    /// Whether it stands for itself, whatever path follows.
    is_known: bool,
    split: Split,
    host: Option<Host>,
    /// In normal form, where that differs.
    normal: Option<(Vec<u8>, Split)>,
    kind: Option<HostKind>,
    flags: Flags,
}

/// Those met of late. All are judged by the same options.
#[derive(Debug, Default)]
pub(super) struct Heads {
    slots: Vec<Head>,
    last: usize,
}

impl Heads {
    /// That of a URI with a path.
    fn find(&mut self, text: &[u8], options: &Options) -> Option<&Head> {
        let start = [&b"https://"[..], b"http://"].into_iter().find(|start| text.starts_with(start))?.len();
        let end = start + memchr::memchr(b'/', &text[start..])?;
        let given = text.get(..end).filter(|given| given.len() <= LONGEST)?;
        if self.slots.get(self.last).is_none_or(|head| head.given != given) {
            self.slots.resize_with(SLOTS, Head::default);
            self.last = XxHash3_64::oneshot(given) as usize % SLOTS;
            let head = &mut self.slots[self.last];
            if head.given != given {
                *head = Head { given: given.to_vec(), ..Head::default() };
                head.judge(options);
            }
        }
        Some(&self.slots[self.last]).filter(|head| head.is_known)
    }
}

impl Head {
    /// Judges it with the shortest path behind it.
    fn judge(&mut self, options: &Options) {
        let text = [&self.given[..], b"/"].concat();
        let Ok((split, host)) = careful(&text, options.spec) else { return };
        let triplets = normalize::survey(&text);
        if split.path_start as usize != self.given.len() || triplets != Triplets::default() {
            return;
        }
        let (spec, rules) = (options.spec, &options.port_rules);
        self.flags = audit::of_reference(&text, (&split, host), triplets, spec, rules);
        let mut kind = host;
        if normalize::wants(&text, &split, host, triplets, options.grade()) {
            let mut out = Vec::new();
            let (now, host, changes) =
                normalize::write(&text, &split, host, triplets, options.grade(), &mut out);
            if out[now.path_start as usize..] != *b"/" {
                return;
            }
            self.flags = self.flags | audit::of_changes(changes);
            out.pop();
            self.normal = (out != self.given).then_some((out, now));
            kind = host;
        }
        self.kind = kind.map(Host::kind).filter(|&kind| kind != HostKind::DnsName);
        (self.split, self.host, self.is_known) = (split, host, true);
    }
}

impl Rows {
    /// Takes a URI without triplets and dot segments that the kernel has left for its authority alone; answers its
    /// flags. Others stay as they are.
    pub(super) fn accept_behind_head(&mut self, read: &Read<'_>, options: &Options) -> Option<Flags> {
        let care = self.splits.care[read.row as usize];
        let is_left = care.0 & Care::UNSURE == Care::AUTHORITY && !care.has(Care::PERCENT);
        if !is_left || self.hide != Hide::Nothing || options.spec == Spec::Rfc2396 {
            return None;
        }
        let mut heads = std::mem::take(&mut self.heads);
        let flags = heads.find(read.text, options).and_then(|head| self.accept_behind(read, head, options));
        self.heads = heads;
        flags
    }

    fn accept_behind(&mut self, read: &Read<'_>, head: &Head, options: &Options) -> Option<Flags> {
        let (split, _) = careful_behind(read.text, &head.split, Care::default(), options.spec).ok()?;
        let tail = &read.text[split.path_start as usize..];
        let path = &read.text[split.path_start as usize..split.path_end as usize];
        let may_be_dots = memchr::memchr_iter(b'.', path).any(|at| path[at - 1] == b'/');
        if may_be_dots || normalize::survey(tail) != Triplets::default() {
            return None;
        }
        self.splits.set(read.row as usize, read.span.start, &split);
        if let Some((normal, now)) = &head.normal {
            self.before.keep_read(read, (&split, head.host));
            let at = self.arena.len();
            self.arena.extend_from_slice(normal);
            self.arena.extend_from_slice(tail);
            let moved = |place: u32| place - split.path_start + now.path_start;
            let (path_end, query_end, end) =
                (moved(split.path_end), moved(split.query_end), moved(split.end));
            self.place(read, at, &Split { path_end, query_end, end, ..*now });
        }
        self.kinds.extend(head.kind.map(|kind| (read.row, kind)));
        let mut flags = head.flags;
        flags.set(Flags::DEVICE_NAME, audit::has_device_name(read.text, &split, Triplets::default()));
        Some(flags)
    }
}
