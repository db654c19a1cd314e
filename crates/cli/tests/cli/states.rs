//! States of reports as inputs, whole or not; and that the outputs of a report are one set.

use std::io::Read;
use std::process::Stdio;

use super::run::{dir, names, urimill, write};

/// (the inputs, the message about them)
#[test]
fn states_that_do_not_go_together_are_refused_by_name() {
    let folder = dir();
    let urimill = |line: &str| urimill(line).within(folder.path());
    write(folder.path(), "a.txt", "http://a/\n/b\n");
    write(folder.path(), "b.txt", "/c\n");
    write(folder.path(), "empty.txt", "");
    for (name, line) in [
        ("a", "a.txt"),
        ("b", "b.txt"),
        ("ab", "a.txt b.txt"),
        ("base", "b.txt --base http://h/"),
        ("level", "b.txt --level none"),
        ("spec", "b.txt --spec rfc2396"),
        ("whatwg", "b.txt --spec whatwg --base http://h/"),
        ("repair", "b.txt --repair"),
        ("none", "empty.txt"),
    ] {
        urimill(&format!("report {line} --state {name}.state")).ok();
    }
    let table: [(&str, &[&str]); 8] = [
        ("a.state a.state", &["a.state and a.state both hold the input a.txt", "--force"]),
        ("b.state ab.state", &["b.state and ab.state both hold the input b.txt", "count twice"]),
        ("a.state b.state ab.state", &["a.state and ab.state both hold the input a.txt"]),
        ("a.state base.state", &["a.state was made without --base, and base.state with --base http://h/"]),
        ("a.state level.state", &["with --level scheme, and level.state with --level none"]),
        ("a.state spec.state", &["with --spec rfc3986, and spec.state with --spec rfc2396"]),
        ("a.state whatwg.state", &["with --spec rfc3986, and whatwg.state with --spec whatwg"]),
        ("a.state repair.state", &["without --repair, and repair.state with --repair"]),
    ];
    for (states, said) in table {
        for command in ["report -o - ", "stats", "top --by scheme"] {
            urimill(&format!("{command} {states}")).fails(2, said);
            urimill(&format!("{command} {states} --force")).ok();
        }
    }
    for states in ["a.state b.state", "none.state none.state a.state", "ab.state none.state"] {
        urimill(&format!("stats {states}")).ok();
    }
    // The states of two logs give the counts of one log with the lines of both.
    let records = |line: &str| urimill(line).ok().text().lines().next().map(str::to_owned);
    assert_eq!(records("stats a.state b.state"), records("stats ab.state"));
    assert_eq!(records("stats a.state b.state"), records("stats a.txt b.txt"));
}

/// A state that is cut within its first line is not a list, for any command.
#[test]
fn a_cut_state_is_damage_in_every_command() {
    let folder = dir();
    let urimill = |line: &str| urimill(line).within(folder.path());
    write(folder.path(), "a.txt", "http://a/\n");
    urimill("report a.txt --state whole.state").ok();
    let whole = std::fs::read(folder.path().join("whole.state")).expect("a state");
    // Fewer bytes are a state by their name alone.
    for (name, len) in
        [("a.state", 1), ("b.state", 7), ("c.state", 20), ("d.txt", 9), ("e.txt", 20), ("f", 21)]
    {
        write(folder.path(), name, &whole[..len]);
        for line in ["report -o r.html", "stats", "top --by host"] {
            urimill(&format!("{line} {name}")).fails(3, &[name, "the state", "truncated"]);
        }
        for line in
            ["normalize --to csv", "dedupe", "check", "extract", "links", "index", "lookup http://a/ --index"]
        {
            let done = urimill(&format!("{line} {name}")).go();
            assert!(matches!(done.code, Some(2 | 3)), "{line} {name}: {:?} {}", done.code, done.stderr);
            assert!(done.stdout.is_empty() && done.stderr.contains(name), "{line} {name}: {}", done.stderr);
        }
    }
    // An empty file with the name of a state is a truncated state; a list may have such a name nevertheless.
    write(folder.path(), "none.state", "");
    urimill("stats none.state").fails(3, &["none.state", "truncated"]);
    write(folder.path(), "list.state", "http://a/\n");
    urimill("stats list.state").ok();
    assert!(!folder.path().join("r.html").exists());
}

#[test]
fn outputs_are_one_set() {
    let folder = dir();
    let urimill = |line: &str| urimill(line).within(folder.path());
    write(folder.path(), "a.txt", "http://a/\n".repeat(10));
    let table: [(&str, &str); 5] = [
        ("-o x --json x", "x cannot be both the page and the figures as JSON"),
        ("-o x --state ./x", "./x cannot be both the page and the state"),
        ("--json x --state x", "x cannot be both the figures as JSON and the state"),
        ("-o - --json /dev/stdout", "only one output"),
        ("-o - --state -", "only one output"),
    ];
    for (outputs, said) in table {
        urimill(&format!("report a.txt {outputs}")).fails(2, &[said]);
    }
    // One that exists keeps all others from being written.
    write(folder.path(), "old.json", "old");
    urimill("report a.txt -o new.html --json old.json --state new.state").fails(2, &["old.json", "exists"]);
    assert_eq!(names(folder.path()), ["a.txt", "old.json"]);
    urimill("report a.txt -o new.html --json old.json --state new.state --force").ok();
    assert_eq!(names(folder.path()), ["a.txt", "new.html", "new.state", "old.json"]);
}

/// A reader that goes away has what it wanted, but whoever asked for files beside it has not.
#[test]
fn a_reader_that_goes_away_leaves_files_as_they_were() {
    let folder = dir();
    let list: String =
        (0..5000).map(|number| format!("http://h{number}.example/{number}?q{number}\n")).collect();
    write(folder.path(), "a.txt", list);
    for (outputs, code) in [("--json -", 0), ("--json - --state a.state", 3)] {
        let mut command =
            urimill(&format!("report a.txt {outputs} --summary none")).within(folder.path()).command;
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
        child.stdout.take().expect("a pipe").read_exact(&mut [0; 4]).expect("four bytes");
        let output = child.wait_with_output().expect("urimill ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{outputs}: {said}");
        assert_eq!(said.contains("nothing was published"), code != 0, "{outputs}: {said}");
        assert_eq!(names(folder.path()), ["a.txt"], "{outputs}");
    }
}
