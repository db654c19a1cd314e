//! URIs whose scheme and authority were validated before (`authorities`): only the rest of them is examined.

use urimill_uri::grammar::Spec;
use urimill_uri::internal::audit::Flags;
use urimill_uri::internal::normalize::{self, Triplets};
use urimill_uri::internal::parse_full_behind;
use urimill_uri::passwords::Hide;
use urimill_uri::simd::{SlowPath, Split};

use super::Read;
use crate::batch::Options;
use crate::batch::authorities::Authority;
use crate::batch::rows::Rows;

impl Rows {
    /// Accepts a URI without triplets and dot segments that the kernel rejected only for its authority; returns its
    /// flags. Others stay as they are.
    pub(super) fn accept_behind_authority(&mut self, read: &Read<'_>, options: &Options) -> Option<Flags> {
        let slow_path = self.splits.slow_path[read.row as usize];
        let is_left =
            slow_path.0 & SlowPath::UNSURE == SlowPath::AUTHORITY && !slow_path.has(SlowPath::PERCENT);
        if !is_left || self.hide != Hide::Nothing || options.refang || self.rfc.spec == Spec::Rfc2396 {
            return None;
        }
        let mut authorities = std::mem::take(&mut self.authorities);
        let flags =
            authorities.find(read.text, options).and_then(|authority| self.accept_behind(read, authority));
        self.authorities = authorities;
        flags
    }

    fn accept_behind(&mut self, read: &Read<'_>, authority: &Authority) -> Option<Flags> {
        let (split, _) =
            parse_full_behind(read.text, &authority.split, SlowPath::default(), self.rfc.spec).ok()?;
        let tail = &read.text[split.path_start as usize..];
        let path = &read.text[split.path_start as usize..split.path_end as usize];
        let may_be_dots = memchr::memchr_iter(b'.', path).any(|at| path[at - 1] == b'/');
        if may_be_dots || normalize::survey(tail) != Triplets::default() {
            return None;
        }
        self.splits.set(read.row as usize, read.span.start, &split);
        if let Some((normal, now)) = &authority.normal {
            self.pre_normalized.keep_read(read.row, read.span.start, (&split, authority.host));
            let at = self.arena.len();
            self.arena.extend_from_slice(normal);
            self.arena.extend_from_slice(tail);
            let shifted = |place: u32| place - split.path_start + now.path_start;
            let (path_end, query_end, end) =
                (shifted(split.path_end), shifted(split.query_end), shifted(split.end));
            self.store(read, at, &Split { path_end, query_end, end, ..*now });
        }
        self.kinds.extend(authority.kind.map(|kind| (read.row, kind)));
        let mut flags = authority.flags;
        flags.set(Flags::DEVICE_NAME, self.has_device_name(read.row, read.text, &split, Triplets::default()));
        Some(flags)
    }
}
