//! The template of one segment of a path, from its form.

use super::ANY;
use super::words::{COUNTERS, LANGUAGES, MONTHS, NAMES_WITH_DIGITS, has, is_session};

/// The longest name: a longer text is a value.
const LONGEST_NAME: usize = 48;

/// The position of a segment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The number of segments before it.
    pub(super) number: usize,
    /// The part of a date that these end with.
    date: Date,
}

/// A date over several segments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Date {
    #[default]
    None,
    Year,
    Month,
}

/// Counts of the kinds of bytes in a segment.
#[derive(Debug, Default)]
struct Survey {
    digits: usize,
    upper: usize,
    lower: usize,
    /// `-` and `_`.
    joints: usize,
    dots: usize,
    /// Percent signs, and other bytes that names do not have.
    others: usize,
    /// Letters after f.
    beyond_hex: usize,
    /// The number of changes between letters and digits.
    turns: usize,
}

/// The contribution of each byte: one to each count that it belongs to. The counts are the bytes of a number: digits,
/// lower and upper case, joints, dots, others, letters after f.
const COUNTS: [u64; 256] = {
    let mut counts = [1 << 40; 256];
    let mut byte = 0;
    while byte < 256 {
        counts[byte] = match byte as u8 {
            b'0'..=b'9' => 1,
            b'a'..=b'f' => 1 << 8,
            b'g'..=b'z' => 1 << 8 | 1 << 48,
            b'A'..=b'F' => 1 << 16,
            b'G'..=b'Z' => 1 << 16 | 1 << 48,
            b'-' | b'_' => 1 << 24,
            b'.' => 1 << 32,
            _ => 1 << 40,
        };
        byte += 1;
    }
    counts
};

impl Survey {
    #[inline]
    fn of(text: &str) -> Survey {
        let mut survey = Survey::default();
        let mut last = 0;
        // The number of bytes that cannot overflow a count of one byte.
        for bytes in text.as_bytes().chunks(255) {
            let mut sum = 0;
            for &byte in bytes {
                let counts = COUNTS[usize::from(byte)];
                // 1 for a digit, 2 for a letter: neighbours that add up to 3 are a change.
                let kind = (counts & 1) as u8 | (counts >> 7 | counts >> 15) as u8 & 2;
                sum += counts + (u64::from(kind + last == 3) << 56);
                last = kind;
            }
            let [digits, lower, upper, joints, dots, others, beyond_hex, turns] =
                sum.to_le_bytes().map(usize::from);
            survey.digits += digits;
            survey.lower += lower;
            survey.upper += upper;
            survey.joints += joints;
            survey.dots += dots;
            survey.others += others;
            survey.beyond_hex += beyond_hex;
            survey.turns += turns;
        }
        survey
    }

    fn letters(&self) -> usize {
        self.upper + self.lower
    }
}

/// Appends the template of a segment; `behind` follows it in the path.
pub(super) fn write(segment: &str, behind: &str, place: &mut Place, out: &mut String) {
    let (name, params) = match memchr::memchr(b';', segment.as_bytes()) {
        Some(at) => segment.split_at(at),
        None => (segment, ""),
    };
    let date = std::mem::take(&mut place.date);
    match date_part(name, behind, date) {
        Some((text, next)) => {
            out.push_str(text);
            place.date = next;
        }
        None => {
            let survey = Survey::of(name);
            let is_name = survey.digits + survey.others + survey.dots + survey.joints == 0;
            match is_name && name.len() <= LONGEST_NAME {
                true if name.len() == 2 && place.number < 2 && has(LANGUAGES, name) => out.push_str("{lang}"),
                true => out.push_str(name),
                false => value(name, &survey, place.number, out),
            }
        }
    }
    place.number += 1;
    if params.is_empty() {
        return;
    }
    // Parameters of the segment: the first few.
    for param in params.split(';').skip(1).take(4) {
        out.push(';');
        match param.split_once('=') {
            Some((name, _)) if name.len() <= LONGEST_NAME => {
                out.push_str(name);
                out.push_str(if is_session(name) { "={session}" } else { "={…}" });
            }
            _ => out.push_str(ANY),
        }
    }
}

