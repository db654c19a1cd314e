//! The forms of moments that a configuration gives as `strftime` does.

use urimill_columns::batch::is_moment;

/// The field of moments of this form: `time` if a column of times reads them, with one space in them or none.
pub(super) fn field(form: &str) -> &'static str {
    let sample = sample(form);
    match sample.matches(' ').count() {
        _ if !is_moment(sample.as_bytes()) => "moment",
        1 => PAIR,
        _ => "time:time",
    }
}

/// A moment with a space in it, as in access logs: `17/May/2015:10:05:03 +0000`.
pub(super) const PAIR: &str = "@pair";

/// One moment in this form; what its letters would write is left out if it is not known.
fn sample(form: &str) -> String {
    let mut text = String::new();
    let mut rest = form;
    while let Some((before, behind)) = rest.split_once('%') {
        text.push_str(before);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let (width, behind) = behind.split_at(digits);
        let Some(letter) = behind.chars().next() else { break };
        let written = match letter {
            'Y' => "2019",
            'm' | 'd' => "10",
            'H' => "08",
            'M' => "24",
            'S' => "44",
            'T' => "08:24:44",
            'F' => "2019-10-10",
            'b' | 'h' => "Oct",
            'z' => "+0000",
            's' => "1570695884",
            'f' => &"123456789"[..width.parse().unwrap_or(9).min(9)],
            _ => "",
        };
        text.push_str(written);
        rest = &behind[letter.len_utf8()..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_moments() {
        for form in [
            "%Y-%m-%dT%H:%M:%S%z",
            "%FT%T.%3fZ",
            "%d/%b/%Y:%H:%M:%S %z",
            "%d/%b/%Y:%T.%3f",
            "%s",
            "%s.%3f",
            "%s.%6f",
            "%F %T",
        ] {
            assert_ne!(field(form), "moment", "{form}");
            assert_eq!(field(form) == PAIR, form.contains(' '), "{form}");
        }
        for form in ["%Y/%m/%dT%H:%M:%S%z %s", "%H:%M:%S", "%D", "%a, %d %b %Y", "%F", "%Y/%m/%d", "", "%"] {
            assert_eq!(field(form), "moment", "{form}");
        }
    }
}
