//! The parameters of a query, and those that a form drops.

use urimill::UriRef;
use urimill::canonical::{
    Canonical, DropParams, MANY, TRACKING_NAMES, TRACKING_PREFIXES, TRACKING_VERSION, is_tracking,
    query_params,
};

/// The rules of HTML forms: a query, and for each parameter the name, the value, and both as written.
#[test]
fn parameters() {
    type Pair<'a> = (&'a str, Option<&'a str>);
    let cases: &[(&str, &[(Pair<'_>, Pair<'_>)])] = &[
        ("", &[]),
        ("&&", &[]),
        ("a", &[(("a", None), ("a", None))]),
        ("a=", &[(("a", Some("")), ("a", Some("")))]),
        ("=", &[(("", Some("")), ("", Some("")))]),
        ("=a", &[(("", Some("a")), ("", Some("a")))]),
        ("a=b=c", &[(("a", Some("b=c")), ("a", Some("b=c")))]),
        (
            "b=2&a=1&&b=2",
            &[
                (("b", Some("2")), ("b", Some("2"))),
                (("a", Some("1")), ("a", Some("1"))),
                (("b", Some("2")), ("b", Some("2"))),
            ],
        ),
        ("a+b=c%20d", &[(("a b", Some("c d")), ("a+b", Some("c%20d")))]),
        ("%61%3D=%26%2B%2b", &[(("a=", Some("&++")), ("%61%3D", Some("%26%2B%2b")))]),
        ("a;b=c", &[(("a;b", Some("c")), ("a;b", Some("c")))]),
        // UTF-8, and invalid UTF-8: a lone byte of Latin-1, a character cut off, a surrogate, both around a character.
        ("a=%C3%BC", &[(("a", Some("ü")), ("a", Some("%C3%BC")))]),
        ("a=%e9", &[(("a", Some("%E9")), ("a", Some("%e9")))]),
        ("a=x%e2%82", &[(("a", Some("x%E2%82")), ("a", Some("x%e2%82")))]),
        ("a=%ED%A0%80", &[(("a", Some("%ED%A0%80")), ("a", Some("%ED%A0%80")))]),
        ("%FF%C3%BC%FF=+", &[(("%FFü%FF", Some(" ")), ("%FF%C3%BC%FF", Some("+")))]),
        // A malformed triplet stays as it is. A URI has none, but a query may come from elsewhere.
        (
            "a=100%&b=%4",
            &[(("a", Some("100%")), ("a", Some("100%"))), (("b", Some("%4")), ("b", Some("%4")))],
        ),
    ];
    for (query, expected) in cases {
        let mut params = query_params(query);
        for ((name, value), raw) in *expected {
            let param = params.next().unwrap_or_else(|| panic!("{query}: too few"));
            assert_eq!((&*param.name(), param.value().as_deref()), (*name, *value), "{query}");
            assert_eq!((param.raw_name(), param.raw_value()), *raw, "{query}");
            let (mut written_name, mut written_value) = (b"-".to_vec(), b"-".to_vec());
            param.write_name(&mut written_name);
            assert_eq!(written_name, format!("-{name}").into_bytes(), "{query}");
            assert_eq!(param.write_value(&mut written_value), value.is_some(), "{query}");
            assert_eq!(written_value, format!("-{}", value.unwrap_or_default()).into_bytes(), "{query}");
        }
        assert_eq!(params.next(), None, "{query}");
    }
}

fn without(form: Canonical, input: &str, drops: &DropParams) -> String {
    let uri = UriRef::parse(input).unwrap_or_else(|reject| panic!("{input}: {reject:?}"));
    form.form_without(&uri, drops).unwrap_or_else(|| panic!("{input} has a form"))
}

