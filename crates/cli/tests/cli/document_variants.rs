//! Rules of robots.txt by which it is detected.

use super::run::urimill;
use super::table::{Row, jsonl};

/// The column `uri` of each row, or `error` where there is one; in chunks of several sizes.
fn rows(options: &str, input: &str) -> Vec<String> {
    let of = |options: &str| -> Vec<String> {
        let done = urimill(&format!("normalize --to jsonl {options}")).stdin(input).ok();
        let text = |row: &Row, name: &str| row[name].as_str().map(str::to_owned);
        jsonl(&done.stdout)
            .iter()
            .map(|row| text(row, "error").or_else(|| text(row, "uri")).unwrap_or("null".into()))
            .collect()
    };
    let rows = of(options);
    for chunk in ["--chunk 1", "--chunk 150 --threads 3"] {
        assert_eq!(of(&format!("{options} {chunk}")), rows, "{options} {chunk}: {input}");
    }
    rows
}

#[test]
fn robots_are_detected_by_their_first_rule() {
    let comments = "# c\n".repeat(30);
    // (the text, its rows)
    let table: &[(&str, &[&str])] = &[
        ("Sitemap:http://h/1\n", &["http://h/1"]),
        ("Site-map:http://h/1\nSITE-MAP:http://h/2\n", &["http://h/1", "http://h/2"]),
        (" sitemap : http://h/1\n", &["http://h/1"]),
        ("# a comment\nSitemap:http://h/1\n", &["http://h/1"]),
        ("# a comment\r\rSitemap:http://h/1\r", &["http://h/1"]),
        (&format!("{comments}Sitemap:http://h/1\n"), &["http://h/1"]),
        (&format!("{comments}User-agent: *\nDisallow: /\nSitemap: http://h/1\n"), &["http://h/1"]),
        // A URI of this scheme.
        ("sitemap://h/1\n", &["sitemap://h/1"]),
        // Crawlers, and rules that only they know, or none.
        (&format!("{}Sitemap: http://h/1\n", "User-agent: a b\n".repeat(30)), &["http://h/1"]),
        ("User-agent: *\nNoindex: /a\nX-Own: b\nSitemap: http://h/1\n", &["http://h/1"]),
        ("User-agent: *\nX-Own: b\nSitemap: http://h/1\n", &["http://h/1"]),
        ("User-agent: bot\nDissallow: /\nSitemap: http://h/1\n", &["http://h/1"]),
        ("User-agent: bot\nX-Own: /a\nSitemap: http://h/1\n", &["http://h/1"]),
        ("User-agent bot\nDisallow /\nSitemap http://h/1\n", &["http://h/1"]),
        ("User-agent: *\n", &[]),
    ];
    for (text, expected) in table {
        assert_eq!(rows("", text), *expected, "{text:?}");
    }
}
