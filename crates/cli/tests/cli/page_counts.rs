//! The summary of `links` says how many pages have what their rows only flag.

use serde_json::json;

use super::run::{dir, urimill, write};

#[test]
fn pages_that_are_odd_are_counted() {
    let folder = dir();
    let urimill = |line: &str| urimill(line).within(folder.path());
    write(folder.path(), "base.html", format!("<base href='http://h/{}/'><a href=a>", "b".repeat(8000)));
    let heavy = format!("<base href='http://h/{}/'>{}", "b".repeat(7900), "<a href=a>".repeat(2000));
    write(folder.path(), "heavy.html", heavy);
    write(folder.path(), "guess.html", b"<a href=/\xe9>");
    write(folder.path(), "damaged.html", b"<meta charset=utf-8><a href=/\xe9>");
    write(folder.path(), "plain.html", "<a href=a>");
    // (the inputs, how many of them have each flag, the lines about them)
    let table: [(&str, [u64; 3], &[&str]); 3] = [
        (
            "base.html heavy.html plain.html",
            [2, 0, 0],
            &["base_too_long: 2 pages, references that need a base are not resolved\n"],
        ),
        (
            "guess.html damaged.html",
            [0, 1, 1],
            &["charset_unknown: 1 page, the encoding is a guess\n", "charset_damaged: 1 page, bytes"],
        ),
        ("plain.html", [0, 0, 0], &[]),
    ];
    for (inputs, [base, unknown, damaged], lines) in table {
        for line in ["links --to csv -o -", "links --to csv --edges uri -o -"] {
            let summary = urimill(&format!("{line} {inputs} --summary json")).ok().summary();
            let pages = &summary["pages"];
            let found = [&pages["base_too_long"], &pages["charset_unknown"], &pages["charset_damaged"]];
            assert_eq!(found, [&json!(base), &json!(unknown), &json!(damaged)], "{line} {inputs}");
            let said = urimill(&format!("{line} {inputs}")).ok().stderr;
            assert!(lines.iter().all(|line| said.contains(line)), "{said}");
            assert_eq!(said.contains("base_too_long"), base > 0, "{said}");
            assert_eq!(said.contains("charset_"), unknown + damaged > 0, "{said}");
        }
    }
}
