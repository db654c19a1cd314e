//! The records of a batch with evidence about their URI: records with a digest of a content and the status 200, and
//! redirects.

use arrow_array::{Array, Int64Array, RecordBatch};
use memchr::memchr;
use twox_hash::XxHash3_64;
use urimill_columns::batch::Column;
use urimill_uri::UriRef;
use urimill_uri::normalize::{Level, normalize};
use urimill_uri::resolve::{Mode, resolve};

use super::Crawl;
use super::contents::{Page, Variant, Variants, digest_of_content, without_each};
use super::redirects::{Redirect, Redirects};
use crate::counter::shortened;
use crate::fields::{
    DIGEST, HOP_PATH, SIZE, STATUS, STATUS_NAME, TARGET, VIA, number, numbers, texts, value,
};

/// The statuses for which a target is a redirect.
const REDIRECTS: [i64; 6] = [300, 301, 302, 303, 307, 308];

/// The statuses of Nutch's CrawlDb for URIs that were fetched, which stand next to their names: `db_fetched`,
/// `db_notmodified`.
const FETCHED_BY_NUTCH: [i64; 2] = [2, 6];

fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

/// The beginning of a URI, without passwords.
fn shown(uri: &str) -> Box<str> {
    shortened(&super::super::shown(uri, false)).into()
}

/// Whether a record has a content: its status is 200, if there are statuses.
fn is_content(status: Option<&Int64Array>, row: usize, is_of_nutch: bool) -> bool {
    match (status, number(status, row)) {
        (None, _) => true,
        (_, Some(code)) if is_of_nutch => FETCHED_BY_NUTCH.contains(&code),
        (_, code) => code == Some(200),
    }
}

/// Adds the records to the samples.
pub(super) fn count(batch: &RecordBatch, crawl: &mut Crawl) {
    contents(batch, crawl);
    redirects(batch, &mut crawl.redirects);
}

/// Adds redirects: records with a status of 3xx and a target, and URIs that a crawler came to by a redirect.
fn redirects(batch: &RecordBatch, redirects: &mut Redirects) {
    let own = |column: Column| texts(batch, &[column.as_str()]);
    let (uris, error) = (own(Column::Uri), own(Column::Error));
    let uri = |row| value(uris.as_ref(), row).filter(|_| value(error.as_ref(), row).is_none());
    if let (Some(targets), Some(status)) = (texts(batch, &TARGET), numbers(batch, &STATUS)) {
        for row in 0..batch.num_rows() {
            if number(Some(&status), row).is_some_and(|code| REDIRECTS.contains(&code))
                && let (Some(uri), Some(target)) = (uri(row), value(Some(&targets), row))
                && !target.is_empty()
            {
                lead(uri, target, redirects);
            }
        }
    }
    if let (Some(hop_paths), Some(vias)) = (texts(batch, &HOP_PATH), texts(batch, &[VIA])) {
        for row in 0..batch.num_rows() {
            if value(Some(&hop_paths), row).is_some_and(|hops| hops.ends_with('R'))
                && let (Some(uri), Some(via)) = (uri(row), value(Some(&vias), row))
            {
                lead(via, uri, redirects);
            }
        }
    }
}

/// A URI in the normal form `scheme`, without its fragment: redirects come from URIs that were normalized and from
/// texts that were not.
fn normal(uri: &UriRef<'_>) -> String {
    let mut text = normalize(uri, Level::Scheme).into_owned();
    text.truncate(memchr(b'#', text.as_bytes()).unwrap_or(text.len()));
    text
}

/// Adds the redirect from a URI to a reference, if both can be parsed.
fn lead(from: &str, to: &str, redirects: &mut Redirects) {
    let (Ok(from), Ok(to)) = (UriRef::parse(from), UriRef::parse(to)) else { return };
    let Ok(to) = resolve(&from, &to, Mode::Strict) else { return };
    let Ok(to) = UriRef::parse(&*to) else { return };
    let (from, to) = (normal(&from), normal(&to));
    let hashes = [hash(&from), hash(&to)];
    let is_ordered = hashes[0] <= hashes[1];
    let [first, second] = if is_ordered { [&from, &to] } else { [&to, &from] };
    let hashes = [hash(first), hash(second)];
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&hashes[0].to_le_bytes());
    bytes[8..].copy_from_slice(&hashes[1].to_le_bytes());
    let key = XxHash3_64::oneshot(&bytes);
    if redirects.wants(key) {
        let uris = [shown(first), shown(second)];
        redirects.add(key, Redirect { hashes, uris, leads: [is_ordered, !is_ordered] });
    }
}

/// Adds URIs with their contents.
fn contents(batch: &RecordBatch, crawl: &mut Crawl) {
    let own = |column: Column| texts(batch, &[column.as_str()]);
    let digests = texts(batch, &DIGEST).filter(|digests| digests.null_count() < digests.len());
    let (Some(digests), Some(uris), Some(hosts)) = (digests, own(Column::Uri), own(Column::Host)) else {
        return;
    };
    let queries = own(Column::Query);
    let (status, size) = (numbers(batch, &STATUS), numbers(batch, &SIZE));
    let is_of_nutch = batch.column_by_name(STATUS_NAME).is_some();
    let mut base = String::new();
    for row in 0..batch.num_rows() {
        let is_of_host = value(Some(&hosts), row).is_some_and(|host| !host.is_empty());
        if !is_of_host || !is_content(status.as_ref(), row, is_of_nutch) || digests.is_null(row) {
            continue;
        }
        let Some(uri) = value(Some(&uris), row) else { continue };
        let uri = &uri[..memchr(b'#', uri.as_bytes()).unwrap_or(uri.len())];
        let uri_hash = hash(uri);
        let has_query = value(queries.as_ref(), row).is_some_and(|query| !query.is_empty());
        if !has_query && !crawl.pages.wants(uri_hash) || number(size.as_ref(), row) == Some(0) {
            continue;
        }
        let Some(digest) = digest_of_content(digests.value(row)) else { continue };
        if crawl.pages.wants(uri_hash) {
            crawl.pages.add(uri_hash, Page { uri: shown(uri), digest: Some(digest.into()) });
        }
        if !has_query {
            continue;
        }
        let groups = &mut crawl.groups;
        without_each(uri, &mut base, |name, base| {
            let key = (hash(base), hash(name));
            if groups.wants(key) {
                let variant = Variant { hash: uri_hash, digest: Some(hash(digest)), uri: shown(uri) };
                groups.add(key, Variants { name: shortened(name).into(), uris: vec![variant] });
            }
        });
    }
}
