//! The oracle: validity and components of a byte string by RFC 3986, slowly and without urimill.
//!
//! Validity and the reject offset come from the automaton of Appendix A; components from Appendix B's
//! expression, applied by hand, and from trying every split of an authority that its rule allows.

use std::sync::OnceLock;

use urimill::{HostKind, Spec, UriRef};

use crate::abnf::{grammar, read};
use crate::automaton::Automaton;

/// The components of a valid reference; None is undefined, `Some("")` empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Parts<'a> {
    pub(crate) scheme: Option<&'a str>,
    pub(crate) authority: Option<&'a str>,
    pub(crate) userinfo: Option<&'a str>,
    pub(crate) host: Option<&'a str>,
    pub(crate) kind: Option<HostKind>,
    pub(crate) port: Option<&'a str>,
    pub(crate) path: &'a str,
    pub(crate) query: Option<&'a str>,
    pub(crate) fragment: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// urimill's components.
    pub(crate) fn of(uri: &UriRef<'a>) -> Parts<'a> {
        Parts {
            scheme: uri.scheme(),
            authority: uri.authority(),
            userinfo: uri.userinfo(),
            host: uri.host(),
            kind: uri.host_kind(),
            port: uri.port(),
            path: uri.path(),
            query: uri.query(),
            fragment: uri.fragment(),
        }
    }
}

/// One automaton for each rule that is used.
pub(crate) struct Oracle {
    spec: Spec,
    pub(crate) reference: Automaton,
    pub(crate) scheme: Automaton,
    pub(crate) userinfo: Automaton,
    port: Automaton,
    ip_literal: Automaton,
    pub(crate) ipv6: Automaton,
    pub(crate) ipv4: Automaton,
    reg_name: Automaton,
    path_with_authority: Automaton,
    path_with_scheme: Automaton,
    path_alone: Automaton,
    query_or_fragment: Automaton,
    hostname: Automaton,
}

/// The three sets of paths that hier-part and relative-part allow (section 3).
const PATHS: &str = "
path-with-authority = path-abempty
path-with-scheme    = path-absolute / path-rootless / path-empty
path-alone          = path-absolute / path-noscheme / path-empty";

/// The same for RFC 2396. `nothing`, for rules that it does not have, matches no text: a zero byte is in no rule.
const PATHS_OF_RFC2396: &str = "
path-with-authority = [ abs-path ]
path-with-scheme    = abs-path / opaque-part
path-alone          = [ abs-path / rel-path ]
IP-literal          = nothing
IPv6address         = nothing
nothing             = %x00";

/// The oracle of RFC 3986.
pub(crate) fn oracle() -> &'static Oracle {
    oracle_of(Spec::Rfc3986)
}

/// Each is built once for all tests.
pub(crate) fn oracle_of(spec: Spec) -> &'static Oracle {
    static ORACLES: [OnceLock<Oracle>; 3] = [const { OnceLock::new() }; 3];
    let place = Spec::ALL.iter().position(|&one| one == spec).expect("ALL has every specification");
    ORACLES[place].get_or_init(|| {
        let paths = if spec == Spec::Rfc2396 { PATHS_OF_RFC2396 } else { PATHS };
        let grammar = read(&format!("{}{paths}", grammar(spec)));
        let automaton = |rule| Automaton::new(&grammar, rule);
        Oracle {
            spec,
            reference: automaton("URI-reference"),
            scheme: automaton("scheme"),
            userinfo: automaton("userinfo"),
            port: automaton("port"),
            ip_literal: automaton("IP-literal"),
            ipv6: automaton("IPv6address"),
            ipv4: automaton("IPv4address"),
            reg_name: automaton("reg-name"),
            path_with_authority: automaton("path-with-authority"),
            path_with_scheme: automaton("path-with-scheme"),
            path_alone: automaton("path-alone"),
            query_or_fragment: automaton("query"),
            hostname: automaton(if spec == Spec::Rfc2396 { "hostname" } else { "reg-name" }),
        }
    })
}

