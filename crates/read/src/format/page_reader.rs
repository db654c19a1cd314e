//! The state of a worker that reads pages: a page has any number of rows, and those for which a batch has no room wait
//! here.

use std::any::Any;
use std::fmt;

/// The number of pages, and their results: each page is in one of the counts after the first two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageCounts {
    /// Pages.
    pub pages: u64,
    /// References in them.
    pub links: u64,
    /// Those that have references.
    pub with_links: u64,
    /// Those that have none.
    pub without_links: u64,
    /// Pages that could not be read: each has a row that says so.
    pub unread: u64,
    /// Pages of which only a beginning was read: those with damage have a row that says so.
    pub partial: u64,
    /// Records of archives that are not pages.
    pub others: u64,
    /// Pages whose base from outside is the URI of their file or reader, because their own URI is unknown.
    pub based_on_files: u64,
    /// Pages with the flag `base_too_long`: their references that need a base are not resolved.
    pub base_too_long: u64,
    /// Pages with the flag `charset_unknown`.
    pub charset_unknown: u64,
    /// Pages with the flag `charset_damaged`.
    pub charset_damaged: u64,
}

impl PageCounts {
    /// Adds the counts of another part.
    pub fn add(&mut self, other: &PageCounts) {
        self.pages += other.pages;
        self.links += other.links;
        self.with_links += other.with_links;
        self.without_links += other.without_links;
        self.unread += other.unread;
        self.partial += other.partial;
        self.others += other.others;
        self.based_on_files += other.based_on_files;
        self.base_too_long += other.base_too_long;
        self.charset_unknown += other.charset_unknown;
        self.charset_damaged += other.charset_damaged;
    }
}

/// The page whose references become records, in a form that only the format of pages knows, and the counts so far.
#[derive(Default)]
pub struct PageReader {
    state: Option<Box<dyn Any + Send>>,
    /// The counts so far.
    pub counts: PageCounts,
    /// The number of records that were made.
    pub rows: u64,
}

impl PageReader {
    /// The counts, and the number of records that were made, since the last call.
    pub fn take_counts(&mut self) -> (PageCounts, u64) {
        (std::mem::take(&mut self.counts), std::mem::take(&mut self.rows))
    }

    /// Takes the state of the format; at first, its default. The format gives it back by [`PageReader::keep`].
    pub fn take<S: Default + 'static>(&mut self) -> Box<S> {
        self.state.take().and_then(|state| state.downcast().ok()).unwrap_or_default()
    }

    /// Keeps the state of the format until the rest of the page is read.
    pub fn keep<S: Send + 'static>(&mut self, state: Box<S>) {
        self.state = Some(state);
    }
}

impl fmt::Debug for PageReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageReader")
            .field("counts", &self.counts)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
