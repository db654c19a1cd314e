//! The comparison of urimill with the oracle: validity, the reject's offset, components, and the code.

use std::ops::Range;

use urimill::{Code, Component, Reject, Spec, UriRef};

use crate::oracle::{Parts, appendix_b, oracle, oracle_of};

/// Compares urimill's result with the oracle's; the error describes the difference.
pub(crate) fn compare(text: &[u8]) -> Result<(), String> {
    compare_by(text, Spec::Rfc3986)
}

/// The same by one of the specifications.
pub(crate) fn compare_by(text: &[u8], spec: Spec) -> Result<(), String> {
    let expected = oracle_of(spec).answer(text);
    let difference = match (UriRef::parse_as(text, spec), expected) {
        (Ok(uri), Ok(parts)) => difference_of_valid(text, &uri, &parts),
        (Err(reject), Err(offset)) => difference_of_invalid(text, reject, offset, spec),
        (Ok(uri), Err(offset)) => Some(format!("a reject at {offset} expected, got {:?}", Parts::of(&uri))),
        (Err(reject), Ok(parts)) => Some(format!("{parts:?} expected, got {reject:?}")),
    };
    match difference {
        None => Ok(()),
        Some(difference) => Err(format!("\"{}\": {difference}", text.escape_ascii())),
    }
}

fn difference_of_valid(text: &[u8], uri: &UriRef, parts: &Parts) -> Option<String> {
    let got = Parts::of(uri);
    if got != *parts {
        return Some(format!("{parts:?} expected, got {got:?}"));
    }
    if uri.as_str().as_bytes() != text {
        return Some(format!("as_str() is {:?}", uri.as_str()));
    }
    let kinds = (uri.is_uri(), uri.is_relative_reference(), uri.is_absolute_uri());
    let has_scheme = parts.scheme.is_some();
    let expected = (has_scheme, !has_scheme, has_scheme && parts.fragment.is_none());
    (kinds != expected).then(|| {
        format!("is_uri, is_relative_reference, is_absolute_uri (3, 4.2, 4.3): {expected:?}, got {kinds:?}")
    })
}

fn difference_of_invalid(text: &[u8], reject: Reject, offset: usize, spec: Spec) -> Option<String> {
    let complain = |what: &str| Some(format!("{what} (offset {offset} expected): got {reject:?}"));
    if reject.offset != offset {
        return complain("offset differs");
    }
    let Ok(utf8) = std::str::from_utf8(text) else {
        return if reject.code == Code::NotUtf8 { None } else { complain("not_utf8 expected") };
    };
    if reject.code == Code::NotUtf8 || reject.code == Code::TooLong {
        return complain("the text is UTF-8, and parse() knows no limit");
    }
    if (reject.code == Code::SchemeEmpty) != utf8.starts_with(':') {
        return complain("scheme_empty is for a colon at the start");
    }
    if let Some(code) = percent_code(utf8, offset, spec)
        && reject.code != code
    {
        return complain(code.as_str());
    }
    if spec != Spec::Rfc2396
        && let Some(code) = bracket_code(utf8, offset)
        && reject.code != code
    {
        return complain(code.as_str());
    }
    let triplet_open = open_triplet(text, offset);
    if matches!(reject.code, Code::PercentTruncated | Code::PercentInvalidDigit) && !triplet_open {
        return complain("no triplet is open");
    }
    if component_of(reject.code).is_some_and(|component| component != reject.component) {
        return complain("code and component disagree");
    }
    (!stands_in(utf8, reject, spec)).then(|| complain("the byte is not in that component")).flatten()
}

fn open_triplet(text: &[u8], offset: usize) -> bool {
    let before = &text[..offset];
    before.ends_with(b"%")
        || before.len() > 1
            && before[before.len() - 2] == b'%'
            && before[before.len() - 1].is_ascii_hexdigit()
}

/// The code if a triplet is unfinished at `offset` and no other reading is possible: a colon in the first segment
/// without a scheme, delimiters of an authority and a second number sign allow others.
fn percent_code(text: &str, offset: usize, spec: Spec) -> Option<Code> {
    let five = oracle_of(spec).five(text);
    let scheme_fails = five.scheme.is_some_and(|scheme| !oracle().scheme.matches(scheme));
    if scheme_fails || !open_triplet(text.as_bytes(), offset) {
        return None;
    }
    let parts = [five.authority, Some(five.path), five.query, five.fragment].into_iter().flatten();
    if parts.map(|part| range(text, part).end).any(|end| end == offset) {
        return Some(Code::PercentTruncated);
    }
    let disputed = b":@[]#".contains(&text.as_bytes()[offset]);
    (!disputed).then_some(Code::PercentInvalidDigit)
}

/// The code for a fault inside the brackets of an IP literal, or directly after them (3.2.2).
fn bracket_code(text: &str, offset: usize) -> Option<Code> {
    let authority = appendix_b(text).authority?;
    let open = authority.find('[')?;
    let before = &authority[..open];
    let opens_host =
        before.strip_suffix('@').map_or(before.is_empty(), |userinfo| oracle().userinfo.matches(userinfo));
    let inside = &authority[open + 1..];
    let first = range(text, inside).start;
    if !opens_host || offset < first {
        return None;
    }
    match inside.find(']').map(|close| first + close) {
        Some(close) if offset > close => (offset == close + 1).then_some(Code::HostInvalidChar),
        _ if inside.starts_with(['v', 'V']) => Some(Code::HostIpvfutureMalformed),
        _ => Some(Code::HostIpv6Malformed),
    }
}

/// The position of `part`, a slice of `text`, in it.
fn range(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// The component of a code; a triplet may be in any but scheme and port.
fn component_of(code: Code) -> Option<Component> {
    match code {
        Code::SchemeInvalidChar | Code::SchemeEmpty => Some(Component::Scheme),
        Code::UserinfoInvalidChar => Some(Component::Userinfo),
        Code::HostInvalidChar | Code::HostIpv6Malformed | Code::HostIpvfutureMalformed => {
            Some(Component::Host)
        }
        Code::PortInvalidChar => Some(Component::Port),
        Code::PathInvalidChar | Code::PathEmpty => Some(Component::Path),
        Code::QueryInvalidChar => Some(Component::Query),
        Code::FragmentInvalidChar => Some(Component::Fragment),
        _ => None,
    }
}

/// Whether the offset is in the part of the text that Appendix B gives to the component, or at its end (it ends too
/// early).
fn stands_in(text: &str, reject: Reject, spec: Spec) -> bool {
    let five = oracle_of(spec).five(text);
    let part = match reject.component {
        Component::Scheme if reject.code == Code::SchemeEmpty => return reject.offset == 0,
        Component::Scheme => five.scheme,
        Component::Userinfo | Component::Host | Component::Port => five.authority,
        Component::Path => Some(five.path),
        Component::Query => five.query,
        Component::Fragment => five.fragment,
    };
    part.map(|part| range(text, part)).is_some_and(|part| (part.start..=part.end).contains(&reject.offset))
}
