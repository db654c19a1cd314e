//! Numbers of seven bits a byte, the lowest first; the eighth bit means that more follow. Parquet uses them, and so do
//! temporary files.

/// Appends a number.
#[inline]
pub fn write(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes the number at the beginning of `from`; `None` if it does not end.
#[inline]
pub fn read(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
