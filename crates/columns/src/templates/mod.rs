//! The template of a reference: the reference with its values replaced by placeholders, so that the pages of one route
//! have one text (`//example.com/product/{number}?page={number}`).
//!
//! ```text
//! reference ──> rules, each row by itself (segment, query) ──> column template
//!                                                                 │ counts
//!                                                                 v
//!               what many rows tell (learn) <── figure of the report, top --by template
//! ```
//!
//! Rules recognize numbers, dates, hashes and the like by their form. That the names below `/user/` are values too
//! shows only in many rows: [`Learned`] merges segments at one place below the same beginning, if there are many.

mod learn;
mod query;
mod segment;
mod stream;
mod words;

pub use learn::Learned;
pub use stream::Widths;

use segment::Place;
pub(crate) use segment::is_date;
pub(crate) use words::is_session;

/// The number of segments of a path that a template shows; `{…}` replaces the rest.
const MOST_SEGMENTS: usize = 24;

/// The placeholder of a value of any form.
const ANY: &str = "{…}";

/// The parts of a reference that determine its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts<'a> {
    /// The scheme without its colon.
    pub scheme: Option<&'a str>,
    /// The authority without its slashes.
    pub authority: Option<&'a str>,
    /// The path.
    pub path: &'a str,
    /// The query without its question mark.
    pub query: Option<&'a str>,
}

/// The extension: everything after the last dot of the last segment. It consists of letters and digits, so no slash can
/// be in it, and the end of the path suffices to find it.
pub fn file_type(path: &str) -> Option<&str> {
    let end = path.len();
    let letters = path.bytes().rev().take(9).take_while(u8::is_ascii_alphanumeric).count();
    let name = path.as_bytes()[..end - letters].strip_suffix(b".")?;
    let fits = matches!(letters, 1..=8) && name.last().is_some_and(|&byte| byte != b'/');
    fits.then(|| &path[end - letters..])
}

/// Appends the template of a reference, by the rules that need only this reference.
///
/// `http` and `https` are left out, and so are user information and the fragment. After a scheme without an authority,
/// as in `mailto:`, everything is one value.
///
/// ```
/// use urimill::templates::{Parts, write};
///
/// let mut template = String::new();
/// let parts = Parts {
///     scheme: Some("https"),
///     authority: Some("example.com"),
///     path: "/en/news/2024-05-17/a-title-of-many-words.html",
///     query: Some("page=2&utm_source=x"),
/// };
/// write(&parts, &mut template);
/// assert_eq!(template, "//example.com/{lang}/news/{date}/{slug}.html?page={number}");
/// ```
pub fn write(parts: &Parts<'_>, out: &mut String) {
    if let Some(scheme) = parts.scheme
        && (parts.authority.is_none() || !matches!(scheme, "http" | "https"))
    {
        out.push_str(scheme);
        out.push(':');
    }
    match parts.authority {
        Some(authority) => {
            out.push_str("//");
            out.push_str(
                memchr::memrchr(b'@', authority.as_bytes()).map_or(authority, |at| &authority[at + 1..]),
            );
        }
        None if parts.scheme.is_some() => return out.push_str(ANY),
        None => {}
    }
    path(parts.path, out);
    if let Some(query) = parts.query {
        query::write(query, out);
    }
}

