//! The bases that `codebase` says for other attributes of its element (HTML 4.01, 13.3 and 13.4). It is a reference itself, and
//! what it stands against is only known at the end of the page, whose `base` may be anywhere in it.

use super::link::{Links, MOST_BASES, stripped};
use super::reference::Against;
use crate::read::format::base::{BaseKind, Resolve};

/// Those of a page, by their numbers among [`Links::bases`], where until the end they stand as written.
#[derive(Debug, Default)]
pub(super) struct Codebases(Vec<usize>);

impl Codebases {
    /// What stands within this `codebase` stands against that.
    pub(super) fn against(&mut self, said: Option<&[u8]>, links: &mut Links) -> Against {
        let said = said.map(stripped).unwrap_or_default();
        if said.is_empty() {
            return Against::Document;
        }
        let last = self.0.last().copied();
        if let Some(last) = last.filter(|&last| links.bases[last].0.as_bytes() == &*said) {
            return Against::Element(last as u32);
        }
        if links.bases_len + said.len() > MOST_BASES {
            links.is_baseless = true;
            return Against::Document;
        }
        links.bases_len += said.len();
        self.0.push(links.bases.len());
        links.bases.push((String::from_utf8_lossy(&said).into_owned(), BaseKind::Content));
        Against::Element(links.bases.len() as u32 - 1)
    }

    /// The base of the document is known. What cannot be a base leaves that.
    pub(super) fn resolve(&mut self, links: &mut Links, resolve: &mut Resolve<'_>) {
        let document = links.document.clone();
        for number in std::mem::take(&mut self.0) {
            let said = std::mem::take(&mut links.bases[number].0);
            let mut found = resolve(document.as_deref(), said.as_bytes());
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
