//! Members of a gzip file inflated by several threads, before their turn comes. Stands beside the decoder of
//! [`Reader`](crate::read::Reader), which asks here at the end of each member before it goes on by itself.
//!
//! Where members begin, gzip does not say, but each begins with a magic number. So the stored bytes ahead are cut
//! into pieces at what looks like the beginning of a member, and helpers inflate these. A piece counts only if the
//! decoder comes to its first byte at the end of the member before; and of a piece only those members count that are
//! whole and whose checksums are right. All else the decoder does itself, the errors among it: what is read, and what
//! is said of damage, is the same without helpers.
//!
//! ```text
//! stored   | … member | member | member | member | member | member | member | …
//! pieces            here ^ 1              ^ 2              ^ 3             as many as are in flight
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use memchr::memmem;

use super::codec::{Engine, Format, State};
use super::stored::StoredBytes;
use crate::read::pool::{Pool, PooledBuffer};
use crate::threads;

/// A piece is this long, in stored bytes, and up to twice that.
pub(in crate::read) const PIECE: usize = 128 << 10;

/// Longer ones would only take memory.
pub(in crate::read) const LONGEST_PIECE: usize = 16 << 20;

/// A piece that becomes longer, by this factor, is given up: its members are inflated in their turn, bit by bit.
const MOST_GROWTH: usize = 32;

/// More would wait for the one thread that hands out what they have inflated.
const MOST_HELPERS: usize = 16;

/// What was inflated ahead, and what is on its way.
pub(in crate::read) struct Ahead {
    piece: usize,
    /// As many may be in flight.
    most: usize,
    /// In the order of the file.
    pieces: VecDeque<Piece>,
    /// Where the next piece is to begin, in the stored file.
    next: u64,
    jobs: Option<Sender<Job>>,
    helpers: Vec<JoinHandle<()>>,
    /// For what is stored.
    copies: Pool,
    /// What is being handed out, and how much of it has been.
    current: Option<(Inflated, usize)>,
}

/// A part of the stored file that helpers are at.
struct Piece {
    start: u64,
    unwanted: Arc<AtomicBool>,
    answer: Receiver<Inflated>,
}

struct Job {
    stored: PooledBuffer,
    len: usize,
    unwanted: Arc<AtomicBool>,
    answer: SyncSender<Inflated>,
}

/// The whole members at the beginning of a piece.
struct Inflated {
    bytes: PooledBuffer,
    len: usize,
    /// How many stored bytes they take.
    taken: usize,
    /// Where each begins: in `bytes`, and in the piece.
    members: Vec<(usize, usize)>,
}

impl Ahead {
    /// With as many helpers, or as the system gives, and pieces of about so many stored bytes. `None` where it gives
    /// none.
    pub(in crate::read) fn start(most_helpers: usize, piece: usize) -> Option<Ahead> {
        let count = most_helpers.min(MOST_HELPERS);
        let most = count + 2;
        let longest = piece * MOST_GROWTH;
        let (copies, pool) = (Pool::new(most, 2 * piece), Pool::new(most, longest));
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let mut ahead = Ahead {
            piece,
            most,
            pieces: VecDeque::new(),
            next: 0,
            jobs: Some(jobs),
            helpers: Vec::new(),
            copies,
            current: None,
        };
        for number in 0..count {
            let (queue, pool) = (Arc::clone(&queue), pool.clone());
            let name = format!("urimill-gzip-{number}");
            match threads::spawn(&name, move || help(&queue, &pool, longest)) {
                Ok(helper) => ahead.helpers.push(helper),
                Err(_) => break,
            }
        }
        (!ahead.helpers.is_empty()).then_some(ahead)
    }

    /// Hands out inflated bytes, as many as there are and fit; 0 where there are none.
    pub(in crate::read) fn give(&mut self, out: &mut [u8]) -> usize {
        let Some((inflated, given)) = &mut self.current else { return 0 };
        let count = out.len().min(inflated.len - *given);
        out[..count].copy_from_slice(&inflated.bytes.as_ref()[*given..*given + count]);
        *given += count;
        if *given == inflated.len {
            self.current = None;
        }
        count
    }

