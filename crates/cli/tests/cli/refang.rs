//! `--refang`: defanged records regain their text, in every command that reads records.

use serde_json::Value;

use super::run::urimill;
use super::table::jsonl;

/// (options, record, uri, whether the row says that it was repaired)
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str, bool)] = &[
    ("", "hxxps[:]//www[.]Example[.]com/a", "https://www.example.com/a", true),
    ("", "hxxp://h/", "http://h/", true),
    ("", "meow://h(dot)example{:}8080/", "http://h.example:8080/", true),
    ("", "evil[.]example/a", "evil.example/a", true),
    ("", "http://[::1]:81/", "http://[::1]:81/", false),
    ("", "http://h:8080/a?b", "http://h:8080/a?b", false),
    ("", "HTTP://h:8080/a(dot)b", "http://h:8080/a.b", true),
    // A text that remains malformed is unchanged.
    ("", "hxxp[:]//h[.]example/a b", "hxxp[:]//h[.]example/a b", false),
    ("--spec whatwg", "hxxp://h[.]example\\a", "http://h.example/a", true),
    ("--spec whatwg", "http://h/a", "http://h/a", false),
    ("--spec whatwg --base http://b/", "hxxp[:]//h/a", "http://h/a", true),
    ("--base http://b/c/", "hxxp://h[.]example/a", "http://h.example/a", true),
    ("--base http://b/c/", "a[.]html", "http://b/c/a.html", true),
    ("--repair", "<hxxp://h[.]example/a b>", "http://h.example/ab", true),
    ("--repair --default-scheme https", "h[.]example[.]com/a", "https://h.example.com/a", true),
    ("--mask-passwords", "hxxp://joe:pw@h[.]example/", "http://joe:***@h.example/", true),
    ("--spec rfc2396", "hxxp[:]//h/", "http://h/", true),
];

#[test]
fn a_harmless_record_is_what_it_was() {
    for (options, record, uri, is_repaired) in ROWS {
        let line = format!(
            "normalize --from lines --refang {options} --to jsonl --summary none --columns uri,raw,flags,whatwg_uri"
        );
        let done = urimill(&line).stdin(format!("{record}\n")).ok();
        let row = &jsonl(&done.stdout)[0];
        assert_eq!(row["uri"], *uri, "{options} {record}");
        let flags = row["flags"].as_array().expect("flags");
        assert_eq!(flags.contains(&Value::from("repaired")), *is_repaired, "{options} {record}: {flags:?}");
        assert_eq!(row["raw"].is_null(), !is_repaired, "{options} {record}: {row:?}");
        if *is_repaired
            && !options.contains("--repair")
            && row["uri"].as_str().is_some_and(|uri| uri.starts_with("http"))
        {
            assert_eq!(row["whatwg_uri"], *uri, "{options} {record}");
        }
    }
    // Only where it is asked for.
    let done = urimill("normalize --to csv --summary none --columns uri,error")
        .stdin("hxxp://h/\nh[.]example\n")
        .ok();
    assert_eq!(done.text(), "uri,error\nhxxp://h/,\nh[.]example,path_invalid_char\n");
}

#[test]
fn commands_agree() {
    let input = "hxxp://h/\nhttp://h/\nhxxp[:]//h/\nhxxp[:]//h/ a\n";
    let done = urimill("dedupe --refang --to csv --summary none -o -").stdin(input).ok();
    assert!(done.text().contains("\nhttp://h/,3"), "{}", done.text());
    let done = urimill("check --refang --quiet").stdin(input).go();
    let places: Vec<_> = done.text().lines().filter(|line| line.starts_with("standard")).collect();
    assert_eq!(places.len(), 1, "{}", done.text());
    assert!(places[0].starts_with("standard input:4:"), "{}", places[0]);
    let done = urimill("check --refang --quiet --require uri").stdin("a[.]b\nhxxp://h[.]b/\n").go();
    let places: Vec<_> = done.text().lines().filter(|line| line.starts_with("standard")).collect();
    assert!(places.len() == 1 && places[0].contains("scheme_missing"), "{}", done.text());
    // The place is one of the reference, which is shown.
    let done = urimill("check --refang --quiet --require uri").stdin(" http://h/\n h[.]a/b\n").go();
    assert!(done.text().starts_with("standard input:2:4: scheme_missing"), "{}", done.text());
    assert!(done.text().contains("\n  h.a/b\n     ^\n"), "{}", done.text());
}