/// A year before a month, a month after a year, a day after these.
fn date_part(name: &str, behind: &str, date: Date) -> Option<(&'static str, Date)> {
    match date {
        Date::Year => Some(("{month}", Date::Month)),
        Date::Month => within(name, (1, 2), (1, 31)).then_some(("{day}", Date::None)),
        Date::None => {
            let is_year = name.len() == 4 && within(name, (4, 4), (1900, 2099));
            let next = || behind.split(['/', ';']).next().unwrap_or_default();
            (is_year && is_month(next())).then_some(("{year}", Date::Year))
        }
    }
}

fn is_month(text: &str) -> bool {
    within(text, (1, 2), (1, 12)) || {
        let mut lower = [0; 9];
        lower.get_mut(..text.len()).is_some_and(|lower| {
            lower.copy_from_slice(text.as_bytes());
            lower.make_ascii_lowercase();
            std::str::from_utf8(lower).is_ok_and(|lower| has(MONTHS, lower))
        })
    }
}

/// Whether a text is a number with this many digits within bounds.
fn within(text: &str, (least, most): (usize, usize), (from, to): (u32, u32)) -> bool {
    (least..=most).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse().is_ok_and(|number: u32| (from..=to).contains(&number))
}

/// Whether a text is a number, with a sign and a fraction at most.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(digits)
        || digits.split_once('.').is_some_and(|(whole, part)| is_digits(whole) && is_digits(part))
}

/// Whether a text is a date of ISO 8601: with a month, and a day.
pub(crate) fn is_date(text: &str) -> bool {
    let year = |text: &str| text.get(..4).is_some_and(|year| within(year, (4, 4), (1900, 2099)));
    let part =
        |from: usize, most| text.get(from..from + 2).is_some_and(|part| within(part, (2, 2), (1, most)));
    let joint = |at: usize| matches!(text.as_bytes()[at], b'-' | b'_' | b'.');
    match text.len() {
        7 => year(text) && joint(4) && part(5, 12),
        8 => year(text) && part(4, 12) && part(6, 31),
        10 => year(text) && joint(4) && part(5, 12) && joint(7) && part(8, 31),
        _ => false,
    }
}

