//! Rows by the URL Standard: they agree with the calls for one URL, both as the only specification and in the columns
//! beside an RFC's.

use arrow::array::{Array, AsArray, BinaryArray, RecordBatch};
use arrow::datatypes::Int32Type;
use urimill::batch::{Column, Columns, Normalizer, Options, Reading};
use urimill::passwords::Hide;
use urimill::whatwg::{Url, disagreements};
use urimill::{Code, Spec, UriRef};

use crate::{Rng, corpora, dataset};

/// Texts that the two specifications read differently, and some that they read alike.
const TEXTS: &[&str] = &[
    "http://example.com/a?b#c",
    "https://example.com/%7Ea",
    "HTTP://EXAMPLE.com:80",
    r"http://a.example\@b.example/x",
    "http://0x7f.1/",
    "http:///x.com/",
    "http://b\u{fc}cher.de/\u{fc}?q=a b",
    "http://h/?a='b'",
    "http://h/%2e%2E/a",
    "http://h/.%2e/a",
    "//h/a",
    "a/../b",
    r"..\c",
    "?q",
    "#f",
    "",
    "http://[::1",
    "http://[1:2::3]:443/",
    "http://h:99999/",
    "file:///C|/x",
    "mailto:a@b",
    "a:/.//p",
    "http://u:p@h/",
    "http://u@p@h/",
    "http://ex%61mple.com/",
    "http://h:/a",
    " http://h/a\t",
    "ht\ttp://h/a",
    "http:h",
    "http://h/a{b}|c^d`e",
    "http://h/%zz%",
    "blob:https://h/a",
    "/a/b?c#d",
    "x/y",
    "%2e%2E/x",
    ".a",
    "a/%2e",
    "?a='b'",
    "//h",
    "//h?q",
    "a?b/../c#d/./e",
];

/// Bytes that the two specifications treat differently.
const SALT: &[u8] = b"\\/@:?#%[]{}'\t 0x.\xC3\xA9-";

/// These and real texts, some with a few bytes changed. No record holds a line feed or is blank.
fn texts() -> Vec<Vec<u8>> {
    // Each of them is combined with each base.
    assert!(
        [1, 5].contains(&(TEXTS.len() % BASES.len())) && BASES.len() == 6,
        "the lengths have no common divisor"
    );
    let repeated = TEXTS.iter().cycle().take(TEXTS.len() * BASES.len());
    let mut texts: Vec<Vec<u8>> = repeated.map(|text| text.as_bytes().to_vec()).collect();
    for list in ["oddities.txt", "sample.txt"] {
        texts.extend(dataset(list).split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
    }
    for file in corpora() {
        let bytes = std::fs::read(&file).expect("a list can be read");
        texts.extend(bytes.split(|&byte| byte == b'\n').step_by(61).map(<[u8]>::to_vec));
    }
    let mut rng = Rng(16);
    for at in 0..texts.len() {
        let mut text = texts[at].clone();
        for _ in 0..1 + rng.below(3) {
            let place = rng.below(text.len() + 1);
            text.insert(place, SALT[rng.below(SALT.len())]);
        }
        texts.push(text);
    }
    texts
}

fn batch(texts: &[Vec<u8>], bases: Option<&[&str]>, options: Options) -> RecordBatch {
    let records = BinaryArray::from_iter_values(texts);
    let mut normalizer = Normalizer::new(options);
    let made = match bases {
        None => normalizer.array(&records),
        Some(bases) => {
            let bases = BinaryArray::from_iter_values((0..texts.len()).map(|row| bases[row % bases.len()]));
            normalizer.array_with_bases(&records, &bases)
        }
    };
    made.expect("a table").0
}

fn text<'a>(batch: &'a RecordBatch, column: &str, row: usize) -> Option<&'a str> {
    let column = batch.column_by_name(column).expect("the column").as_string_view();
    column.is_valid(row).then(|| column.value(row))
}

fn names(batch: &RecordBatch, row: usize) -> Vec<String> {
    let lists = batch.column_by_name("disagreement").expect("the column").as_list::<i32>();
    lists.value(row).as_string_view().iter().flatten().map(str::to_owned).collect()
}

