//! The texts that may follow the last field of a format: additions of its writers, or of their users.

use super::known_forms::{CIPHER, DOTTED};
use super::vocabulary::TLS;

/// The text that may follow the last field of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// The number of the connection, and three fields of requests that were rewritten.
    Alb,
    /// Fields that a user has added, in quotes or brackets, or a moment.
    Squid,
    /// Words that a user has added: a version of TLS, a cipher.
    HaProxy,
    /// The number of headers and switches.
    Uwsgi,
    /// Nothing: the format has no further fields.
    Nothing,
}

impl Tail {
    pub(super) fn find(name: &str) -> Option<Tail> {
        Some(match name {
            "alb-tail" => Tail::Alb,
            "squid-tail" => Tail::Squid,
            "haproxy-tail" => Tail::HaProxy,
            "uwsgi-tail" => Tail::Uwsgi,
            "nothing" => Tail::Nothing,
            _ => return None,
        })
    }

    pub(super) fn has(self, text: &[u8]) -> bool {
        match self {
            Tail::Alb => {
                let id = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
                text.starts_with(b"TID_")
                    && text[4..id].iter().all(u8::is_ascii_alphanumeric)
                    && matches!(quoted(&text[id..]), Some(0 | 3))
            }
            Tail::Squid => quoted(text).is_some() || DOTTED.has(text),
            Tail::HaProxy => {
                // Five errors, as `option httpslog` writes them; the second one is of sixteen digits.
                let is_errors = |word: &[u8]| {
                    let mut parts = word.split(|&b| b == b'/');
                    parts.nth(1).is_some_and(|part| part.len() == 16) && parts.count() == 3
                };
                let is_own = |word: &[u8]| {
                    word == b"-"
                        || is_errors(word)
                        || CIPHER.has(word)
                        || word.windows(4).any(|part| part == b"TLSv" || part == b"SSLv")
                        // A name and a text in quotes.
                        || word.ends_with(b"\"") && word.windows(2).any(|part| part == b":\"")
                };
                is_https(text) || !text.is_empty() && text.split(|&b| b == b' ').all(is_own)
            }
            Tail::Nothing => false,
            Tail::Uwsgi => {
                let mut rest = text;
                // Digits precede and separate these.
                ["", " headers in ", " bytes (", " switches on core ", ")"].iter().enumerate().all(
                    |(at, part)| {
                        let Some(after) = rest.strip_prefix(part.as_bytes()) else { return false };
                        let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
                        rest = &after[digits..];
                        digits > 0 || at == 4
                    },
                ) && rest.is_empty()
            }
        }
    }
}

/// Whether a text is exactly the addition of `option httpslog`: five errors, of any length, and the name that the
/// client asked for, the version of TLS and the cipher.
fn is_https(text: &[u8]) -> bool {
    let is_error = |part: &[u8]| part == b"-" || !part.is_empty() && part.iter().all(u8::is_ascii_hexdigit);
    let parts = |word: &[u8]| word.split(|&b| b == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let Some(space) = memchr::memchr(b' ', text) else { return false };
    let (errors, names) = (parts(&text[..space]), parts(&text[space + 1..]));
    let is_none = |part: &Vec<u8>| part == b"-";
    errors.len() == 5
        && errors.iter().all(|part| is_error(part))
        && names.len() == 3
        && (names[1..].iter().all(is_none)
            || TLS.iter().any(|tls| names[1].starts_with(tls.as_bytes())) && CIPHER.has(&names[2]))
}

/// The number of texts in quotes or brackets, with spaces between them, that make all of a text.
fn quoted(text: &[u8]) -> Option<usize> {
    let (mut at, mut count) = (0, 0);
    loop {
        while text.get(at) == Some(&b' ') {
            at += 1;
        }
        let close = match text.get(at) {
            None => return Some(count),
            Some(b'"') => b'"',
            Some(b'[') => b']',
            Some(_) => return None,
        };
        at += 1;
        loop {
            match *text.get(at)? {
                b'\\' => at += 2,
                byte => {
                    at += 1;
                    if byte == close {
                        break;
                    }
                }
            }
        }
        count += 1;
        if text.get(at).is_some_and(|&b| b != b' ') {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_last_field_has_its_form() {
        // (tail, texts, others)
        let cases: &[(Tail, &[&str], &[&str])] = &[
            (
                Tail::Alb,
                &["TID_1a", "TID_1a \"-\" \"-\" \"-\"", "TID_1a \"a \\\" b\" \"\" \"-\""],
                &[
                    "TID_1 TID_1",
                    "TID_1 \"-\"",
                    "\"-\"",
                    "x",
                    "TID_1 - - -",
                    "TID_1 \"a",
                    "TID_1\"-\" \"-\" \"-\"",
                ],
            ),
            (
                Tail::Squid,
                &["\"-\" \"a b\"", "[a] [b c]", "902351708.872"],
                &["text/html", "-", "\"a\"b", "1"],
            ),
            (
                Tail::HaProxy,
                &[
                    "TLSv1.2",
                    "-",
                    "TLSv1.2 a:\"46.1\"",
                    "0/0000000000000000/0/0/0 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384",
                    "0/0/0/0/1 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384",
                    "34/a000086/0/0/0 -/-/-",
                ],
                &[
                    "\"GET / HTTP/1.1\"",
                    "0/0",
                    "200",
                    "TLS  a",
                    "0/0/0/0/1",
                    "0/0/0/0/1 a/b/c",
                    "0/0/0/0/1 a/TLSv1.3/b",
                ],
            ),
            (
                Tail::Uwsgi,
                &["9 headers in 378 bytes (1 switches on core 3)"],
                &[
                    "9 headers",
                    "9 headers in 378 bytes (1 switches on core 3) x",
                    " headers in 3 bytes (1 switches on core 3)",
                ],
            ),
        ];
        for (tail, own, others) in cases {
            own.iter().for_each(|text| assert!(tail.has(text.as_bytes()), "{tail:?}: {text}"));
            others.iter().for_each(|text| assert!(!tail.has(text.as_bytes()), "{tail:?}: {text}"));
        }
    }
}
