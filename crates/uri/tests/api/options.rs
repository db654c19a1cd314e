//! Options have a method for each field, which changes that field and no other.

use urimill_uri::compare::{CompareOptions, Rung, compare_with};
use urimill_uri::{Uri, UriRef};

#[test]
fn comparison_does_what_its_options_say() {
    let new = CompareOptions::new;
    // RFC 3986, 6.1; None is an error.
    let cases: [(CompareOptions, &str, &str, Option<Rung>); 6] = [
        (new(), "http://h/#a", "http://h/#b", Some(Rung::Different)),
        (new().ignore_fragments(true), "http://h/#a", "http://h/#b", Some(Rung::Identical)),
        (new().ignore_fragments(true).ignore_fragments(false), "/#a", "/#b", Some(Rung::Different)),
        (new().absolute_only(true), "/a", "/a", None),
        (new().absolute_only(true), "http://h/#a", "http://h/#b", Some(Rung::Different)),
        (new().absolute_only(true).ignore_fragments(true), "a:b#c", "A:b", Some(Rung::Case)),
    ];
    for (options, a, b, expected) in cases {
        let (a, b) = (Uri::parse(a).unwrap(), UriRef::parse(b).unwrap());
        assert_eq!(compare_with(&a, &b, options).ok(), expected, "{options:?}: {a} and {b}");
    }
}

#[cfg(feature = "explain")]
#[test]
fn each_method_changes_its_field_alone() {
    use urimill_uri::canonical::SurtOptions;
    use urimill_uri::canonical::wayback::Rules;
    use urimill_uri::normalize::RepairOptions;
    use urimill_uri::resolve::Mode;
    use urimill_uri::{Level, Spec, explain, extract};

    let new = SurtOptions::new;
    for (options, expected) in [
        (new(), (false, false, true, Rules::new())),
        (new().trailing_comma(true), (true, false, true, Rules::new())),
        (new().with_scheme(true), (false, true, true, Rules::new())),
        (new().reverse_ip(false), (false, false, false, Rules::new())),
        (new().rules(Rules::CLEANING), (false, false, true, Rules::CLEANING)),
    ] {
        let found = (options.trailing_comma, options.with_scheme, options.reverse_ip, options.rules);
        assert_eq!(found, expected);
    }

    for (rules, expected) in [
        (Rules::new(), (true, true, true)),
        (Rules::new().archive(false), (false, true, true)),
        (Rules::new().host_massage(false), (true, false, true)),
        (Rules::new().query_lowercase(false), (true, true, false)),
    ] {
        assert_eq!((rules.archive, rules.host_massage, rules.query_lowercase), expected);
    }

    let https = || "https".parse().ok();
    for (options, expected) in [
        (RepairOptions::new(), (Spec::Rfc3986, None)),
        (RepairOptions::new().spec(Spec::Rfc2396), (Spec::Rfc2396, None)),
        (RepairOptions::new().default_scheme(https()), (Spec::Rfc3986, https())),
    ] {
        assert_eq!((options.spec, options.default_scheme), expected);
    }

    let new = extract::Options::new;
    for (options, expected) in [
        (new(), (Spec::Rfc3986, Level::None, Some("http"))),
        (new().spec(Spec::Rfc2396), (Spec::Rfc2396, Level::None, Some("http"))),
        (new().level(Level::Case), (Spec::Rfc3986, Level::Case, Some("http"))),
        (new().suffix_scheme(None), (Spec::Rfc3986, Level::None, None)),
    ] {
        assert_eq!((options.spec, options.level, options.suffix_scheme.as_deref()), expected);
    }

    let (new, base) = (explain::Options::new, UriRef::parse("http://h/").unwrap());
    let rfc3986 = (Spec::Rfc3986, Level::Scheme, None, Mode::Strict);
    for (options, expected) in [
        (new(), (rfc3986, (false, None, 1 << 20))),
        (
            new().spec(Spec::Rfc2396),
            ((Spec::Rfc2396, Level::Scheme, None, Mode::Strict), (false, None, 1 << 20)),
        ),
        (
            new().level(Level::Case),
            ((Spec::Rfc3986, Level::Case, None, Mode::Strict), (false, None, 1 << 20)),
        ),
        (
            new().base(Some(base)),
            ((Spec::Rfc3986, Level::Scheme, Some(base), Mode::Strict), (false, None, 1 << 20)),
        ),
        (
            new().mode(Mode::Compatible),
            ((Spec::Rfc3986, Level::Scheme, None, Mode::Compatible), (false, None, 1 << 20)),
        ),
        (new().repair(true), (rfc3986, (true, None, 1 << 20))),
        (new().default_scheme(https()), (rfc3986, (false, https(), 1 << 20))),
        (new().max_record(9), (rfc3986, (false, None, 9))),
    ] {
        let what = (options.spec, options.level, options.base, options.mode);
        assert_eq!((what, (options.repair, options.default_scheme, options.max_record)), expected);
    }
}
