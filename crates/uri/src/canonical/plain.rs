//! Keys of plain URIs, without the steps of [`wayback`](super::wayback): the host is a DNS name, and in path and query
//! nothing changes but triplets, the case of letters and the order of parameters. Nearly all URIs are plain. All others
//! go through the steps, with which the tests compare this module. A key of `te` (docs/PERFORMANCE.md) takes 57 ns, and
//! one with triplets, ten on average, 340 ns (Zen 4).
//!
//! Texts are read and written in windows, which the compiler keeps in vector registers. The last window of a component
//! reaches beyond its end: bytes must follow in both buffers, and in the window they are masked before it is searched
//! for bytes that need the steps.

use super::escape::{escape, stays, unescape_repeatedly};
use super::{pieces, session};
use crate::encode::{TRIPLETS, triplet};
use crate::reference::UriRef;
use crate::simd::{Split, TripletKinds, equal, survey_triplets};
use alloc::vec::Vec;

/// The number of bytes searched and written at once.
pub(super) const LANES: usize = 16;
type Lanes = [u8; LANES];

/// Hosts shorter than this are written at once.
const HOST: usize = 32;
type Host = [u8; HOST];

/// The number of bytes of a path that are searched and written at once: three of four paths are shorter, and the number
/// of rounds of a loop cannot be predicted.
const PATH: usize = 64;

/// The number of bytes that must follow a URI.
pub const BEHIND: usize = PATH;

/// The number of bytes by which the space for a key must exceed the URI.
pub const ROOM: usize = HOST + PATH;

/// From `PATH - n` on this has `n` bytes of ones, and zeros after them.
static ONES: [u8; 2 * PATH] = {
    let mut ones = [0; 2 * PATH];
    let mut at = 0;
    while at < PATH {
        ones[at] = 0xFF;
        at += 1;
    }
    ones
};

/// Ones for the first `len` bytes, and zeros.
#[inline(always)]
fn ones<const N: usize>(len: usize) -> [u8; N] {
    window(&ONES, PATH - len)
}

#[inline(always)]
fn window<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut window = [0; N];
    window.copy_from_slice(&bytes[at..at + N]);
    window
}

// Not `array::map` or `array::from_fn`, which the compiler does not vectorize.
#[inline(always)]
fn each<const N: usize>(of: impl Fn(usize) -> u8) -> [u8; N] {
    let mut made = [0; N];
    for (at, byte) in made.iter_mut().enumerate() {
        *byte = of(at);
    }
    made
}

/// Ones where the condition holds.
#[inline(always)]
fn all_ones(holds: bool) -> u8 {
    u8::from(holds).wrapping_neg()
}

#[inline(always)]
fn lower<const N: usize>(window: &[u8; N]) -> [u8; N] {
    // One signed comparison for both ends of the range.
    let is_upper = |byte: u8| (byte.wrapping_add(0x80 - b'A') as i8) < i8::MIN + 26;
    each(|at| window[at] | all_ones(is_upper(window[at])) & 0x20)
}

/// Longer references go through the steps.
const LONGEST: usize = 480;

/// Appends the text that `write` writes for a reference; returns whether it wrote one.
pub(super) fn with_room(
    uri: &UriRef<'_>,
    out: &mut Vec<u8>,
    write: impl FnOnce(&[u8], &Split, &mut [u8]) -> Option<usize>,
) -> bool {
    let text = uri.as_str().as_bytes();
    if text.len() > LONGEST {
        return false;
    }
    let mut padded = [0; LONGEST + BEHIND];
    padded[..text.len()].copy_from_slice(text);
    let mark = out.len();
    out.resize(mark + text.len() + ROOM, 0);
    let len = write(&padded, &uri.split(), &mut out[mark..]);
    out.truncate(mark + len.unwrap_or(0));
    len.is_some()
}

/// The last host whose part of a key was written.
///
/// Its part is read again if the host occurs a second time: a load that is wider than the stores before it waits for
/// them, and most hosts of a list that is not sorted occur once in a row.
#[derive(Debug, Clone)]
pub(super) struct LastHost {
    /// The host, followed by zeros.
    host: Host,
    /// Its part of the key, followed by any bytes.
    head: Host,
    /// The length of its part; 0 if it is unknown.
    head_len: usize,
}

