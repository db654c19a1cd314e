//! The flags of RFC 3986 section 7 as commands tell them: the same at every level, in Common Crawl's table and
//! explained; and `--port-rules`.

use serde_json::Value;

use super::run::{dir, names, urimill, write};

/// (URI, flags of section 7, section): what a program that decodes, or maps, would meet.
const ROWS: &[(&str, &str, &str)] = &[
    ("http://h:25/", "port_well_known_mismatch", "7.2"),
    ("http://h:6/", "", "7.2: nobody's"),
    ("http://h:514/", "port_well_known_mismatch", "7.2"),
    ("http://h:902/", "port_well_known_mismatch", "7.2"),
    ("smtp://h:25", "", "7.2: the scheme's"),
    ("git+ssh://h:22", "", "7.2: the scheme's"),
    ("pop3://h:110", "", "7.2: the scheme's"),
    ("http://%31%32%37.0.0.1/", "rare_ipv4|private_address", "7.3"),
    ("http://h/%00/../b", "encoded_nul", "7.3"),
    ("http://h/a%5Cb", "encoded_backslash", "7.3"),
    ("http://h/con", "device_name", "7.3"),
    ("http://h/a/AUX.txt", "device_name", "7.3"),
    ("http://h/%6Eul", "device_name", "7.3"),
    ("http://h/%C0%AE%C0%AE/", "overlong_utf8", "7.3"),
    ("http://h/%252e%252e/", "double_encoding", "2.4"),
    ("http://[::127.0.0.1]/", "private_address", "7.4"),
    ("http://[64:ff9b::7f00:1]/", "private_address", "7.4"),
    ("http://[2002:7f00:1::]/", "private_address", "7.4"),
    ("http://100.64.0.1/", "private_address", "7.4"),
    ("http://240.0.0.1/", "private_address", "7.4"),
    (
        "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/",
        "non_ascii_host|private_address|idna_address",
        "7.4: full-width digits",
    ),
    ("http://bank.example.@h/", "has_userinfo|deceptive_userinfo", "7.6"),
    ("http://user:bank.example@h/", "has_userinfo|has_password|deceptive_userinfo", "7.6"),
    ("http://%2F%2Fbank.example@h/", "has_userinfo|deceptive_userinfo|encoded_delimiter", "7.6"),
    ("http://bank.xn--p1ai@h/", "has_userinfo|deceptive_userinfo", "7.6"),
    ("http://bank.%D1%80%D1%84@h/", "has_userinfo|deceptive_userinfo", "7.6"),
    ("http://localhost@h/", "has_userinfo|deceptive_userinfo", "7.6"),
    ("http://0x7f.1@h/", "has_userinfo|deceptive_userinfo", "7.6"),
    ("http://2130706433@h/", "has_userinfo|deceptive_userinfo", "7.6"),
];

/// Flags that tell what normalization did.
const CHANGES: [&str; 4] = ["dot_segments_removed", "percent_decoded", "case_changed", "port_dropped"];

fn lines() -> String {
    ROWS.iter().map(|row| format!("{}\n", row.0)).collect()
}

fn without_changes<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.filter(|name| !CHANGES.contains(name) && !name.is_empty()).collect::<Vec<_>>().join("|")
}

#[test]
fn the_same_at_every_level() {
    for options in ["--level none", "--level case", "--level percent", "--level syntax", "--level scheme"] {
        let done = urimill(&format!("normalize --to jsonl --columns flags {options}")).stdin(lines()).ok();
        for (row, (text, expected, section)) in done.text().lines().zip(ROWS) {
            let row: Value = serde_json::from_str(row).expect("JSON");
            let names = row["flags"].as_array().expect("a list").iter().filter_map(Value::as_str);
            assert_eq!(without_changes(names), *expected, "{section}: {text} with {options}");
        }
        assert_eq!(done.text().lines().count(), ROWS.len());
    }
}

