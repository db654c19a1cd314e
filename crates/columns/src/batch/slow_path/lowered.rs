//! URIs that the kernel vouches for once their scheme and host are in lower case and the scheme's default port is
//! dropped (RFC 3986 sections 6.2.2.1 and 6.2.3). The kernel has found the offsets after their authorities; the heads
//! of many are copied, put in lower case and split together. A changed scheme, host or default port costs 115 instead
//! of 223 ns more than a clean line (Zen 4), part of it because lines take the slow path 2,048 at a time.

use arrow_buffer::Buffer;
use urimill_uri::Host;
use urimill_uri::Level;
use urimill_uri::grammar::Spec;
use urimill_uri::internal::audit::{self, Flags};
use urimill_uri::internal::normalize::{self, Changes, Triplets};
use urimill_uri::passwords::Hide;
use urimill_uri::simd;
use urimill_uri::simd::{PADDING, SlowPath, Span, Split};

use super::Read;
use crate::batch::Options;
use crate::batch::rows::{Lowered, LoweredHead, Rows};

/// The number of rows whose heads are split together, while they are in the processor's caches.
pub(super) const AT_ONCE: usize = 1_024;

/// The kernel is not sure of longer authorities.
const LONGEST: usize = 64;

impl LoweredHead {
    /// The head of an `http` or `https` URI with a scheme or host not in lower case, or a default port that may be
    /// dropped; `None` for others. `path_start` and `slow_path` are the kernel's.
    #[inline]
    fn of(
        row: u32,
        text: &[u8],
        path_start: u32,
        slow_path: SlowPath,
        drops_port: bool,
    ) -> Option<LoweredHead> {
        // No control character becomes one of these letters: the kernel has found none.
        let prefix = u64::from_le_bytes(*text.first_chunk()?) | 0x2020_2020_2020_2020;
        let scheme = match &prefix.to_le_bytes() {
            b"https://" => b"https://".len(),
            [b'h', b't', b't', b'p', b':', b'/', b'/', _] => b"http://".len(),
            _ => return None,
        };
        let end = match slow_path.has(SlowPath::SCHEME) {
            false => path_start as usize,
            true => {
                let rest = &text[scheme..];
                let end = memchr::memchr3(b'/', b'?', b'#', &rest[..rest.len().min(LONGEST)]);
                scheme + end.or((rest.len() <= LONGEST).then_some(rest.len()))?
            }
        };
        // By the scheme's length, so that each is compared by one instruction.
        let (authority, is_https) = (&text[scheme..end], scheme == b"https://".len());
        let port = match drops_port {
            true if is_https && authority.ends_with(b":443") => b":443".len(),
            true if !is_https && authority.ends_with(b":80") => b":80".len(),
            _ => 0,
        };
        // Without an early exit the loop is vectorized.
        let has_upper = text[..end].iter().fold(false, |any, byte| any | byte.is_ascii_uppercase());
        (has_upper || port > 0).then_some(LoweredHead { row, end: end as u32, port: port as u32, has_upper })
    }
}

impl Rows {
    /// Puts the heads of those of `rows` that have one in lower case, and splits them.
    pub(super) fn lower_heads(
        &self,
        lowered: &mut Lowered,
        rows: &[u32],
        buffers: &[Buffer],
        options: &Options,
    ) {
        let Lowered { heads, text, spans, splits, next, .. } = lowered;
        heads.clear();
        text.clear();
        spans.clear();
        splits.clear();
        *next = 0;
        let (level, spec) = self.rfc.grade();
        if level < Level::Case || spec == Spec::Rfc2396 || self.hide != Hide::Nothing || options.refang {
            return;
        }
        for &row in rows {
            let i = row as usize;
            let slow_path = self.splits.slow_path[i];
            // After an authority or a scheme of which it was not sure, the kernel has found everything.
            if slow_path.has(SlowPath::INVALID | SlowPath::FAR | SlowPath::LONG)
                || !slow_path.has(SlowPath::AUTHORITY | SlowPath::SCHEME)
            {
                continue;
            }
            let read = Self::text(buffers, &self.buffer_of, i, self.splits.start[i], self.splits.end[i]);
            let (path_start, drops_port) = (self.splits.path_start[i], level >= Level::Scheme);
            if let Some(head) = LoweredHead::of(row, read, path_start, slow_path, drops_port) {
                let from = text.len() as u32;
                text.extend_from_slice(&read[..(head.end - head.port) as usize]);
                spans.push(Span { start: from, len: text.len() as u32 - from });
                heads.push(head);
            }
        }
        text.make_ascii_lowercase();
        text.resize(text.len() + PADDING, b'\n');
        simd::split_spans(text, spans, usize::MAX, (options.reading.standard(), options.isa), splits);
    }

