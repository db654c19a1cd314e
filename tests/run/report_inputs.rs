//! Inputs of reports by the builder: several formats, and tables in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use urimill::ErrorKind;
use urimill::read::GivenTable;
use urimill::report::State;
use urimill::run::{InputFormat, InputOptions, Report};

const LINE: &str = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"agent\"\n";

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

fn state(inputs: &[&PathBuf]) -> State {
    Report::new().inputs(inputs).run().expect("a report").state
}

/// Each input whose format is detected has its own.
#[test]
fn the_formats_are_those_of_all_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = write(folder.path(), "a.txt", "http://h/\n");
    let log = write(folder.path(), "b.log", LINE.repeat(3));
    let empty = write(folder.path(), "c.txt", "");
    for (inputs, expected) in [
        (vec![&list, &log], vec!["clf", "lines"]),
        (vec![&log, &list], vec!["clf", "lines"]),
        (vec![&empty], vec!["lines"]),
    ] {
        assert_eq!(state(&inputs).formats().collect::<Vec<_>>(), expected, "{inputs:?}");
    }
}

/// A table in memory counts as one in a file; its errors come out unchanged.
#[test]
fn a_table_in_memory_is_that_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: Vec<(String, i64)> =
        (0..3000).map(|row| (format!("http://h{}/{row}", row % 7), [200, 404][row % 2])).collect();
    let text: String = rows.iter().map(|(url, status)| format!("{url},{status}\n")).collect();
    let input = write(folder.path(), "a.csv", format!("link,status\n{text}"));
    let csv = InputOptions::new().format(InputFormat::Csv).uri_field("link");
    let whole = Report::new().inputs([&input]).read_as(csv).run().expect("a report").state;
    let batch = |rows: &[(String, i64)]| {
        let links = StringArray::from_iter_values(rows.iter().map(|row| &row.0));
        let status = Int64Array::from_iter_values(rows.iter().map(|row| row.1));
        let columns: [(&str, ArrayRef); 2] = [("link", Arc::new(links)), ("status", Arc::new(status))];
        RecordBatch::try_from_iter(columns).expect("a batch")
    };
    let batches: Vec<_> = rows.chunks(700).map(batch).collect();
    let schema = batches[0].schema();
    let report = || Report::new().read_as(InputOptions::new().uri_field("link"));
    for threads in [1, 3] {
        let table = GivenTable::new("rows", schema.clone(), batches.clone().into_iter().map(Ok));
        let state = report().threads(threads).run_table(table).expect("a report").state;
        assert_eq!(state.to_json(usize::MAX)["figures"], whole.to_json(usize::MAX)["figures"]);
        assert_eq!(state.to_json(0)["inputs"]["names"][0], "rows");
        assert_eq!(state.accounts().records, 3000);
    }
    let gone = || Err(urimill::Error::new(ErrorKind::Io, "the line is dead"));
    let failing = batches.clone().into_iter().map(Ok).chain([gone()]);
    let failed = report().run_table(GivenTable::new("rows", schema.clone(), failing)).expect_err("an error");
    assert_eq!((failed.kind(), failed.to_string().as_str()), (ErrorKind::Io, "the line is dead"));
    for (run, sentence) in [
        (report().inputs(["a.csv"]), "a table is given, and inputs, too"),
        (Report::new().read_as(InputOptions::new().uri_field("url")), "url"),
        (report().page(folder.path().join("a")).json(folder.path().join("a")), "a"),
    ] {
        let table = GivenTable::new("rows", schema.clone(), batches.clone().into_iter().map(Ok));
        let refused = run.run_table(table).expect_err("it makes no sense");
        assert_eq!(refused.kind(), ErrorKind::Usage, "{refused}");
        assert!(refused.to_string().contains(sentence), "{refused}");
    }
}

/// The tiles that answer the first question: how many requests failed.
#[test]
fn the_page_begins_with_how_many_responses_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = [200, 404, 404, 499, 500, 304, 200, 200, -5003, 0];
    let text = rows.map(|status| format!("http://h/,{status}\n")).concat();
    let input = write(folder.path(), "a.csv", format!("url,status\n{text}"));
    let options = InputOptions::new().format(InputFormat::Csv).uri_field("url");
    let page = Report::new().inputs([&input]).read_as(options).run().expect("a report").state.page("a");
    for tile in [
        "<dt>Client errors (4xx)</dt><dd>3 (30.0 %)</dd>",
        "<dt>Server errors (5xx)</dt><dd>1 (10.0 %)</dd>",
        "<dt>No answer (0 and below)</dt><dd>2 (20.0 %)</dd>",
    ] {
        assert!(page.contains(tile), "{tile}");
    }
    let list = state(&[&write(folder.path(), "a.txt", "http://h/\n")]).page("a");
    assert!(!list.contains("errors (4xx)") && !list.contains("No answer"));
}
