//! RFC 3986 with the reported errata: their changes, and that nothing else changes.

use urimill::normalize::{RepairOptions, repair_with};
use urimill::resolve::{Mode, resolve};
use urimill::{Code, Spec, UriRef, normalize};

use crate::letter::check_way_back;
use crate::resolve::target;
use crate::shared;

fn parse(text: &str) -> UriRef<'_> {
    UriRef::parse_as(text, Spec::Rfc3986Errata).unwrap_or_else(|reject| panic!("{text:?}: {reject}"))
}

/// Erratum 4942: `reg-name = *( unreserved / pct-encoded / "-" / "." )`
#[test]
fn registered_names() {
    for byte in b"!$&'()*+,;=" {
        let text = format!("http://a{}b/", char::from(*byte));
        let reject = UriRef::parse_as(&text, Spec::Rfc3986Errata).expect_err(&text);
        assert_eq!(reject.code, Code::HostInvalidChar, "{text:?}");
        assert!(UriRef::parse(&text).is_ok(), "{text:?}: the published text takes it");
    }
    for text in ["http://a-b.c_~%21/", "http://u!$&'()*+,;=:@h/!$&'()*+,;=", "//", "http://[v1.!]/"] {
        assert_eq!(parse(text).as_str(), text, "nothing else changes");
    }
}

/// Repair encodes characters that the errata remove from registered names.
#[test]
fn repaired_names() {
    let options = RepairOptions::new().spec(Spec::Rfc3986Errata);
    assert_eq!(&*repair_with(b"http://a!b/c!d", options), b"http://a%21b/c!d");
    assert_eq!(&*repair_with(b"http://a!b/c!d", RepairOptions::default()), b"http://a!b/c!d");
}

/// (base, reference, target, erratum)
#[test]
fn resolution() {
    const BASE: &str = "http://a/b/c/d;p?q";
    let table: &[(&str, &str, &str, &str)] = &[
        (BASE, "../../../g", "http://a/../g", "4547"),
        (BASE, "../../../../g", "http://a/../../g", "4547"),
        (BASE, "../../..", "http://a/..", "4547"),
        (BASE, "/../g", "http://a/g", "4547: of relative paths alone"),
        (BASE, "//g/../h", "http://g/h", "4547: of relative paths alone"),
        (BASE, "http://g/../h", "http://g/h", "4547: of relative paths alone"),
        ("http://a/b/..", "g", "http://a/g", "2933: the base is the folder above b"),
        ("http://a/b/c/..", "g", "http://a/b/g", "2933"),
        ("http://a/b/.", "g", "http://a/b/g", "2933: of two dots alone"),
        ("http://a/b..", "g", "http://a/g", "2933: a whole segment"),
        ("http://a", "g", "http://a/g", "5.2.3"),
        ("foo:a/b", "../c", "foo:/c", "5.2.4, C: the slash behind a segment that goes stays"),
        ("foo:a/b", "..", "foo:/", "5.2.4, C"),
        ("foo:a/b", "../../c", "foo:/../c", "4547: one too many"),
        ("foo:a/b", "../..", "foo:/..", "4547"),
        ("foo:a", "../c", "foo:../c", "4547: one too many, without a root"),
        ("foo:a", "./.././c", "foo:../c", "5.2.4, A; 4547"),
        ("foo:a", "..", "foo:..", "4547"),
        ("foo:a", ".", "foo:", "5.2.4, D"),
        ("foo:a/b", "c/../../..//d", "foo:/..//d", "4547"),
        ("foo:a/b", "..//c", "foo:/.//c", "3.3: guarded"),
        ("foo:..", "g", "foo:g", "2933: only behind a slash is it a folder"),
    ];
    for (base, reference, expected, erratum) in table {
        let got = target(&parse(base), &parse(reference), Mode::Strict);
        assert_eq!(got.as_deref(), Ok(*expected), "{base} and {reference} ({erratum})");
    }
    let by_the_text = |text: &'static str| UriRef::parse(text).expect("valid");
    let published = resolve(&by_the_text("http://a/b/.."), &by_the_text("g"), Mode::Strict);
    assert_eq!(published.as_deref(), Ok("http://a/b/g"), "the published text has another target");
}

/// Two of the five errata change nothing: the grammar of 2033 has the same language, and 2624 escapes Appendix B's
/// expression, which is not a part of the grammar.
#[test]
fn errata_that_change_nothing() {
    for text in ["", "?", "#", "//h", "//h?q", "x:", "x:?q", "x:#f", "x://h#f"] {
        let (uri, published) = (parse(text), UriRef::parse(text).expect("valid"));
        assert_eq!((uri.path(), uri.split()), ("", published.split()), "{text:?} (2033)");
    }
    for text in ["http://h/p?q#f", "//h/p", "/p", "x:p", "//", "x://@:/?#", "///", "x:/.//p"] {
        assert_eq!(parse(text).split(), UriRef::parse(text).expect("valid").split(), "{text:?} (2624)");
    }
}

/// On real pairs: the same target as by the published text, unless it still has a `..`.
#[test]
fn targets_of_real_pages() {
    let Some(pages) = shared::pages() else { return };
    let mut resolved = 0;
    for (base, reference) in &pages {
        let by = |spec| Some((UriRef::parse_as(base, spec).ok()?, UriRef::parse_as(reference, spec).ok()?));
        let (Some(published), Some(errata)) = (by(Spec::Rfc3986), by(Spec::Rfc3986Errata)) else { continue };
        if published.0.is_relative_reference() {
            continue;
        }
        let got = target(&errata.0, &errata.1, Mode::Strict).expect("real bases are absolute");
        let normal = normalize(&parse(&got), urimill::Level::Syntax).into_owned();
        let expected = target(&published.0, &published.1, Mode::Strict).expect("real bases are absolute");
        let expected = normalize(&parse(&expected), urimill::Level::Syntax).into_owned();
        if !published.0.path().ends_with("/..") {
            assert_eq!(normal, expected, "{} and {}", published.0, published.1);
        }
        assert_eq!(check_way_back(&errata.0, &errata.1, &got), Ok(()));
        resolved += 1;
    }
    assert!(resolved > 50_000, "only {resolved} of {} pairs", pages.len());
}