    /// Accepts a URI that differs only in its head from one of which the kernel is sure; returns its flags. Others stay
    /// unchanged.
    #[inline]
    pub(super) fn accept_lowered(
        &mut self,
        lowered: &mut Lowered,
        read: &Read<'_>,
        options: &Options,
    ) -> Option<Flags> {
        let at = lowered.next;
        let head = *lowered.heads.get(at).filter(|head| head.row == read.row)?;
        lowered.next += 1;
        let (split, len) = (lowered.splits.get(at), lowered.spans[at].len);
        let is_sure = !lowered.splits.slow_path[at].has(SlowPath::UNSURE);
        (is_sure && split.path_start == len && split.end == len)
            .then(|| self.accept_head(lowered, at, &head, read, options))
    }

    fn accept_head(
        &mut self,
        lowered: &mut Lowered,
        at: usize,
        head: &LoweredHead,
        read: &Read<'_>,
        options: &Options,
    ) -> Flags {
        let row = read.row as usize;
        let span = lowered.spans[at];
        let text = &lowered.text[span.start as usize..][..span.len as usize];
        let head_end = head.end as usize;
        // Nothing after the head moves.
        let of_read = Split {
            path_start: head.end,
            path_end: self.splits.path_end[row],
            query_end: self.splits.query_end[row],
            end: self.splits.end[row],
            ..lowered.splits.get(at)
        };
        let before = |place: u32| place - head.port;
        let split = Split {
            path_start: before(of_read.path_start),
            path_end: before(of_read.path_end),
            query_end: before(of_read.query_end),
            end: before(of_read.end),
            ..of_read
        };
        let tail = &read.text[head_end..];
        let mut slow_path = SlowPath(self.splits.slow_path[row].0 & (SlowPath::PERCENT | SlowPath::DOTS));
        if of_read.path_end == head.end {
            slow_path.0 |= SlowPath::EMPTY_PATH;
        }
        let triplets = match slow_path.has(SlowPath::PERCENT) {
            true => normalize::survey(tail),
            false => Triplets::default(),
        };
        let (mut now, mut changes, arena_at) = (split, Changes::default(), self.arena.len());
        if normalize::wants_accepted(read.text, &of_read, slow_path, triplets, self.rfc.grade()) {
            let whole = &mut lowered.whole;
            whole.clear();
            whole.extend_from_slice(text);
            whole.extend_from_slice(tail);
            let out = &mut self.arena;
            (now, changes) =
                normalize::write_accepted(whole, &split, slow_path, triplets, self.rfc.grade(), out);
        } else {
            self.arena.reserve(text.len() + tail.len());
            self.arena.extend_from_slice(text);
            self.arena.extend_from_slice(tail);
        }
        changes.case |= head.has_upper;
        changes.port |= head.port > 0;
        self.pre_normalized.keep_read(read.row, read.span.start, (&of_read, Some(Host::DnsName)));
        self.store(read, arena_at, &now);
        let mut flags = audit::of_triplets(read.text, triplets) | audit::of_changes(changes);
        flags.set(Flags::DEVICE_NAME, self.has_device_name(read.row, read.text, &of_read, triplets));
        // Without rules no default port is flagged.
        if head.port > 0 && !options.port_rules.is_empty() {
            let (scheme, port) = if split.scheme_end == 4 { ("http", 80) } else { ("https", 443) };
            flags.set(Flags::PORT_WELL_KNOWN_MISMATCH, options.port_rules.flags(scheme, port));
        }
        flags
    }
}