/// Whether a text is a date and a time.
fn is_time(text: &str) -> bool {
    match text.len() {
        14 => is_date(&text[..8]) && text.bytes().all(|byte| byte.is_ascii_digit()),
        13..=35 => {
            let (date, time) = text.split_at_checked(10).unwrap_or_default();
            is_date(date) && matches!(time.as_bytes().first(), Some(b'T' | b't' | b'_'))
        }
        _ => false,
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A segment that is not a plain word.
fn value(name: &str, survey: &Survey, number: usize, out: &mut String) {
    let text = match name.as_bytes().first() {
        // A name after its sign.
        Some(sign @ (b'@' | b'~')) if name.len() > 1 => {
            out.push(char::from(*sign));
            return out.push_str("{name}");
        }
        Some(b'.') => return out.push_str(name.get(..LONGEST_NAME).unwrap_or(ANY)),
        _ if is_locale(name) && number < 2 => "{lang}",
        _ => match whole(name, survey) {
            Some(text) => text,
            None => return with_extension(name, survey, out),
        },
    };
    out.push_str(text);
}

/// A language and a country: `de-at`, `pt_BR`.
fn is_locale(name: &str) -> bool {
    let joint = name.len() == 5 && matches!(name.as_bytes()[2], b'-' | b'_');
    joint
        && name.is_ascii()
        && has(LANGUAGES, &name[..2])
        && name[3..].bytes().all(|b| b.is_ascii_alphabetic())
}

/// Values whose form may include dots.
fn whole(name: &str, survey: &Survey) -> Option<&'static str> {
    if survey.others > 0 && name.contains('@') && !name.contains('%') {
        return Some("{email}");
    }
    if survey.digits == 0 || survey.others > 1 {
        return None;
    }
    let is_version = || {
        let numbers = name.strip_prefix(['v', 'V']).unwrap_or(name);
        numbers.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if is_date(name) {
        Some("{date}")
    } else if is_time(name) {
        Some("{time}")
    } else if is_number(name) {
        Some("{number}")
    } else if is_uuid(name) {
        Some("{uuid}")
    } else if survey.dots == 3 && survey.letters() == 0 && is_version() {
        Some("{ip}")
    } else if survey.dots > 0 && is_version() {
        Some("{version}")
    } else {
        None
    }
}

/// A value, or a name, with everything after its last dot.
fn with_extension(name: &str, survey: &Survey, out: &mut String) {
    let dot = if survey.dots > 0 { name.rfind('.') } else { None };
    let is_extension = |text: &str| {
        matches!(text.len(), 1..=5)
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    let Some((stem, extension)) =
        dot.map(|dot| name.split_at(dot)).filter(|(_, ext)| is_extension(&ext[1..]))
    else {
        return stem_template(name, survey, out);
    };
    let survey = Survey::of(stem);
    match whole(stem, &survey) {
        Some(text) => out.push_str(text),
        None => stem_template(stem, &survey, out),
    }
    match extension.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => out.push_str(&extension.to_ascii_lowercase()),
        false => out.push_str(extension),
    }
}

fn stem_template(stem: &str, survey: &Survey, out: &mut String) {
    // Namespaces, as in wikis.
    if let Some((space, title)) = stem.split_once(':')
        && !title.is_empty()
        && matches!(space.len(), 2..=24)
        && space.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    {
        out.push_str(space);
        out.push(':');
        let is_route = space == "Special" && title.bytes().all(|byte| byte.is_ascii_alphabetic());
        return out.push_str(if is_route { title } else { ANY });
    }
    if survey.others > 0 {
        return out.push_str("{text}");
    }
    if survey.digits == 0 {
        let is_slug = survey.joints >= 3 || stem.len() > LONGEST_NAME;
        return out.push_str(if is_slug { "{slug}" } else { stem });
    }
    let placeholder = match survey {
        Survey { beyond_hex: 0, joints: 0, dots: 0, .. } if stem.len() >= 16 => "{hash}",
        Survey { joints: 0, dots: 0, .. } if has(NAMES_WITH_DIGITS, stem) => stem,
        Survey { upper: 2.., lower: 2.., turns: 2.., joints: ..4, .. } if stem.len() >= 16 => "{token}",
        Survey { joints: 0, dots: 0, turns: 2.., .. } if stem.len() >= 5 => "{id}",
        Survey { joints: 0, dots: 0, turns: 1, .. } => return letters_and_digits(stem, out),
        Survey { joints: 0, dots: 0, .. } => stem,
        Survey { joints: 1.., .. } => return words(stem, out),
        _ if stem.len() > LONGEST_NAME => "{token}",
        _ => stem,
    };
    out.push_str(placeholder);
}

/// Letters, then digits; or digits, then letters.
fn letters_and_digits(stem: &str, out: &mut String) {
    let digit = stem.bytes().position(|byte| byte.is_ascii_digit()).unwrap_or(0);
    let (letters, digits) = stem.split_at(digit);
    match letters.len() {
        0 if stem.len() >= 5 => out.push_str("{id}"),
        0 => out.push_str(stem),
        _ if digits.len() > 1 || has(COUNTERS, letters) => {
            out.push_str(letters);
            out.push_str("{number}");
        }
        _ => out.push_str(stem),
    }
}

/// Words and numbers with joints between.
fn words(stem: &str, out: &mut String) {
    let is_digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = stem.splitn(3, ['-', '_']);
    if let (Some(word), Some(digits), None) = (parts.next(), parts.next(), parts.next())
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !digits.is_empty()
        && is_digits(digits)
        && word.len() <= LONGEST_NAME
    {
        out.push_str(&stem[..=word.len()]);
        return out.push_str("{number}");
    }
    let is_numbers = stem.split(['-', '_']).all(is_digits);
    out.push_str(if is_numbers { "{numbers}" } else { "{slug}" });
}