impl Oracle {
    /// The components of `text`, or the offset of the first byte that no derivation accepts.
    pub(crate) fn answer<'a>(&self, text: &'a [u8]) -> Result<Parts<'a>, usize> {
        let (valid, viable) = self.reference.run(text);
        match std::str::from_utf8(text) {
            Ok(text) if valid => Ok(self.split(text)),
            _ => Err(viable),
        }
    }

    fn split<'a>(&self, text: &'a str) -> Parts<'a> {
        let five = self.five(text);
        let parts = match five.authority {
            Some(authority) => self.split_authority(authority, five),
            None => five,
        };
        self.check(text, &parts);
        parts
    }

    /// Appendix B's components. By RFC 2396 a question mark is not a delimiter in an opaque part (3).
    pub(crate) fn five<'a>(&self, text: &'a str) -> Parts<'a> {
        let five = appendix_b(text);
        let is_opaque = five.scheme.is_some() && five.authority.is_none() && !five.path.starts_with('/');
        if self.spec != Spec::Rfc2396 || !is_opaque || five.query.is_none() {
            return five;
        }
        let start = five.path.as_ptr() as usize - text.as_ptr() as usize;
        let path = text[start..].split('#').next().unwrap_or_default();
        Parts { path, query: None, ..five }
    }

    /// `authority = [ userinfo "@" ] host [ ":" port ]`: of all splits at an "@" and a ":", the one whose
    /// parts match.
    fn split_authority<'a>(&self, authority: &'a str, five: Parts<'a>) -> Parts<'a> {
        let ats = authority.match_indices('@').map(|(at, _)| Some(at));
        let mut found = None;
        for at in ats.chain([None]) {
            let userinfo = at.map(|at| &authority[..at]);
            let rest = &authority[at.map_or(0, |at| at + 1)..];
            let colons = rest.match_indices(':').map(|(colon, _)| Some(colon));
            for colon in colons.chain([None]) {
                let host = &rest[..colon.unwrap_or(rest.len())];
                let port = colon.map(|colon| &rest[colon + 1..]);
                let kind = self.host_kind(host);
                let fits = |part: Option<&str>, rule: &Automaton| part.is_none_or(|part| rule.matches(part));
                if kind.is_some() && fits(userinfo, &self.userinfo) && fits(port, &self.port) {
                    assert!(found.is_none(), "two derivations of the authority {authority:?}");
                    found = Some(Parts { userinfo, host: Some(host), kind, port, ..five });
                }
            }
        }
        let registry = || {
            let fits =
                self.spec == Spec::Rfc2396 && (authority.is_empty() || self.reg_name.matches(authority));
            fits.then_some(Parts { host: Some(authority), kind: Some(HostKind::RegName), ..five })
        };
        found.or_else(registry).unwrap_or_else(|| panic!("no derivation of the authority {authority:?}"))
    }

    /// First match wins (3.2.2): IP-literal, IPv4address, reg-name.
    fn host_kind(&self, host: &str) -> Option<HostKind> {
        if self.ip_literal.matches(host) {
            let inside = &host[1..host.len() - 1];
            return Some(if self.ipv6.matches(inside) { HostKind::Ipv6 } else { HostKind::IpvFuture });
        }
        if self.ipv4.matches(host) {
            return Some(HostKind::Ipv4);
        }
        if self.spec == Spec::Rfc2396 {
            return self.hostname.matches(host).then_some(HostKind::DnsName);
        }
        let kind = if is_dns_name(host) { HostKind::DnsName } else { HostKind::RegName };
        self.reg_name.matches(host).then_some(kind)
    }

    /// Each part has a derivation, which Appendix B assumes.
    fn check(&self, text: &str, parts: &Parts) {
        let path_rule = match (parts.authority, parts.scheme) {
            (Some(_), _) => &self.path_with_authority,
            (None, Some(_)) => &self.path_with_scheme,
            (None, None) => &self.path_alone,
        };
        let tails = [parts.query, parts.fragment].into_iter().flatten();
        let right = parts.scheme.is_none_or(|scheme| self.scheme.matches(scheme))
            && path_rule.matches(parts.path)
            && tails.into_iter().all(|tail| self.query_or_fragment.matches(tail));
        assert!(right, "the oracle contradicts itself on {text:?}: {parts:?}");
    }
}

