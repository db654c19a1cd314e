//! A query: a key, the way lines match it, and a range of times.

use urimill_base::error::{Error, Result};
use urimill_uri::UriRef;
use urimill_uri::canonical::surt;
use urimill_uri::normalize::{RepairOptions, repair_with};

/// The lines that a key matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Match {
    /// Lines with the same key.
    #[default]
    Exact,
    /// Lines whose key begins with that key.
    Prefix,
    /// Lines with the same host, at any port.
    Host,
    /// Lines with the host or a host below it.
    Domain,
}

impl Match {
    /// All of them.
    pub const ALL: [Match; 4] = [Match::Exact, Match::Prefix, Match::Host, Match::Domain];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Match::Exact => "exact",
            Match::Prefix => "prefix",
            Match::Host => "host",
            Match::Domain => "domain",
        }
    }
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The beginnings of the matching lines, in order.
    prefixes: Vec<String>,
    from: Option<String>,
    to: Option<String>,
}

impl Query {
    /// The lines of `text`: a URL, with or without a scheme, or a key such as `com,example)/a`.
    ///
    /// # Errors
    /// Usage, if it is neither.
    pub fn new(text: &str, matching: Match) -> Result<Query> {
        let key = key(text).ok_or_else(|| {
            Error::usage(format!("{text:?} is no URL and no key: give http://example.com/ or com,example)/"))
        })?;
        let behind = |host: &str, ends: &[char]| ends.iter().map(|end| format!("{host}{end}")).collect();
        let host = || {
            host(&key).ok_or_else(|| {
                Error::usage(format!("{text:?} has no host: it can be looked up exactly or by its beginning"))
            })
        };
        let prefixes = match matching {
            Match::Exact => vec![format!("{key} ")],
            // The key has no slash at its end, and the text may mean one.
            Match::Prefix if text.ends_with('/') && !key.ends_with('/') => vec![format!("{key}/")],
            Match::Prefix => vec![key.clone()],
            Match::Host => behind(host()?, &[')', ':']),
            Match::Domain => behind(host()?, &[')', ',', ':']),
        };
        Ok(Query { prefixes, from: None, to: None })
    }

    /// The same without lines before a time, given by its first digits.
    ///
    /// # Errors
    /// Usage, if it is not a time, or after the time of [`Query::to`].
    pub fn from(self, time: &str) -> Result<Query> {
        Query { from: Some(padded(time, '0')?), ..self }.in_order()
    }

    /// The same without lines after a time, given by its first digits; 2025 means all of that year.
    ///
    /// # Errors
    /// Usage, if it is not a time, or before the time of [`Query::from`].
    pub fn to(self, time: &str) -> Result<Query> {
        Query { to: Some(padded(time, '9')?), ..self }.in_order()
    }

    fn in_order(self) -> Result<Query> {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) if from > to => {
                Err(Error::usage("the range of times ends before it begins: exchange the two times"))
            }
            _ => Ok(self),
        }
    }

    pub(super) fn prefixes(&self) -> &[String] {
        &self.prefixes
    }

    pub(super) fn has_time(&self, time: &str) -> bool {
        // A time without milliseconds is the beginning of its second.
        let digits = || time.bytes().chain(std::iter::repeat(b'0')).take(DIGITS);
        self.from.as_ref().is_none_or(|from| from.bytes().le(digits()))
            && self.to.as_ref().is_none_or(|to| digits().le(to.bytes()))
    }
}

/// The digits of a time, including milliseconds.
const DIGITS: usize = 17;

/// All digits of a time that begins with these.
fn padded(time: &str, with: char) -> Result<String> {
    if time.is_empty() || time.len() > DIGITS || !time.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Error::usage(format!("{time:?} is no time: give its first digits, such as 202511")));
    }
    Ok(format!("{time}{}", with.to_string().repeat(DIGITS - time.len())))
}

