//! Merges several sorted sequences: finds the one with the least current item. `sort` uses it for rows, `dedupe` for
//! counted texts.

/// A tree of losers (Knuth, The Art of Computer Programming, volume 3, 5.4.1) over numbered sequences. Finding the next
/// item takes one comparison a level.
///
/// `before(a, b)` says whether the current item of sequence `a` precedes that of `b`. A sequence that has ended is
/// before no other.
#[derive(Debug)]
pub(crate) struct LoserTree {
    /// The loser of each match by its place, whose children are at `2 * place` and the one after; the winner of all at
    /// 0. The sequences come after: sequence `n` at `count + n`.
    losers: Vec<usize>,
    count: usize,
}

impl LoserTree {
    /// Plays all matches of `count` sequences.
    pub(crate) fn new(count: usize, mut before: impl FnMut(usize, usize) -> bool) -> LoserTree {
        let mut winners = vec![0; 2 * count];
        let mut losers = vec![0; count.max(1)];
        (0..count).for_each(|sequence| winners[count + sequence] = sequence);
        for place in (1..count).rev() {
            let (a, b) = (winners[2 * place], winners[2 * place + 1]);
            let (winner, loser) = if before(b, a) { (b, a) } else { (a, b) };
            winners[place] = winner;
            losers[place] = loser;
        }
        if count > 1 {
            losers[0] = winners[1];
        }
        LoserTree { losers, count }
    }

    /// The sequence with the least current item; one that has ended if all have.
    #[inline]
    pub(crate) fn first(&self) -> Option<usize> {
        (self.count > 0).then(|| self.losers[0])
    }

    /// Replays the matches of a sequence, which was the first and has advanced.
    #[inline]
    pub(crate) fn replay(&mut self, sequence: usize, mut before: impl FnMut(usize, usize) -> bool) {
        let mut winner = sequence;
        let mut place = (self.count + sequence) / 2;
        while place > 0 {
            if before(self.losers[place], winner) {
                std::mem::swap(&mut self.losers[place], &mut winner);
            }
            place /= 2;
        }
        self.losers[0] = winner;
    }
}