fn chunks(texts: &[Vec<u8>]) -> impl Iterator<Item = &[Vec<u8>]> {
    texts.chunks(4_000)
}

const BASES: &[&str] = &[
    "http://base.example/dir/x?q#f",
    "https://u@b.example:8443",
    "file:///C:/d/e",
    "a:/p/q",
    "mailto:a@b",
    "/r",
];

/// Checks the columns that are beside the RFC's.
fn beside(row: usize, batch: &RecordBatch, input: &[u8], base: Option<Result<&Url<'_>, ()>>) {
    let shown = || format!("{} against {base:?}", input.escape_ascii());
    let base = match base {
        Some(Err(())) => {
            assert_eq!((text(batch, "whatwg_uri", row), names(batch, row).len()), (None, 0), "{}", shown());
            return;
        }
        Some(Ok(base)) => Some(base),
        None => None,
    };
    let url = Url::parse(input, base);
    let url = url.as_ref().ok();
    assert_eq!(text(batch, "whatwg_uri", row), url.map(Url::href), "{}", shown());
    let host = url.filter(|url| url.has_host()).map(Url::hostname);
    assert_eq!(text(batch, "whatwg_host", row), host, "{}", shown());
    let expected: Vec<_> =
        disagreements(input, base, Spec::Rfc3986).iter().map(|one| one.as_str().to_owned()).collect();
    assert_eq!(names(batch, row), expected, "{}", shown());
}

#[test]
fn columns_beside_the_rfc_hold_what_single_calls_say() {
    let columns = Columns::parse("uri,error,whatwg_uri,whatwg_host,disagreement").expect("columns");
    let options = || Options { columns: columns.clone(), ..Options::default() };
    let bases: Vec<_> = BASES.iter().map(|base| Url::parse(*base, None).map_err(drop)).collect();
    let texts = texts();
    for part in chunks(&texts) {
        let (alone, with_bases) = (batch(part, None, options()), batch(part, Some(BASES), options()));
        for (row, input) in part.iter().enumerate() {
            beside(row, &alone, input, None);
            let base = bases[row % bases.len()].as_ref().map_err(|&()| ());
            beside(row, &with_bases, input, Some(base));
            // The RFC's columns are unchanged.
            let error = UriRef::parse(input).err().map(|reject| reject.code.as_str());
            assert_eq!(text(&alone, "error", row), error, "{}", input.escape_ascii());
        }
    }
}

/// Checks a row by the URL Standard.
fn instead(row: usize, batch: &RecordBatch, input: &[u8], base: Option<Result<&Url<'_>, ()>>) {
    let shown = || format!("{} against {base:?}", input.escape_ascii());
    let url = match base {
        Some(Err(())) => Err((Code::BaseInvalid.as_str(), 0)),
        base => Url::parse(input, base.and_then(Result::ok))
            .map_err(|failure| (failure.error.as_str(), failure.offset as i32)),
    };
    let offset = batch.column_by_name("error_offset").expect("the column").as_primitive::<Int32Type>();
    let url = match url {
        Err((code, at)) => {
            assert_eq!((text(batch, "error", row), offset.value(row)), (Some(code), at), "{}", shown());
            assert_eq!(text(batch, "uri", row), Some(&*String::from_utf8_lossy(input)), "{}", shown());
            assert_eq!((text(batch, "host", row), text(batch, "path", row)), (None, None), "{}", shown());
            return;
        }
        Ok(url) => url,
    };
    assert_eq!((text(batch, "uri", row), text(batch, "error", row)), (Some(url.href()), None), "{}", shown());
    let raw = (url.href().as_bytes() != input).then(|| std::str::from_utf8(input).ok()).flatten();
    assert_eq!(text(batch, "raw", row), raw, "{}", shown());
    let userinfo = match (url.username(), url.password()) {
        ("", "") => None,
        (name, "") => Some(name.to_owned()),
        (name, password) => Some(format!("{name}:{password}")),
    };
    // Two slashes at the start of a path without a host have `/.` before them in the serialization.
    let path = match url.pathname() {
        path if path.starts_with("//") && !url.has_host() => format!("/.{path}"),
        path => path.to_owned(),
    };
    let port = batch.column_by_name("port").expect("the column").as_primitive::<Int32Type>();
    let port = port.is_valid(row).then(|| port.value(row) as u16);
    assert_eq!(text(batch, "scheme", row), Some(url.scheme()), "{}", shown());
    assert_eq!(text(batch, "userinfo", row), userinfo.as_deref(), "{}", shown());
    assert_eq!(text(batch, "host", row), url.has_host().then(|| url.hostname()), "{}", shown());
    assert_eq!((port, text(batch, "path", row)), (url.port_number(), Some(&*path)), "{}", shown());
    assert_eq!(text(batch, "query", row), url.query(), "{}", shown());
    assert_eq!(text(batch, "fragment", row), url.fragment(), "{}", shown());
}