fn path(path: &str, out: &mut String) {
    let mut rest = path;
    if let Some(inner) = rest.strip_prefix('/') {
        out.push('/');
        rest = inner;
    }
    let mut place = Place::default();
    loop {
        if place.number == MOST_SEGMENTS {
            return out.push_str(ANY);
        }
        // A whole URI in a path, as in archives, is one value.
        if rest.starts_with("http:/") || rest.starts_with("https:/") {
            return out.push_str("{uri}");
        }
        let slash = memchr::memchr(b'/', rest.as_bytes());
        let (one, behind) = match slash {
            Some(slash) => (&rest[..slash], &rest[slash + 1..]),
            None => (rest, ""),
        };
        segment::write(one, behind, &mut place, out);
        if slash.is_none() {
            return;
        }
        out.push('/');
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (path and query, template, reason)
    const ROWS: &[(&str, &str, &str)] = &[
        ("", "", "nothing has an empty template"),
        ("/", "/", "a slash is a slash"),
        ("/product/42", "/product/{number}", "digits"),
        ("/product/-4.5", "/product/{number}", "a sign and a fraction"),
        ("/a/550e8400-e29b-41d4-a716-446655440000", "/a/{uuid}", "RFC 9562"),
        ("/c/d41d8cd98f00b204e9800998ecf8427e", "/c/{hash}", "32 hexadecimal digits"),
        ("/c/dead3beef1", "/c/{id}", "letters and digits in turn"),
        ("/2024/05/17/x", "/{year}/{month}/{day}/x", "a date over three segments"),
        ("/2024/may/x", "/{year}/{month}/x", "names of months"),
        ("/2024/x", "/{number}/x", "a year alone is a number"),
        ("/d/2024-05-17", "/d/{date}", "ISO 8601"),
        ("/d/20240517", "/d/{date}", "the basic form"),
        ("/d/20241399", "/d/{number}", "there is no thirteenth month"),
        ("/web/20240517120000/http://h/a/b", "/web/{time}/{uri}", "a URI in a path is one value"),
        ("/en/a", "/{lang}/a", "a language at the beginning"),
        ("/de-at/a", "/{lang}/a", "with a country"),
        ("/a/b/en", "/a/b/en", "no language behind two segments"),
        ("/a-title-of-words", "/{slug}", "four words"),
        ("/about-us", "/about-us", "two words are a name"),
        ("/top-10-tips", "/{slug}", "words and numbers"),
        ("/page-2", "/page-{number}", "one word and a number"),
        ("/item123.html", "/item{number}.html", "letters, then digits; the extension stays"),
        ("/v2/mp3", "/v2/mp3", "versions and formats are names"),
        ("/v1.2.3/10.0.0.1", "/{version}/{ip}", "numbers with dots"),
        ("/a/x.tar.gz", "/a/x.tar.gz", "names stay"),
        ("/@anna/~bob", "/@{name}/~{name}", "signs of names"),
        ("/w/Talk:Paris", "/w/Talk:{…}", "a name space"),
        ("/w/Special:Search", "/w/Special:Search", "special pages are routes"),
        ("/w/K%C3%B6ln", "/w/{text}", "encoded text"),
        ("/u/a@b.example", "/u/{email}", "an address"),
        ("/a;jsessionid=A1B2", "/a;jsessionid={session}", "a session"),
        ("/a;v=1", "/a;v={…}", "another parameter of a segment"),
        ("/a?b=1&a=x", "/a?a={…}&b={number}", "parameters in the order of their names"),
        ("/a?utm_source=x", "/a", "parameters of campaigns are dropped"),
        ("/a?q=1", "/a?q={…}", "what people look for has any form"),
        ("/i.php?action=edit&id=5", "/i.php?action=edit&id={number}", "a parameter that names a route"),
        ("/a?ids[0]=1&ids[1]=2", "/a?ids={number}", "elements of one list"),
        ("/a?123456", "/a?{number}", "a bare number"),
        ("/a?", "/a", "an empty query"),
        ("/a?PHPSESSID=abc", "/a?PHPSESSID={session}", "a session in a query"),
    ];

    #[test]
    fn values_give_way_to_placeholders() {
        for (text, expected, why) in ROWS {
            let (path, query) = match text.split_once('?') {
                Some((path, query)) => (path, Some(query)),
                None => (*text, None),
            };
            let mut template = String::new();
            write(&Parts { path, query, ..Parts::default() }, &mut template);
            assert_eq!(template, *expected, "{text}: {why}");
        }
    }

    #[test]
    fn templates_are_short_whatever_the_input() {
        for text in ["/1".repeat(100_000), format!("/?{}", "a=1&".repeat(100_000)), "-".repeat(100_000)] {
            let (path, query) = text.split_once('?').map_or((text.as_str(), None), |(p, q)| (p, Some(q)));
            let mut template = String::new();
            write(&Parts { path, query, ..Parts::default() }, &mut template);
            assert!(template.len() < 4096, "{} bytes of {}", template.len(), text.len());
        }
    }
}
