//! URIs that attack parsers, as they were published (`table`): the host that urimill finds, and the flags that it
//! raises. Every function of urimill gives the same results: single calls here, tables and commands in `bulk`. All
//! these attacks need two parsers that disagree on the host.

mod bulk;

use urimill::audit::Flags;
use urimill::explain::{self, explain};
use urimill::normalize::repair;
use urimill::{Level, UriRef, normalize};

use urimill_testkit::hostile::TABLE;

/// The result for a text: host, port and flags of a reference, or the code and offset of a reject.
fn said(host: Option<&str>, port: Option<i32>, flags: i32) -> String {
    let host = host_of(host);
    let port = port.map_or(String::new(), |port| format!(" port {port}"));
    let flags: Vec<_> = Flags(flags).names().collect();
    let colon = if flags.is_empty() { "" } else { ": " };
    format!("{host}{port}{colon}{}", flags.join(" "))
}

fn host_of(host: Option<&str>) -> String {
    match host {
        None => "no host".to_owned(),
        Some("") => "empty host".to_owned(),
        Some(host) => format!("host {host}"),
    }
}

/// Single calls.
#[test]
fn one_by_one_they_are_the_same() {
    for (text, _, expected, _) in TABLE {
        let told = explain(*text, &explain::Options::default());
        let uri = match UriRef::parse(*text) {
            Ok(uri) => uri,
            Err(reject) => {
                assert_eq!(format!("{} {}", reject.code.as_str(), reject.offset), *expected);
                assert_eq!(told.fault.map(|fault| fault.reject), Some(reject));
                continue;
            }
        };
        assert_eq!(uri.check(), Ok(()));
        let reference = told.reference.expect("a valid text is a reference");
        let normal = normalize(&uri, Level::Scheme);
        assert_eq!(reference.normal, normal);
        let parsed = UriRef::parse(normal.as_ref()).expect("a normal form is valid");
        let port = parsed.port().and_then(|port| port.parse::<u16>().ok()).map(i32::from);
        assert_eq!(said(parsed.host(), port, reference.flags.0), *expected, "{uri}");
        assert_eq!(reference.host, uri.host_kind(), "{uri}");
        // No level moves a byte across an edge of the authority.
        for level in Level::ALL {
            let form = normalize(&uri, level);
            let form = UriRef::parse(form.as_ref()).expect("a normal form is valid");
            assert_eq!(form.host().is_some(), uri.host().is_some(), "{uri} at {level}");
            assert_eq!(form.userinfo().is_some(), uri.userinfo().is_some(), "{uri} at {level}");
        }
    }
}

/// The repaired text has the host in the table, and none of the bytes that are not allowed.
#[test]
fn what_is_mended_is_valid() {
    for (text, _, _, mended) in TABLE {
        let text = repair(text);
        let parsed = UriRef::parse(&text);
        if !mended.is_empty() {
            let uri = parsed.expect("a mended text is valid");
            let normal = normalize(&uri, Level::Scheme);
            let host =
                UriRef::parse(normal.as_ref()).expect("a normal form is valid").host().map(str::to_owned);
            assert!(mended.starts_with(&host_of(host.as_deref())), "{uri}: {mended}");
        }
    }
}
