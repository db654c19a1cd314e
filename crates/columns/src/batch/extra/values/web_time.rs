//! Moments as written in documents on the web: sitemaps and Atom (W3C's profile of ISO 8601), RSS (RFC 822), and the
//! form that Java prints. A day without a time is its first moment, and a time without a zone is in UTC.

use urimill_base::calendar::day_of;

use super::times::{fraction, moment, month, number, zone};

/// Milliseconds since 1970 in UTC.
pub(super) fn read(text: &[u8]) -> Option<i64> {
    match text.first()? {
        b'0'..=b'9' if text.get(4).is_none_or(|&b| b == b'-') => w3c(text),
        _ => words(text),
    }
}

/// `2005`, `2005-06`, `2005-06-04`, `2005-06-04T12:30+02:00`, `2005-06-04T12:30:15.25Z`.
fn w3c(text: &[u8]) -> Option<i64> {
    let year = number(text.get(..4)?)?;
    let part = |at: usize, before: u8| match text.get(at..at + 3) {
        Some([mark, rest @ ..]) if *mark == before => number(rest),
        _ => None,
    };
    let (month, day) = match text.len() {
        4 => (1, 1),
        7 => (part(4, b'-')?, 1),
        _ => (part(4, b'-')?, part(7, b'-')?),
    };
    let day = day_of(year, month, day)?;
    let Some(clock) = text.get(10..).filter(|clock| !clock.is_empty()) else {
        return moment(day, (0, 0, 0), 0);
    };
    if !matches!(clock[0], b'T' | b't' | b' ') {
        return None;
    }
    let (hour, minute) = (part(10, clock[0])?, part(13, b':')?);
    let second = if text.get(16) == Some(&b':') { part(16, b':')? } else { 0 };
    let (milliseconds, rest) = fraction(&text[if text.get(16) == Some(&b':') { 19 } else { 16 }..])?;
    moment(day, (hour, minute, second), milliseconds)?.checked_sub(named_zone(rest)?)
}

/// `Sat, 07 Sep 2002 00:00:01 GMT` and `Sat Apr 13 10:13:54 UTC 2024`: the form of each word shows its meaning.
fn words(text: &[u8]) -> Option<i64> {
    let mut words = text.split(|b| matches!(b, b' ' | b',')).filter(|word| !word.is_empty());
    let mut first = words.next()?;
    if DAYS.iter().any(|day| first.len() >= 3 && day.starts_with(&first.to_ascii_lowercase()[..3])) {
        first = words.next()?;
    }
    let (day, month, year, clock, zone_of) = match first[0].is_ascii_digit() {
        true => (first, words.next()?, words.next()?, words.next()?, words.next()),
        false => {
            let (day, clock, zone) = (words.next()?, words.next()?, words.next()?);
            if OF_SEVERAL_IN_JAVA.contains(&zone) {
                return None;
            }
            (day, first, words.next()?, clock, Some(zone))
        }
    };
    if words.next().is_some() || day.len() > 2 {
        return None;
    }
    let [first, rest @ ..] = month.first_chunk::<3>()?;
    let month = self::month([
        first.to_ascii_uppercase(),
        rest[0].to_ascii_lowercase(),
        rest[1].to_ascii_lowercase(),
    ])?;
    let year = match (year.len(), number(year)?) {
        (4, year) => year,
        // RFC 2822, 4.3.
        (2, year) => year + if year < 50 { 2000 } else { 1900 },
        _ => return None,
    };
    let mut clock = clock.split(|&b| b == b':').map(|part| number(part).filter(|_| part.len() == 2));
    let (hour, minute) = (clock.next()??, clock.next()??);
    let second = clock.next().map_or(Some(0), |second| second)?;
    if clock.next().is_some() {
        return None;
    }
    let there = moment(day_of(year, month, number(day)?)?, (hour, minute, second), 0)?;
    there.checked_sub(named_zone(zone_of.unwrap_or_default())?)
}

const DAYS: [&[u8]; 7] = [b"mon", b"tue", b"wed", b"thu", b"fri", b"sat", b"sun"];

