//! Pages that are closed in order and finished without it: which rows a page has is known in order alone, but to
//! compress them needs none. With zstd the ordered stage of `query` takes 0.018 instead of 0.112 s, and two threads
//! wait 0.09 instead of 0.18 s (200 MB of `te`, docs/PERFORMANCE.md).

use std::fmt;
use std::sync::{Arc, OnceLock};

use parquet::errors::ParquetError;

use super::dictionary::NumbersPage;
use super::page::{FinishedPage, OpenPage};
use super::page_maker::PageMaker;
use super::statistics::Bounds;

/// The place of a page in its column chunk. It is empty until the page is finished.
#[derive(Debug, Clone, Default)]
pub(super) struct PageSlot(Arc<OnceLock<FinishedPage>>);

impl From<FinishedPage> for PageSlot {
    fn from(page: FinishedPage) -> PageSlot {
        PageSlot(Arc::new(OnceLock::from(page)))
    }
}

impl PageSlot {
    /// # Errors
    /// Where the page is not finished: its batch must have been through `Sink::ready`.
    pub(super) fn into_page(self) -> Result<FinishedPage, ParquetError> {
        let page = Arc::into_inner(self.0).and_then(OnceLock::into_inner);
        page.ok_or_else(|| ParquetError::General("a page is not finished".to_owned()))
    }
}

/// A page that is closed and not compressed.
pub(super) struct DeferredPage {
    maker: Arc<PageMaker>,
    closed: Closed,
    slot: PageSlot,
}

enum Closed {
    /// With its bounds.
    Values(OpenPage, Option<Bounds>),
    Numbers(NumbersPage),
}

impl DeferredPage {
    /// A page of values within `bounds`, and where it belongs.
    pub(super) fn of_values(
        maker: &Arc<PageMaker>,
        page: OpenPage,
        bounds: Option<Bounds>,
    ) -> (DeferredPage, PageSlot) {
        DeferredPage::new(maker, Closed::Values(page, bounds))
    }

    /// A page of a dictionary's numbers, and where it belongs.
    pub(super) fn of_numbers(maker: &Arc<PageMaker>, page: NumbersPage) -> (DeferredPage, PageSlot) {
        DeferredPage::new(maker, Closed::Numbers(page))
    }

    fn new(maker: &Arc<PageMaker>, closed: Closed) -> (DeferredPage, PageSlot) {
        let slot = PageSlot::default();
        (DeferredPage { maker: Arc::clone(maker), closed, slot: slot.clone() }, slot)
    }

    fn finish(self) -> Result<(), ParquetError> {
        let DeferredPage { maker, closed, slot } = self;
        let finished = match closed {
            Closed::Numbers(page) => maker.lend(|tools| page.finish(&mut tools.compressor))?,
            Closed::Values(mut page, bounds) => {
                let finished = maker.lend(|tools| page.finish(bounds, &mut tools.compressor))?;
                maker.give_back(page);
                finished
            }
        };
        // It is filled once: nobody else has this page.
        let _ = slot.0.set(finished);
        Ok(())
    }
}

impl fmt::Debug for DeferredPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredPage").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// Finishes pages.
///
/// # Errors
/// The first of a page that cannot be compressed.
pub(super) fn finish(late: &mut Vec<DeferredPage>) -> Result<(), ParquetError> {
    late.drain(..).try_for_each(DeferredPage::finish)
}
