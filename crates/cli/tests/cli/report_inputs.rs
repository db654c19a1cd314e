//! A report, `top` and `stats` count each input once; and options that do not apply to inputs which are states.

use serde_json::json;

use super::run::{dir, urimill, write};

#[test]
fn options_of_reading_are_refused_where_inputs_are_states() {
    let folder = dir();
    write(folder.path(), "a.txt", "http://a/\n");
    urimill("report a.txt --state a.state").within(folder.path()).ok();
    for option in [
        "--spec rfc3986",
        "--spec whatwg",
        "--level scheme",
        "--repair",
        "--base http://h/",
        "--psl list.dat",
        "--max-record 1M",
        "--on-damage keep",
        "--last-line keep",
        "--from lines",
        "--log-format %r",
        "--encoding latin1",
        "--comment x",
        "--skip-bodies",
        "--records all",
        "--from csv --uri-field 1",
        "--from csv --uri-field 1 --base-field 2",
        "--from csv --uri-field 1 --header no",
        "--from csv --uri-field 1 --no-quotes",
        "--uri-template {a}",
    ] {
        // The first one that the sentence may name.
        let name = option.split(' ').next().unwrap_or_default();
        for command in ["report -o -", "stats", "top --by host"] {
            urimill(&format!("{command} a.state {option}"))
                .within(folder.path())
                .fails(2, &[name, "how records are read", "a.state is a state"]);
        }
    }
    urimill("stats a.state --memory 1G --threads 2").within(folder.path()).ok();
}

/// (the option of one state, that of the other, the option that the sentence names)
#[test]
fn states_made_with_other_options_are_refused_by_the_option() {
    let folder = dir();
    let urimill = |line: &str| urimill(line).within(folder.path());
    write(folder.path(), "a.csv", "http://a/,http://b/\n");
    write(folder.path(), "b.csv", "http://c/,http://d/\n");
    write(folder.path(), "list.dat", "// VERSION: own\n// ===BEGIN ICANN DOMAINS===\norg\n");
    let table = [
        ("", "--spec whatwg", ["with --spec rfc3986", "with --spec whatwg"]),
        ("--spec rfc2396", "--spec whatwg", ["with --spec rfc2396", "with --spec whatwg"]),
        ("--spec rfc2396 --level none", "", ["with --spec rfc2396", "with --spec rfc3986"]),
        ("--spec rfc3986-errata", "--base http://h/", ["with --spec rfc3986-errata", "with --spec rfc3986"]),
        ("--level case", "--level none", ["with --level case", "with --level none"]),
        ("--repair", "", ["with --repair", "without --repair"]),
        ("--base http://h/", "--base http://i/", ["with --base http://h/", "with --base http://i/"]),
        ("--base-field 2", "--base http://i/", ["without --base", "with --base http://i/"]),
        ("--base-field 2", "", ["with --base-field 2", "without --base-field"]),
        ("--base-field 2 --compat", "--base-field 2", ["with --compat", "without --compat"]),
        ("--psl list.dat", "", ["with --psl", "without --psl"]),
    ];
    for (one, other, said) in table {
        for (name, options) in [("a", one), ("b", other)] {
            let line =
                format!("report {name}.csv --from csv --uri-field 1 {options} --force --state {name}.state");
            urimill(&line).ok();
        }
        urimill("stats a.state b.state").fails(2, &said);
    }
}

#[test]
fn the_same_input_counts_once() {
    let folder = dir();
    let urimill = |line: &str| urimill(line).within(folder.path());
    write(folder.path(), "a.txt", "http://a/\n");
    write(folder.path(), "copy.txt", "http://a/\n");
    for empty in ["empty.txt", "none.txt"] {
        write(folder.path(), empty, "");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.txt", folder.path().join("link.txt")).expect("a link");
    // (the inputs, the message about them)
    let table = [
        ("a.txt a.txt", "a.txt is given twice"),
        ("a.txt empty.txt ./a.txt", "a.txt and ./a.txt are one file"),
        ("a.tx[t] a.txt", "a.txt is given twice"),
        #[cfg(unix)]
        ("a.txt link.txt", "a.txt and link.txt are one file"),
    ];
    for (inputs, said) in table {
        for command in ["report -o -", "stats", "top --by host"] {
            urimill(&format!("{command} {inputs}")).fails(2, &[said, "count twice", "--force"]);
            urimill(&format!("{command} {inputs} --force")).ok();
        }
    }
    // Other files that hold the same are counted, with a word.
    let said = urimill("stats a.txt copy.txt").ok();
    assert!(
        said.text().starts_with("2 records") && said.stderr.contains("counted twice: a.txt and copy.txt")
    );
    let summary = urimill("report a.txt copy.txt -o - --summary json").ok().summary();
    assert_eq!(summary["twice"], json!([["a.txt", "copy.txt"]]));
    // Nothing counts twice in inputs without records.
    let said = urimill("stats empty.txt empty.txt none.txt a.txt").ok();
    assert_eq!(said.stderr, "");
    for header in ["h.csv", "i.csv"] {
        write(folder.path(), header, "url,n\n");
    }
    let said = urimill("stats h.csv i.csv --from csv --uri-field url").ok();
    assert_eq!(said.stderr, "");
}
