//! urimill against the packages ada-url and url, which parse by the URL Standard too: the serialization and the parts of
//! the API. What may differ stands in a list, each rule with its reason; everything else is a defect, of theirs or of
//! ours.

use std::ops::RangeInclusive;

use urimill_uri::whatwg::Url;
use url::quirks;

use super::pair;

/// An implementation that is not ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    Ada,
    Url,
}

/// A known difference.
struct Difference {
    by: Library,
    reason: &'static str,
    /// Of a text, its base, and their URL, where there is one.
    holds: fn(&Case<'_>) -> bool,
}

struct Case<'a> {
    text: &'a str,
    base: Option<&'a Url<'a>>,
    ours: Option<&'a Url<'a>>,
    theirs: Option<&'a [String; PARTS]>,
}

const PARTS: usize = 9;

const DIFFERENCES: &[Difference] = &[
    Difference {
        by: Library::Ada,
        reason: "3.3: CheckBidi holds for labels in ASCII too, beside a label from right to left (RFC 5893, 2)",
        holds: |case| {
            let theirs = case.theirs.map_or("", |theirs| &theirs[4]);
            case.ours.is_none() && has_punycode(theirs) && theirs.split('.').any(breaks_the_bidi_rule)
        },
    },
    Difference {
        by: Library::Ada,
        reason: "3.3: a character that Unicode 18 has added is unassigned in older tables of UTS 46",
        holds: |case| {
            let host = case.ours.map_or("", Url::hostname);
            let is_new = |c: char| NEW_IN_UNICODE_18.iter().any(|range| range.contains(&c));
            case.theirs.is_none() && has_punycode(host) && decode(case.text.as_bytes()).contains(is_new)
        },
    },
    Difference {
        by: Library::Url,
        reason: "3.3: a domain in ASCII is put in lower case, also where what follows xn-- is no punycode",
        holds: |case| case.theirs.is_none() && case.ours.is_some_and(|url| has_punycode(url.hostname())),
    },
    Difference {
        by: Library::Url,
        reason: "1.3: the path percent-encode set has `^`",
        holds: |case| {
            case.pathnames(|ours, theirs| theirs.contains('^') && ours == theirs.replace('^', "%5E"))
        },
    },
    Difference {
        by: Library::Url,
        reason: "4.4, opaque path state: a space before the query or the fragment is encoded",
        holds: |case| case.pathnames(|ours, theirs| ours.strip_suffix("%20") == theirs.strip_suffix(' ')),
    },
    Difference {
        by: Library::Url,
        reason: "4.4, file states: a host before a drive letter stays, and so do empty segments",
        holds: |case| case.ours.or(case.base).is_some_and(|url| url.scheme() == "file"),
    },
    Difference {
        by: Library::Url,
        reason: "4.4, relative state, port state: a backslash is a slash to special URLs only",
        holds: |case| {
            let theirs = case.theirs.and_then(|theirs| theirs[0].split(':').next());
            let scheme = theirs.or_else(|| case.ours.map(Url::scheme));
            let is_special = matches!(scheme, Some("http" | "https" | "ws" | "wss" | "ftp" | "file"));
            scheme.is_some() && !is_special && case.text.contains('\\')
        },
    },
    Difference {
        by: Library::Url,
        reason: "4.4, special authority ignore slashes state: a relative reference may begin with three slashes too",
        holds: |case| case.theirs.is_none() && case.base.is_some() && case.slashes() > 2,
    },
    Difference {
        by: Library::Url,
        reason: "4.4, authority state: credentials without a host are a failure in every scheme",
        holds: |case| {
            let is_without_host = case.theirs.is_some_and(|theirs| theirs[4].is_empty());
            case.ours.is_none() && is_without_host && case.text.contains('@')
        },
    },
];

/// Armenian letters and Seal script: those that runs have met.
const NEW_IN_UNICODE_18: &[RangeInclusive<char>] = &['\u{58b}'..='\u{58c}', '\u{3d000}'..='\u{3fc3f}'];

