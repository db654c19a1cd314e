//! The shared data: real URI lists, and facts from other projects' test suites. Other clones lack it.

use std::fs;

pub use crate::paths::shared as folder;

/// The URI lists among the corpora, and the tab-separated column that holds the URI.
const LISTS: &[(&str, usize)] =
    &[("top100.txt", 0), ("eot2024_seedlists.txt", 0), ("kasztp.txt", 0), ("html_refs.tsv", 1)];

/// Every URI of the corpora as read, without line ends and the byte-order mark; `None` without shared data.
pub fn corpora() -> Option<Vec<Vec<u8>>> {
    let folder = folder()?.join("corpora");
    let mut uris = Vec::new();
    for (file, column) in LISTS {
        let path = folder.join(file);
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        for line in text.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            uris.extend(line.split(|&byte| byte == b'\t').nth(*column).map(<[u8]>::to_vec));
        }
    }
    assert!(uris.len() > 250_000, "the corpora are incomplete: {} lines", uris.len());
    Some(uris)
}

/// The links of real pages: the page's URI, and the reference as written; `None` without shared data.
pub fn pages() -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let path = folder()?.join("corpora/html_refs.tsv");
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let pairs = lines.map(|line| {
        let tab = line.iter().position(|&byte| byte == b'\t');
        let tab = tab.unwrap_or_else(|| panic!("{}: no tab in {}", path.display(), line.escape_ascii()));
        (line[..tab].to_vec(), line[tab + 1..].to_vec())
    });
    Some(pairs.collect())
}
