//! The tools whose indexes these can be.

/// The tool whose lines these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Like {
    /// cdxj-indexer.
    #[default]
    CdxjIndexer,
    /// pywb's cdx-indexer.
    Pywb,
}

impl Like {
    /// All of them.
    pub const ALL: [Like; 2] = [Like::CdxjIndexer, Like::Pywb];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Like::CdxjIndexer => "cdxj-indexer",
            Like::Pywb => "pywb",
        }
    }

    /// Whether it writes one of equal lines.
    pub(super) fn drops_equal(self) -> bool {
        self == Like::CdxjIndexer
    }
}
