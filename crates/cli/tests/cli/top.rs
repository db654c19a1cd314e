//! `urimill top` and `urimill stats`: their counts, the records that they count, and their look.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::run::{dir, urimill, write};

const LOG: &str = "\
192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a/b.html?x=1 HTTP/1.1\" 200 10 \"http://r.example/\" \"one\"
192.0.2.2 - - [17/May/2015:10:05:04 +0000] \"GET /a/c HTTP/1.1\" 404 20 \"-\" \"two\"
192.0.2.2 - - [17/May/2015:10:05:05 +0000] \"GET /a/c HTTP/1.1\" 404 30 \"-\" \"two\"
192.0.2.2 - - [17/May/2015:10:05:06 +0000] \"POST /d?x&y HTTP/1.1\" 500 40 \"-\" \"three\"
192.0.2.3 - - [17/May/2015:10:05:07 +0000] \"GET /a b HTTP/1.1\" 200 50 \"-\" \"\u{202e}\"
";

/// The sum and the text of each line.
fn lines(text: &str) -> Vec<(String, String)> {
    let words = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // The sum, the share, its sign, the bar and the text.
        let end = words.iter().position(|word| *word == "%").expect("a share");
        (words[..end - 1].concat(), words[end + 2..].join(" "))
    };
    text.lines().map(words).collect()
}

#[test]
fn figures_and_columns_of_the_records_that_fit() {
    let table: [(&str, &[(&str, &str)]); 13] = [
        ("--by status", &[("2", "200"), ("2", "404"), ("1", "500")]),
        ("--by path -n 1", &[("2", "/a/c")]),
        ("--by path --where status=404", &[("2", "/a/c")]),
        ("--by client --where status!=200 --where method=GET", &[("2", "192.0.2.2")]),
        ("--by param", &[("2", "x"), ("1", "y")]),
        ("--by path_bytes", &[("50B", "/a/c"), ("40B", "/d"), ("10B", "/a/b.html")]),
        ("--by code", &[("1", "path_invalid_char")]),
        ("--by status --where code!=", &[("1", "200")]),
        ("--by protocol", &[("5", "HTTP/1.1")]),
        ("--by time --where status=500", &[("1", "2015-05-17T10:05:06Z")]),
        ("--by status --where time=2015-05-17T10:05:06Z", &[("1", "500")]),
        ("--by size --where user_agent=two", &[("1", "20"), ("1", "30")]),
        ("--by agent --where status=200 --where size=50", &[("1", "\\u{202e}")]),
    ];
    for (options, expected) in table {
        let done = urimill(&format!("top --from clf {options}")).stdin(LOG).ok();
        let found = lines(done.text());
        let found: Vec<(&str, &str)> =
            found.iter().map(|(sum, text)| (sum.as_str(), text.as_str())).collect();
        assert_eq!(found, expected, "{options}: {}{}", done.text(), done.stderr);
    }
}

#[test]
fn flags_states_and_what_is_not_there() {
    let folder = dir();
    write(folder.path(), "a.txt", "http://u@h/\nhttp://h/\nhttp://i/\n");
    let urimill = |line: &str| urimill(line).within(folder.path());
    let done = urimill("top a.txt --by host --where flag=has_userinfo").ok();
    assert_eq!(lines(done.text()), [("1".to_owned(), "h".to_owned())]);
    assert_eq!(done.stderr, "urimill: 1 of 1 distinct values shown, total 1 in 1 record\n");
    urimill("report a.txt --state a.state").ok();
    let done = urimill("top a.state a.state --by host --force").ok();
    assert_eq!(lines(done.text()), [("4".to_owned(), "h".to_owned()), ("2".to_owned(), "i".to_owned())]);
    urimill("top a.state --by uri").fails(2, &["states have figures and no records"]);
    urimill("top a.state --by host --where host=h").fails(2, &["states have figures and no records"]);
    urimill("top a.txt --by nothing").fails(2, &["there is no column \"nothing\"", "a figure (host, "]);
    urimill("top a.txt --by host --where nothing=1")
        .fails(2, &["there is no column \"nothing\"", "inputs: choose a column of urimill schema"]);
    // The codes of rejects stand in states, too, and one from a pipe is not taken for something else.
    write(folder.path(), "b.txt", "http://h/ \nhttp://[\nhttp://h/a b\n");
    urimill("report b.txt --state b.state").ok();
    let done = urimill("top b.state a.state b.state --by code --force").ok();
    let codes = [("4", "path_invalid_char"), ("2", "host_ipv6_malformed")];
    assert_eq!(lines(done.text()), codes.map(|(sum, code)| (sum.to_owned(), code.to_owned())));
    assert_eq!(done.stderr, "urimill: 2 of 2 distinct values shown, total 6 in 9 records\n");
    let state = std::fs::read(folder.path().join("b.state")).expect("the state");
    urimill("stats").stdin(state).fails(2, &["looks like a state of urimill report", "by its name"]);
    urimill("top --by host --watch").fails(2, &["--watch", "name files"]);
}

