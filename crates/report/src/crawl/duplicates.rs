//! Contents that many URIs of one host have: a crawler trap, or an error page with the status of success. The URIs of
//! the sample are counted by host and digest.

use std::collections::BTreeMap;

use super::{Crawl, share};
use crate::rows::host_of;

/// The fewest URIs of the sample that a reported content has.
const LEAST: usize = 20;
/// The number of examples of a content.
const EXAMPLES: usize = 3;

/// A content that many URIs of a host have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SameContent {
    /// The host.
    pub host: String,
    /// The digest, without the name of its algorithm.
    pub digest: String,
    /// The number of URIs: exact while the sample has all URIs.
    pub uris: u64,
    /// The number of these URIs in the sample.
    pub sampled: u64,
    /// Some of them, the first by their bytes.
    pub examples: Vec<String>,
}

impl Crawl {
    /// The contents that many URIs of a host have, those with the most URIs first, and the share of URIs that the
    /// sample has.
    pub(crate) fn same_contents(&self) -> (Vec<SameContent>, f64) {
        let mut by_content: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for page in self.pages.entries().values() {
            if let (Some(host), Some(digest)) = (host_of(&page.uri), &page.digest) {
                by_content.entry((host, digest)).or_default().push(&page.uri);
            }
        }
        let share = share(self.pages.limit());
        let many = by_content.into_iter().filter(|(_, uris)| uris.len() >= LEAST);
        let mut found: Vec<SameContent> = many
            .map(|((host, digest), mut uris)| {
                uris.sort_unstable();
                SameContent {
                    host: host.to_owned(),
                    digest: digest.to_owned(),
                    uris: (uris.len() as f64 / share).round() as u64,
                    sampled: uris.len() as u64,
                    examples: uris.iter().take(EXAMPLES).map(|uri| (*uri).to_owned()).collect(),
                }
            })
            .collect();
        found.sort_by(|a, b| {
            b.sampled.cmp(&a.sampled).then_with(|| (&a.host, &a.digest).cmp(&(&b.host, &b.digest)))
        });
        (found, share)
    }
}
