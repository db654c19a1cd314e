//! urimill against the packages ada-url and url, which parse by the URL Standard too: the serialization and the parts
//! of the API. A list has the known differences, each with its reason; any other difference is a defect, of theirs or
//! of ours.

use std::ops::RangeInclusive;

use urimill_uri::whatwg::Url;
use url::quirks;

use super::pair;

/// Another implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    Ada,
    Url,
}

/// A known difference.
struct Difference {
    by: Library,
    reason: &'static str,
    /// Whether the reason applies to this text, its base, and their URL, if there is one.
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
        reason: "3.3: CheckBidi holds for every label of a domain with characters from right to left, also for one without \
                 any (RFC 5893, 2)",
        holds: |case| case.is_theirs_alone() && case.characters().contains(is_right_to_left),
    },
    Difference {
        by: Library::Ada,
        reason: "3.3: CheckJoiners holds for every joiner of a label, not for the first alone (RFC 5892, A.1 and A.2)",
        holds: |case| case.is_theirs_alone() && case.characters().contains(['\u{200c}', '\u{200d}']),
    },
    Difference {
        by: Library::Ada,
        reason: "3.3: punycode without characters in ASCII has no delimiter for them (RFC 3492, 6.2)",
        holds: |case| case.is_theirs_alone() && case.labels().iter().any(|label| label.starts_with("xn---")),
    },
    Difference {
        by: Library::Ada,
        reason: "3.3: a character that Unicode 18 has added is unassigned in older tables of UTS 46",
        holds: |case| {
            let is_new = |c: char| NEW_IN_UNICODE_18.iter().any(|range| range.contains(&c));
            case.theirs.is_none() && case.ours.is_some() && case.characters().contains(is_new)
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

/// All characters that the tables of ada-url 4.0.0 lack.
#[rustfmt::skip]
const NEW_IN_UNICODE_18: &[RangeInclusive<char>] = &[
    '\u{558}'..='\u{558}', '\u{58b}'..='\u{58c}', '\u{5c8}'..='\u{5c9}', '\u{b53}'..='\u{b54}', '\u{1ade}'..='\u{1adf}',
    '\u{1aec}'..='\u{1af0}', '\u{208f}'..='\u{208f}', '\u{209d}'..='\u{209f}', '\u{20c2}'..='\u{20c4}', '\u{2e60}'..='\u{2e63}',
    '\u{a7dd}'..='\u{a7dd}', '\u{a7e2}'..='\u{a7e2}', '\u{ab6c}'..='\u{ab6d}', '\u{107bb}'..='\u{107bf}', '\u{10ecb}'..='\u{10ecf}',
    '\u{10ef0}'..='\u{10ef9}', '\u{11b0a}'..='\u{11b0a}', '\u{11df0}'..='\u{11df1}', '\u{1246f}'..='\u{1246f}', '\u{12475}'..='\u{1247f}',
    '\u{12550}'..='\u{12686}', '\u{18cd6}'..='\u{18cda}', '\u{18d1f}'..='\u{18d20}', '\u{18e00}'..='\u{19191}', '\u{191a0}'..='\u{191d2}',
    '\u{1b123}'..='\u{1b128}', '\u{1b168}'..='\u{1b168}', '\u{1ced2}'..='\u{1ced4}', '\u{1cedd}'..='\u{1cedf}', '\u{1cef1}'..='\u{1cefd}',
    '\u{1d127}'..='\u{1d128}', '\u{1d1eb}'..='\u{1d1ff}', '\u{1d250}'..='\u{1d281}', '\u{1d6a6}'..='\u{1d6a6}', '\u{1db00}'..='\u{1db1c}',
    '\u{1df1f}'..='\u{1df24}', '\u{1df2b}'..='\u{1df81}', '\u{1df90}'..='\u{1df96}', '\u{1dfcd}'..='\u{1dfff}', '\u{1f1ae}'..='\u{1f1ae}',
    '\u{1f6d9}'..='\u{1f6d9}', '\u{1f7da}'..='\u{1f7db}', '\u{1f7f1}'..='\u{1f7ff}', '\u{1fa8b}'..='\u{1fa8d}', '\u{1facc}'..='\u{1facc}',
    '\u{1fadd}'..='\u{1fadd}', '\u{1faeb}'..='\u{1faeb}', '\u{1faf9}'..='\u{1fafa}', '\u{2b81e}'..='\u{2b81e}', '\u{3d000}'..='\u{3fc3f}',
];

/// The blocks of scripts from right to left, and their marks.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Percent-decoded.
fn decode(text: &[u8]) -> String {
    String::from_utf8_lossy(&urimill_uri::encode::decode_leniently(text)).into_owned()
}

impl Case<'_> {
    /// Whether both have a path, and they have this relation.
    fn pathnames(&self, holds: fn(&str, &str) -> bool) -> bool {
        self.ours.zip(self.theirs).is_some_and(|(ours, theirs)| holds(ours.pathname(), &theirs[6]))
    }

    fn is_theirs_alone(&self) -> bool {
        self.ours.is_none() && self.theirs.is_some()
    }

    /// The labels of both hosts.
    fn labels(&self) -> Vec<&str> {
        let theirs = self.theirs.map_or("", |theirs| &theirs[4]);
        let ours = self.ours.map_or("", Url::hostname);
        theirs.split('.').chain(ours.split('.')).collect()
    }

    /// The text, and the Unicode form of the hosts.
    fn characters(&self) -> String {
        let decoded = self.labels().into_iter().map(quirks::domain_to_unicode);
        decode(self.text.as_bytes()) + &decoded.collect::<String>()
    }

    /// The slashes and backslashes at the beginning of the text.
    fn slashes(&self) -> usize {
        let is_kept = |byte: &u8| !matches!(byte, b'\t' | b'\n' | b'\r');
        let text = self.text.trim_start_matches(|c| c <= ' ').bytes().filter(is_kept);
        text.take_while(|byte| matches!(byte, b'/' | b'\\')).count()
    }
}

fn has_punycode(host: &str) -> bool {
    host.split('.').any(|label| label.starts_with("xn--"))
}

/// The whole without a base, and the part after the first line feed against the first line.
pub(super) fn url_others(data: &[u8]) {
    one(&String::from_utf8_lossy(data), None);
    let (base, reference) = pair(data);
    let (base, reference) = (String::from_utf8_lossy(base), String::from_utf8_lossy(reference));
    if let Ok(base) = Url::parse(base.as_ref(), None) {
        one(&reference, Some(&base));
    }
}

/// The reason why the library may give another answer.
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
    // If the other library has another URL for the base, the reference is not compared.
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
