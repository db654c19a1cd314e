//! Invariants of one text, by every specification.

use std::fmt::Write;

use urimill_uri::explain::{self, Options};
use urimill_uri::normalize::{RepairOptions, repair_with};
use urimill_uri::resolve::{self, Mode};
use urimill_uri::{Level, Reject, Rung, Spec, UriRef, compare};

use super::{pair, turns};
use crate::agreement::{one_reference, two_references};
use crate::letter::{by_the_letter, check_way_back};

/// A reference equals its components put together again (5.3); a reject's offset is the length of the longest prefix
/// that can be completed.
pub(super) fn parse(text: &[u8]) {
    for spec in Spec::ALL {
        match UriRef::parse_as(text, spec) {
            Ok(uri) => accepted(text, &uri),
            Err(reject) => rejected(text, reject, spec),
        }
    }
}

fn accepted(text: &[u8], uri: &UriRef) {
    assert_eq!(uri.check(), Ok(()));
    assert_eq!(uri.as_str().as_bytes(), text);
    let mut again = String::new();
    let _ = uri.scheme().map(|scheme| write!(again, "{scheme}:"));
    let _ = uri.authority().map(|authority| write!(again, "//{authority}"));
    again.push_str(uri.path());
    let _ = uri.query().map(|query| write!(again, "?{query}"));
    let _ = uri.fragment().map(|fragment| write!(again, "#{fragment}"));
    assert_eq!(again, uri.as_str());
    let mut authority = String::new();
    let _ = uri.userinfo().map(|userinfo| write!(authority, "{userinfo}@"));
    authority.push_str(uri.host().unwrap_or_default());
    let _ = uri.port().map(|port| write!(authority, ":{port}"));
    assert_eq!(authority, uri.authority().unwrap_or_default());
    assert_eq!(uri.host().is_some(), uri.authority().is_some());
    assert!(uri.authority().is_none_or(|authority| !authority.contains(['/', '?', '#'])));
    assert!(!uri.path().contains(['?', '#']) || uri.opaque_part().is_some_and(|part| !part.contains('#')));
}

fn rejected(text: &[u8], reject: Reject, spec: Spec) {
    let shown = text.escape_ascii();
    assert!(reject.offset <= text.len(), "{reject:?} by {spec}: {shown}");
    let before = UriRef::parse_as(&text[..reject.offset], spec);
    let can_be_completed = before.map_or_else(|cut| cut.offset == reject.offset, |_| true);
    assert!(can_be_completed, "{reject:?}, and before it {before:?} by {spec}: {shown}");
    if reject.offset < text.len() {
        let with = UriRef::parse_as(&text[..=reject.offset], spec).map_err(|cut| cut.offset);
        assert_eq!(with, Err(reject.offset), "{reject:?} by {spec}: {shown}");
    }
}

/// A normal form is valid and its own normal form; normalizing at a lower level first does not change the result of a
/// higher one.
pub(super) fn normalize(text: &[u8]) {
    for spec in Spec::ALL {
        let Ok(uri) = UriRef::parse_as(text, spec) else { continue };
        let forms = Level::ALL.map(|level| urimill_uri::normalize(&uri, level));
        for (low, (level, form)) in Level::ALL.into_iter().zip(&forms).enumerate() {
            let parsed = UriRef::parse_as(form.as_ref(), spec);
            let parsed =
                parsed.unwrap_or_else(|reject| panic!("{uri} at {level} by {spec} is {form}: {reject}"));
            for (level, higher) in Level::ALL.into_iter().zip(&forms).skip(low) {
                assert_eq!(
                    urimill_uri::normalize(&parsed, level),
                    *higher,
                    "{uri} by way of {form}, {level}, {spec}"
                );
            }
            assert!(compare(&uri, &parsed) <= rung(level), "{uri} and {form}, {level}, {spec}");
        }
    }
}

/// The last rung on which a reference and its normal form may be equal for the first time.
fn rung(level: Level) -> Rung {
    match level {
        Level::None => Rung::Identical,
        Level::Case => Rung::Case,
        Level::Percent => Rung::Percent,
        Level::Syntax => Rung::Syntax,
        _ => Rung::Scheme,
    }
}