/// Percent-decoded.
fn decode(text: &[u8]) -> String {
    String::from_utf8_lossy(&urimill_uri::encode::decode_leniently(text)).into_owned()
}

impl Case<'_> {
    /// Whether both have a path, and they have this relation.
    fn pathnames(&self, holds: fn(&str, &str) -> bool) -> bool {
        self.ours.zip(self.theirs).is_some_and(|(ours, theirs)| holds(ours.pathname(), &theirs[6]))
    }

    /// Slashes and backslashes that the text begins with.
    fn slashes(&self) -> usize {
        let is_kept = |byte: &u8| !matches!(byte, b'\t' | b'\n' | b'\r');
        let text = self.text.trim_start_matches(|c| c <= ' ').bytes().filter(is_kept);
        text.take_while(|byte| matches!(byte, b'/' | b'\\')).count()
    }
}

/// RFC 5893, 2, of a label in ASCII: a letter begins it (1), and a letter or a digit ends it (6).
fn breaks_the_bidi_rule(label: &str) -> bool {
    let (first, last) = (label.chars().next(), label.chars().next_back());
    first.is_some_and(|first| !first.is_ascii_alphabetic())
        || last.is_some_and(|last| !last.is_ascii_alphanumeric())
}

fn has_punycode(host: &str) -> bool {
    host.split('.').any(|label| label.starts_with("xn--"))
}

/// The whole without a base, and what follows the first line feed against the first line.
pub(super) fn url_others(data: &[u8]) {
    one(&String::from_utf8_lossy(data), None);
    let (base, reference) = pair(data);
    let (base, reference) = (String::from_utf8_lossy(base), String::from_utf8_lossy(reference));
    if let Ok(base) = Url::parse(base.as_ref(), None) {
        one(&reference, Some(&base));
    }
}

/// The reason why this library may answer otherwise.
fn expected(library: Library, case: &Case<'_>) -> Option<&'static str> {
    let mut known = DIFFERENCES.iter().filter(|known| known.by == library);
    known.find(|known| (known.holds)(case)).map(|known| known.reason)
}

fn one(text: &str, base: Option<&Url<'_>>) {
    let ours = Url::parse(text, base).ok();
    let parts = ours.as_ref().map(ours_of);
    let judge = |library: Library, theirs: Option<[String; PARTS]>| {
        if theirs == parts {
            return;
        }
        let case = Case { text, base, ours: ours.as_ref(), theirs: theirs.as_ref() };
        assert!(
            expected(library, &case).is_some(),
            "{library:?} has {theirs:?}, urimill {parts:?}: {text:?} against {base:?}"
        );
    };
    let href = base.map(Url::href);
    judge(Library::Ada, ada_url::Url::parse(text, href).ok().as_ref().map(ada_of));
    // A base that the other library has another URL for says nothing of the reference.
    let other_base = href.map(url::Url::parse);
    match (&other_base, href) {
        (None, _) => judge(Library::Url, url::Url::parse(text).ok().as_ref().map(url_of)),
        (Some(Ok(base)), Some(href)) if base.as_str() == href => {
            judge(Library::Url, base.join(text).ok().as_ref().map(url_of));
        }
        _ => {}
    }
}

/// href, origin, username, password, hostname, port, pathname, search, hash.
fn ours_of(url: &Url<'_>) -> [String; PARTS] {
    let origin = url.origin();
    [
        url.href(),
        &origin,
        url.username(),
        url.password(),
        url.hostname(),
        url.port(),
        url.pathname(),
        url.search(),
        url.hash(),
    ]
    .map(str::to_owned)
}

fn ada_of(url: &ada_url::Url) -> [String; PARTS] {
    let origin = url.origin();
    [
        url.href(),
        &origin,
        url.username(),
        url.password(),
        url.hostname(),
        url.port(),
        url.pathname(),
        url.search(),
        url.hash(),
    ]
    .map(str::to_owned)
}

fn url_of(url: &url::Url) -> [String; PARTS] {
    let origin = quirks::origin(url);
    [
        quirks::href(url),
        &origin,
        quirks::username(url),
        quirks::password(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ]
    .map(str::to_owned)
}
