//! The newlines of the next blocks, from which groups of lines are made.

/// The number of records handled together: enough that the values written by one step have left the processor's store
/// queue, from which several values cannot be loaded together, when the next step reads them; few enough that all of
/// them stay in the first cache.
pub(super) const GROUP: usize = 64;

/// The positions of newlines that were found and not yet used.
pub(super) struct Newlines {
    /// In order, each after the newline before it. Entries from `found` on are undefined.
    places: [u32; 2 * GROUP],
    pub(super) found: usize,
    /// Where the next block begins.
    pub(super) at: usize,
}

impl Newlines {
    /// None, for a text that begins at this place, as if a newline preceded it.
    pub(super) fn from(at: usize) -> Newlines {
        Newlines { places: [(at as u32).wrapping_sub(1); 2 * GROUP], found: 0, at }
    }

    /// Where the next line begins.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn start(&self) -> usize {
        self.places[0].wrapping_add(1) as usize
    }

    /// Puts those of the block at `at` after the first `count`, fewer than [`GROUP`].
    #[inline(always)]
    pub(super) fn put(&mut self, found: usize, at: usize, newlines: u64) {
        // Most blocks have at most two, which are written without testing their number. A block has at most 64: the
        // remainder only avoids a check.
        let mut rest = newlines;
        for put in 1..3 {
            self.places[(found + put) % (2 * GROUP)] = at as u32 + rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
        }
        let mut put = found + 3;
        while rest != 0 {
            self.places[put % (2 * GROUP)] = at as u32 + rest.trailing_zeros();
            rest &= rest - 1;
            put += 1;
        }
    }

    /// The start and the length of each line of a group, if it was found. Returns whether one may be blank.
    #[inline(always)]
    pub(super) fn lines(&self, starts: &mut [u32; GROUP], lens: &mut [u32; GROUP]) -> bool {
        // All of them: with a number that the compiler knows there is no loop for the last ones.
        let mut blank = 0;
        let (places, ends) = (&self.places[..GROUP], &self.places[1..=GROUP]);
        for ((place, end), (start, len)) in places.iter().zip(ends).zip(starts.iter_mut().zip(lens)) {
            *start = place.wrapping_add(1);
            *len = end.wrapping_sub(*start);
            blank |= u32::from(*len == 0);
        }
        blank != 0
    }

    /// Removes the first ones, at most [`GROUP`].
    #[inline(always)]
    pub(super) fn remove(&mut self, count: usize) {
        let (first, behind) = self.places.split_at_mut(GROUP);
        match count {
            // The compiler knows the length of this copy.
            GROUP => first.copy_from_slice(behind),
            _ => self.places.copy_within(count..=self.found, 0),
        }
        self.found -= count;
    }
}

/// The bits below a position.
#[inline(always)]
pub(super) fn below(place: u32) -> u64 {
    !u64::MAX.checked_shl(place).unwrap_or(0)
}

/// One bit of each record's facts: the bit at this position.
#[inline(always)]
pub(super) fn bits(facts: &[u8; GROUP], place: u32) -> u64 {
    let eight = |facts: &[u8; 8]| {
        let ones = u64::from_le_bytes(*facts) >> place & 0x0101_0101_0101_0101;
        ones.wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    facts.as_chunks().0.iter().rev().fold(0, |bits, facts| bits << 8 | eight(facts))
}
