//! Reading inputs: the options of `InputOptions` as a program sets them, for runs of each kind.

use std::fs;

use urimill::ErrorKind;
use urimill::run::{Conversion, Dedupe, Encoding, InputFormat, InputOptions, LastLine, OnInvalid, Output};

/// The table of an input.
fn table(input: &[u8], options: InputOptions, columns: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let (input_path, output) = (folder.path().join("in"), folder.path().join("t.csv"));
    fs::write(&input_path, input).expect("a file");
    let run = Conversion::new().inputs([&input_path]).read_as(options).columns([columns]);
    run.on_invalid(OnInvalid::Keep).write_to(Output::to(&output)).run().expect("statistics");
    fs::read_to_string(&output).expect("a table")
}

#[test]
fn options_say_how_records_are_read() {
    let csv = || InputOptions::new().format(InputFormat::Csv);
    let utf16: Vec<u8> = "\u{feff}h;é\nx;/a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let encoding = |label: &str| label.parse::<Encoding>().expect(label);
    // (input, options, columns, table)
    let clf = b"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5";
    let last_line = |last_line| InputOptions::new().format(InputFormat::Clf).last_line(last_line);
    let cases: [(&[u8], InputOptions, &str, &str); 9] = [
        (
            b"# c\nh,p,q\nx,/a,b\nx,/a,\n",
            csv().comment("#").uri_template("http://{h}{p}?{q}"),
            "uri",
            "http://x/a?b\nhttp://x/a\n",
        ),
        (b"GET //a HTTP/1.1\n", csv().request_line("1"), "uri,method", "/.//a,GET\n"),
        (
            &utf16,
            csv().delimiter(";").encoding(encoding("utf-16")).uri_template("http://{h}{é}"),
            "uri",
            "http://x/a\n",
        ),
        (b"/\xe9\n", InputOptions::new().encoding(encoding("latin1")), "uri,error", "/é,path_invalid_char\n"),
        (b"#x\n/a\n", InputOptions::new().comment("#"), "uri", "/a\n"),
        (clf, last_line(LastLine::Mark), "size,field_errors", "5,unfinished\n"),
        (clf, last_line(LastLine::Keep), "size,field_errors", "5,\n"),
        (clf, last_line(LastLine::Drop), "size,field_errors", ""),
        (b"HTTP://u@h/\n", InputOptions::new(), "flag_names", "has_userinfo|case_changed\n"),
    ];
    for (input, options, columns, rows) in cases {
        assert_eq!(table(input, options, columns), format!("{columns}\n{rows}"));
    }
}

#[test]
fn every_kind_of_run_takes_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in.csv"), folder.path().join("t.csv"));
    fs::write(&input, "h,p\nx,/a\nX,/a\nx,/b\n").expect("a file");
    let options = InputOptions::new().format(InputFormat::Csv).uri_template("http://{h}{p}");
    let stats = Dedupe::new().inputs([&input]).read_as(options).write_to(Output::to(&output)).run();
    let stats = stats.expect("statistics");
    assert_eq!((stats.records, stats.rows), (3, 2));
}

#[test]
fn a_mistake_in_a_template_has_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in.csv"), folder.path().join("t.csv"));
    fs::write(&input, "h,p\nx,/a\n").expect("a file");
    for (template, at) in [("http://{h}{q}", 11), ("http://{h", 7)] {
        let run = Conversion::new().inputs([&input]).format(InputFormat::Csv).uri_template(template);
        let error = run.write_to(Output::to(&output)).run().expect_err(template);
        assert_eq!((error.kind(), error.marked()), (ErrorKind::Usage, Some((template, at))), "{error}");
    }
}
