//! `Uri` and `UriRef` are compared, ordered, hashed, shown and converted by their texts.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use urimill_uri::compare::{CompareOptions, compare_targets, compare_with};
use urimill_uri::resolve::{
    Mode, Remarks, ResolveError, is_current_document, is_same_document, normal_form, relativize, remarks,
    resolve,
};
use urimill_uri::{Code, Level, Reject, Rung, Spec, Start, Uri, UriRef, compare, normalize};

/// Texts in the order of their bytes.
const SORTED: [&str; 6] = ["", "#a", "HTTP://h/", "http://H/", "http://h/", "http://h/%41"];

#[test]
fn equality_order_and_hash_are_those_of_the_text() {
    for (i, a) in SORTED.iter().enumerate() {
        for (j, b) in SORTED.iter().enumerate() {
            let (a, b) = (UriRef::parse(a).unwrap(), UriRef::parse(b).unwrap());
            assert_eq!(
                (a == b, a.cmp(&b), a.partial_cmp(&b)),
                (i == j, i.cmp(&j), Some(i.cmp(&j))),
                "{a} {b}"
            );
            let (a, b) = (a.to_uri(), b.to_uri());
            assert_eq!(
                (a == b, a.cmp(&b), a.partial_cmp(&b)),
                (i == j, i.cmp(&j), Some(i.cmp(&j))),
                "{a} {b}"
            );
            assert_eq!(a == b.as_uri_ref(), i == j, "{a} {b}");
            assert_eq!((a.as_uri_ref() == b, a.as_uri_ref() == *b.as_str()), (i == j, i == j), "{a} {b}");
        }
    }
    let shuffled: BTreeSet<Uri> = SORTED.iter().rev().map(|text| text.parse().unwrap()).collect();
    assert!(shuffled.iter().map(Uri::as_str).eq(SORTED));

    // A map is asked by text: what `Borrow<str>` promises.
    let numbers: HashMap<Uri, usize> = shuffled.into_iter().zip(0..).collect();
    for (number, text) in SORTED.iter().enumerate() {
        assert_eq!(numbers.get(*text), Some(&number), "{text}");
    }
    let by_reference: HashMap<UriRef<'_>, usize> =
        SORTED.iter().map(|text| UriRef::parse(text).unwrap()).zip(0..).collect();
    assert_eq!(by_reference.get(&UriRef::parse("http://h/").unwrap()), Some(&4));
    assert_eq!(by_reference.get("http://h/"), Some(&4));
}

#[test]
fn the_same_text_by_two_specifications_is_equal() {
    let text = "a:b?c";
    let uris = [Spec::Rfc3986, Spec::Rfc2396].map(|spec| Uri::parse_as(text, spec).unwrap());
    assert_eq!(uris[0], uris[1]);
    assert_eq!(uris.map(|uri| uri.spec()), [Spec::Rfc3986, Spec::Rfc2396]);
}

#[test]
fn conversions_keep_the_text_and_name_the_fault() {
    let text = "http://u@h:1/p?q#f";
    let from: [Result<Uri, Reject>; 6] = [
        text.parse(),
        text.try_into(),
        text.as_bytes().try_into(),
        text.to_owned().try_into(),
        UriRef::try_from(text).map(Uri::from),
        UriRef::try_from(text.as_bytes()).map(|uri| uri.to_uri()),
    ];
    for uri in from {
        let uri = uri.unwrap();
        assert_eq!((uri.as_str(), uri.as_ref(), &*uri.to_string()), (text, text, text));
        assert_eq!(uri, text);
        assert_eq!(uri, *text);
        assert_eq!(UriRef::from(&uri).as_ref(), text);
        assert_eq!(String::from(uri.clone()), text);
        assert_eq!(uri.into_string(), text);
    }

    let bad = "http://h/a b";
    let faults: [Reject; 5] = [
        bad.parse::<Uri>().unwrap_err(),
        Uri::try_from(bad).unwrap_err(),
        Uri::try_from(bad.to_owned()).unwrap_err(),
        Uri::try_from(bad.as_bytes()).unwrap_err(),
        UriRef::try_from(bad).unwrap_err(),
    ];
    for reject in faults {
        assert_eq!((reject.code, reject.offset), (Code::PathInvalidChar, 10));
    }
    assert_eq!(Uri::try_from(&b"\xFF"[..]).unwrap_err().code, Code::NotUtf8);
}

/// Everything that a `UriRef` answers, the `Uri` of the same text answers too.
#[test]
fn getters_of_the_owned_form_are_those_of_the_borrowed_one() {
    for text in
        ["", "http://u:p@[::1]:080/a/b;c?x=1&y#f", "//192.0.2.1", "mailto:a@b", "../a?#", "HTTPS://h:/"]
    {
        for spec in Spec::ALL {
            let (Ok(owned), Ok(borrowed)) = (Uri::parse_as(text, spec), UriRef::parse_as(text, spec)) else {
                continue;
            };
            macro_rules! same {
                ($($getter:ident)*) => {$(
                    assert_eq!(owned.$getter(), borrowed.$getter(), "{} of {text}", stringify!($getter));
                )*};
            }
            same!(spec scheme authority userinfo host host_kind typed_host host_address port port_number);
            same!(port_or_default opaque_part path query fragment is_uri is_relative_reference is_absolute_uri);
            assert_eq!(owned.require(Start::Uri), borrowed.require(Start::Uri), "{text}");
            assert!(
                owned.segments().eq(borrowed.segments()) && owned.query_pairs().eq(borrowed.query_pairs())
            );
        }
    }
}