#[test]
fn rows_by_the_url_standard_are_what_single_calls_say() {
    let options = || Options { reading: Reading::Whatwg, ..Options::default() };
    let bases: Vec<_> = BASES.iter().map(|base| Url::parse(*base, None).map_err(drop)).collect();
    let texts = texts();
    for part in chunks(&texts) {
        let (alone, with_bases) = (batch(part, None, options()), batch(part, Some(BASES), options()));
        for (row, input) in part.iter().enumerate() {
            instead(row, &alone, input, None);
            let base = bases[row % bases.len()].as_ref().map_err(|&()| ());
            instead(row, &with_bases, input, Some(base));
        }
    }
}

#[test]
fn disagreeing_records_are_rejects_where_asked_for() {
    for reading in [Reading::default(), Reading::Whatwg] {
        let texts: Vec<_> = TEXTS.iter().map(|text| text.as_bytes().to_vec()).collect();
        let made = batch(&texts, None, Options { reading, reject_disagreements: true, ..Options::default() });
        for (row, input) in texts.iter().enumerate() {
            let error = match reading {
                Reading::Rfc(_) => UriRef::parse(input).err().map(|reject| reject.code.as_str()),
                Reading::Whatwg => Url::parse(input, None).err().map(|failure| failure.error.as_str()),
            };
            let disagrees = !disagreements(input, None, Spec::Rfc3986).is_empty();
            let expected = error.or(disagrees.then_some("disagreement"));
            assert_eq!(text(&made, "error", row), expected, "{}", input.escape_ascii());
        }
    }
}

/// (hide, text, uri): the hidden text is nowhere in the row.
const HIDDEN: &[(Hide, &str, &str)] = &[
    (Hide::Passwords, r"http:\\me:secret@h\a", "http://me:***@h/a"),
    (Hide::UserInfo, r"http:\\me:secret@h\a", "http://h/a"),
    (Hide::Passwords, "http://me:secret@h/a", "http://me:***@h/a"),
    (Hide::Passwords, "HTTP://h/a", "http://h/a"),
    (Hide::Passwords, "http://h/?u=http://me:secret@g/", "http://h/?u=http://me:***@g/"),
];

#[test]
fn passwords_are_hidden_in_urls_too() {
    let columns = Columns::parse("+whatwg_uri,+whatwg_host,+disagreement").expect("columns");
    for &(hide, input, uri) in HIDDEN {
        for reading in [Reading::default(), Reading::Whatwg] {
            let options = Options { columns: columns.clone(), hide, reading, ..Options::default() };
            let made = batch(&[input.as_bytes().to_vec()], None, options);
            assert_eq!(text(&made, "whatwg_uri", 0), Some(uri), "{input}");
            assert!(
                reading != Reading::Whatwg || text(&made, "uri", 0) == Some(uri),
                "{input}: {:?}",
                text(&made, "uri", 0)
            );
            let shown = format!("{made:?}");
            assert!(!shown.contains("secret"), "{input}: {shown}");
        }
    }
}

#[test]
fn a_column_of_urls_is_made_only_where_it_is_asked_for() {
    let made = batch(&[b"http://h/".to_vec()], None, Options::default());
    for column in [Column::WhatwgUri, Column::WhatwgHost, Column::Disagreement] {
        assert!(made.column_by_name(column.as_str()).is_none());
    }
}