/// `^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?` by hand, for any text.
pub(crate) fn appendix_b(text: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut rest = text;
    if let Some(end) = rest.find([':', '/', '?', '#'])
        && end > 0
        && rest[end..].starts_with(':')
    {
        parts.scheme = Some(&rest[..end]);
        rest = &rest[end + 1..];
    }
    if let Some(behind) = rest.strip_prefix("//") {
        let (authority, tail) = behind.split_at(behind.find(['/', '?', '#']).unwrap_or(behind.len()));
        parts.authority = Some(authority);
        rest = tail;
    }
    if let Some((before, fragment)) = rest.split_once('#') {
        parts.fragment = Some(fragment);
        rest = before;
    }
    if let Some((before, query)) = rest.split_once('?') {
        parts.query = Some(query);
        rest = before;
    }
    parts.path = rest;
    parts
}

/// RFC 1034 3.5 with RFC 1123 2.1: labels of letters, digits and inner hyphens, 255 characters at most; a
/// last label of digits only would be read as an address; one trailing dot is the root.
pub(crate) fn is_dns_name(host: &str) -> bool {
    let label_fits = |label: &str| {
        let ends = [label.bytes().next(), label.bytes().next_back()];
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && ends.into_iter().flatten().all(|b| b != b'-')
    };
    let labels: Vec<&str> = host.strip_suffix('.').unwrap_or(host).split('.').collect();
    host.len() <= 255
        && labels.iter().all(|label| label_fits(label))
        && labels.last().is_some_and(|last| !last.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn the_oracle_knows_the_longest_viable_prefix() {
    let table: &[(&[u8], usize)] = &[
        (b"a%4", 3),
        (b"a%", 2),
        (b"a%4g", 3),
        (b"a%g", 2),
        (b"http://[::1", 11),
        (b"http://a:b/c", 10),
        (b"http://a:b", 10),
        (b"http://a:b@c:d", 13),
        (b"http://a@b@c", 10),
        (b":a", 0),
        (b"1a:b", 2),
        (b"a_b:c", 3),
        (b"a b:c", 1),
        (b"a#b#c", 3),
        (b"a?[", 2),
        (b"http:/[::1]", 6),
        (b"//[::1]a", 7),
        (b"//[1:2:3:4:5:6:7:8:9]", 18),
        (b"//[::256.1.1.1]", 8),
        (b"//[fe80::1%25en0]", 10),
        (b"//[v1]", 5),
        (b"//[v1.]", 6),
        (b"//[vg.a]", 4),
        (b"a\xC3\xA9", 1),
    ];
    for &(text, offset) in table {
        assert_eq!(oracle().answer(text), Err(offset), "{}", text.escape_ascii());
    }
    assert!(oracle().reference.every_live_state_is_viable());
}

#[test]
fn the_oracle_splits() {
    let all = Parts {
        scheme: Some("foo"),
        authority: Some("u:p@example.com:8042"),
        userinfo: Some("u:p"),
        host: Some("example.com"),
        kind: Some(HostKind::DnsName),
        port: Some("8042"),
        path: "/over/there",
        query: Some("name=ferret"),
        fragment: Some("nose"),
    };
    let empty = Parts {
        authority: Some("@:"),
        userinfo: Some(""),
        host: Some(""),
        kind: Some(HostKind::RegName),
        port: Some(""),
        query: Some(""),
        fragment: Some(""),
        ..Parts::default()
    };
    let urn = Parts { scheme: Some("urn"), path: "a:b//c", ..Parts::default() };
    let table: &[(&str, Parts)] = &[
        ("foo://u:p@example.com:8042/over/there?name=ferret#nose", all),
        ("//@:?#", empty),
        ("urn:a:b//c", urn),
        ("", Parts::default()),
    ];
    for (text, parts) in table {
        assert_eq!(oracle().answer(text.as_bytes()), Ok(*parts), "{text:?}");
    }
}

#[test]
fn dns_names() {
    let longest = format!("{0}.{0}.{0}.{0}", "a".repeat(63));
    let table: &[(&str, bool)] = &[
        ("a", true),
        ("a.", true),
        ("1a.b2", true),
        ("xn--x", true),
        (&longest, true),
        (&format!("{longest}."), false),
        (&"a".repeat(64), false),
        ("", false),
        (".", false),
        ("a..", false),
        ("a..b", false),
        ("-a", false),
        ("a-.b", false),
        ("a_b", false),
        ("a%41", false),
        ("1.2.3", false),
        ("a.1", false),
        ("a.1.", false),
    ];
    for (host, expected) in table {
        assert_eq!(is_dns_name(host), *expected, "{host:?}");
    }
}
