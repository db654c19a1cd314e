//! The parsers that urimill is compared with. Each does the same task: parse all lines and look at every component of
//! every valid one. Their specifications differ (RFC 3986, RFC 3987, WHATWG), and so does which lines are valid; no
//! line is left out.

// Every benchmark is a program of its own and uses a part of this.
#![allow(dead_code)]

use std::hint::black_box;

/// Parses all lines and returns the number of valid ones.
pub(crate) type Parser = fn(&[&str]) -> usize;

/// The parsers that performance goals refer to.
pub(crate) const RIVALS: [(&str, Parser); 5] = [
    ("oxiri", oxiri_ref),
    ("fluent-uri", fluent_uri),
    ("ada-url", ada_url),
    ("ada-url-can_parse", ada_url_can_parse),
    ("url", url),
];

/// The other parsers.
pub(crate) const OTHERS: [(&str, Parser); 4] =
    [("oxiri-Iri", oxiri_iri), ("iri-string", iri_string), ("http", http), ("memchr-split", memchr_split)];

#[inline(always)]
fn each<'a, T>(lines: &[&'a str], parse: impl Fn(&'a str) -> Option<T>) -> usize {
    lines.iter().filter(|line| black_box(parse(line)).is_some()).count()
}

/// urimill, one at a time.
pub(crate) fn urimill(lines: &[&str]) -> usize {
    each(lines, |line| {
        let uri = urimill::UriRef::parse(line).ok()?;
        let authority = (uri.userinfo(), uri.host(), uri.port());
        Some((uri.scheme(), authority, uri.path(), uri.query(), uri.fragment()))
    })
}

/// urimill, one at a time, by the URL Standard.
pub(crate) fn urimill_url(lines: &[&str]) -> usize {
    each(lines, |line| {
        let url = urimill::whatwg::Url::parse(line, None).ok()?;
        let authority = [url.username(), url.password(), url.hostname(), url.port()].map(str::len);
        Some((url.protocol().len(), authority, url.pathname().len(), url.search().len(), url.hash().len()))
    })
}

/// urimill, the verdict alone by the URL Standard.
pub(crate) fn urimill_url_can_parse(lines: &[&str]) -> usize {
    each(lines, |line| urimill::whatwg::Url::can_parse(line, None).then_some(()))
}

/// RFC 3987, references too. It does not look into the authority.
fn oxiri_ref(lines: &[&str]) -> usize {
    each(lines, |line| {
        let iri = oxiri::IriRef::parse(line).ok()?;
        let [scheme, authority, query, fragment] =
            [iri.scheme(), iri.authority(), iri.query(), iri.fragment()].map(|part| part.map(str::len));
        Some((scheme, authority, iri.path().len(), query, fragment))
    })
}

/// RFC 3987, with a scheme.
fn oxiri_iri(lines: &[&str]) -> usize {
    each(lines, |line| {
        let iri = oxiri::Iri::parse(line).ok()?;
        let [authority, query, fragment] =
            [iri.authority(), iri.query(), iri.fragment()].map(|part| part.map(str::len));
        Some((iri.scheme().len(), authority, iri.path().len(), query, fragment))
    })
}

/// RFC 3986, references too.
fn fluent_uri(lines: &[&str]) -> usize {
    each(lines, |line| {
        let uri = fluent_uri::UriRef::parse(line).ok()?;
        let authority = uri.authority().map(|a| (a.userinfo(), a.host(), a.port()));
        Some((uri.scheme(), authority, uri.path(), uri.query(), uri.fragment()))
    })
}

/// WHATWG; serializes the URL.
fn ada_url(lines: &[&str]) -> usize {
    each(lines, |line| {
        let url = ada_url::Url::parse(line, None).ok()?;
        let authority = [url.username(), url.password(), url.hostname(), url.port()].map(str::len);
        Some((url.protocol().len(), authority, url.pathname().len(), url.search().len(), url.hash().len()))
    })
}

/// WHATWG, the verdict alone.
fn ada_url_can_parse(lines: &[&str]) -> usize {
    each(lines, |line| ada_url::Url::can_parse(line, None).then_some(()))
}

/// WHATWG; serializes the URL.
fn url(lines: &[&str]) -> usize {
    each(lines, |line| {
        let url = url::Url::parse(line).ok()?;
        let authority = (url.username().len(), url.password().map(str::len), url.host_str().map(str::len));
        let [query, fragment] = [url.query(), url.fragment()].map(|part| part.map(str::len));
        Some((url.scheme().len(), authority, url.port(), url.path().len(), query, fragment))
    })
}

/// RFC 3986, references too.
fn iri_string(lines: &[&str]) -> usize {
    each(lines, |line| {
        let uri = iri_string::types::UriReferenceStr::new(line).ok()?;
        let authority = uri.authority_components().map(|a| (a.userinfo(), a.host(), a.port()));
        Some((uri.scheme_str(), authority, uri.path_str(), uri.query_str(), uri.fragment_str()))
    })
}

/// RFC 9110's part of RFC 3986; copies the text and drops the fragment.
fn http(lines: &[&str]) -> usize {
    each(lines, |line| {
        let uri = http::Uri::try_from(line).ok()?;
        let (scheme, host) = (uri.scheme_str().map(str::len), uri.host().map(str::len));
        Some((scheme, host, uri.port_u16(), uri.path().len(), uri.query().map(str::len)))
    })
}

/// Validates nothing: the cost of finding the delimiters of one URI with the fastest search there is.
fn memchr_split(lines: &[&str]) -> usize {
    each(lines, |line| {
        let (rest, fragment) = cut(line, memchr::memchr(b'#', line.as_bytes()));
        let (rest, query) = cut(rest, memchr::memchr(b'?', rest.as_bytes()));
        let (scheme, rest) = match memchr::memchr2(b':', b'/', rest.as_bytes()) {
            Some(at) if rest.as_bytes()[at] == b':' => (Some(&rest[..at]), &rest[at + 1..]),
            _ => (None, rest),
        };
        let Some(behind) = rest.strip_prefix("//") else {
            return Some((scheme, None, rest, query, fragment));
        };
        let end = memchr::memchr(b'/', behind.as_bytes()).unwrap_or(behind.len());
        Some((scheme, Some(&behind[..end]), &behind[end..], query, fragment))
    })
}

fn cut(text: &str, at: Option<usize>) -> (&str, Option<&str>) {
    at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])))
}

/// Brings all valid lines into normal form, as owned texts; returns the number of valid lines.
pub(crate) const NORMALIZERS: [(&str, Parser); 6] = [
    ("urimill", |lines| {
        each(lines, |line| {
            let uri = urimill::UriRef::parse(line).ok()?;
            Some(urimill::normalize(&uri, urimill::Level::Scheme).into_owned())
        })
    }),
    ("urimill-borrowed", |lines| {
        each(lines, |line| {
            let uri = urimill::UriRef::parse(line).ok()?;
            Some(urimill::normalize(&uri, urimill::Level::Scheme).len())
        })
    }),
    ("fluent-uri", |lines| each(lines, |line| Some(fluent_uri::UriRef::parse(line).ok()?.normalize()))),
    ("url", |lines| each(lines, |line| Some(String::from(url::Url::parse(line).ok()?)))),
    ("iri-string", |lines| {
        each(lines, |line| Some(iri_string::types::UriStr::new(line).ok()?.normalize().to_string()))
    }),
    ("copy", |lines| each(lines, |line| Some(line.to_owned()))),
];
