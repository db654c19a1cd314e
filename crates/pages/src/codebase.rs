//! The bases that `codebase` gives to other attributes of its element (HTML 4.01, 13.3 and 13.4). It is a reference itself,
//! and is resolved at the end of the page, whose `base` may be anywhere in it.

use std::mem::{size_of, take};

use urimill_read::format::base::{BaseKind, Resolve};

use super::link::{Links, MOST_BASES, stripped};
use super::reference::Against;

/// The values of `codebase` in a page, by their numbers among [`Links::bases`], which has them unresolved until the end.
#[derive(Debug, Default)]
pub(super) struct Codebases(Vec<usize>);

impl Codebases {
    /// The base of attributes of an element with this `codebase`.
    pub(super) fn against(&mut self, codebase: Option<&[u8]>, links: &mut Links) -> Against {
        let codebase = codebase.map(stripped).unwrap_or_default();
        if codebase.is_empty() {
            return Against::Document;
        }
        let last = self.0.last().copied();
        if let Some(last) = last.filter(|&last| links.bases[last].0.as_bytes() == &*codebase) {
            return Against::Element(last as u32);
        }
        let len = codebase.len() + size_of::<(String, BaseKind)>();
        if links.bases_len + len > MOST_BASES {
            links.is_baseless = true;
            return Against::Document;
        }
        links.bases_len += len;
        self.0.push(links.bases.len());
        links.bases.push((String::from_utf8_lossy(&codebase).into_owned(), BaseKind::Content));
        Against::Element(links.bases.len() as u32 - 1)
    }

    /// Resolves all against the base of the document, which is known now. One that cannot be a base becomes the
    /// document's base.
    pub(super) fn resolve(&mut self, links: &mut Links, resolve: &mut Resolve<'_>) {
        let document = links.document.clone();
        for number in take(&mut self.0) {
            let codebase = take(&mut links.bases[number].0);
            let mut found = resolve(document.as_deref(), codebase.as_bytes());
            if found.is_none() {
                found = resolve(document.as_deref(), b"");
            }
            let found = found.unwrap_or_default();
            links.bases_len += found.len();
            if links.bases_len > MOST_BASES {
                links.is_baseless = true;
                return;
            }
            links.bases[number].0 = found;
        }
    }
}
