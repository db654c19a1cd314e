//! Hosts: which one comes next (Zipf's law), and its name.
//!
//! A host is a number; its name, top-level domain and subdomain follow from the number alone, so two million
//! hosts need no memory. The small numbers are the busy hosts.

use super::rng::{Dice, Rng, mix};
use super::words::{SUBDOMAINS, SYLLABLES, TLDS, WORDS};

/// Hosts that pages are drawn from: 2^OCTAVES.
pub(crate) const OCTAVES: u32 = 21;
/// Weight of the ranks 2^(k+1) to 2^(k+2) relative to that of 2^k to 2^(k+1), in hundredths: an exponent near 1.2,
/// between the real lists' 0.93 and 1.58. The busiest host then has 14 % of the pages; in the lists it has 10 to 25 %.
const OCTAVE_RATIO: u64 = 87;
/// Share of hosts, per million, whose name starts with `www.`.
const WWW_HOSTS: u64 = 440_000;
/// Share of hosts, per million, with another subdomain.
const SUBDOMAIN_HOSTS: u64 = 200_000;

/// A seed for which the busy hosts, few and heavy, leave the shares of `www.` and of the domains near the lists'.
const SALT: u64 = 9;

/// The hosts of the generated web.
pub(super) struct Hosts {
    /// Running sums of the octaves' weights.
    octaves: [u64; OCTAVES as usize],
    tlds: Dice,
    words: Vec<&'static str>,
    syllables: Vec<&'static str>,
    subdomains: Vec<&'static str>,
}

impl Hosts {
    pub(super) fn new() -> Self {
        let mut octaves = [0; OCTAVES as usize];
        let (mut weight, mut sum) = (1 << 32, 0);
        for octave in &mut octaves {
            sum += weight;
            *octave = sum;
            weight = weight * OCTAVE_RATIO / 100;
        }
        Hosts {
            octaves,
            tlds: Dice::new(&TLDS.map(|(_, share)| share)),
            words: WORDS.split(' ').collect(),
            syllables: SYLLABLES.split(' ').collect(),
            subdomains: SUBDOMAINS.split(' ').collect(),
        }
    }

    /// The next host by Zipf's law: an octave of ranks by weight, then a rank in it by rejection, so that the density
    /// falls as 1/rank there. Integers only: a power function differs from one C library to the next.
    pub(super) fn draw(&self, rng: &mut Rng) -> u64 {
        let total = self.octaves[self.octaves.len() - 1];
        let point = ((u128::from(rng.bits()) * u128::from(total)) >> 64) as u64;
        let octave = self.octaves.partition_point(|&sum| sum <= point);
        let first = 1_u64 << octave;
        loop {
            let rank = first + u64::from(rng.below(first as u32));
            if u64::from(rng.below(rank as u32)) < first {
                return rank;
            }
        }
    }

    /// A host that will hardly occur twice, for the home pages: a list names each of them once.
    pub(super) fn draw_once(&self, rng: &mut Rng) -> u64 {
        (1 << OCTAVES) + (rng.bits() >> 34)
    }

    /// Writes the name of host `number`.
    pub(super) fn write(&self, number: u64, out: &mut Vec<u8>) {
        let traits = mix(number ^ SALT);
        let share = ((traits >> 44) * 1_000_000) >> 20;
        if share < WWW_HOSTS {
            out.extend_from_slice(b"www.");
        } else if share < WWW_HOSTS + SUBDOMAIN_HOSTS {
            let name = self.subdomains[(traits & 0xFFFF) as usize % self.subdomains.len()];
            out.extend_from_slice(name.as_bytes());
            out.push(b'.');
        }
        if traits & 0x30_0000 == 0 {
            out.extend_from_slice(self.words[(traits & 0xFFFF) as usize % self.words.len()].as_bytes());
            if traits & 0x80_0000 == 0 {
                out.push(b'-');
            }
        }
        self.write_syllables(number, out);
        out.push(b'.');
        out.extend_from_slice(TLDS[self.tlds.face(mix(traits))].0.as_bytes());
    }

    /// The number in base 64, with a syllable as digit. Each digit is shifted by those before it: names stay unique,
    /// but neighbours do not look alike.
    fn write_syllables(&self, number: u64, out: &mut Vec<u8>) {
        let mut rest = number + 64 * 64;
        let mut shift = 17;
        while rest > 0 {
            shift = (shift + rest % 64 * 27 + 31) % 64;
            out.extend_from_slice(self.syllables[shift as usize].as_bytes());
            rest /= 64;
        }
    }
}
