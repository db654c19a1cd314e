//! Invariants of one text by the URL Standard, alone and against a base, and in comparison with RFC 3986.

use urimill_uri::resolve::{self, Mode};
use urimill_uri::whatwg::{Disagreement, Failure, Url, disagreements};
use urimill_uri::{Level, Spec, UriRef, normalize};

use super::pair;

/// A URL is its own serialization, the getters are its parts, and validation finds the same URL. A text in the RFC's
/// normal form is its own URL.
pub(super) fn url(text: &[u8]) {
    let parsed = parsed(text, None);
    beside_the_rfc(text, None, &parsed);
    if let Ok(uri) = UriRef::parse(text)
        && is_left_alone(&uri)
    {
        let url = parsed.unwrap_or_else(|failure| panic!("{uri} has no URL: {failure}"));
        assert_eq!(url.href(), uri.as_str());
    }
}

/// The same against a base; a reference that both specifications resolve has the same target by both.
pub(super) fn url_resolve(data: &[u8]) {
    let (base, reference) = pair(data);
    let Ok(base) = Url::parse(base, None) else { return };
    let url = parsed(reference, Some(&base));
    beside_the_rfc(reference, Some(&base), &url);
    // The serialization of a base gives the same result, and its fragment is not used.
    let href = base.href();
    let without_fragment = &href[..href.len() - base.fragment().map_or(0, |fragment| fragment.len() + 1)];
    let bare = Url::parse(without_fragment, None).expect("a part of a URL that is one");
    assert_eq!(Url::parse(reference, Some(&bare)), url, "{base} without its fragment");
    // A URL is absolute: against any base its target is itself.
    if let Ok(url) = &url {
        let again = Url::parse(url.href(), Some(&base)).map(|again| again.href() == url.href());
        assert_eq!(again, Ok(true), "{url} against {base}");
    }
    let names = disagreements(reference, Some(&base), Spec::Rfc3986);
    let (Ok(reference), Ok(parsed)) = (UriRef::parse(reference), UriRef::parse(href)) else { return };
    let is_web = |scheme: &str| matches!(scheme, "http" | "https" | "ftp" | "ws" | "wss");
    let goes_to_the_web = reference.scheme().is_none_or(|scheme| is_web(&scheme.to_ascii_lowercase()));
    // Without a disagreement the two specifications have the same target.
    if is_resolved_alike(&base, &reference) || names.is_empty() && is_web(base.scheme()) && goes_to_the_web {
        let target = resolve::resolve(&parsed, &reference, Mode::Strict).expect("a URL has a scheme");
        // Offsets are in the reference, and in the target.
        let by_target = Url::parse(target.as_ref(), None).map_err(|failure| failure.error);
        assert_eq!(by_target, url.map_err(|failure| failure.error), "{base} and {reference}");
    }
}

/// Parses in every way.
fn parsed<'a>(text: &'a [u8], base: Option<&Url<'_>>) -> Result<Url<'a>, Failure> {
    let shown = text.escape_ascii();
    let parsed = Url::parse(text, base);
    let (validated, errors) = Url::validate(text, base);
    assert_eq!(parsed, validated, "{shown}");
    assert_eq!(parsed.as_ref().map(Url::split), validated.as_ref().map(Url::split), "{shown}");
    assert_eq!(Url::can_parse(text, base), parsed.is_ok(), "{shown}");
    assert!(errors.iter().all(|&(_, at)| at <= text.len()), "{errors:?} in {shown}");
    match &parsed {
        Ok(url) => is_its_serialization(url),
        Err(failure) => assert!(failure.offset <= text.len(), "{failure:?} in {shown}"),
    }
    parsed
}

fn is_its_serialization(url: &Url<'_>) {
    let again = Url::parse(url.href(), None);
    let again = again.unwrap_or_else(|failure| panic!("{url} does not parse: {failure}"));
    assert_eq!((again.href(), again.split()), (url.href(), url.split()));
    let credentials = match (url.username(), url.password()) {
        ("", "") => String::new(),
        (name, "") => format!("{name}@"),
        (name, password) => format!("{name}:{password}@"),
    };
    let port = if url.port().is_empty() { String::new() } else { format!(":{}", url.port()) };
    assert_eq!(url.host(), format!("{}{port}", url.hostname()), "{url}");
    let authority = if url.has_host() { format!("//{credentials}{}", url.host()) } else { String::new() };
    let dot = if !url.has_host() && url.pathname().starts_with("//") { "/." } else { "" };
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    let fragment = url.fragment().map_or(String::new(), |fragment| format!("#{fragment}"));
    let path = [dot, url.pathname()].concat();
    assert_eq!([url.protocol(), &authority, &path, &query, &fragment].concat(), url.href());
    let split = url.split();
    let part = |from: u32, to: u32| &url.href()[from as usize..to as usize];
    assert_eq!(part(0, split.scheme_end), url.scheme());
    assert_eq!(part(split.host_start, split.host_end), url.hostname());
    assert_eq!(part(split.path_start, split.path_end), path);
    assert_eq!(part(split.path_end, split.query_end), query);
    assert_eq!(part(split.query_end, split.end), fragment);
}

