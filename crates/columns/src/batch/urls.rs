//! The URLs of a batch's rows by the URL Standard, in addition to the RFC: the columns `whatwg_uri`, `whatwg_host` and
//! `disagreement`. Filled before the slow path (`slow_path::urls`), because that changes the texts of rows.

use urimill_uri::Standard;
use urimill_uri::simd;
use urimill_uri::simd::SlowPath;
use urimill_uri::whatwg::{Disagreements, OwnedUrl, Url};

use crate::batch::Options;
use crate::batch::column::Column;
use crate::batch::places::LONGEST_BASE;

/// The URLs of the rows of a batch.
#[derive(Debug, Default)]
pub(super) struct Urls {
    /// Whether a column of URLs is requested, and the one of disagreements.
    wants_urls: bool,
    wants_disagreements: bool,
    /// In the order of their rows; `None` for a row without a URL.
    pub(super) found: Vec<(u32, Option<FoundUrl>)>,
    /// Whether the rows that are not in `found` are URLs as they were read; otherwise they have none.
    pub(super) others_are_as_read: bool,
    /// The serializations that are not the text as read.
    pub(super) bytes: Vec<u8>,
    /// The rows with disagreements, in order.
    pub(super) disagreements: Vec<(u32, Disagreements)>,
    base: UrlBase,
}

/// The URL of a row: the positions of its serialization, and of the host in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundUrl {
    /// In [`Urls::bytes`], or in the row's buffer.
    pub(super) is_written: bool,
    pub(super) start: u32,
    pub(super) len: u32,
    /// Offset in the serialization, and length.
    pub(super) host: Option<(u32, u32)>,
}

impl Urls {
    pub(super) fn new(options: &Options) -> Urls {
        let columns = &options.columns;
        Urls {
            wants_urls: columns.contains(Column::WhatwgUri) || columns.contains(Column::WhatwgHost),
            wants_disagreements: columns.contains(Column::Disagreement) || options.reject_disagreements,
            ..Urls::default()
        }
    }

    pub(super) fn are_wanted(&self) -> bool {
        self.wants_urls || self.wants_disagreements
    }

    pub(super) fn wants_disagreements(&self) -> bool {
        self.wants_disagreements
    }

    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.others_are_as_read = false;
        self.bytes.clear();
        self.disagreements.clear();
    }

    /// The number of bytes written.
    pub(super) fn written(&self) -> usize {
        self.bytes.len()
    }

    /// The base that was used last.
    pub(super) fn base_mut(&mut self) -> &mut UrlBase {
        &mut self.base
    }
}

/// The base that was used last: the references of a page are adjacent.
#[derive(Debug, Default)]
pub(super) struct UrlBase {
    given: Vec<u8>,
    found: Option<BaseUrl>,
}

/// A base with a URL.
#[derive(Debug)]
pub(super) struct BaseUrl {
    pub(super) url: OwnedUrl,
    /// Whether the kernels are sure of it: the host is a plain name, and there are neither credentials nor a port.
    pub(super) is_plain: bool,
}

impl UrlBase {
    /// The URL of a base; `None` if it has none.
    pub(super) fn find(&mut self, given: &[u8]) -> Option<&BaseUrl> {
        if self.given != given {
            self.given.clear();
            self.given.extend_from_slice(given);
            let found = (given.len() < LONGEST_BASE).then(|| Url::parse(given, None).ok());
            self.found = found.flatten().map(|url| {
                let (split, slow_path) = simd::split_one(url.href().as_bytes(), (Standard::Whatwg, None));
                let is_plain = split.scheme_end > 0 && !slow_path.has(SlowPath::UNSURE);
                BaseUrl { url: url.into_owned(), is_plain }
            });
        }
        self.found.as_ref()
    }
}
