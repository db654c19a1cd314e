//! The generator's only source of chance: integers alone, so that a seed gives the same bytes on every machine.

/// SplitMix64 (Steele, Lea and Flood, 2014): one addition and a mixing step a number.
pub(crate) struct Rng(u64);

/// The mixing step of SplitMix64: a bijection of 64-bit numbers.
pub(super) fn mix(number: u64) -> u64 {
    let z = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Rng {
    /// A stream for each seed.
    pub(super) fn new(seed: u64) -> Self {
        Rng(mix(seed.wrapping_add(0x5EED)))
    }

    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below `limit`, which must not be zero.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// True in `share` of a million cases.
    pub(super) fn chance(&mut self, share: u32) -> bool {
        self.below(1_000_000) < share
    }

    /// One of a list, all equally likely.
    pub(super) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u32) as usize]
    }
}

/// Draws the index of a weight with the weight's probability, by one look-up.
pub(super) struct Dice([u8; 1000]);

impl Dice {
    /// `weights` are thousandths; the rest up to 1000 goes to the first.
    pub(super) fn new(weights: &[u16]) -> Self {
        let mut faces = [0; 1000];
        let mut at = 0;
        for (index, &weight) in weights.iter().enumerate() {
            faces[at..at + usize::from(weight)].fill(index as u8);
            at += usize::from(weight);
        }
        Dice(faces)
    }

    /// A random index.
    pub(super) fn roll(&self, rng: &mut Rng) -> usize {
        self.face(rng.bits())
    }

    /// The index for these bits.
    pub(super) fn face(&self, bits: u64) -> usize {
        usize::from(self.0[(((bits >> 32) * 1000) >> 32) as usize])
    }
}
