//! Positions of components in the column `uri`, and the way back from them to texts.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, Int32Array, RecordBatch, StringArray, new_null_array,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Int32Type, Schema};
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions, components};
use urimill::passwords::Hide;
use urimill::{ErrorKind, Level, Spec};

use crate::{Rng, corpora, dataset};

fn rfc(level: Level, repair: bool) -> Reading {
    Reading::Rfc(RfcOptions { level, repair, ..RfcOptions::default() })
}

fn batch(records: &[Option<Vec<u8>>], reading: Reading) -> RecordBatch {
    made(records, Options { reading, ..Options::default() })
}

fn made(records: &[Option<Vec<u8>>], options: Options) -> RecordBatch {
    let columns = Columns::positions().union(&Columns::components()).union(&Columns::new([Column::Error]));
    let options = Options { columns, ..options };
    Normalizer::new(options).array(&BinaryArray::from_iter(records)).expect("a table").0
}

/// The six positions of a row.
fn positions(batch: &RecordBatch, row: usize) -> [Option<usize>; 6] {
    let names = ["scheme_end", "host_start", "host_end", "path_start", "path_end", "query_end"];
    names.map(|name| {
        let column = batch[name].as_primitive::<Int32Type>();
        column.is_valid(row).then(|| column.value(row) as usize)
    })
}

/// (record, uri, positions, section), by RFC 3986 with repair.
const POSITIONS: &[(&str, &str, &str, &str)] = &[
    ("http://example.com/a?q#f", "http://example.com/a?q#f", "4 7 18 18 20 22", "3"),
    ("mailto:a@b", "mailto:a@b", "6 - - 7 10 -", "3.1"),
    ("urn:", "urn:", "3 - - 4 4 -", "3.1"),
    ("http://u:p@h:8080/", "http://u:p@h:8080/", "4 11 12 17 18 -", "3.2"),
    ("http://@h/", "http://@h/", "4 8 9 9 10 -", "3.2.1"),
    ("foo://a@/", "foo://a@/", "3 8 8 8 9 -", "3.2.2"),
    ("file:///a", "file:///a", "4 7 7 7 9 -", "3.2.2"),
    ("foo://", "foo:///", "3 6 6 6 7 -", "3.2.2"),
    ("ftp://[::1]:2121/", "ftp://[::1]:2121/", "3 6 11 16 17 -", "3.2.2"),
    ("foo://h:99999", "foo://h:99999/", "3 6 7 13 14 -", "3.2.3"),
    ("http://h//a", "http://h//a", "4 7 8 8 11 -", "3.3"),
    ("http://h/?", "http://h/?", "4 7 8 8 9 10", "3.4"),
    ("http://h/?a?b", "http://h/?a?b", "4 7 8 8 9 13", "3.4"),
    ("http://h/#", "http://h/#", "4 7 8 8 9 -", "3.5"),
    ("http://h/?#", "http://h/?#", "4 7 8 8 9 10", "3.5"),
    ("http://h/#?", "http://h/#?", "4 7 8 8 9 -", "3.5"),
    ("//h/a", "//h/a", "- 2 3 3 5 -", "4.2"),
    ("//", "//", "- 2 2 2 2 -", "4.2"),
    ("/a:b", "/a:b", "- - - 0 4 -", "4.2"),
    ("../a?b", "../a?b", "- - - 0 4 6", "4.2"),
    ("?", "?", "- - - 0 0 1", "4.2"),
    ("#f", "#f", "- - - 0 0 -", "4.4"),
    ("", "", "- - - 0 0 -", "4.4"),
    // Positions are those of the normal form.
    ("HTTP://H:80/%7Ea", "http://h/~a", "4 7 8 8 11 -", "6.2"),
    ("http://b\u{fc}cher.de/\u{fc}", "http://xn--bcher-kva.de/%C3%BC", "4 7 23 23 30 -", "IRI"),
    // A reject keeps its text, and has no components.
    ("http://h:x/\u{fc}", "http://h:x/\u{fc}", "- - - - - -", "3.2.3"),
];

/// The same by the URL Standard.
const OF_URLS: &[(&str, &str, &str, &str)] = &[
    (r"HTTP:\\u@EXAMPLE.com:80", "http://u@example.com/", "4 9 20 20 21 -", "URL parsing"),
    ("javascript:a b", "javascript:a b", "10 - - 11 14 -", "opaque path"),
    ("data:,a?b#c d", "data:,a?b#c%20d", "4 - - 5 7 9", "opaque path"),
    ("blob:https://h/a", "blob:https://h/a", "4 - - 5 16 -", "opaque path"),
    ("foo://h", "foo://h", "3 6 7 7 7 -", "empty path"),
    ("a:/..//p", "a:/.//p", "1 - - 2 7 -", "URL serializing"),
    ("file:///C|/x", "file:///C:/x", "4 7 7 7 12 -", "file state"),
    ("http://h:0/?\u{fc}", "http://h:0/?%C3%BC", "4 7 8 10 11 18", "query state"),
    ("http://[1::2]:81#", "http://[1::2]:81/#", "4 7 13 16 17 -", "host parsing"),
    ("/a", "/a", "- - - - - -", "no base"),
    ("http://a b/", "http://a b/", "- - - - - -", "forbidden host"),
];

