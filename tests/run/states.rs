//! Which states add up, and that every state that can be written can be read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, TimestampMillisecondArray};
use twox_hash::XxHash3_64;
use urimill::ErrorKind;
use urimill::Level;
use urimill::read::GivenTable;
use urimill::report::{Conflict, State};
use urimill::run::{InputFormat, InputOptions, NormalizeOptions, Report};

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

fn of(run: Report) -> State {
    run.run().expect("a report").state
}

fn state(inputs: &[&PathBuf]) -> State {
    of(Report::new().inputs(inputs))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).expect("gzip");
    packed.finish().expect("gzip")
}

fn input(state: &State, other: &State) -> Option<String> {
    match state.conflict(other) {
        Some(Conflict::Input(name)) => Some(name.rsplit('/').next().expect("a name").to_owned()),
        None => None,
        other => panic!("{other:?}"),
    }
}

const LIST: &str = "http://a.example/\nhttp://b.example/1\n";
const LOG: &str = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 10 \"-\" \"a\"\n";

#[test]
fn an_input_is_known_by_its_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: &[u8]| write(folder.path(), name, bytes);
    let one = file("a.txt", LIST.as_bytes());
    let own = state(&[&one]);
    let long = [LIST.as_bytes(), &b"x".repeat(3 << 20), b"\n"].concat();
    let table: [(PathBuf, Option<&str>, &str); 7] = [
        (file("b.txt", LIST.as_bytes()), Some("a.txt"), "another name"),
        (file("c.txt.gz", &gzip(LIST.as_bytes())), Some("a.txt"), "compressed"),
        (file("d.txt", &[b"\xef\xbb\xbf", LIST.as_bytes()].concat()), Some("a.txt"), "a byte-order mark"),
        (file("e.txt", LIST.replace('1', "2").as_bytes()), None, "another byte"),
        (file("f.txt", LIST.trim_end().as_bytes()), None, "a byte less"),
        (file("g.txt", b"\n\n"), None, "nothing"),
        (file("h.txt", &long), None, "a record that is cut"),
    ];
    for (other, expected, why) in &table {
        let other = state(&[other]);
        assert_eq!(input(&own, &other).as_deref(), *expected, "{why}");
        let mut sum = own.clone();
        assert_eq!(sum.merge(&other).is_err(), expected.is_some(), "{why}");
        assert_eq!(other.conflict(&other).is_some(), *why != "nothing", "{why}, twice");
    }
    // Logs that have only a header are equal, and hold nothing.
    let header = "#Version: 1.0\n#Fields: date time cs-method cs-uri-stem sc-status\n";
    let [hour, next] = ["1.log", "2.log"].map(|name| state(&[&file(name, header.as_bytes())]));
    assert_eq!((hour.conflict(&next), hour.conflict(&hour)), (None, None));
    // Between others, in chunks of any size, and after a state was stored.
    let all = state(&[&table[3].0, &one]);
    assert_eq!(input(&all, &own).as_deref(), Some("a.txt"));
    assert_eq!(input(&all, &state(&[&table[4].0])), None);
    let stored = State::from_bytes(&own.to_bytes(), "a").expect("a state");
    assert_eq!(input(&stored, &all).as_deref(), Some("a.txt"));
    let log = file("a.log", LOG.repeat(2000).as_bytes());
    let cut = of(Report::new().inputs([&log]).chunk(1000).threads(3));
    assert_eq!(input(&cut, &state(&[&log])).as_deref(), Some("a.log"));
    assert!(cut.to_bytes() == state(&[&log]).to_bytes());
    // With force, records count twice.
    let mut twice = own.clone();
    twice.merge_all_the_same(&own).expect("a sum");
    assert_eq!((twice.accounts().records, twice.inputs()), (4, 2));
}