/// The key of a text; `None` if it has none.
fn key(text: &str) -> Option<String> {
    let of = |text: &str| {
        let repaired = repair_with(text.as_bytes(), RepairOptions::new());
        let uri = UriRef::parse(&*repaired).ok()?;
        uri.scheme().map(|_| surt(&uri))
    };
    // The host of a key ends with a bracket; brackets in the path of a URL do not count.
    let is_key = |text: &str| {
        let host = text.split(['/', '?', '#']).next().unwrap_or_default();
        host.contains(')') && !text.contains(' ')
    };
    match text.trim() {
        "" => None,
        text if is_key(text) => Some(text.to_owned()),
        text if text.contains("://") => of(text),
        // dns:example.com is a URI, and example.com:8080/ is a host with a port.
        text => match text.split_once(':') {
            Some((scheme, rest))
                if !scheme.contains(['.', '/']) && !rest.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                of(text)
            }
            _ => of(&format!("http://{text}")),
        },
    }
}

/// The host of a key, if it has one.
fn host(key: &str) -> Option<&str> {
    let (host, _) = key.split_once(')')?;
    // An IPv6 address has no brackets in keys, and a port after it looks like a part of it.
    let is_address = host.matches(':').count() > 1;
    Some(if is_address { host } else { host.split(':').next().unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_mean_prefixes_of_lines() {
        use Match::*;
        // (text, match, prefixes)
        let table: &[(&str, Match, &[&str])] = &[
            ("http://www.Example.com/a", Exact, &["com,example)/a "]),
            ("example.com/a?c&b", Exact, &["com,example)/a?b&c "]),
            ("com,example)/a", Exact, &["com,example)/a "]),
            ("dns:example.com", Exact, &["dns:example.com "]),
            ("example.com:8080/", Exact, &["com,example:8080)/ "]),
            ("http://example.com/a b", Exact, &["com,example)/a%20b "]),
            ("http://example.com/a", Prefix, &["com,example)/a"]),
            ("http://example.com/a/", Prefix, &["com,example)/a/"]),
            ("com,exam)/", Prefix, &["com,exam)/"]),
            ("http://example.com/a", Host, &["com,example)", "com,example:"]),
            ("example.com", Domain, &["com,example)", "com,example,", "com,example:"]),
            ("com,example)/", Domain, &["com,example)", "com,example,", "com,example:"]),
            ("example.com/a_(b)", Exact, &["com,example)/a_(b) "]),
            ("com,example)/a?b=http://c/", Exact, &["com,example)/a?b=http://c/ "]),
            ("http://example.com:8080/a", Host, &["com,example)", "com,example:"]),
            ("http://[2001:db8::1]/a", Host, &["2001:db8::1)", "2001:db8::1:"]),
        ];
        for (text, matching, expected) in table {
            assert_eq!(Query::new(text, *matching).expect("a query").prefixes, *expected, "{text}");
        }
        let none = [("", Exact), (" ", Exact), ("http://[x", Exact), ("dns:h", Host), ("urn:a:b", Domain)];
        for (text, matching) in none {
            assert!(Query::new(text, matching).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_their_first_digits() {
        let query = Query::new("h", Match::Exact).expect("a query");
        let query = query.from("2024").and_then(|query| query.to("202406")).expect("times");
        for (time, is_in) in [
            ("20231231235959", false),
            ("20240101000000", true),
            ("20240630235959", true),
            ("20240701000000", false),
            ("20240630235959999", true),
            ("20231231235959999", false),
            ("20240101000000000", true),
        ] {
            assert_eq!(query.has_time(time), is_in, "{time}");
        }
        let of = || Query::new("h", Match::Exact).expect("a query");
        // (from and to, time, whether it is between)
        for (range, time, is_in) in [
            ("20240101000000", "20240101000000", true),
            ("20240101000000", "20240101000000999", true),
            ("20240101000000500", "20240101000000500", true),
            ("20240101000000500", "20240101000000501", false),
            ("20240101000000500", "20240101000000", false),
            ("2024010100000050", "20240101000000509", true),
        ] {
            let query = of().from(range).and_then(|query| query.to(range)).expect("times");
            assert_eq!(query.has_time(time), is_in, "{range} {time}");
        }
        for time in ["", "x", "2024-01", "202401010000000000"] {
            assert!(of().from(time).is_err(), "{time}");
        }
        for (from, to, is_range) in
            [("2025", "2024", false), ("2024", "2024", true), ("202407", "2024", true)]
        {
            assert_eq!(of().from(from).and_then(|query| query.to(to)).is_ok(), is_range, "{from} to {to}");
            assert_eq!(of().to(to).and_then(|query| query.from(from)).is_ok(), is_range, "{to} from {from}");
        }
    }
}