#[test]
fn positions_are_in_the_text_of_the_row() {
    for (table, reading) in [(POSITIONS, rfc(Level::Scheme, true)), (OF_URLS, Reading::Whatwg)] {
        let records: Vec<_> = table.iter().map(|row| Some(row.0.as_bytes().to_vec())).collect();
        let batch = batch(&records, reading);
        for (row, (record, uri, expected, section)) in table.iter().enumerate() {
            assert_eq!(batch["uri"].as_string_view().value(row), *uri, "{record} ({section})");
            let shown = |position: Option<usize>| position.map_or("-".to_owned(), |at| at.to_string());
            assert_eq!(positions(&batch, row).map(shown).join(" "), *expected, "{record} ({section})");
        }
    }
}

/// A URI longer than 16 bits count.
#[test]
fn positions_of_long_uris_are_whole() {
    let record = format!("http://h/{}?{}#f", "a".repeat(70_000), "b".repeat(70_000));
    let batch = batch(&[Some(record.into_bytes())], rfc(Level::Scheme, false));
    assert_eq!(positions(&batch, 0), [4, 7, 8, 8, 70_009, 140_010].map(Some));
}

/// The components of a row by its positions: scheme, user information, host, port, path, query and fragment.
fn cut(uri: &str, positions: [Option<usize>; 6]) -> [Option<&str>; 7] {
    let [scheme_end, host_start, host_end, path_start, path_end, query_end] = positions;
    let Some((path_start, path_end)) = path_start.zip(path_end) else { return [None; 7] };
    let authority = scheme_end.map_or(0, |end| end + 1) + 2;
    let host = host_start.zip(host_end);
    let end = query_end.unwrap_or(path_end);
    [
        scheme_end.map(|end| &uri[..end]),
        host.filter(|(start, _)| *start > authority).map(|(start, _)| &uri[authority..start - 1]),
        host.map(|(start, end)| &uri[start..end]),
        host.filter(|(_, end)| *end < path_start).map(|(_, end)| &uri[end + 1..path_start]),
        Some(&uri[path_start..path_end]),
        query_end.map(|end| &uri[path_end + 1..end]),
        (end < uri.len()).then(|| &uri[end + 1..]),
    ]
}

fn check(batch: &RecordBatch) {
    let made = components(batch, 1).expect("positions of these texts");
    for column in Columns::components().iter() {
        let name = column.as_str();
        assert_eq!(made.column_by_name(name), batch.column_by_name(name), "{name}");
    }
    let text = |name: &str, row: usize| {
        let column = batch[name].as_string_view();
        column.is_valid(row).then(|| column.value(row))
    };
    for row in 0..batch.num_rows() {
        let uri = text("uri", row).unwrap_or_default();
        let positions = positions(batch, row);
        let is_valid = text("uri", row).is_some() && text("error", row).is_none();
        assert_eq!(positions[3].is_some(), is_valid, "{uri}");
        assert!(!is_valid || uri.is_ascii(), "{uri}");
        let [scheme, userinfo, host, port, path, query, fragment] = cut(uri, positions);
        for (name, part) in [
            ("scheme", scheme),
            ("userinfo", userinfo),
            ("host", host),
            ("path", path),
            ("query", query),
            ("fragment", fragment),
        ] {
            assert_eq!(part, text(name, row), "{name} of {uri}");
        }
        let number = batch["port"].as_primitive::<Int32Type>();
        let number = number.is_valid(row).then(|| number.value(row));
        let port = port.and_then(|port| port.parse().ok()).filter(|port| *port <= 0xffff);
        assert_eq!(port, number, "{uri}");
    }
}

#[test]
fn texts_cut_at_positions_are_the_components() {
    let mut rng = Rng(31);
    let mut records = vec![None];
    let mut add = |bytes: &[u8], step: usize| {
        records.extend(bytes.split(|&byte| byte == b'\n').step_by(step).map(|line| Some(line.to_vec())));
        records.push(None);
    };
    for list in ["oddities.txt", "sample.txt"] {
        add(&dataset(list), 1);
    }
    for file in corpora() {
        add(&std::fs::read(&file).expect("a list can be read"), 19);
    }
    for (text, ..) in POSITIONS.iter().chain(OF_URLS) {
        add(text.as_bytes(), 1);
    }
    (0..2_000).for_each(|_| add(&rng.text(14), 1));
    let rfc = |(level, repair)| {
        let of = move |spec| Reading::Rfc(RfcOptions { spec, level, repair, ..RfcOptions::default() });
        Spec::ALL.into_iter().map(of)
    };
    let rfcs = [(Level::Scheme, true), (Level::None, false)].into_iter().flat_map(rfc);
    for reading in rfcs.chain([Reading::Whatwg]) {
        check(&batch(&records, reading));
        for hide in [Hide::Passwords, Hide::UserInfo] {
            let options = Options { reading, hide, ..Options::default() };
            check(&made(&records, options.with_base("http://u:p@h:1/a/b?c").expect("a base")));
        }
    }
}

