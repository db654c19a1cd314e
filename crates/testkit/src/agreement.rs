//! Sections 2.3, 5.2, 6.1 and 6.2 together: references that are equal without a base are equal with every base, and a
//! URI has one normal form. Invariants of a base and two references, for the tests of the specification and for a fuzz
//! target.

use urimill_uri::compare::compare_targets;
use urimill_uri::resolve::{Mode, normal_form};
use urimill_uri::{Level, UriRef, compare, normalize};

const MODES: [Mode; 2] = [Mode::Strict, Mode::Compatible];

fn parse<'a>(text: &'a str, like: &UriRef<'_>) -> UriRef<'a> {
    UriRef::parse_as(text, like.spec()).unwrap_or_else(|reject| panic!("{text} by {}: {reject}", like.spec()))
}

/// The normal form of a target equals the normal form of the target of the normalized reference, at every level and in
/// both modes. It is its own normal form; in strict mode it equals the reference's own normal form if the reference is
/// a URI.
pub fn one_reference(base: &UriRef, reference: &UriRef) {
    for level in Level::ALL {
        let own = normalize(reference, level);
        let own = parse(&own, reference);
        for mode in MODES {
            let shown = || format!("{base} and {reference} at {level}, {mode:?}, {}", base.spec());
            let form = |reference: &UriRef| {
                let form = normal_form(base, reference, mode, level).expect("the base has a scheme");
                form.into_owned()
            };
            let meant = form(reference);
            assert_eq!(form(&own), meant, "by way of {own}: {}", shown());
            assert_eq!(normalize(&parse(&meant, base), level), meant, "a second time: {}", shown());
            if level >= Level::Syntax && mode == Mode::Strict && reference.is_uri() {
                assert_eq!(meant, own.as_str(), "with a base and without: {}", shown());
            }
        }
    }
}

/// References that are equal on a rung without the base are equal on it with the base.
pub fn two_references(base: &UriRef, a: &UriRef, b: &UriRef) {
    let alone = compare(a, b);
    for mode in MODES {
        let with_base = compare_targets(base, a, b, mode).expect("the base has a scheme");
        let shown = || format!("{a} and {b} against {base}, {mode:?}, {}", base.spec());
        assert!(with_base <= alone, "{alone} without, {with_base} with a base: {}", shown());
    }
}