impl LastHost {
    /// No host.
    pub(super) const fn new() -> Self {
        LastHost { host: [0; HOST], head: [0; HOST], head_len: 0 }
    }

    /// Writes the labels of a DNS name in reverse order and the closing parenthesis; returns the number of bytes
    /// written.
    #[inline(always)]
    pub(super) fn write(&mut self, uri: &[u8], (from, to): (u32, u32), room: &mut [u8]) -> usize {
        let (from, to) = (from as usize, to as usize);
        self.write_short(uri, (from, to), room).unwrap_or_else(|| write_name(&uri[from..to], room))
    }

    /// Writes a short name in lower case without a number after `www`.
    #[inline(always)]
    fn write_short(&mut self, uri: &[u8], (from, to): (usize, usize), room: &mut [u8]) -> Option<usize> {
        let len = to - from;
        if len >= HOST {
            return None;
        }
        let (host, mask): (Host, Host) = (window(uri, from), ones(len));
        let host: Host = each(|at| host[at] & mask[at]);
        let is_last = host == self.host;
        if is_last && self.head_len > 0 {
            room[..HOST].copy_from_slice(&self.head);
            return Some(self.head_len);
        }
        if lower(&host) != host {
            return None;
        }
        let has_www = host[..3] == *b"www";
        if has_www & host[3].is_ascii_digit() {
            return None;
        }
        let mut len = len - usize::from(host[len - 1] == b'.');
        // Without a branch: half of the hosts begin like this.
        let is_prefixed = has_www & (host[3] == b'.') & (len > 4);
        let first = 4 * usize::from(is_prefixed);
        let mut dots = dots(&host) & !(1 << len) & !(u32::from(is_prefixed) << 3);
        let mut end = 0;
        while dots > 0 {
            let dot = dots.ilog2() as usize;
            room[end..end + HOST].copy_from_slice(&uri[from + dot + 1..][..HOST]);
            end += len - dot;
            room[end - 1] = b',';
            len = dot;
            dots ^= 1 << dot;
        }
        room[end..end + HOST].copy_from_slice(&uri[from + first..][..HOST]);
        end += len - first + 1;
        room[end - 1] = b')';
        self.host = host;
        self.head_len = 0;
        if is_last {
            self.head = window(room, 0);
            self.head_len = end;
        }
        Some(end)
    }
}

/// [`LastHost::write`] for any DNS name, label by label.
#[inline(never)]
fn write_name(host: &[u8], room: &mut [u8]) -> usize {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let mut end = 0;
    for label in host[www(host)..].rsplit(|&byte| byte == b'.') {
        let room = &mut room[end..][..label.len() + 1];
        room[..label.len()].copy_from_slice(label);
        room[..label.len()].make_ascii_lowercase();
        room[label.len()] = b',';
        end += room.len();
    }
    room[end - 1] = b')';
    end
}