    /// At the beginning of a member: takes the piece that begins there, if there is one, and returns how many stored
    /// bytes that is, for the caller to take; 0 where the member has to be inflated now. Of each member `begins` is
    /// told where it begins, from here: among the bytes to be handed out, and among those stored.
    pub(in crate::read) fn take(
        &mut self,
        stored: &mut StoredBytes,
        mut begins: impl FnMut(usize, usize),
    ) -> usize {
        let here = stored.consumed();
        while self.pieces.front().is_some_and(|piece| piece.start < here) {
            self.pieces.pop_front();
        }
        // Pieces before it came to nothing.
        self.next = self.next.max(here);
        self.look(stored, here);
        let Some(piece) = self.pieces.pop_front_if(|piece| piece.start == here) else { return 0 };
        // Without an answer the helper has failed.
        let Ok(inflated) = piece.answer.recv() else { return 0 };
        inflated.members.iter().for_each(|&(at, stored)| begins(at, stored));
        let taken = inflated.taken;
        self.current = (inflated.len > 0).then_some((inflated, 0));
        taken
    }

    /// Cuts what is stored from here on into pieces, as many as may be in flight.
    fn look(&mut self, stored: &mut StoredBytes, here: u64) {
        // Far ahead of the decoder, after members that it has to inflate itself, there is time.
        let farthest = 2 * self.most * self.piece;
        while self.pieces.len() < self.most {
            let from = usize::try_from(self.next - here).unwrap_or(usize::MAX);
            if from > farthest {
                return;
            }
            let wanted = from + 2 * self.piece + HEADER;
            let seen = stored.look_ahead(wanted);
            let is_all = seen.len() < wanted;
            let Some(ahead) = seen.get(from..).filter(|ahead| !ahead.is_empty()) else { return };
            let passed = match cut(ahead, self.piece, is_all) {
                Cut::Piece(end) => {
                    let mut copy = self.copies.take(end);
                    copy.as_mut()[..end].copy_from_slice(&ahead[..end]);
                    self.send(copy, end, self.next);
                    end
                }
                Cut::Pass(count) => count,
            };
            self.next += passed as u64;
        }
    }

    fn send(&mut self, stored: PooledBuffer, len: usize, start: u64) {
        let (sender, answer) = sync_channel(1);
        let unwanted = Arc::new(AtomicBool::new(false));
        self.pieces.push_back(Piece { start, unwanted: Arc::clone(&unwanted), answer });
        if let Some(jobs) = &self.jobs {
            // Where all helpers have failed there will be no answer, and that is seen.
            let _ = jobs.send(Job { stored, len, unwanted, answer: sender });
        }
    }
}

impl fmt::Debug for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ahead").field("pieces", &self.pieces.len()).finish_non_exhaustive()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }
}

impl Drop for Ahead {
    /// The helpers end with it: they leave what they are at, and find no more jobs.
    fn drop(&mut self) {
        self.pieces.clear();
        self.jobs = None;
        for helper in self.helpers.drain(..) {
            // One that has panicked has given no answer, which was enough.
            let _ = helper.join();
        }
    }
}

/// The header of a member without its optional parts (RFC 1952 2.3.1).
const HEADER: usize = 10;

/// What becomes of the bytes ahead.
enum Cut {
    /// So many are a piece.
    Piece(usize),
    /// So many are none: they hold one member that is too long to be inflated ahead, or do not begin with one.
    Pass(usize),
}

