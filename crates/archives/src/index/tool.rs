//! The tools whose indexes urimill can write.

/// A tool whose lines urimill writes.
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

    /// Whether it writes equal lines only once.
    pub(super) fn drops_equal(self) -> bool {
        self == Like::CdxjIndexer
    }
}
