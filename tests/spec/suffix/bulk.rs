//! Suffix references in large tables: rows equal the results of single calls.

use arrow::array::{Array, AsArray, BinaryArray};
use arrow::datatypes::Int32Type;
use urimill::Level;
use urimill::audit::Flags;
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::normalize::{DefaultScheme, is_suffix};

use super::{COMPLETED, LEFT, https, is_whole};
use crate::shared;

/// The result of a batch with repair for texts: uri, raw, and whether it was repaired.
fn batch(texts: &[&[u8]], default_scheme: Option<DefaultScheme>) -> Vec<(String, Option<String>, bool)> {
    let columns = Columns::new([Column::Uri, Column::Raw, Column::Flags]);
    let rfc = RfcOptions { level: Level::None, repair: true, default_scheme, ..RfcOptions::default() };
    let options = Options { reading: Reading::Rfc(rfc), columns, ..Options::default() };
    let (batch, _) = Normalizer::new(options).array(&BinaryArray::from(texts.to_vec())).expect("a table");
    let (uri, raw) = (batch.column(0).as_string_view(), batch.column(1).as_string_view());
    let flags = batch.column(2).as_primitive::<Int32Type>();
    let row = |i: usize| {
        let raw = raw.is_valid(i).then(|| raw.value(i).to_owned());
        (uri.value(i).to_owned(), raw, Flags(flags.value(i)).has(Flags::REPAIRED))
    };
    (0..texts.len()).map(row).collect()
}

#[test]
fn what_is_completed() {
    let texts: Vec<_> = COMPLETED.iter().map(|row| row.0.as_bytes()).collect();
    for (&(text, expected, why), (uri, raw, is_repaired)) in
        COMPLETED.iter().zip(batch(&texts, Some(https())))
    {
        let found = (uri.as_str(), raw.as_deref(), is_repaired);
        assert_eq!(found, (expected, Some(text), true), "{why}: {text}");
    }
    // Without a default scheme each is read by the grammar.
    for (text, (uri, _, _)) in texts.iter().zip(batch(&texts, None)) {
        assert!(!uri.starts_with("https:"), "{}", text.escape_ascii());
    }
}

#[test]
fn what_is_left() {
    let texts: Vec<_> = LEFT.iter().map(|row| row.0.as_bytes()).collect();
    let with = batch(&texts, Some(https()));
    for (((text, why), row), without) in LEFT.iter().zip(with).zip(batch(&texts, None)) {
        assert_eq!(row, without, "{why}: {text}");
    }
}

/// Rows keep their order and their neighbours, wherever suffix references are among them.
#[test]
fn suffixes_among_other_records() {
    let texts: [&[u8]; 7] =
        [b"http://a/", b"example.com/%41", b"a/b", b"HTTP://B/", b"example.com", b"/c d", b"localhost:1"];
    let found: Vec<_> = batch(&texts, Some(https())).into_iter().map(|(uri, _, is)| (uri, is)).collect();
    let expected = [
        ("http://a/", false),
        ("https://example.com/%41", true),
        ("a/b", false),
        ("HTTP://B/", false),
        ("https://example.com", true),
        ("/c%20d", true),
        ("https://localhost:1", true),
    ];
    assert_eq!(found, expected.map(|(uri, is)| (uri.to_owned(), is)));
}

#[test]
fn lists_without_their_schemes() {
    let Some(uris) = shared::corpora() else { return };
    let whole: Vec<_> = uris.iter().filter(|uri| is_whole(uri)).collect();
    let bare: Vec<&[u8]> = whole.iter().map(|uri| &uri[b"https://".len()..]).collect();
    for ((whole, bare), (uri, _, is_repaired)) in whole.iter().zip(&bare).zip(batch(&bare, Some(https()))) {
        let is_same = is_repaired && uri.as_bytes() == whole.as_slice();
        assert!(!is_suffix(bare) || is_same, "{} becomes {uri}", bare.escape_ascii());
    }
}