/// Whether the URL Standard changes nothing in a reference: an absolute one of a special scheme with a host, in normal
/// form, without anything that only the standard changes.
fn is_left_alone(uri: &UriRef<'_>) -> bool {
    let is_port = |port: &str| !port.starts_with('0') && port.parse::<u16>().is_ok();
    matches!(uri.scheme(), Some("http" | "https" | "ftp" | "ws" | "wss"))
        && uri.userinfo().is_none()
        && uri.host().is_some_and(is_plain_host)
        && uri.port().is_none_or(is_port)
        && uri.path().starts_with('/')
        && !uri.query().is_some_and(|query| query.contains('\''))
        && normalize(uri, Level::Scheme) == uri.as_str()
}

/// A name without triplets that does not end in a number.
fn is_plain_host(host: &str) -> bool {
    let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next().unwrap_or_default();
    !host.is_empty() && !host.contains(['%', '[']) && !last.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether RFC 3986, 5.2, and the standard's parser give the same target for a relative reference: it has
/// neither an empty authority nor encoded dots, which are dots to the standard before it merges paths.
fn is_resolved_alike(base: &Url<'_>, reference: &UriRef<'_>) -> bool {
    let path = reference.path().to_ascii_lowercase();
    matches!(base.scheme(), "http" | "https" | "ftp" | "ws" | "wss")
        && reference.scheme().is_none()
        && reference.authority() != Some("")
        && !path.contains("%2e")
}

/// Disagreements follow from the results by the two specifications.
fn beside_the_rfc(text: &[u8], base: Option<&Url<'_>>, url: &Result<Url<'_>, Failure>) {
    let shown = text.escape_ascii();
    let found = disagreements(text, base, Spec::Rfc3986);
    let rfc = UriRef::parse(text);
    let has_target = base.is_some() || !rfc.as_ref().is_ok_and(UriRef::is_relative_reference);
    let names: Vec<_> = found.iter().map(Disagreement::as_str).collect();
    let only_url = rfc.is_err() && url.is_ok();
    assert_eq!(found.contains(Disagreement::InvalidForRfc), only_url, "{names:?}: {shown}");
    let only_rfc = rfc.is_ok() && url.is_err() && has_target;
    assert_eq!(found.contains(Disagreement::InvalidForWhatwg), only_rfc, "{names:?}: {shown}");
    let (Ok(uri), Ok(url)) = (rfc, url) else { return };
    if !found.is_empty() || base.is_some() {
        return;
    }
    // Without a disagreement the two have the same scheme, host and port.
    assert_eq!(uri.scheme().map(str::to_ascii_lowercase).as_deref(), Some(url.scheme()), "{shown}");
    let normal = normalize(&uri, Level::Scheme);
    let normal = UriRef::parse(normal.as_ref()).expect("a normal form is valid");
    let host = normal.host().unwrap_or_default();
    let is_same = match host.strip_prefix('[') {
        Some(_) => address(host) == address(url.hostname()),
        // An opaque host keeps its case and its triplets.
        None => host.eq_ignore_ascii_case(url.hostname()) || url.hostname().contains('%'),
    };
    assert!(is_same, "{host} and {}: {shown}", url.hostname());
    let port = normal.port().unwrap_or_default().trim_start_matches('0');
    assert!(port == url.port().trim_start_matches('0') || port.is_empty(), "{port} and {url}: {shown}");
    // They also have the same path, except that the standard keeps a drive letter that the RFC removes.
    if let Ok(href) = UriRef::parse(url.href())
        && url.scheme() != "file"
    {
        let of_url = normalize(&href, Level::Scheme);
        let of_url = UriRef::parse(of_url.as_ref()).expect("a normal form is valid");
        assert_eq!(normal.path(), of_url.path(), "{shown}");
    }
}

fn address(host: &str) -> Option<std::net::Ipv6Addr> {
    host.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}
