//! urimill against three other implementations: validity, components, and targets. `differences` lists the known
//! differences, each with its reason.

use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use urimill_uri::UriRef;
use urimill_uri::resolve::{self, Mode};

use super::differences::{Library, expected};
use super::pair;

/// Scheme, user information, host, port, path, query, fragment.
type Parts<'a> = [Option<&'a str>; 7];

/// The whole as one reference, and its first line as a base for the rest.
pub(super) fn others(data: &[u8]) {
    for text in [data, pair(data).0, pair(data).1] {
        if let Ok(text) = std::str::from_utf8(text) {
            one(text);
        }
    }
    let (base, reference) = pair(data);
    let (Ok(base), Ok(reference)) = (UriRef::parse(base), UriRef::parse(reference)) else { return };
    if base.is_uri() {
        two(&base, &reference);
    }
}

fn one(text: &str) {
    let ours = UriRef::parse(text).ok();
    let parts = ours.as_ref().map(ours_of);
    let fluent = fluent_uri::UriRef::parse(text).ok();
    same(Library::FluentUri, text, &parts, &fluent.as_ref().map(fluent_of));
    let iri_string = UriReferenceStr::new(text).ok();
    same(Library::IriString, text, &parts, &iri_string.map(iri_string_of));
    // This library knows only IRIs, and in ASCII these are URIs; it has no user information, hosts and ports.
    if text.is_ascii() {
        let theirs = oxiri::IriRef::parse(text).ok();
        let parts = ours
            .as_ref()
            .map(|uri| [uri.scheme(), uri.authority(), Some(uri.path()), uri.query(), uri.fragment()]);
        let theirs = theirs
            .as_ref()
            .map(|uri| [uri.scheme(), uri.authority(), Some(uri.path()), uri.query(), uri.fragment()]);
        same(Library::Oxiri, text, &parts, &theirs);
    }
}

fn same<T: PartialEq + std::fmt::Debug>(library: Library, text: &str, ours: &T, theirs: &T) {
    assert!(ours == theirs, "{library:?} has {theirs:?}, urimill {ours:?}: {text:?}");
}

fn ours_of<'a>(uri: &UriRef<'a>) -> Parts<'a> {
    [uri.scheme(), uri.userinfo(), uri.host(), uri.port(), Some(uri.path()), uri.query(), uri.fragment()]
}

fn fluent_of<'a>(uri: &fluent_uri::UriRef<&'a str>) -> Parts<'a> {
    let authority = uri.authority();
    let userinfo = authority.and_then(|authority| authority.userinfo()).map(|userinfo| userinfo.as_str());
    let host = authority.map(|authority| authority.host());
    let port = authority.and_then(|authority| authority.port()).map(|port| port.as_str());
    let scheme = uri.scheme().map(|scheme| scheme.as_str());
    let (query, fragment) =
        (uri.query().map(|query| query.as_str()), uri.fragment().map(|part| part.as_str()));
    [scheme, userinfo, host, port, Some(uri.path().as_str()), query, fragment]
}

fn iri_string_of(uri: &UriReferenceStr) -> Parts<'_> {
    let authority = uri.authority_components();
    let userinfo = authority.as_ref().and_then(|authority| authority.userinfo());
    let host = authority.as_ref().map(|authority| authority.host());
    let port = authority.as_ref().and_then(|authority| authority.port());
    [uri.scheme_str(), userinfo, host, port, Some(uri.path_str()), uri.query_str(), uri.fragment_str()]
}

fn two(base: &UriRef, reference: &UriRef) {
    let ours = resolve::resolve(base, reference, Mode::Strict).expect("the base has a scheme");
    let without_fragment = base.as_str().split('#').next().unwrap_or_default();
    let judge = |library: Library, theirs: Option<String>| {
        let Some(theirs) = theirs else { return };
        if theirs != ours {
            let rule = expected(library, base, reference);
            assert!(rule.is_some(), "{library:?} has {theirs}, urimill {ours}: {base} and {reference}");
        }
    };
    // A library that refuses a pair is not compared.
    let fluent = fluent_uri::Uri::parse(without_fragment).ok().and_then(|base| {
        let reference = fluent_uri::UriRef::parse(reference.as_str()).ok()?;
        Some(reference.resolve_against(&base).ok()?.into_string())
    });
    judge(Library::FluentUri, fluent);
    let iri_string = UriAbsoluteStr::new(without_fragment).ok().and_then(|base| {
        let target = UriReferenceStr::new(reference.as_str()).ok()?.resolve_against(base);
        target.ensure_rfc3986_normalizable().ok()?;
        Some(target.to_string())
    });
    judge(Library::IriString, iri_string);
    let oxiri = oxiri::Iri::parse(without_fragment).ok().and_then(|base| {
        let reference = oxiri::IriRef::parse(reference.as_str()).ok()?;
        Some(base.resolve(&reference).ok()?.into_inner())
    });
    judge(Library::Oxiri, oxiri);
}