/// Zones with names, by the hours that they are ahead of UTC: those of RFC 822 (5.1), and names that Java prints and only one zone has.
/// `IST` (India, Israel, Ireland) and `BST` (Britain, Bangladesh) are ambiguous.
const ZONES: [(i64, &str); 19] = [
    (-10, "HST"),
    (-8, "PST"),
    (-7, "MST PDT"),
    (-6, "CST MDT"),
    (-5, "EST CDT"),
    (-4, "EDT"),
    (-3, "BRT"),
    (0, "Z UT UTC GMT WET"),
    (1, "WEST CET MET WAT"),
    (2, "CEST MEST EET SAST CAT"),
    (3, "EEST MSK EAT"),
    (5, "PKT"),
    (7, "WIB"),
    (8, "HKT AWST"),
    (9, "JST KST"),
    (10, "AEST"),
    (11, "AEDT"),
    (12, "NZST"),
    (13, "NZDT"),
];

/// RFC 822 gives these to America. Java writes them for China and Cuba, too.
const OF_SEVERAL_IN_JAVA: [&[u8]; 2] = [b"CST", b"CDT"];

/// The milliseconds by which a zone is ahead of UTC: four digits after a sign, or a name.
fn named_zone(text: &[u8]) -> Option<i64> {
    if let [] | [b'+' | b'-', _, _, _, _, ..] = text {
        return zone(text);
    }
    let is_named = |name: &str| text.eq_ignore_ascii_case(name.as_bytes());
    let found = ZONES.iter().find(|(_, names)| names.split(' ').any(is_named));
    found.map(|(hours, _)| hours * 3_600_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_documents() {
        let noon = 1_117_886_400_000; // 2005-06-04T12:00:00Z
        let hour = 3_600_000;
        // (text, milliseconds)
        let cases: &[(&str, Option<i64>)] = &[
            ("2005-06-04T12:00:00Z", Some(noon)),
            ("2005-06-04T12:00Z", Some(noon)),
            ("2005-06-04T14:00:00.25+02:00", Some(noon + 250)),
            ("2005-06-04T12:00:00.123456+0000", Some(noon + 123)),
            ("2005-06-04T12:00:00", Some(noon)),
            ("2005-06-04", Some(noon - 12 * hour)),
            ("2005-06", Some(noon - (3 * 24 + 12) * hour)),
            ("2005", Some(noon - (154 * 24 + 12) * hour)),
            ("Sat, 04 Jun 2005 12:00:00 GMT", Some(noon)),
            ("Sat, 4 Jun 2005 12:00 +0000", Some(noon)),
            ("4 Jun 05 08:00:00 EDT", Some(noon)),
            ("Saturday, 04 June 2005 12:00:00 gmt", Some(noon)),
            ("Sat Jun 04 12:00:00 UTC 2005", Some(noon)),
            ("Sat Jun  4 05:00:00 PDT 2005", Some(noon)),
            ("Sat Jun 04 13:00:00 CET 2005", Some(noon)),
            ("Sat Jun 04 14:00:00 CEST 2005", Some(noon)),
            ("Sat Jun 04 21:00:00 JST 2005", Some(noon)),
            ("Sat Jun 04 12:00:00 IST 2005", None),
            ("Thu Jan 01 08:00:00 CST 1970", None),
            ("Sat Jun 04 07:00:00 CDT 2005", None),
            ("Sat, 04 Jun 2005 06:00:00 CST", Some(noon)),
            ("2005-06-31", None),
            ("2005-6-4", None),
            ("2005-06-04X12:00Z", None),
            ("2005-06-04T12", None),
            ("2005-06-04T12:00:", None),
            ("2005-06-04T12:00:00.Z", None),
            ("2005-06-04T12:00:00 UTD", None),
            ("2005-06-04T25:00:00Z", None),
            ("Sat, 04 Jun 2005 12:00:00 MEZ", None),
            ("Sat, 04 Jun 2005 12:00:00 GMT x", None),
            ("Sat, 04 Jux 2005 12:00:00 GMT", None),
            ("Sat Jun 04 999999999999999999999:00:00 UTC 2005", None),
            ("Sat Jun 04 12:00:00 UTC 18446744073709553621", None),
            ("Sat", None),
            ("yesterday", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text.as_bytes()), *expected, "{text}");
        }
    }
}