/// Cuts what comes next: `ahead`, of which there is more than two pieces and a header unless it is all there is.
fn cut(ahead: &[u8], piece: usize, is_all: bool) -> Cut {
    // Where a header begins of which not all is seen, the next look begins.
    let unseen = if is_all { ahead.len() } else { ahead.len() - (HEADER - 1) };
    if !begins_member(ahead) {
        return Cut::Pass(beginning(ahead, 1..ahead.len()).unwrap_or(unseen));
    }
    let longest = ahead.len().min(2 * piece);
    if let Some(end) = beginning(ahead, piece..longest) {
        return Cut::Piece(end);
    }
    if is_all && longest == ahead.len() {
        return Cut::Piece(longest);
    }
    if let Some(end) = last_beginning(&ahead[..piece]) {
        return Cut::Piece(end);
    }
    Cut::Pass(beginning(ahead, longest..ahead.len()).unwrap_or(unseen))
}

/// Whether it looks like it (RFC 1952 2.3.1): the magic number, no reserved flag, and one of the levels there are.
pub(in crate::read) fn begins_member(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER
        && Format::Gzip.agrees(bytes)
        && bytes[3] & 0xe0 == 0
        && matches!(bytes[8], 0 | 2 | 4)
}

const MAGIC: &[u8] = b"\x1f\x8b\x08";

/// The first place in a range where something looks like the beginning of a member.
fn beginning(bytes: &[u8], range: Range<usize>) -> Option<usize> {
    let within = bytes.get(range.start..)?;
    let places = memmem::find_iter(within, MAGIC).map(|place| range.start + place);
    places.take_while(|&place| place < range.end).find(|&place| begins_member(&bytes[place..]))
}

/// The last place but the first byte.
fn last_beginning(bytes: &[u8]) -> Option<usize> {
    memmem::rfind_iter(bytes, MAGIC).find(|&place| begins_member(&bytes[place..])).filter(|&place| place > 0)
}

/// What a helper does: one job after the other, until there are no more.
fn help(queue: &Mutex<Receiver<Job>>, pool: &Pool, most: usize) {
    let Ok(mut engine) = Format::Gzip.engine(None) else { return };
    loop {
        // The lock is for one of them to wait, and the others after it.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { stored, len, unwanted, answer }) = job else { return };
        let inflated = inflate(&mut *engine, &stored.as_ref()[..len], pool, most, &unwanted);
        // A piece that nobody wants any more has nobody to answer to.
        let _ = answer.send(inflated);
    }
}

/// Inflates the members at the beginning of a piece, until one is not whole, not right, or makes it more than `most`
/// bytes.
fn inflate(
    engine: &mut dyn Engine,
    stored: &[u8],
    pool: &Pool,
    most: usize,
    unwanted: &AtomicBool,
) -> Inflated {
    let bytes = pool.take(most.min(4 * stored.len()));
    let mut inflated = Inflated { bytes, len: 0, taken: 0, members: Vec::new() };
    let is_wanted = || !unwanted.load(Ordering::Relaxed);
    while inflated.taken < stored.len() && Format::Gzip.agrees(&stored[inflated.taken..]) && is_wanted() {
        let begin = (inflated.len, inflated.taken);
        if engine.restart().is_err() || !inflated.member(engine, stored, most, unwanted) {
            break;
        }
        // Of members that begin at the same byte all but the last are empty.
        inflated.members.pop_if(|&mut (at, _)| at == begin.0);
        inflated.members.push(begin);
    }
    inflated
}

impl Inflated {
    /// Adds the member that begins after those that are taken; false where that cannot be.
    fn member(&mut self, engine: &mut dyn Engine, stored: &[u8], most: usize, unwanted: &AtomicBool) -> bool {
        let (mut len, mut taken) = (self.len, self.taken);
        loop {
            let room = self.bytes.as_ref().len();
            if len == room {
                if room >= most || unwanted.load(Ordering::Relaxed) {
                    return false;
                }
                self.bytes.grow(most.min(2 * room));
            }
            let step = engine.step(&stored[taken..], &mut self.bytes.as_mut()[len..]);
            len += step.written;
            taken += step.consumed;
            match step.state {
                State::Ended => {
                    (self.len, self.taken) = (len, taken);
                    return true;
                }
                State::More if step.written + step.consumed > 0 => {}
                State::More | State::Corrupt(_) | State::TooLarge => return false,
            }
        }
    }
}