#[test]
fn the_same_in_common_crawls_table() {
    let line = "normalize --from lines --schema cc-index --fill --to jsonl --columns +flags";
    let done = urimill(line).stdin(lines()).ok();
    for (row, (text, expected, section)) in done.text().lines().zip(ROWS) {
        let row: Value = serde_json::from_str(row).expect("JSON");
        assert_eq!(row["url"], *text);
        let names: Vec<_> =
            row["flags"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert_eq!(names.join("|"), *expected, "{section}: {text}");
    }
    assert_eq!(done.text().lines().count(), ROWS.len());
}

#[test]
fn explain_reports_the_same_flags() {
    let done = urimill("explain --to json").stdin(lines()).ok();
    for (told, (text, expected, section)) in done.text().lines().zip(ROWS) {
        let told: Value = serde_json::from_str(told).expect("JSON");
        let flags = told["reference"]["flags"].as_array().expect("a list").iter();
        let names = flags.filter_map(|flag| flag["name"].as_str());
        assert_eq!(without_changes(names), *expected, "{section}: {text}");
    }
    assert_eq!(done.text().lines().count(), ROWS.len());
}

/// Every flag is in `urimill schema`, with its section, and in the documentation.
#[test]
fn every_flag_is_documented() {
    let schema: Value = serde_json::from_slice(&urimill("schema --to json").ok().stdout).expect("JSON");
    let page = include_str!("../../../../docs/SEMANTICS.md");
    for flag in schema["flags"].as_array().expect("a list") {
        let name = flag["name"].as_str().expect("a name");
        assert!(page.contains(&format!("| `{name}` |")), "docs/SEMANTICS.md has no row for {name}");
    }
}

const RULES: &str = "\
# Ports of our own servers
http   allow 81,591 8000-8010
HTTPS  allow 25          # a mail server with a page
*      flag  6000-6063, 9
x      allow *
-      flag 8080
http   flag  8005
";

/// (URI, whether it is flagged)
const RULED: &[(&str, bool)] = &[
    ("http://h:81/", false),
    ("http://h:25/", true),
    ("https://h:25/", false),
    ("HTTPS://h:25/", false),
    ("http://h:6000/", true),
    ("ftp://h:6063/", true),
    ("//h:6001/", true),
    ("ftp://h:6064/", false),
    ("discard://h:9/", true),
    ("x://h:22/", false),
    ("x://h:6000/", false),
    ("//h:8080/", true),
    ("http://h:8080/", false),
    ("http://h:8004/", false),
    ("http://h:8005/", true),
    ("http://h/", false),
    ("http://h:/", false),
];

#[test]
fn rules_for_ports_decide_before_the_registry() {
    let dir = dir();
    write(dir.path(), "ports.txt", RULES);
    let lines: String = RULED.iter().map(|row| format!("{}\n", row.0)).collect();
    let run = |line: &str| urimill(line).within(dir.path()).stdin(&lines).ok();
    let cc_index = "normalize --from lines --schema cc-index --fill --to jsonl --columns +flags --port-rules ports.txt \
                    --on-invalid keep";
    for line in ["normalize --to jsonl --columns uri,flags --port-rules ports.txt", cc_index] {
        let done = run(line);
        for (row, (text, expected)) in done.text().lines().zip(RULED) {
            assert_eq!(row.contains("port_well_known_mismatch"), *expected, "{line}: {text}: {row}");
        }
        assert_eq!(done.text().lines().count(), RULED.len());
    }
    let done = run("explain --to json --port-rules ports.txt");
    for (told, (text, expected)) in done.text().lines().zip(RULED) {
        assert_eq!(told.contains("port_well_known_mismatch"), *expected, "explained: {text}");
    }
}

/// (the file, parts of the sentence)
const WRONG: &[(&[u8], &[&str])] = &[
    (b"http allow\n", &["line 1", "there is no port"]),
    (b"# a comment\n\nhttp\n", &["line 3", "a rule is a scheme, allow or flag, and ports"]),
    (b"http permit 80\n", &["line 1", "\"permit\" is neither allow nor flag"]),
    (b"http allow 80\nhttp: allow 81\n", &["line 2", "\"http:\" is not a scheme"]),
    (b"http allow 65536\n", &["line 1", "\"65536\" is not a port"]),
    (b"http allow 80-\n", &["line 1", "\"\" is not a port"]),
    (b"http allow +80\n", &["line 1", "\"+80\" is not a port"]),
    (b"http allow 90-80\n", &["line 1", "the range 90-80 ends before it begins"]),
    (b"http allow 80\nhttp flag \xff\n", &["line 2 is not UTF-8"]),
];

#[test]
fn wrong_rules_are_a_sentence_with_their_line() {
    let dir = dir();
    for (text, parts) in WRONG {
        write(dir.path(), "ports.txt", text);
        for line in [
            "normalize --to jsonl --port-rules ports.txt",
            "normalize -o t.parquet --port-rules ports.txt",
            "explain http://h/ --port-rules ports.txt",
        ] {
            let parts: Vec<&str> = parts.iter().copied().chain(["ports.txt"]).collect();
            urimill(line).within(dir.path()).stdin("http://h/\n").fails(2, &parts);
        }
    }
    assert_eq!(names(dir.path()), ["ports.txt"]);
    let missing = "normalize --to jsonl --port-rules no.txt";
    urimill(missing).within(dir.path()).fails(3, &["cannot read the port rules no.txt"]);
    let useless = "normalize --to jsonl --columns uri --port-rules ports.txt";
    urimill(useless).within(dir.path()).fails(2, &["--port-rules is for the column flags"]);
    let over = "normalize -o ports.txt --to jsonl --force --port-rules ports.txt";
    write(dir.path(), "ports.txt", RULES);
    urimill(over).within(dir.path()).stdin("http://h/\n").fails(2, &["ports.txt"]);
}

/// Tables say by which rules they were made.
#[test]
fn the_rules_are_in_the_metadata() {
    let dir = dir();
    write(dir.path(), "ports.txt", RULES);
    urimill("normalize -o t.parquet --port-rules ports.txt").within(dir.path()).stdin("http://h/\n").ok();
    let file = std::fs::read(dir.path().join("t.parquet")).expect("a file");
    let has = |text: &[u8]| file.windows(text.len()).any(|window| window == text);
    assert!(has(b"urimill.port_rules") && has(b"ports.txt XXH3-64 "));
}
