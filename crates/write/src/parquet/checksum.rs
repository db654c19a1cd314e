//! Adds the checksum of a page to its header: the format has a field for it, which the parquet crate does not write. It
//! is the CRC-32 of the page as it is stored.

/// Adds the checksum of a page to its header, which is a structure of Thrift's compact protocol: three numbers, then a
/// structure for the kind of page. The checksum is the fourth.
pub(super) fn add(header: &mut Vec<u8>, body: &[u8]) {
    let Some((at, next)) = after_numbers(header).zip(crc(body)) else { return };
    // The step of the next field counts from this one.
    header[at] -= STEP;
    let mut field = vec![NUMBER];
    let number = next.cast_signed();
    let mut rest = ((number << 1) ^ (number >> 31)).cast_unsigned();
    while rest >= 0x80 {
        field.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    field.push(rest as u8);
    header.splice(at..at, field);
}

/// The head of a field that is one after the one before: the step and, below, the type.
const STEP: u8 = 1 << 4;
const NUMBER: u8 = STEP | 5;
const STRUCTURE: u8 = 12;

/// The position of the field after three numbers, if it is a structure and leaves room for a fourth number.
fn after_numbers(header: &[u8]) -> Option<usize> {
    let mut at = 0;
    for _ in 0..3 {
        if *header.get(at)? != NUMBER {
            return None;
        }
        at += 1 + header[at + 1..].iter().position(|&b| b < 0x80)? + 1;
    }
    let head = *header.get(at)?;
    (head & 0xf == STRUCTURE && head >> 4 >= 2).then_some(at)
}

#[cfg(feature = "gzip")]
fn crc(body: &[u8]) -> Option<u32> {
    let mut crc = flate2::Crc::new();
    crc.update(body);
    Some(crc.sum())
}

#[cfg(not(feature = "gzip"))]
fn crc(_: &[u8]) -> Option<u32> {
    None
}

#[cfg(all(test, feature = "gzip"))]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_the_fourth_field() {
        // Kind 0, 300 and 7 bytes, and a structure as fifth field; the checksum of "123456789" is 0xcbf43926.
        let mut header = vec![0x15, 0, 0x15, 0xd8, 4, 0x15, 14, 0x2c, 0x15, 2, 0, 0];
        add(&mut header, b"123456789");
        let expected =
            [0x15, 0, 0x15, 0xd8, 4, 0x15, 14, 0x15, 0xb3, 0x9b, 0xde, 0xc0, 6, 0x1c, 0x15, 2, 0, 0];
        assert_eq!(header, expected);
        for other in [&b""[..], b"\x15", b"\x15\0\x15\0\x15\0\x1c", b"\x15\0\x15\0\x16\0\x2c"] {
            let mut header = other.to_vec();
            add(&mut header, b"");
            assert_eq!(header, other);
        }
    }
}