/// A table of one row, with these positions.
fn table(uri: ArrayRef, positions: [ArrayRef; 6]) -> RecordBatch {
    let names: Vec<_> = Columns::positions().iter().map(Column::as_str).collect();
    let columns: Vec<_> = [uri].into_iter().chain(positions).collect();
    let field = |(name, column): (&&str, &ArrayRef)| Field::new(*name, column.data_type().clone(), true);
    let fields: Vec<_> = names.iter().zip(&columns).map(field).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("a table")
}

fn one(uri: &str, positions: [Option<i32>; 6]) -> RecordBatch {
    let number = |position: Option<i32>| Arc::new(Int32Array::from(vec![position])) as ArrayRef;
    table(Arc::new(StringArray::from(vec![uri])), positions.map(number))
}

#[test]
fn positions_of_another_text_are_refused() {
    let (uri, positions) = ("http://u@h:1/a?q#f", [4, 9, 10, 12, 14, 16].map(Some));
    assert!(components(&one(uri, positions), 1).is_ok());
    for at in 0..positions.len() {
        let others = (-1..=uri.len() as i32 + 1).map(Some).chain([None, Some(i32::MAX), Some(i32::MIN)]);
        // In a name of RFC 2396 @ and : are characters like others.
        let is_name = |other| [(1, Some(7)), (2, Some(12))].contains(&(at, other));
        for other in others.filter(|&other| other != positions[at] && !is_name(other)) {
            let mut changed = positions;
            changed[at] = other;
            let Err(error) = components(&one(uri, changed), 7) else { panic!("{changed:?} are accepted") };
            assert_eq!(error.kind(), ErrorKind::Usage);
            assert!(error.to_string().starts_with("row 7: "), "{changed:?}: {error}");
        }
    }
    // (uri, positions)
    let wrong: [(&str, [i32; 6]); 5] = [
        ("http://h/\u{fc}", [4, 7, 8, 8, 11, -1]),
        ("http://h/", [4, 7, 8, 8, 9, 9]),
        ("a/b", [-1, -1, -1, 0, 2, -1]),
        (":a", [0, -1, -1, 1, 2, -1]),
        ("", [-1, -1, -1, 0, 1, -1]),
    ];
    for (uri, positions) in wrong {
        let positions = positions.map(|position| (position >= 0).then_some(position));
        assert!(components(&one(uri, positions), 1).is_err(), "{uri} {positions:?}");
    }
}

#[test]
fn columns_of_any_width_are_read() {
    let records =
        ["http://u@h:1/a?q#f", "a", "http://h/a b", "https://a-host-of-some-length.example/path?query"];
    let records: Vec<_> = records.iter().map(|text| Some(text.as_bytes().to_vec())).chain([None]).collect();
    let batch = batch(&records, rfc(Level::Scheme, false));
    let expected = components(&batch, 1).expect("the columns of the batch");
    let position = |at: usize| batch[Columns::positions().iter().nth(at + 1).expect("six").as_str()].clone();
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    for texts in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, dictionary] {
        for numbers in [DataType::Int64, DataType::UInt16, DataType::Float64] {
            let cast = |column: &ArrayRef, to: &DataType| cast(column, to).expect("a cast");
            let positions = std::array::from_fn(|at| cast(&position(at), &numbers));
            let table = table(cast(&batch["uri"], &texts), positions);
            assert_eq!(components(&table, 1).expect("the same"), expected, "{texts} {numbers}");
        }
    }
    let nulls = std::array::from_fn(|_| new_null_array(&DataType::Null, batch.num_rows()));
    let without = components(&table(batch["uri"].clone(), nulls), 1).expect("rejects");
    assert_eq!((&without["uri"], without["path"].null_count()), (&batch["uri"], batch.num_rows()));
    // (what is wrong, the message)
    let texts = |column: &ArrayRef| cast(column, &DataType::Utf8).expect("a cast");
    let as_text = std::array::from_fn(|at| texts(&position(at)));
    let bytes = cast(&batch["uri"], &DataType::Binary).expect("a cast");
    let without = batch.project(&[0, 1, 2, 3]).expect("columns");
    for (table, message) in [
        (table(batch["uri"].clone(), as_text), "the column scheme_end is of Utf8: give integers"),
        (table(bytes, std::array::from_fn(position)), "the column uri is of Binary: give texts"),
        (without, "there is no column path_start: components are made from uri, scheme_end, "),
    ] {
        let error = components(&table, 1).expect_err("a wrong column");
        assert!(error.to_string().starts_with(message), "{error}");
    }
}
