//! The target of a reference at a level, computed slowly: section 5.2 to the letter, applied to texts whose dot
//! segments are written as dots. For the tests of single calls, and for those of tables.

use urimill_uri::resolve::{Mode, resolve};
use urimill_uri::{Level, Spec, UriRef, normalize};

/// The reference with its encoded dot segments written as dots.
fn with_plain_dots(uri: &UriRef) -> String {
    let plain = |segment: &str| match segment.to_ascii_lowercase().replace("%2e", ".") {
        dots if dots == "." || dots == ".." => dots,
        _ => segment.to_owned(),
    };
    // After a question mark an opaque part may turn out to be a query (RFC 2396 3).
    let with_end = |piece: &str| match piece.strip_suffix(['/', '?']) {
        Some(segment) => plain(segment) + &piece[segment.len()..],
        None => plain(piece),
    };
    let path: String = uri.path().split_inclusive(['/', '?']).map(with_end).collect();
    let split = uri.split();
    let (before, behind) =
        (&uri.as_str()[..split.path_start as usize], &uri.as_str()[split.path_end as usize..]);
    format!("{before}{path}{behind}")
}

/// Whether the mode ignores the scheme of a reference (5.2.2).
pub fn passes_over(base: &UriRef, reference: &UriRef, mode: Mode) -> bool {
    let is_same = |scheme: &str| base.scheme().is_some_and(|other| other.eq_ignore_ascii_case(scheme));
    mode == Mode::Compatible && reference.scheme().is_some_and(is_same)
}

/// The base and reference to which section 5.2 is applied for a normal form at a level.
pub fn resolved_instead(base: &UriRef, reference: &UriRef, mode: Mode, level: Level) -> [String; 2] {
    if level < Level::Percent {
        return [base, reference].map(|uri| uri.as_str().to_owned());
    }
    let is_uri_first =
        level >= Level::Syntax && base.spec() != Spec::Rfc2396 && passes_over(base, reference, mode);
    let reference = match is_uri_first {
        true => normalize(reference, level).into_owned(),
        false => with_plain_dots(reference),
    };
    [with_plain_dots(base), reference]
}

/// The normal form of a target: that of the target of [`resolved_instead`].
pub fn meaning(base: &UriRef, reference: &UriRef, mode: Mode, level: Level) -> String {
    let [base_text, text] = resolved_instead(base, reference, mode, level);
    let parse = |text| UriRef::parse_as(text, base.spec()).expect("valid before, and so with plain dots");
    let target =
        resolve(&parse(&base_text), &parse(&text), mode).expect("the base has a scheme").into_owned();
    normalize(&UriRef::parse_as(&target, base.spec()).expect("a target is valid"), level).into_owned()
}
