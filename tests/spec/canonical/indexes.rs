//! Keys compared with indexes of web archives: each line has a URL and the key that the tools made.

use std::fs;

use serde_json::Value;
use urimill::UriRef;
use urimill::canonical::surt;

use crate::shared;

/// The first field of a line, and its third: a CDX file has the URL there.
fn cdx(line: &str) -> Option<(&str, String)> {
    let mut fields = line.split(' ');
    let key = fields.next().filter(|key| !key.is_empty())?;
    Some((key, fields.nth(1)?.to_owned()))
}

/// The first field of a line, and the member `url` of the object after the second.
fn cdxj(line: &str) -> Option<(&str, String)> {
    let mut fields = line.splitn(3, ' ');
    let (key, _, object) = (fields.next()?, fields.next()?, fields.next()?);
    let object: Value = serde_json::from_str(object).expect("a CDXJ line ends in an object");
    Some((key, object["url"].as_str().expect("it has a URL").to_owned()))
}

#[test]
fn every_key_is_the_one_in_the_index() {
    let Some(folder) = shared::folder() else { return };
    type Reader = fn(&str) -> Option<(&str, String)>;
    let files: [(&str, Reader, usize); 3] = [
        ("pywb_iana.cdxj", cdxj, 170),
        ("pywb_iana.cdx", cdx, 170),
        ("openwayback_test-cdx.txt", cdx, 1_500),
    ];
    for (file, read, least) in files {
        let text = fs::read_to_string(folder.join("corpora").join(file)).expect("the index can be read");
        // The first line of a CDX file may name its fields.
        let lines = text.lines().filter(|line| !line.starts_with(" CDX "));
        let mut count = 0;
        for (key, url) in lines.filter_map(read) {
            let uri = UriRef::parse(&url).unwrap_or_else(|reject| panic!("{file}: {url}: {reject:?}"));
            assert_eq!(surt(&uri), key, "{file}: {url}");
            count += 1;
        }
        println!("{file}: {count} keys");
        assert!(count >= least, "{file}: only {count} lines were read");
    }
}
