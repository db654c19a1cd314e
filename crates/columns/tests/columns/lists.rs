//! Whole lists of real URIs: every record has its row, and another parser agrees with every verdict.

use arrow::array::{Array, AsArray};
use urimill::batch::{Columns, Normalizer, Options};

use crate::{corpora, is_uri_reference};

/// Name and records, without blank lines.
const LISTS: [(&str, usize); 3] =
    [("eot2024_seedlists.txt", 96_854), ("kasztp.txt", 48_010), ("top100.txt", 100_025)];

#[test]
fn every_verdict_is_that_of_another_parser() {
    let paths = corpora();
    if paths.is_empty() {
        return;
    }
    let mut rejects = 0;
    for (name, records) in LISTS {
        let path = paths.iter().find(|path| path.ends_with(name)).unwrap_or_else(|| panic!("no {name}"));
        let text = std::fs::read(path).expect("the list can be read");
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        let options = Options { columns: Columns::parse("uri,error").expect("names"), ..Options::default() };
        let (batch, tally) = Normalizer::new(options).text(text).expect("a table");
        let errors = batch.column(1).as_string_view();
        let lines = text.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        assert_eq!((batch.num_rows(), lines.len()), (records, records), "{name}");
        for (row, line) in lines.iter().enumerate() {
            let verdict = errors.is_null(row);
            assert_eq!(verdict, is_uri_reference(line), "{name}, record {row}: {}", line.escape_ascii());
        }
        rejects += tally.rejects();
    }
    assert_eq!(rejects, 651);
}