#[test]
fn a_growing_file_is_counted_again() {
    let folder = dir();
    write(folder.path(), "a.txt", "http://h/\n");
    let mut run = urimill("top a.txt --by host --watch 1").within(folder.path());
    let mut child = run.command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("urimill starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    assert!(next().starts_with("1 100.0 %"));
    let path = folder.path().join("a.txt");
    let mut file = std::fs::OpenOptions::new().append(true).open(path).expect("the file");
    file.write_all(b"http://h/\n").expect("a line more");
    assert_eq!(next(), "");
    assert!(next().starts_with("2 100.0 %"));
    child.kill().expect("it runs until it is stopped");
    child.wait().expect("it ends");
}

/// A log that is rotated is away for a moment; of a pattern there are other files then.
#[test]
fn a_rotated_log_is_watched_on() {
    let folder = dir();
    let path = |name: &str| folder.path().join(name);
    for (input, moved) in [("a.log", "old"), ("b*.txt", "b2.txt")] {
        let name = if input == "a.log" { input } else { "b1.txt" };
        write(folder.path(), name, "http://h/\n");
        let mut run = urimill(&format!("top {input} --by host --watch 1")).within(folder.path());
        let mut child =
            run.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut said = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let mut next = || lines.next().expect("a line").expect("text");
        assert!(next().starts_with("1 100.0 %"));
        assert_eq!(next(), "");
        std::fs::rename(path(name), path(moved)).expect("it is rotated");
        if input == "a.log" {
            let sentences = [(); 2].map(|()| said.next().expect("a sentence").expect("text"));
            assert_eq!(
                sentences,
                [
                    "urimill: 1 of 1 distinct values shown, total 1 in 1 record",
                    "urimill: cannot read a.log: no such file"
                ]
            );
        }
        write(folder.path(), name, "http://h/\nhttp://h/\nhttp://h/\n");
        // A file that is new and one that is renamed may be seen together or not.
        let line = [(); 3].iter().map(|()| next()).find(|line| line.starts_with(['3', '4']));
        assert!(line.is_some(), "{input}");
        child.kill().expect("it runs until it is stopped");
        child.wait().expect("it ends");
    }
}

#[test]
fn one_screen_says_what_is_in_a_log() {
    let done = urimill("stats --from clf").stdin(LOG).ok();
    let text = done.text();
    for part in [
        "5 records = 4 URI references + 1 reject\n",
        "read as clf\n2015-05-17 10:05:03 to 2015-05-17 10:05:07 UTC\n",
        "1  path_invalid_char\n",
        "\nStatus codes: 3 distinct\n2  40.0 % ████████████████████████ 200\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(text.lines().count() <= 40, "{text}");
}

/// A sketch's inexact counts are marked.
#[test]
fn bounds_are_said_where_sums_are_not_exact() {
    let list: String = (0..60_000).map(|n| format!("http://h/?p{}=1\n", n % 30_000)).collect();
    let done = urimill("stats").stdin(list.clone()).ok();
    let line = done.text().lines().find(|line| line.starts_with("Query parameters: ")).expect("the figure");
    let said = "; each may be greater by up to ";
    assert!(line.starts_with("Query parameters: about ") && line.contains(said), "{line}");
    assert!(done.text().contains("\nHosts: 1 distinct\n"), "{}", done.text());
    let done = urimill("top --by param -n 1").stdin(list).ok();
    assert!(done.stderr.contains("1 of about ") && done.stderr.contains(said), "{}", done.stderr);
}

/// Records whose field is null are counted, and get no text.
#[test]
fn fields_without_a_value_are_told() {
    let table = "url,client,note\nhttp://a/,192.0.2.1,x\nhttp://b/,,\nhttp://b/c,,\n";
    for (by, found, said) in [
        ("client", "192.0.2.1", "urimill: 1 of 1 distinct values shown, total 1 in 3 records, 2 without\n"),
        ("note", "x", ""),
        ("host", "b", "urimill: 1 of 2 distinct values shown, total 3 in 3 records\n"),
        ("port", "", "urimill: 0 of 0 distinct values shown, total 0 in 3 records, 3 without\n"),
        ("param", "", "urimill: 0 of 0 distinct values shown, total 0 in 3 records\n"),
    ] {
        let done = urimill(&format!("top --from csv --uri-field url --by {by} -n 1")).stdin(table).ok();
        let found = if found.is_empty() { None } else { Some(found) };
        assert_eq!(lines(done.text()).first().map(|(_, text)| text.as_str()), found, "{by}");
        assert!(done.stderr.contains(said), "{by}: {}", done.stderr);
    }
}