/// A target follows section 5.2 to the letter; by the other specifications it is valid and has a scheme.
pub(super) fn resolve(data: &[u8]) {
    let (base, reference) = pair(data);
    for spec in Spec::ALL {
        let (Ok(base), Ok(reference)) = (UriRef::parse_as(base, spec), UriRef::parse_as(reference, spec))
        else {
            continue;
        };
        for mode in [Mode::Strict, Mode::Compatible] {
            let target = resolve::resolve(&base, &reference, mode);
            assert_eq!(target.is_ok(), base.is_uri(), "{base} and {reference}: {target:?}");
            let Ok(target) = target else { continue };
            if spec == Spec::Rfc3986 {
                assert_eq!(
                    target,
                    by_the_letter(&base, &reference, mode),
                    "{base} and {reference}, {mode:?}"
                );
            }
            let parsed = UriRef::parse_as(target.as_ref(), spec);
            assert!(
                parsed.is_ok_and(|uri| uri.is_uri()),
                "{base} and {reference} by {spec}, {mode:?}: {target}"
            );
            if mode == Mode::Strict {
                assert_eq!(check_way_back(&base, &reference, &target), Ok(()), "{spec}");
            }
        }
    }
}

/// There is a way back to every URI that a reference can lead to: those without dot segments (5.2.2).
pub(super) fn relativize(data: &[u8]) {
    let (base, target) = pair(data);
    for spec in Spec::ALL {
        let (Ok(base), Ok(target)) = (UriRef::parse_as(base, spec), UriRef::parse_as(target, spec)) else {
            continue;
        };
        if target.is_uri()
            && let Ok(reached) = resolve::resolve(&base, &target, Mode::Strict)
        {
            assert_eq!(check_way_back(&base, &target, &reached), Ok(()), "{spec}");
        }
    }
}

/// References that are equal without a base are equal with every base, and a URI has one normal form.
pub(super) fn equal(data: &[u8]) {
    let (base, rest) = pair(data);
    let (a, b) = pair(rest);
    for spec in turns(data, Spec::ALL) {
        let (Ok(base), Ok(a)) = (UriRef::parse_as(base, spec), UriRef::parse_as(a, spec)) else { continue };
        if base.is_uri() {
            one_reference(&base, &a);
            let _ = UriRef::parse_as(b, spec).map(|b| two_references(&base, &a, &b));
        }
    }
}

/// An explanation has the results of the calls that it explains, and its steps lead from the text to the normal form.
pub(super) fn explain(data: &[u8]) {
    let (base, text) = pair(data);
    for spec in turns(data, Spec::ALL) {
        let base = resolve::parse_base(std::str::from_utf8(base).unwrap_or_default(), spec).ok();
        let text = if base.is_some() { text } else { data };
        let told = explain::explain(text, &Options::new().spec(spec).base(base));
        let parsed = UriRef::parse_as(text, spec);
        assert_eq!(told.fault.as_ref().map(|fault| fault.reject), parsed.err());
        let (Ok(uri), Some(reference)) = (parsed, &told.reference) else {
            assert!(told.reference.is_none(), "{told:?}");
            continue;
        };
        let normal = base.map_or_else(
            || urimill_uri::normalize(&uri, Level::Scheme),
            |base| {
                resolve::normal_form(&base, &uri, Mode::Strict, Level::Scheme).expect("a base has a scheme")
            },
        );
        assert_eq!(reference.normal, normal, "{uri} by {spec}");
        let target = reference.resolution.as_ref().map(|resolution| resolution.target.as_str());
        assert_eq!(target.is_some(), base.is_some());
        let mut now = target.unwrap_or(uri.as_str());
        for step in &reference.steps {
            assert_eq!(step.before, now, "{uri} by {spec}");
            now = &step.after;
        }
        assert_eq!(now, reference.normal, "{uri} by {spec}");
        assert_eq!(reference.host, uri.host_kind());
    }
}

/// Repaired text needs no second repair. The prefix of Appendix C is also removed from a valid text.
pub(super) fn repair(text: &[u8]) {
    for spec in Spec::ALL {
        let options = RepairOptions::new().spec(spec);
        let mended = repair_with(text, options);
        let has_prefix = mended.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:"));
        if !has_prefix && UriRef::parse_as(&mended, spec).is_ok() {
            let shown = (text.escape_ascii(), mended.escape_ascii());
            assert!(repair_with(&mended, options) == mended, "{} and {} by {spec}", shown.0, shown.1);
        }
    }
}
