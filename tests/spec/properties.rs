//! Properties of the normal form of every reference: idempotence, validity, and which components a level may change.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use urimill::{Level, UriRef, normalize};

use crate::letter::remove_dot_segments;
use crate::mutations::{Random, mutate, seeds};
use crate::oracle::{Parts, oracle};
use crate::shared;

const MUTATIONS: usize = 500_000;

/// `text` with its triplets of unreserved characters decoded if `decode`, and the digits of the others in upper case
/// (6.2.2.1, 6.2.2.2): byte by byte, as a definition of equality.
fn triplets(text: &str, decode: bool) -> String {
    triplets_but(text, decode.then_some(b"-._~"))
}

/// The same with these marks unreserved besides letters and digits; without marks nothing is decoded.
pub(crate) fn triplets_but(text: &str, unreserved: Option<&[u8]>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('%') {
        let (digits, tail) = behind.split_at(2);
        let value = u8::from_str_radix(digits, 16).expect("a triplet of a valid reference");
        out.push_str(before);
        if unreserved.is_some_and(|signs| value.is_ascii_alphanumeric() || signs.contains(&value)) {
            out.push(char::from(value));
        } else {
            out.push('%');
            out.push_str(&digits.to_ascii_uppercase());
        }
        rest = tail;
    }
    out + rest
}

/// The same for a host, whose letters outside triplets become lower case.
fn host_triplets(host: &str, decode: bool) -> String {
    triplets(&triplets(host, decode).to_ascii_lowercase(), false)
}

/// The path at level syntax: one after a scheme or with a root has its dot segments removed, and 3.3 forbids "//" at
/// its beginning without an authority.
fn expected_path(parts: &Parts, has_authority: bool) -> String {
    let path = triplets(parts.path, true);
    if parts.scheme.is_none() && !path.starts_with('/') {
        return path;
    }
    let path = remove_dot_segments(&path);
    if !has_authority && path.starts_with("//") { format!("/.{path}") } else { path }
}

/// The fault of the normal form `normal` of `parts` at `level`; `None` if it has none.
fn wrong(parts: &Parts, normal: &Parts, level: Level) -> Option<&'static str> {
    if level == Level::None {
        return (parts != normal).then_some("level none changes nothing (6.2.1)");
    }
    let decode = level >= Level::Percent;
    let same =
        |before: Option<&str>, after: Option<&str>| before.map(|b| triplets(b, decode)).as_deref() == after;
    if parts.scheme.map(str::to_ascii_lowercase).as_deref() != normal.scheme {
        return Some("the scheme goes to lower case, and no more (6.2.2.1)");
    }
    if !same(parts.userinfo, normal.userinfo) {
        return Some("the userinfo changes by its triplets alone (6.2.2.1, 6.2.2.2)");
    }
    if !same(parts.query, normal.query) || !same(parts.fragment, normal.fragment) {
        return Some("query and fragment change by their triplets alone (6.2.2.1, 6.2.2.2)");
    }
    if level == Level::Scheme {
        return wrong_at_scheme(parts, normal);
    }
    if parts.host.map(|host| host_triplets(host, decode)).as_deref() != normal.host {
        return Some("the host changes by case and triplets alone (6.2.2.1, 6.2.2.2)");
    }
    if parts.port != normal.port {
        return Some("the port stays below level scheme (6.2.3)");
    }
    let path = match level {
        Level::Syntax => expected_path(parts, parts.authority.is_some()),
        _ => triplets(parts.path, decode),
    };
    (path != normal.path)
        .then_some("the path changes by triplets, and by dot segments at level syntax (6.2.2.3)")
}

/// Ports that the schemes' own specifications name; nothing is claimed about other schemes.
const DEFAULT_PORTS: &[(&str, &str)] =
    &[("http", "80"), ("https", "443"), ("ftp", "21"), ("ws", "80"), ("wss", "443")];

fn wrong_at_scheme(parts: &Parts, normal: &Parts) -> Option<&'static str> {
    let scheme = normal.scheme.unwrap_or_default();
    let port = parts.port.filter(|port| !port.is_empty());
    let default = DEFAULT_PORTS.iter().find(|(name, _)| *name == scheme).map(|(_, port)| *port);
    let known = default.is_some() || scheme.is_empty();
    if normal.port.is_some() && normal.port != port {
        return Some("a port is dropped or kept as it is (6.2.3)");
    }
    if normal.port.is_some() && normal.port == default {
        return Some("the default port is dropped (6.2.3)");
    }
    let by_number = |port: &str| default.is_some_and(|default| port.trim_start_matches('0') == default);
    if known && normal.port.is_none() && !port.is_none_or(by_number) {
        return Some("no port but the default is dropped (6.2.3)");
    }
    let is_local = ["file", "redis", "rediss"].contains(&scheme);
    let gets_authority =
        is_local && parts.authority.is_none() && expected_path(parts, false).starts_with('/');
    if (parts.authority.is_some() || gets_authority) != normal.authority.is_some() {
        return Some("an authority stays an authority, and no authority is the default one (3.2.2, 6.2.3)");
    }
    if !host_fits(parts, normal) {
        return Some(
            "the host is as at level syntax, an IPv6 address in the form of RFC 5952, or the default host",
        );
    }
    let path = expected_path(parts, normal.authority.is_some());
    let fits = match scheme {
        // For some schemes an empty path is another resource than the root: AMQP's default virtual host.
        _ if path.is_empty() && parts.authority.is_some() => {
            let known = urimill::grammar::scheme::find(scheme.as_bytes());
            let is_root = !scheme.is_empty() && known.is_none_or(|known| known.empty_path_is_root);
            normal.path == if is_root { "/" } else { "" }
        }
        // Bytes before the first "@" are not the host, even if they look like a list of addresses.
        "mailto" => {
            normal.path.eq_ignore_ascii_case(&path) && normal.path.split('@').next() == path.split('@').next()
        }
        _ => normal.path == path,
    };
    (!fits).then_some("the path is as at level syntax, or \"/\" for an empty one with an authority (6.2.3)")
}

