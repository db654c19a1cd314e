//! The rungs of the ladder on which the records of a group became equal: a set, and its names in the table.

use urimill_uri::normalize::Level;

/// A set of rungs of the ladder. Two records merge on a rung if they differ below it and are equal on it.
///
/// ```
/// use urimill::dedupe::Rungs;
///
/// let set = Rungs::IDENTICAL | Rungs::CASE;
/// assert_eq!(set.names().collect::<Vec<_>>(), ["identical", "case"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Rungs(pub(super) u8);

impl Rungs {
    /// The same text, byte by byte (RFC 3986, 6.2.1).
    pub const IDENTICAL: Rungs = Rungs(1 << 0);
    /// Texts that repair made equal, or that differ in the white space before them; at least one was outside the grammar.
    pub const REPAIR: Rungs = Rungs(1 << 1);
    /// Equal at [`Level::Case`] (6.2.2.1).
    pub const CASE: Rungs = Rungs(1 << 2);
    /// Equal at [`Level::Percent`] (6.2.2.2).
    pub const PERCENT: Rungs = Rungs(1 << 3);
    /// Equal at [`Level::Syntax`] (6.2.2.3).
    pub const SYNTAX: Rungs = Rungs(1 << 4);
    /// Equal at [`Level::Scheme`] (6.2.3).
    pub const SCHEME: Rungs = Rungs(1 << 5);

    /// Different references with the same target (5), different spellings of a request's target, or different inputs
    /// with the same URL by the URL Standard, which has no rungs.
    pub const RESOLVE: Rungs = Rungs(1 << 6);

    /// Different normal forms with the same key: see [`Key`](super::Key).
    pub const KEY: Rungs = Rungs(1 << 7);

    /// All rungs with their names, the lowest first.
    pub const NAMES: [(Rungs, &'static str); 8] = [
        (Rungs::IDENTICAL, "identical"),
        (Rungs::REPAIR, "repair"),
        (Rungs::RESOLVE, "resolve"),
        (Rungs::CASE, "case"),
        (Rungs::PERCENT, "percent"),
        (Rungs::SYNTAX, "syntax"),
        (Rungs::SCHEME, "scheme"),
        (Rungs::KEY, "key"),
    ];

    /// Returns the names of the rungs in the set, the lowest first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |&(rung, _)| self.has(rung)).map(|(_, name)| name)
    }

    /// Returns whether all of `rungs` are in the set.
    pub fn has(self, rungs: Rungs) -> bool {
        self.0 & rungs.0 == rungs.0
    }

    /// The rung on which the forms of `level` become equal, if the level changes anything at all.
    pub(super) fn of(level: Level) -> Option<Rungs> {
        match level {
            Level::None => None,
            Level::Case => Some(Rungs::CASE),
            Level::Percent => Some(Rungs::PERCENT),
            Level::Syntax => Some(Rungs::SYNTAX),
            Level::Scheme => Some(Rungs::SCHEME),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

impl std::ops::BitOr for Rungs {
    type Output = Rungs;

    fn bitor(self, other: Rungs) -> Rungs {
        Rungs(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Rungs {
    fn bitor_assign(&mut self, other: Rungs) {
        *self = *self | other;
    }
}