#[test]
fn texts_of_every_type_are_equal_to_it() {
    let (owned, borrowed) = (Uri::parse("a:b").unwrap(), UriRef::parse("a:b").unwrap());
    let (string, cow) = ("a:b".to_owned(), Cow::Borrowed("a:b"));
    // Each of them on both sides; `assert_eq` compares the left with the right.
    macro_rules! equal {
        ($($other:expr),*) => {$(
            assert_eq!(owned, $other);
            assert_eq!($other, owned);
            assert_eq!(borrowed, $other);
            assert_eq!($other, borrowed);
        )*};
    }
    equal!(string, cow, "a:b", *"a:b");
    assert_ne!(owned, *"a:c");
    assert_ne!("a:c", borrowed);
}

#[test]
fn debug_names_the_type_and_masks_passwords() {
    // RFC 3986, 7.5: applications should not render passwords.
    for (text, shown) in [
        ("", ""),
        ("http://example.com/a?q#f", "http://example.com/a?q#f"),
        ("http://joe@h/", "http://joe@h/"),
        ("http://joe:secret@h/", "http://joe:***@h/"),
        ("//:secret@h", "//:***@h"),
        ("http://h/?from=ftp://joe:secret@h", "http://h/?from=ftp://joe:***@h"),
    ] {
        let uri = UriRef::parse(text).unwrap();
        assert_eq!(format!("{uri:?}"), format!("UriRef({shown:?})"));
        assert_eq!(format!("{:?}", uri.to_uri()), format!("Uri({shown:?})"));
    }
}

/// Functions on references take owned and borrowed ones, and references to them, in any combination.
#[test]
fn functions_take_owned_and_borrowed_references_alike() {
    let (base, reference) = ("HTTP://h/a/b?q", "../%7ec#f");
    let (owned_base, owned) = (Uri::parse(base).unwrap(), Uri::parse(reference).unwrap());
    let (borrowed_base, borrowed) = (UriRef::parse(base).unwrap(), UriRef::parse(reference).unwrap());
    macro_rules! alike {
        ($($call:ident($($more:expr),*) = $expected:expr;)*) => {$(
            assert_eq!($call(&owned_base, &owned $(, $more)*), $expected);
            assert_eq!($call(&owned_base, &borrowed $(, $more)*), $expected);
            assert_eq!($call(&borrowed_base, &owned $(, $more)*), $expected);
            assert_eq!($call(&borrowed_base, &borrowed $(, $more)*), $expected);
            assert_eq!($call(&&borrowed_base, &&&owned $(, $more)*), $expected);
        )*};
    }
    alike! {
        resolve(Mode::Strict) = Ok("HTTP://h/%7ec#f".into());
        normal_form(Mode::Strict, Level::Scheme) = Ok("http://h/~c#f".into());
        compare() = Rung::Different;
        compare_with(CompareOptions::new()) = Ok(Rung::Different);
        relativize() = Err(ResolveError::TargetNotAbsolute);
        remarks(Mode::Strict) = Ok(Remarks::default());
        is_same_document(Level::None) = false;
    }
    assert_eq!(compare_targets(&owned_base, &borrowed, &owned, Mode::Strict), Ok(Rung::Identical));
    assert!(!is_current_document(&owned) && !is_current_document(&borrowed));
    assert_eq!([&borrowed].iter().map(|uri| normalize(uri, Level::Percent)).next().unwrap(), "../~c#f");

    // What is returned borrows from the text of a `UriRef`, and from a `Uri` itself.
    let normal = normalize(&UriRef::parse(base).unwrap(), Level::None);
    assert_eq!((normal, normalize(&owned_base, Level::None)), (base.into(), base.into()));
    // A text that was parsed can be parsed by another specification.
    assert_eq!(Uri::parse_as(&owned_base, Spec::Rfc2396).unwrap().spec(), Spec::Rfc2396);
    assert_eq!(UriRef::parse(&borrowed).unwrap(), borrowed);
}

/// The verdict of the kernel is kept, so that what is in normal form stays so without a look.
#[test]
fn an_owned_uri_is_normalized_and_resolved_as_a_borrowed_one() {
    for text in ["http://example.com/", "HTTP://Example.com:80/%7ea/./b", "foo:a/../b", "//h/../c"] {
        let (owned, borrowed) = (Uri::parse(text).unwrap(), UriRef::parse(text).unwrap());
        for level in Level::ALL {
            assert_eq!(normalize(&owned, level), normalize(&borrowed, level), "{text}");
            let normal = owned.normalized(level);
            assert_eq!(
                (normal.as_str(), normal.spec()),
                (&*normalize(&borrowed, level), Spec::Rfc3986),
                "{text}"
            );
            assert_eq!(borrowed.normalized(level), normal, "{text}");
        }
    }
    let base: Uri = "http://example.com/a/b?q".parse().unwrap();
    let target = resolve(&base, &UriRef::parse("../c").unwrap(), Mode::Strict);
    assert_eq!(target.unwrap(), "http://example.com/c");
}
