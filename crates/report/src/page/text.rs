//! Texts and numbers for the page. Every text of the input goes through [`escaped`]: none of it is markup, and none of
//! its characters affects the text around it.

use urimill_uri::printable::printable;

/// The number of characters of a text that the page shows.
const SHOWN: usize = 160;

/// A text for elements and for attributes in quotes: control characters and marks of direction are escaped, then
/// markup.
pub(super) fn escaped(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len() + 8);
    for (number, c) in text.chars().enumerate() {
        match c {
            _ if number == SHOWN => {
                out.push('…');
                break;
            }
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// [`escaped`] for a label of a chart, which has less space.
pub(super) fn label(text: &str, characters: usize) -> String {
    let text = printable(text);
    match text.char_indices().nth(characters) {
        Some((end, _)) => escaped(&format!("{}…", &text[..end])),
        None => escaped(&text),
    }
}

/// A number with commas between thousands.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with a unit: the greatest of these units that is not above the number, and three digits.
fn scaled(number: u64, units: &[(u64, &str)]) -> String {
    let (size, unit) = units.iter().rev().find(|(size, _)| number >= *size).unwrap_or(&units[0]);
    let value = number as f64 / *size as f64;
    match value {
        _ if *size == 1 => format!("{number} {unit}"),
        100.0.. => format!("{value:.0} {unit}"),
        10.0.. => format!("{value:.1} {unit}"),
        _ => format!("{value:.2} {unit}"),
    }
}

/// A number of bytes.
pub(super) fn bytes(number: u64) -> String {
    scaled(
        number,
        &[(1, "B"), (1 << 10, "KiB"), (1 << 20, "MiB"), (1 << 30, "GiB"), (1 << 40, "TiB"), (1 << 50, "PiB")],
    )
}

/// A duration in microseconds.
pub(super) fn micros(number: u64) -> String {
    const SECOND: u64 = 1_000_000;
    scaled(
        number,
        &[
            (1, "µs"),
            (1000, "ms"),
            (SECOND, "s"),
            (60 * SECOND, "min"),
            (3600 * SECOND, "h"),
            (86_400 * SECOND, "d"),
        ],
    )
}

/// A share as percent.
pub(super) fn share(part: u64, whole: u64) -> String {
    match 100.0 * part as f64 / whole.max(1) as f64 {
        percent if part > 0 && percent < 0.05 => "&lt; 0.1 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_markup() {
        for (text, expected) in [
            ("</script><b a=\"'&", "&lt;/script&gt;&lt;b a=&quot;&#39;&amp;"),
            ("a\u{202e}b\u{0}\u{1b}[2J\n", "a\\u{202e}b\\u{0}\\u{1b}[2J\\n"),
            ("bücher", "bücher"),
        ] {
            assert_eq!(escaped(text), expected);
        }
        assert_eq!(escaped(&"é".repeat(500)).chars().count(), SHOWN + 1);
        assert_eq!(label("abcdef<", 6), "abcdef…");
    }

    #[test]
    fn numbers_for_people() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (u64::MAX, "18,446,744,073,709,551,615")]
        {
            assert_eq!(count(number), expected);
        }
        for (number, expected) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.50 KiB"), (200 << 20, "200 MiB")] {
            assert_eq!(bytes(number), expected);
        }
        for (number, expected) in [(999, "999 µs"), (1500, "1.50 ms"), (90_000_000, "1.50 min")] {
            assert_eq!(micros(number), expected);
        }
        for (part, whole, expected) in [(1, 3, "33.3 %"), (0, 0, "0.0 %"), (1, 10_000, "&lt; 0.1 %")] {
            assert_eq!(share(part, whole), expected);
        }
    }
}
