//! URIs that the kernel vouches for once their scheme and host are in lower case and the scheme's default port is
//! dropped (RFC 3986 sections 6.2.2.1 and 6.2.3): what was split by full parser and ladder before, the kernel splits
//! again.

use super::Read;
use crate::batch::Options;
use crate::batch::rows::{Lowered, Rows};
use crate::grammar::Spec;
use crate::passwords::Hide;
use crate::simd;
use crate::simd::{PADDING, SlowPath, Split};
use crate::uri::Host;
use urimill_uri::Level;
use urimill_uri::internal::audit::{self, Flags};
use urimill_uri::internal::normalize::{self, Changes, Triplets};

/// The schemes whose URIs the kernel vouches for, with the default port.
const SCHEMES: [(&[u8], &[u8]); 2] = [(b"http://", b":80"), (b"https://", b":443")];

/// The kernel is not sure of longer authorities.
const LONGEST: usize = 64;

/// What stands before the path of a URI.
struct Head {
    /// Where the authority ends.
    end: usize,
    /// The length of the default port, with its colon.
    port: usize,
    has_upper: bool,
}

impl Head {
    /// That of a URI whose scheme or host is not in lower case, or that has the default port, and this may be dropped.
    fn of(text: &[u8], drops_port: bool) -> Option<Head> {
        let begins =
            |scheme: &[u8]| text.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme));
        let (scheme, port) = SCHEMES.into_iter().find(|(scheme, _)| begins(scheme))?;
        let rest = &text[scheme.len()..];
        let end = memchr::memchr3(b'/', b'?', b'#', &rest[..rest.len().min(LONGEST)]);
        let end = end.or((rest.len() <= LONGEST).then_some(rest.len()))?;
        let port = if drops_port && rest[..end].ends_with(port) { port.len() } else { 0 };
        let end = scheme.len() + end;
        // Without an early exit the loop is vectorized.
        let has_upper = text[..end].iter().fold(false, |any, byte| any | byte.is_ascii_uppercase());
        (has_upper || port > 0).then_some(Head { end, port, has_upper })
    }
}

impl Rows {
    /// Accepts a URI that differs from one of which the kernel is sure by its [`Head`] alone; returns its flags. Others
    /// stay as they are.
    pub(super) fn accept_lowered(&mut self, read: &Read<'_>, options: &Options) -> Option<Flags> {
        let (level, spec) = options.grade();
        let refused = SlowPath::INVALID | SlowPath::FAR | SlowPath::LONG;
        if level < Level::Case
            || spec == Spec::Rfc2396
            || self.hide != Hide::Nothing
            || self.splits.slow_path[read.row as usize].has(refused)
        {
            return None;
        }
        let head = Head::of(read.text, level >= Level::Scheme)?;
        let mut lowered = std::mem::take(&mut self.lowered);
        let flags = self.accept_as(&mut lowered, read, &head, options);
        self.lowered = lowered;
        flags
    }

    fn accept_as(
        &mut self,
        Lowered { text, splits }: &mut Lowered,
        read: &Read<'_>,
        head: &Head,
        options: &Options,
    ) -> Option<Flags> {
        text.clear();
        text.extend_from_slice(&read.text[..head.end - head.port]);
        text.make_ascii_lowercase();
        text.extend_from_slice(&read.text[head.end..]);
        let len = text.len();
        text.resize(len + PADDING, b'\n');
        splits.clear();
        let how = (options.standard(), options.isa);
        simd::split_lines(text, (0, len), 1, usize::MAX, how, splits);
        // A text with a line break is more than one record.
        if splits.len() != 1 || splits.end[0] as usize != len || splits.slow_path[0].has(SlowPath::UNSURE) {
            return None;
        }
        let (split, slow_path, text) = (splits.get(0), splits.slow_path[0], &text[..len]);
        let triplets = match slow_path.has(SlowPath::PERCENT) {
            true => normalize::survey(&text[split.path_start as usize..]),
            false => Triplets::default(),
        };
        let at = self.arena.len();
        let (mut now, mut changes) = (split, Changes::default());
        match normalize::wants_accepted(text, &split, slow_path, triplets, options.grade()) {
            true => {
                let out = &mut self.arena;
                (now, changes) =
                    normalize::write_accepted(text, &split, slow_path, triplets, options.grade(), out);
            }
            false => self.arena.extend_from_slice(text),
        }
        changes.case |= head.has_upper;
        changes.port |= head.port > 0;
        // Nothing else moves.
        let behind = |place: u32| place + head.port as u32;
        let of_read = Split {
            path_start: behind(split.path_start),
            path_end: behind(split.path_end),
            query_end: behind(split.query_end),
            end: behind(split.end),
            ..split
        };
        self.pre_normalized.keep_read(read.row, read.span.start, (&of_read, Some(Host::DnsName)));
        self.store(read, at, &now);
        let mut flags = audit::of_data(text, &split, triplets) | audit::of_changes(changes);
        // Without rules no default port is flagged.
        if head.port > 0 && !options.port_rules.is_empty() {
            let scheme = str::from_utf8(&read.text[..split.scheme_end as usize]).unwrap_or_default();
            let port = if split.scheme_end == 4 { 80 } else { 443 };
            flags.set(Flags::PORT_WELL_KNOWN_MISMATCH, options.port_rules.flags(scheme, port));
        }
        Some(flags)
    }
}