fn host_fits(parts: &Parts, normal: &Parts) -> bool {
    let Some(after) = normal.host else { return parts.host.is_none() };
    // Whether an authority may be added is checked before.
    let before = parts.host.unwrap_or_default();
    let before = host_triplets(before, true);
    let address = |host: &str| host.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok();
    match (address(&before), address(after)) {
        // The standard library writes RFC 5952's form; its section 5 allows more prefixes to show an embedded IPv4
        // address.
        (Some(before), Some(same)) => {
            before == same && (after.contains('.') || after == format!("[{before}]"))
        }
        _ if matches!(normal.scheme, Some("file" | "redis" | "rediss"))
            && ["", "localhost"].contains(&before.as_str()) =>
        {
            let is_alone = normal.userinfo.is_none_or(str::is_empty) && normal.port.is_none();
            after == if is_alone { "" } else { "localhost" }
        }
        _ => after == before,
    }
}

/// Checks every level of one reference; returns the first fault.
fn check(text: &str, uri: &UriRef) -> Result<(), String> {
    for level in [Level::None, Level::Case, Level::Percent, Level::Syntax, Level::Scheme] {
        let normal = normalize(uri, level);
        let complain = |what: &str| Err(format!("{text:?} at {level:?}, normal form {normal:?}: {what}"));
        if matches!(normal, Cow::Borrowed(_)) != (normal == text) {
            return complain("borrowed is for what is in normal form already, and for nothing else");
        }
        let Ok(parts) = oracle().answer(normal.as_bytes()) else {
            return complain("the normal form is no URI reference (Appendix A)");
        };
        let Ok(again) = UriRef::parse(normal.as_ref()) else {
            return complain("the normal form does not parse");
        };
        if normalize(&again, level) != normal {
            return complain(&format!("a second time gives {:?} (6.2)", normalize(&again, level)));
        }
        if let Some(what) = wrong(&Parts::of(uri), &parts, level) {
            return complain(what);
        }
    }
    Ok(())
}

fn check_all<'a>(inputs: impl Iterator<Item = Cow<'a, [u8]>>) -> usize {
    let (mut valid, mut shortest) = (0, None::<(usize, String)>);
    for input in inputs {
        let Ok(uri) = UriRef::parse(&*input) else { continue };
        valid += 1;
        if let Err(problem) = check(uri.as_str(), &uri)
            && shortest.as_ref().is_none_or(|(length, _)| input.len() < *length)
        {
            shortest = Some((input.len(), problem));
        }
    }
    assert!(
        shortest.is_none(),
        "the shortest that fails: {}",
        shortest.map(|(_, problem)| problem).unwrap_or_default()
    );
    valid
}

#[test]
fn normal_forms_of_real_uris() {
    let Some(corpora) = shared::corpora() else { return };
    let valid = check_all(corpora.iter().map(|uri| Cow::Borrowed(uri.as_slice())));
    assert!(valid > 250_000, "only {valid} of {} parse", corpora.len());
}

#[test]
fn normal_forms_of_mutations() {
    let (seeds, mut random) = (seeds(), Random(0x1ADDE4));
    let inputs = (0..MUTATIONS).map(|_| {
        let mut text = Vec::new();
        mutate(&seeds, &mut random, &mut text);
        Cow::Owned(text)
    });
    let valid = check_all(inputs);
    assert!(valid > MUTATIONS / 10, "only {valid} of {MUTATIONS} parse");
}

/// The short strings that matter for normalization: dots, slashes, a colon, triplets of dot and letter, in every order.
#[test]
fn normal_forms_of_every_short_path() {
    const PIECES: &[&str] = &["/", ".", "..", "a", "B", ":", "%2e", "%41", "%2f", "?", "//"];
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..5 {
        let to = texts.len();
        for at in from..to {
            for piece in PIECES {
                texts.push(format!("{}{piece}", texts[at]));
            }
        }
        from = to;
    }
    let mut valid = 0;
    for before in ["", "x:", "//H", "http://h:80", "file://localhost", "file:", "redis://:8", "mailto:A@"] {
        let inputs = texts.iter().map(|text| Cow::Owned(format!("{before}{text}").into_bytes()));
        valid += check_all(inputs);
    }
    assert!(valid > 100_000, "only {valid} of {} parse", texts.len());
}

#[test]
fn section_5_2_4_by_the_letter() {
    let table: &[(&str, &str)] = &[
        ("/a/b/c/./../../g", "/a/g"),
        ("mid/content=5/../6", "mid/6"),
        ("/..", "/"),
        ("/.", "/"),
        ("..", ""),
        ("./a", "a"),
        ("../a", "a"),
        ("//..", "/"),
        ("/a/../../b", "/b"),
        ("/...", "/..."),
        ("/./", "/"),
        ("a/..", "/"),
    ];
    for (path, expected) in table {
        assert_eq!(remove_dot_segments(path), *expected, "{path:?} (5.2.4)");
    }
}