/// The length of the prefix of rule 9.
pub(super) fn www(host: &[u8]) -> usize {
    let Some((w, rest)) = host.split_at_checked(3).filter(|(w, _)| w.eq_ignore_ascii_case(b"www")) else {
        return 0;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if rest.get(digits) == Some(&b'.') { w.len() + digits + 1 } else { 0 }
}

/// A bit for each dot, the first byte lowest.
#[inline(always)]
fn dots(host: &Host) -> u32 {
    equal(host, b'.') as u32
}

/// Writes path and query of a URI with a host by rules 3, 7, 11 and 12; returns the number of bytes written. `None` if
/// that needs the steps. `memory` is for texts without triplets.
#[inline(always)]
pub(super) fn write_path_and_query(
    uri: &[u8],
    split: &Split,
    memory: &mut Vec<u8>,
    room: &mut [u8],
) -> Option<usize> {
    let [from, to, query_end] = [split.path_start, split.path_end, split.query_end].map(|at| at as usize);
    let end = match write_path::<false>(uri, (from, to), room) {
        Found::Nothing(end) => end,
        Found::Triplets => write_decoded(uri, (from, to), write_path::<true>, memory, room)?,
        Found::Steps => return None,
    };
    if to == query_end {
        return Some(end);
    }
    if to < BEFORE {
        return None;
    }
    let room = &mut room[end..];
    let len = match write_query::<false>(uri, (to, query_end), room) {
        Found::Nothing(len) => len,
        Found::Triplets => write_decoded(uri, (to, query_end), write_query::<true>, memory, room)?,
        Found::Steps => return None,
    };
    Some(end + len)
}

/// The triplets that rule 3 decodes.
static UNDONE: TripletKinds = {
    let mut kinds = [0; 128];
    let mut octet = 0;
    while octet < 128 {
        kinds[octet as usize] = (stays(octet) || octet == b'%') as u8;
        octet += 1;
    }
    kinds
};

/// Writes a component without its triplets.
#[inline(never)]
fn write_decoded(
    uri: &[u8],
    component: (usize, usize),
    write: impl FnOnce(&[u8], (usize, usize), &mut [u8]) -> Found,
    memory: &mut Vec<u8>,
    room: &mut [u8],
) -> Option<usize> {
    // If rule 3 decodes none of the triplets, all of them stay, such as the triplets of letters outside ASCII.
    if survey_triplets(&uri[component.0..component.1], &UNDONE, None).kinds == 0 {
        return match write(uri, component, room) {
            Found::Nothing(len) => Some(len),
            Found::Triplets | Found::Steps => None,
        };
    }
    let end = match decode(uri, component, memory) {
        Some(end) => end,
        None => decode_repeatedly(&uri[component.0..component.1], memory),
    };
    match write(memory, (BEFORE, end), room) {
        Found::Nothing(len) => Some(len),
        Found::Triplets | Found::Steps => None,
    }
}

/// Avoids the way through memory that the compiler finds for a comparison.
#[inline(always)]
fn is_zero(lanes: &Lanes) -> bool {
    equal(lanes, 0) == (1 << LANES) - 1
}

/// The result for a component.
enum Found {
    /// It is plain; the number of bytes written.
    Nothing(usize),
    /// It has triplets, and possibly more.
    Triplets,
    /// It needs the steps.
    Steps,
}

const TRIPLET: u8 = 1;
const OTHER: u8 = 2;

impl Found {
    #[inline(always)]
    fn of(found: &[u8; PATH]) -> Option<Found> {
        let found: Lanes =
            found.as_chunks::<LANES>().0.iter().fold([0; LANES], |a, b| each(|at| a[at] | b[at]));
        if is_zero(&found) {
            return None;
        }
        Some(if is_zero(&each(|at| found[at] & OTHER)) { Found::Triplets } else { Found::Steps })
    }
}

/// The number of bytes before a component that a search at its beginning reads.
const BEFORE: usize = 10;

/// Rule 3, if one round decodes all triplets; `None` if it does not. Returns the end of the text in `memory`; the text
/// begins at [`BEFORE`], and any bytes follow.
fn decode(uri: &[u8], (from, to): (usize, usize), memory: &mut Vec<u8>) -> Option<usize> {
    let room = BEFORE + (to - from) + BEHIND;
    if memory.len() < room {
        memory.resize(room, 0);
    }
    let (mut at, mut end) = (from, BEFORE);
    while at < to {
        let here: Lanes = window(uri, at);
        memory[end..end + LANES].copy_from_slice(&here);
        let plain = find_percent(here).min(to - at);
        (at, end) = (at + plain, end + plain);
        if plain == LANES || at == to {
            continue;
        }
        match triplet(&uri[at..to]) {
            Ok(b'%') | Err(_) => return None,
            Ok(byte) if stays(byte) => {
                memory[end] = byte;
                end += 1;
            }
            Ok(byte) => {
                memory[end..end + 3].copy_from_slice(&TRIPLETS[usize::from(byte)]);
                end += 3;
            }
        }
        at += 3;
    }
    Some(end)
}

/// The offset of the first percent sign, or the number of bytes.
#[inline(always)]
fn find_percent(here: Lanes) -> usize {
    (equal(&here, b'%') | 1 << LANES).trailing_zeros() as usize
}

/// [`decode`] in as many rounds as necessary.
#[inline(never)]
fn decode_repeatedly(text: &[u8], memory: &mut Vec<u8>) -> usize {
    memory.clear();
    memory.resize(BEFORE, 0);
    unescape_repeatedly(text, memory);
    escape(memory, BEFORE, stays);
    let end = memory.len();
    memory.resize(end + BEHIND, 0);
    end
}

/// Writes a path.
#[inline(always)]
fn write_path<const IS_DECODED: bool>(uri: &[u8], (from, to): (usize, usize), room: &mut [u8]) -> Found {
    // A triplet, a byte that may begin a session identifier, and an empty segment or one that begins with a dot.
    let special = |here: &[u8; PATH], before: &[u8; PATH]| -> [u8; PATH] {
        each(|at| {
            let pair = all_ones(before[at] == b'/') & all_ones(here[at] | 1 == b'/');
            let triplet = if IS_DECODED { 0 } else { all_ones(here[at] == b'%') & TRIPLET };
            (pair | all_ones(here[at] == b'(')) & OTHER | triplet
        })
    };
    let len = to - from;
    let whole = len / PATH * PATH;
    let windows = uri[from..][..whole].as_chunks().0.iter().zip(uri[from - 1..][..whole].as_chunks().0);
    for ((here, before), to) in windows.zip(room[..whole].as_chunks_mut().0) {
        *to = lower(here);
        // At once, because the compiler would otherwise read many windows in columns.
        if let Some(found) = Found::of(&special(here, before)) {
            return found;
        }
    }
    let (here, mask): ([u8; PATH], [u8; PATH]) = (window(uri, from + whole), ones(len - whole));
    room[whole..whole + PATH].copy_from_slice(&lower(&here));
    let special = special(&here, &window(uri, from + whole - 1));
    if let Some(found) = Found::of(&each(|at| special[at] & mask[at])) {
        return found;
    }
    Found::Nothing(if len < 2 {
        room[0] = b'/';
        1
    } else {
        len - usize::from(uri[to - 1] == b'/')
    })
}

/// Writes a query with the question mark before it.
#[inline(never)]
fn write_query<const IS_DECODED: bool>(uri: &[u8], (from, to): (usize, usize), room: &mut [u8]) -> Found {
    let len = to - from;
    let [mut session, mut several]: [Lanes; 2] = [[0; LANES]; 2];
    let mut at = 0;
    while at < len {
        let here: Lanes = window(uri, from + at);
        let mask: Lanes = ones((len - at).min(LANES));
        room[at..at + LANES].copy_from_slice(&lower(&here));
        // A session identifier's name ends in `id`, or in that and eight letters.
        let (d, i): (Lanes, Lanes) = (window(uri, from + at - 1), window(uri, from + at - 2));
        let (far_d, far_i): (Lanes, Lanes) = (window(uri, from + at - 9), window(uri, from + at - BEFORE));
        if !IS_DECODED && each::<LANES>(|n| mask[n] & all_ones(here[n] == b'%')) != [0; LANES] {
            return Found::Triplets;
        }
        several = each(|n| several[n] | mask[n] & all_ones(here[n] == b'&'));
        session = each(|n| {
            let near = all_ones(d[n] | 0x20 == b'd') & all_ones(i[n] | 0x20 == b'i');
            let far = all_ones(far_d[n] | 0x20 == b'd') & all_ones(far_i[n] | 0x20 == b'i');
            session[n] | mask[n] & all_ones(here[n] == b'=') & (near | far)
        });
        at += LANES;
    }
    let query = &room[1..len];
    if session != [0; LANES] && session::has_any(query) {
        return Found::Steps;
    }
    if several != [0; LANES] {
        let Some(pieces) = pieces::Sorted::by_name_and_value(query) else { return Found::Steps };
        if pieces.have_moved() {
            let mut end = 1;
            for piece in pieces.places() {
                let mut at = 0;
                while at < piece.len() {
                    let here = lower::<LANES>(&window(uri, from + 1 + piece.start + at));
                    room[end + at..end + at + LANES].copy_from_slice(&here);
                    at += LANES;
                }
                end += piece.len() + 1;
                room[end - 1] = b'&';
            }
        }
    }
    // The empty query goes.
    Found::Nothing(if len == 1 { 0 } else { len })
}
