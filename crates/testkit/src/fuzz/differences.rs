//! Known differences between urimill and other implementations, each with its reason. Any other difference is a defect,
//! of theirs or of ours. No difference is known in validity and components.

use urimill_uri::UriRef;

use crate::letter::departs;

/// Another implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Library {
    FluentUri,
    IriString,
    Oxiri,
}

/// A known difference between targets.
struct Difference {
    by: Library,
    reason: &'static str,
    /// Whether the reason applies to this base and this reference.
    holds: fn(&UriRef, &UriRef) -> bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        by: Library::FluentUri,
        reason: "RFC 3986, 5.2: it departs from the letter so that normalizing and resolving can change places",
        holds: |base, reference| departs(base, reference).is_some(),
    },
    Difference {
        by: Library::IriString,
        reason: "RFC 3986, 5.2.4: it takes encoded dots for dots, which are one after normalization alone (6.2.2)",
        holds: |base, reference| [base, reference].iter().any(|uri| has_encoded_dot(uri.path())),
    },
];

fn has_encoded_dot(path: &str) -> bool {
    path.as_bytes().windows(3).any(|triplet| triplet.eq_ignore_ascii_case(b"%2e"))
}

/// The reason why the library may find another target.
pub(super) fn expected(library: Library, base: &UriRef, reference: &UriRef) -> Option<&'static str> {
    let mut known = DIFFERENCES.iter().filter(|known| known.by == library);
    known.find(|known| (known.holds)(base, reference)).map(|known| known.reason)
}