#[test]
fn options_are_those_of_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (write(folder.path(), "a.txt", "/a\n"), write(folder.path(), "b.txt", "/b\n"));
    let with =
        |input: &PathBuf, options: NormalizeOptions| of(Report::new().inputs([input]).normalize(options));
    let options = NormalizeOptions::new;
    let own = with(&one, options());
    let base = |uri: &str| options().base(uri);
    let whatwg = options().spec(urimill::Standard::Whatwg);
    for (other, name, values) in [
        (options().level(Level::None), "level", [Some("scheme"), Some("none")]),
        (options().repair(true), "repair", [None, Some("true")]),
        (base("http://h/"), "base", [None, Some("http://h/")]),
        (base("http://joe:secret@h/"), "base", [None, Some("http://joe:***@h/")]),
        // The first specification matters, because others have other levels.
        (whatwg.base("http://h/"), "spec", [Some("rfc3986"), Some("whatwg")]),
        (base("http://h/").compat(true), "base", [None, Some("http://h/")]),
    ] {
        let conflict = own.conflict(&with(&two, other.clone()));
        let values = values.map(|value| value.map(str::to_owned));
        assert_eq!(conflict, Some(Conflict::Option { name: name.to_owned(), values }), "{other:?}");
        // States with the same options add up.
        assert_eq!(with(&one, other.clone()).conflict(&with(&two, other.clone())), None, "{other:?}");
    }
    // The default, set explicitly.
    assert_eq!(own.conflict(&with(&two, options().level(Level::Scheme))), None);
    // How records are read does not matter.
    let format = InputOptions::new().format(InputFormat::Lines);
    assert_eq!(own.conflict(&of(Report::new().inputs([&two]).read_as(format))), None);
    assert_eq!(State::new().expect("a state").conflict(&own), None);
}

fn table(uris: &[&str], times: &[i64]) -> RecordBatch {
    let times: TimestampMillisecondArray = times.to_vec().into();
    let columns = [
        ("url", Arc::new(StringArray::from(uris.to_vec())) as ArrayRef),
        ("time", Arc::new(times) as ArrayRef),
    ];
    RecordBatch::try_from_iter(columns).expect("a batch")
}

fn of_table(name: &str, batches: &[RecordBatch]) -> State {
    let run = Report::new().read_as(InputOptions::new().uri_field("url"));
    let batches = batches.to_vec();
    let schema = batches[0].schema();
    run.run_table(GivenTable::new(name, schema, batches.into_iter().map(Ok))).expect("a report").state
}

#[test]
fn a_table_is_known_by_what_its_rows_say() {
    let whole = table(&["http://a/", "http://b/"], &[1, 2]);
    let own = of_table("t", std::slice::from_ref(&whole));
    for (batches, is_one, why) in [
        (vec![whole.clone()], true, "the same"),
        (vec![whole.slice(0, 1), whole.slice(1, 1)], true, "in two batches"),
        (vec![table(&["http://a/", "http://c/"], &[1, 2])], false, "another URI"),
        (vec![table(&["http://a/", "http://b/"], &[1, 90_000])], false, "another time"),
        (vec![whole.slice(0, 1)], false, "a row less"),
        (vec![whole.slice(0, 0)], false, "nothing"),
    ] {
        assert_eq!(own.conflict(&of_table("t", &batches)).is_some(), is_one, "{why}");
    }
    // Parts of a frame may be equal.
    assert_eq!(own.conflict(&of_table("u", &[whole])), None);
}

/// A sum of states that can be read can be written and read again, or it is refused.
#[test]
fn what_is_written_is_read() {
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX];
    let uris = vec!["http://a/"; ends.len()];
    let far = of_table("t", &[table(&uris, &ends)]);
    let read = State::from_bytes(&far.to_bytes(), "far").expect("what was written");
    assert_eq!(read.to_json(9), far.to_json(9));
    let mut sum = read.clone();
    sum.merge_all_the_same(&far).expect("a sum");
    assert_eq!(State::from_bytes(&sum.to_bytes(), "sum").expect("a sum").to_json(9), sum.to_json(9));
    assert!(sum.page("x").len() > 1000);

    // A state with forged numbers: its records, and the sum of many such states.
    let mut bytes = of_table("t", &[table(&["http://a/"], &[1])]).to_bytes();
    bytes.truncate(bytes.len() - 8);
    let records = b"urimill report state\n".len() + 4;
    for (count, is_read) in [(u64::MAX >> 16, true), ((u64::MAX >> 16) + 1, false), (u64::MAX, false)] {
        bytes[records..records + 8].copy_from_slice(&count.to_le_bytes());
        let sealed = [&bytes[..], &XxHash3_64::oneshot(&bytes).to_le_bytes()].concat();
        let state = State::from_bytes(&sealed, "forged");
        assert_eq!(state.is_ok(), is_read, "{count}");
        if let Ok(mut state) = state {
            let error = state.merge_all_the_same(&state.clone()).expect_err("too many");
            assert_eq!(error.kind(), ErrorKind::Data, "{error}");
        }
    }
}
