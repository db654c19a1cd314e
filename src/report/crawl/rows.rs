//! The records of a batch that tell what their URI led to: those with a digest of a content, and the status 200.

use arrow_array::{Array, Int64Array, RecordBatch};
use memchr::memchr;
use twox_hash::XxHash3_64;

use super::Crawl;
use super::contents::{Page, Variant, Variants, digest_of_content, without_each};
use crate::batch::Column;
use crate::passwords::masked;
use crate::report::counter::shortened;
use crate::report::rows::{DIGEST, SIZE, STATUS, number, numbers, texts, value};

/// The statuses of Nutch's CrawlDb (beside which their names stand) of URIs that were fetched: `db_fetched`,
/// `db_notmodified`.
const STATUS_NAME: &str = "status_name";
const FETCHED_BY_NUTCH: [i64; 2] = [2, 6];

fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

/// The beginning of a URI, without passwords.
fn shown(uri: &str) -> Box<str> {
    shortened(&masked(uri)).into()
}

/// Whether a record is that of a content: its status is 200, if there are statuses.
fn is_content(status: Option<&Int64Array>, row: usize, is_of_nutch: bool) -> bool {
    match (status, number(status, row)) {
        (None, _) => true,
        (_, Some(code)) if is_of_nutch => FETCHED_BY_NUTCH.contains(&code),
        (_, code) => code == Some(200),
    }
}

/// Adds the records to the samples.
pub(super) fn count(batch: &RecordBatch, crawl: &mut Crawl) {
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
