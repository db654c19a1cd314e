//! Properties of a byte that depend on it and on the byte before it: the bits that the entry for the byte before and
//! the entry for the byte itself have in common.

/// The entries of all bytes, and those of [`Pairs::ODD`] and [`Pairs::FAULT`] once more by nibbles.
#[derive(Debug)]
pub struct Pairs {
    /// For the byte before.
    pub before: Entries,
    /// For the byte itself.
    pub byte: Entries,
    /// The entries of [`Pairs::ODD`].
    pub odd: Nibbles,
    /// The entries of [`Pairs::FAULT`].
    pub fault: Nibbles,
}

/// Entries of all bytes below 0x80, for look-ups in two registers.
#[derive(Debug)]
#[repr(align(64))]
pub struct Entries(pub [u8; 128]);

/// Entries for properties of pairs: a property holds if the three entries have a bit in common. A byte below 0x80 has
/// two entries by its nibbles, so a bit stands for a set of low nibbles under each of a set of high ones.
#[derive(Debug)]
pub struct Nibbles {
    /// For the byte before, by the low nibble of 0x30 minus the byte, or of 0 for bytes above 0x30. Bytes below 0x20
    /// get the entry of some other byte, which must not matter.
    pub before: [u8; 16],
    /// For the byte itself, by its low nibble.
    pub low: [u8; 16],
    /// By its high nibble.
    pub high: [u8; 16],
}

impl Pairs {
    /// A byte that a plain host and the slash after it do not have.
    const NO_HOST: u8 = 1 << 0;
    /// A separator of a host's labels and their parts, or the slash before or after a host, directly after another one.
    const SEPARATORS: u8 = 1 << 1;
    /// A digit that begins a label.
    const DIGIT_FIRST: u8 = 1 << 2;
    /// A dot directly after a slash.
    const DOT_SEGMENT: u8 = 1 << 3;
    /// A stop or a `%`.
    const NO_TEXT: u8 = 1 << 4;

    /// Properties that a plain DNS name, from the slash before it to the slash after it, does not have.
    pub const ODD: u8 = Self::NO_HOST | Self::SEPARATORS | Self::DIGIT_FIRST;
    /// Properties of a path and a query that are not completely plain.
    pub const FAULT: u8 = Self::DOT_SEGMENT | Self::NO_TEXT;

    /// For these bytes of a plain host, and these stops and `%`: one bit for each.
    pub(super) const fn new(host: u128, no_text: u128) -> Pairs {
        let (before, byte) = (Self::befores(), Self::entries(host, no_text));
        let odd = Nibbles::new(&before, &byte, Self::ODD);
        let fault = Nibbles::new(&before, &byte, Self::FAULT);
        Pairs { before, byte, odd, fault }
    }

    const fn befores() -> Entries {
        let mut entries = [Self::NO_HOST | Self::NO_TEXT; 128];
        entries[b'-' as usize] |= Self::SEPARATORS;
        entries[b'.' as usize] |= Self::SEPARATORS | Self::DIGIT_FIRST;
        entries[b'/' as usize] |= Self::SEPARATORS | Self::DIGIT_FIRST | Self::DOT_SEGMENT;
        Entries(entries)
    }

    const fn entries(host: u128, no_text: u128) -> Entries {
        let mut entries = [0; 128];
        let mut byte = 0u8;
        while byte < 128 {
            entries[byte as usize] = match byte {
                b'-' => Self::SEPARATORS,
                b'.' => Self::SEPARATORS | Self::DOT_SEGMENT,
                b'/' => Self::SEPARATORS,
                b'0'..=b'9' => Self::DIGIT_FIRST,
                _ if host >> byte & 1 == 0 => Self::NO_HOST,
                _ => 0,
            };
            if no_text >> byte & 1 != 0 {
                entries[byte as usize] |= Self::NO_TEXT;
            }
            byte += 1;
        }
        Entries(entries)
    }
}

impl Nibbles {
    /// The byte before that has no entry of its own: all bytes that are not separators have the same.
    const OTHER: u8 = b'0';

    /// For some of the bits of these entries.
    const fn new(before: &Entries, byte: &Entries, wanted: u8) -> Nibbles {
        let mut nibbles = Nibbles { before: [0; 16], low: [0; 16], high: [0; 16] };
        let (mut used, mut bit) = (0, 0);
        while bit < 8 {
            if wanted >> bit & 1 != 0 {
                used = nibbles.add(before, byte, 1 << bit, used);
            }
            bit += 1;
        }
        nibbles
    }

    /// Adds one bit of the entries; each row of sixteen bytes with different members takes a bit of its own after those
    /// in use. Returns the number of bits in use then.
    const fn add(&mut self, before: &Entries, byte: &Entries, wanted: u8, mut used: usize) -> usize {
        let first = used;
        let (mut members, mut high) = ([0u16; 8], 0);
        while high < 8 {
            let mut low = 0;
            while low < 16 {
                if byte.0[high << 4 | low] & wanted != 0 {
                    members[high] |= 1 << low;
                }
                low += 1;
            }
            let mut same = 0;
            while same < high && members[same] != members[high] {
                same += 1;
            }
            if members[high] != 0 && same < high {
                let same_bits = self.high[same] >> first << first;
                self.high[high] |= same_bits;
            } else if members[high] != 0 {
                assert!(used < 8, "more rows than bits");
                self.high[high] |= 1 << used;
                self.set(before, members[high], wanted, 1 << used);
                used += 1;
            }
            high += 1;
        }
        used
    }

    /// Sets a bit in the entries of the low nibbles that are members, and of the bytes before.
    const fn set(&mut self, before: &Entries, members: u16, wanted: u8, bit: u8) {
        let mut nibble = 0;
        while nibble < 16 {
            if members >> nibble & 1 != 0 {
                self.low[nibble] |= bit;
            }
            // Each of the three separators has a nibble of its own: `/` has 1, because it is 0x30 less 1.
            let byte = if nibble > 0 { 0x30 - nibble as u8 } else { Self::OTHER };
            if before.0[byte as usize] & wanted != 0 {
                self.before[nibble] |= bit;
            }
            nibble += 1;
        }
    }
}
