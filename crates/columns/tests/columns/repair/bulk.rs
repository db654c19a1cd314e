//! `--repair` in large tables: rows equal the results of single calls, and keep the text as read where they must.

use arrow::array::{Array, AsArray, BinaryArray};
use arrow::datatypes::Int32Type;
use urimill::audit::Flags;
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::normalize::repair;
use urimill::{Level, UriRef};

use super::{TABLE, wrapped};
use crate::corpora;

/// The table that `--repair` makes from values: uri, raw bytes as read, names of flags, error.
fn repaired(values: &[&[u8]]) -> Vec<(String, bool, Option<String>)> {
    let options = Options {
        reading: Reading::Rfc(RfcOptions { level: Level::None, repair: true, ..RfcOptions::default() }),
        columns: Columns::new([Column::Uri, Column::Flags, Column::Error]),
        ..Options::default()
    };
    let (batch, _) = Normalizer::new(options).array(&BinaryArray::from(values.to_vec())).expect("a table");
    let (uri, error) = (batch.column(0).as_string_view(), batch.column(2).as_string_view());
    let flags = batch.column(1).as_primitive::<Int32Type>();
    let row = |i: usize| {
        let names: Vec<_> = Flags(flags.value(i)).names().collect();
        let code = error.is_valid(i).then(|| error.value(i).to_owned());
        (uri.value(i).to_owned(), names.contains(&"repaired"), code)
    };
    (0..values.len()).map(row).collect()
}

#[test]
fn what_is_mended() {
    for &(text, expected, why) in TABLE {
        let (uri, is_repaired, error) = &repaired(&[text])[0];
        match expected {
            Some(expected) => {
                assert_eq!((uri.as_str(), is_repaired, error), (expected, &true, &None), "{why}")
            }
            None => {
                assert_eq!(*uri, String::from_utf8_lossy(text), "{why}: a reject keeps its text");
                assert!(!is_repaired && error.is_some(), "{why}: {}", text.escape_ascii());
            }
        }
    }
}

/// A valid URI is unchanged, except for the prefix of Appendix C.
#[test]
fn valid_records_are_not_repaired() {
    let valid: [&[u8]; 11] = [
        b"",
        b"http://a/",
        b"'a'",
        b"'http'",
        b"''",
        b"HTTP://A/%41",
        b"URLS:a",
        b"/url:a",
        b"x:a",
        b"urn:a",
        b"url",
    ];
    for text in valid {
        assert_eq!(repaired(&[text])[0], (String::from_utf8_lossy(text).into_owned(), false, None));
    }
}

/// Compares a batch with repair with the expected rows.
fn judge(values: &[&[u8]]) {
    for (text, (uri, is_repaired, error)) in values.iter().zip(repaired(values)) {
        let shown = text.escape_ascii();
        let mended = repair(text);
        assert_eq!(repair(&mended), mended, "a second time mends nothing more: {shown}");
        let is_prefixed = text.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:"));
        if UriRef::parse(*text).is_ok() && !is_prefixed {
            assert_eq!((uri.as_bytes(), is_repaired), (*text, false), "valid, so left alone: {shown}");
        }
        assert_eq!(error.is_none(), UriRef::parse(&uri).is_ok(), "what has no error parses: {shown}");
        if is_repaired {
            assert_eq!(uri.as_bytes(), &*mended, "{shown}");
        }
        assert_eq!(
            error.is_none(),
            UriRef::parse(*text).is_ok() || UriRef::parse(&mended).is_ok(),
            "{shown}"
        );
    }
}

#[test]
fn repair_invariants_hold_for_every_row() {
    judge(&wrapped().iter().map(Vec::as_slice).collect::<Vec<_>>());
}

#[test]
fn repair_invariants_hold_for_the_corpora() {
    for path in corpora() {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        judge(&text.split(|&b| b == b'\n').step_by(5).collect::<Vec<_>>());
    }
}
