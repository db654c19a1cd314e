//! Properties of every base and reference: the target follows section 5.2 to the letter, it equals another
//! implementation's except for named rules, and there is a way back.

use urimill::UriRef;
use urimill::resolve::Mode;

use crate::letter::{by_the_letter, check_way_back, departs};
use crate::mutations::{Random, mutate, seeds};
use crate::resolve::target;
use crate::shared;

const PAIRS: usize = 500_000;

/// The fault of one pair, if there is one.
fn check(base: &UriRef, reference: &UriRef) -> Result<(), String> {
    for mode in [Mode::Strict, Mode::Compatible] {
        let (got, expected) = (target(base, reference, mode)?, by_the_letter(base, reference, mode));
        if got != expected {
            return Err(format!("{base} and {reference} ({mode:?}): {expected} expected, got {got}"));
        }
    }
    check_way_back(base, reference, &by_the_letter(base, reference, Mode::Strict))
}

/// The pairs that can be resolved, all checked.
fn check_all<'a>(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> usize {
    let (mut resolved, mut shortest) = (0, None::<String>);
    for (base, reference) in pairs {
        let (Ok(base), Ok(reference)) = (UriRef::parse(base), UriRef::parse(reference)) else { continue };
        if base.is_relative_reference() {
            continue;
        }
        resolved += 1;
        if let Err(problem) = check(&base, &reference)
            && shortest.as_ref().is_none_or(|known| problem.len() < known.len())
        {
            shortest = Some(problem);
        }
    }
    assert_eq!(shortest, None, "the shortest that fails");
    resolved
}

#[test]
fn targets_of_real_pages() {
    let Some(pages) = shared::pages() else { return };
    let resolved = check_all(pages.iter().map(|(base, reference)| (base.as_slice(), reference.as_slice())));
    assert!(resolved > 50_000, "only {resolved} of {} pairs", pages.len());
}

#[test]
fn targets_of_mutations() {
    let (seeds, mut random) = (seeds(), Random(0xBA5E));
    let pages = shared::pages().unwrap_or_default();
    let mut resolved = 0;
    for number in 0..PAIRS {
        let (mut base, mut reference) = (Vec::new(), Vec::new());
        mutate(&seeds, &mut random, &mut base);
        // Random bytes rarely climb: every other reference is from a real page, if there are some.
        match pages.get(random.below(pages.len().max(1))) {
            Some((_, real)) if number % 2 == 0 => reference.extend_from_slice(real),
            _ => mutate(&seeds, &mut random, &mut reference),
        }
        resolved += check_all([(base.as_slice(), reference.as_slice())].into_iter());
    }
    assert!(resolved > PAIRS / 20, "only {resolved} of {PAIRS} pairs can be resolved");
}

/// Every short path against bases of every shape.
#[test]
fn targets_of_every_short_path() {
    const PIECES: &[&str] = &["/", ".", "..", "a", "B", ":", "%2e", "?", "//", "S:"];
    const BASES: &[&str] = &[
        "s:",
        "s:a",
        "s:a/b?q",
        "s:./a/../b",
        "s:/",
        "s:/a/b",
        "s:/.//a",
        "s://h",
        "s://h?q#f",
        "s://u@h:8/a/./b",
    ];
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..4 {
        let to = texts.len();
        for at in from..to {
            texts.extend(PIECES.iter().map(|piece| format!("{}{piece}", texts[at])).collect::<Vec<_>>());
        }
        from = to;
    }
    let pairs = BASES.iter().flat_map(|base| texts.iter().map(|text| (base.as_bytes(), text.as_bytes())));
    let resolved = check_all(pairs);
    assert!(resolved > 50_000, "only {resolved} of {} pairs", BASES.len() * texts.len());
}

#[test]
fn targets_by_another_implementation() {
    let mut pages = shared::pages().unwrap_or_default();
    let (seeds, mut random) = (seeds(), Random(0xF1E1D));
    for _ in 0..PAIRS {
        let (mut base, mut reference) = (Vec::new(), Vec::new());
        mutate(&seeds, &mut random, &mut base);
        mutate(&seeds, &mut random, &mut reference);
        pages.push((base, reference));
    }
    let (mut same, mut departing) = (0, 0);
    for (base, reference) in &pages {
        let (Ok(base), Ok(reference)) = (UriRef::parse(base), UriRef::parse(reference)) else { continue };
        let (Ok(theirs), Ok(other)) =
            (fluent_uri::Uri::parse(base.as_str()), fluent_uri::UriRef::parse(reference.as_str()))
        else {
            continue;
        };
        // The library refuses bases with a fragment, and opaque ones.
        let Ok(expected) = other.resolve_against(&theirs.strip_fragment()) else { continue };
        let got = target(&base, &reference, Mode::Strict).expect("fluent-uri resolves it");
        if got == expected.as_str() {
            same += 1;
            continue;
        }
        departing += 1;
        assert!(
            departs(&base, &reference).is_some(),
            "{base} and {reference}: {expected} expected, got {got}"
        );
    }
    println!("{same} targets are the same, {departing} differ by a rule");
    assert!(same > PAIRS / 20 && departing < same / 20, "{same} are the same, {departing} differ by a rule");
}