#[test]
fn patterns() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&[], "b&a", "?a&b"),
        (&["a"], "a=1&b=2&a=3&ab=4", "?ab=4&b=2"),
        (&["a"], "A=1&%61=2&%2561=3&b", "?b"),
        (&["a*"], "a=1&ab=2&ba=3", "?ba=3"),
        (&["*id"], "id=1&sid=2&Uid&idx=3", "?idx=3"),
        (&["a?"], "a=1&ab=2&abc=3", "?a=1&abc=3"),
        (&["[ab]"], "a&b&c", "?c"),
        (&["[!ab]"], "a&b&c", "?a&b"),
        (&["a", "b"], "a&b", ""),
        (&["*"], "a=1&b=2", ""),
        (&["*"], "", ""),
        (&["a b"], "a+b=1&a%20b=2&c", "?c"),
    ];
    for (patterns, query, expected) in cases {
        let drops = DropParams::none().and_patterns(*patterns).expect("these are patterns");
        let got = without(Canonical::Wayback, &format!("http://h/p?{query}"), &drops);
        assert_eq!(got, format!("http://h/p{expected}"), "{patterns:?}, {query}");
    }
    let error = DropParams::none().and_patterns(["a", "b[c"]).expect_err("a class that is not closed");
    assert!(error.to_string().starts_with("\"b[c\" is not a pattern for names of parameters: "), "{error}");
}

/// Each form with its own way of writing a query, and every place that may be empty.
#[test]
fn every_form_drops() {
    let drops = DropParams::none().and_patterns(["session"]).expect("a name is a pattern").and_tracking();
    let query = "utm_source=x&b=+%2F&session&FBCLID=1&a=&gclid";
    for (form, expected) in [
        (Canonical::Wayback, "http://h/?a=&b=+/"),
        (Canonical::CrawlerCommons, "http://h/?a&b=+%2F"),
        (Canonical::W3lib, "http://h/?a=&b=+%2F"),
    ] {
        assert_eq!(without(form, &format!("http://h/?{query}"), &drops), expected);
        assert_eq!(without(form, "http://h/?utm_source=x&gclid=1#f", &drops), "http://h/", "{form}");
        assert_eq!(without(form, "http://h", &drops), "http://h/", "{form}");
    }
}

/// More pieces than are sorted on the stack, in an order that sorting must change, with equal names.
#[test]
fn many_pieces() {
    for count in [2, 3, MANY - 1, MANY, MANY + 1, 1_000] {
        let name = |i: usize| format!("{:04}={i}", i / 2);
        let query: Vec<String> = (0..count).rev().map(name).collect();
        let uri = format!("http://h/?{}", query.join("&"));
        let mut by_value: Vec<(String, String)> =
            (0..count).map(|i| (name(i)[..4].into(), i.to_string())).collect();
        by_value.sort();
        // Equal names keep their order, which is reversed here.
        let mut by_name: Vec<(String, String)> =
            (0..count).rev().map(|i| (name(i)[..4].into(), i.to_string())).collect();
        by_name.sort_by(|a, b| a.0.cmp(&b.0));
        let text = |pairs: Vec<(String, String)>| {
            let pieces: Vec<String> =
                pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("http://h/?{}", pieces.join("&"))
        };
        let none = DropParams::none();
        assert_eq!(without(Canonical::CrawlerCommons, &uri, &none), text(by_name));
        assert_eq!(without(Canonical::Wayback, &uri, &none), text(by_value.clone()));
        assert_eq!(without(Canonical::W3lib, &uri, &none), text(by_value));
    }
}

#[test]
fn tracking_names() {
    assert!(TRACKING_NAMES.is_sorted_by(|a, b| a < b), "the list is searched by halves");
    for name in TRACKING_NAMES.iter().chain(TRACKING_PREFIXES) {
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{name}");
        assert!(is_tracking(name) && is_tracking(&name.to_ascii_uppercase()), "{name}");
        assert!(!is_tracking(&name[..name.len() - 1]) && !is_tracking(&format!("x{name}")), "{name}");
    }
    for name in ["", "id", "ref", "source", "campaign", "sid", "phpsessid", "q", "gclidx", "utm-source", "ü"]
    {
        assert!(!is_tracking(name), "{name}");
    }
}

/// A change of the list needs a new version: set both here.
#[test]
fn the_list_has_its_version() {
    let names: usize = TRACKING_NAMES.iter().chain(TRACKING_PREFIXES).map(|name| name.len() + 1).sum();
    let sum = TRACKING_NAMES.iter().chain(TRACKING_PREFIXES).flat_map(|name| name.bytes().chain([0]));
    let sum = sum.fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    assert_eq!((TRACKING_VERSION, names, sum), (1, 624, 2_845_572_043));
}
