//! Passwords in user information (RFC 3986, 7.5 and 3.2.1): masked in everything that urimill prints, and in tables on
//! demand.

use super::run::{Done, dir, names, urimill, write};
use super::table::{Row, read};

/// A password that occurs nowhere else.
const SECRET: &str = "s3cr3t";

/// Records that tell it, valid and not, each in a way of its own.
fn records() -> String {
    [
        "http://joe:s3cr3t@h/",
        "HTTP://joe:s3cr3t@H/%7e",
        "http://joe:s3cr3t@h/a b",
        "http://joe:s3 cr3t s3cr3t@h/",
        "http://joe:a/s3cr3t@h/",
        "ht tp://joe:s3cr3t@h/",
        "http://h/?u=http://joe:s3cr3t@i/",
        "http://h/a b?u=http://joe:s3cr3t@i/",
        "<http://joe:s3cr3t@h/>",
        "http:\\\\joe:s3cr3t@h\\a",
        "//joe:s3cr3t@h",
        "http://www.bank.example:s3cr3t@h/",
        "http://joe@h/",
        "http://joe:s3cr3t@h/\u{e9}",
        "http:/joe:s3cr3t@h/",
        "http:joe:s3cr3t@h/",
        "/?r=http://joe:p/s3cr3t@h/",
        "http://h/?r=http%3A%2F%2Fjoe%3As3cr3t%40h",
    ]
    .map(|record| format!("{record}\n"))
    .concat()
}

fn says_nothing(what: &str, done: &Done) {
    let shown = String::from_utf8_lossy(&done.stdout);
    assert!(!shown.contains(SECRET), "{what}: {shown}");
    assert!(!done.stderr.contains(SECRET), "{what}: {}", done.stderr);
}

#[test]
fn what_is_said_of_a_text_masks_its_password() {
    // (command, text, what it prints instead)
    let table: &[(&str, &str, &str)] = &[
        ("explain", "http://joe:s3cr3t@h/%7e", "joe:***@h"),
        ("explain --to json", "http://joe:s3cr3t@h/%7e", r#""text":"joe:***""#),
        ("explain", "http://joe:s3cr3t@h/ a", "joe:***@h"),
        ("explain --to json", "http://joe:s3cr3t@h/ a", "joe:***@h"),
        ("explain --repair", "<http://joe:s3cr3t@h/ a>", "joe:***@h"),
        ("explain --repair --to json", "<http://joe:s3cr3t@h/ a>", "joe:***@h"),
        ("explain --spec rfc2396", "http://joe:s3cr3t@a_b:80/", "joe:***@a_b"),
        ("explain --spec rfc2396 --to json", "http://joe:s3cr3t@a_b:80/", "joe:***@a_b"),
        ("explain --base http://joe:s3cr3t@h/a/b", "../c", "joe:***@h"),
        ("explain --to json --base http://joe:s3cr3t@h/a/b", "../c", "joe:***@h"),
        ("explain --base http://joe:s3cr3t@h/[", "../c", "joe:***@h"),
        ("explain a --base", "//joe:s3cr3t@h", "joe:***@h"),
        ("resolve c --base", "http://joe:s3cr3t@h/[", "joe:***@h"),
        ("resolve c --base", "//joe:s3cr3t@h", "joe:***@h"),
        ("compare a", "http://joe:s3cr3t@h/[", "joe:***@h"),
        ("compare a b", "http://joe:s3cr3t@h/", "joe:***@h"),
        ("check", "http://joe:s3cr3t@h/", "joe:***@h"),
        ("check --nosuch", "--http://joe:s3cr3t@h/", "nosuch"),
        ("normalize -o t.csv --base", "http://joe:s3cr3t@h/[", "joe:***@h"),
        ("normalize -o t.csv --base", "//joe:s3cr3t@h/", "joe:***@h"),
    ];
    let dir = dir();
    for (line, text, instead) in table {
        let done = urimill(line).arg(text).within(dir.path()).go();
        says_nothing(line, &done);
        let said = format!("{}{}", done.text(), done.stderr);
        assert!(said.contains(instead), "{line} {text}: {said}");
    }
}

#[test]
fn records_that_are_quoted() {
    let dir = dir();
    write(dir.path(), "in.txt", records());
    write(dir.path(), "many.txt", "http://joe:s3cr3t@h/a b\n".repeat(1200));
    let lines = [
        "check in.txt",
        "check in.txt --to jsonl",
        "check in.txt --spec rfc2396,rfc3986",
        "check in.txt --spec rfc2396,rfc3986 --to jsonl",
        "normalize in.txt -o t.parquet --force",
        "normalize in.txt -o t.parquet --force --summary json",
        "normalize in.txt -o t.parquet --force --on-invalid fail",
        "normalize many.txt -o t.parquet --force --from heritrix",
        "normalize many.txt -o t.parquet --force --from csv --uri-field 3",
        "dedupe in.txt -o d.parquet --force",
    ];
    for line in lines {
        let done = urimill(line).within(dir.path()).go();
        says_nothing(line, &done);
        if line.starts_with("dedupe") {
            continue;
        }
        let done = urimill(line).arg("--show-passwords").within(dir.path()).go();
        let said = format!("{}{}", done.text(), done.stderr);
        assert!(said.contains(SECRET), "{line} --show-passwords: {said}");
    }
    let shown = urimill("explain --show-passwords http://joe:s3cr3t@h/").ok();
    assert!(shown.text().contains("joe:s3cr3t@h"), "{}", shown.text());
}

/// Places in messages count in the unmasked text; carets and rulers are below the shown text.
#[test]
fn places_are_those_of_the_record() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://joe:s3cr3t@h/a b\n");
    let done = urimill("check in.txt --quiet").within(dir.path()).go();
    let expected = "in.txt:1:22: path_invalid_char: a character that a path cannot hold: ' ' U+0020\n  \
                    http://joe:***@h/a b\n                    ^\n";
    assert_eq!(done.text(), expected);
    let json = urimill("check in.txt --quiet --to jsonl").within(dir.path()).go();
    assert!(json.text().contains(r#""error_offset":21"#), "{}", json.text());
    // The character that is wrong is one of the password's.
    write(dir.path(), "in.txt", "http://joe:s3 cr3t@h/\n");
    let done = urimill("check in.txt --quiet").within(dir.path()).go();
    let line = done.text().lines().next().expect("a line");
    assert!(line.starts_with("in.txt:1:14: userinfo_invalid_char: ") && !line.contains("U+0020"), "{line}");
    let told = urimill("explain http://joe:s3cr3t@h/a").ok();
    let lines: Vec<_> = told.text().lines().map(str::trim_end).collect();
    let expected = [
        "reference    http://joe:***@h/a",
        "scheme       ~~~~                 0..4",
        "userinfo            ~~~~~~~       7..17",
        "host                        ~     18..19  dns_name",
        "path                         ~~   19..21",
    ];
    assert_eq!(lines[..5], expected, "{}", told.text());
}

/// (input format and fields, input)
fn inputs() -> Vec<(&'static str, String)> {
    let csv: String = records()
        .lines()
        .map(|uri| format!("1,\"{}\",http://joe:s3cr3t@b/\n", uri.replace('"', "\"\"")))
        .collect();
    let heritrix = "2024-01-01T00:00:00.000Z 200 1 http://joe:s3cr3t@h/ L http://u:s3cr3t@v/ text/html #1 \
                    20240101000000000+1 sha1:A - - {\"a\":\"http://joe:s3cr3t@x\"}\n";
    let clf = "1.2.3.4 - - [01/Jan/2024:00:00:00 +0000] \"GET http://joe:s3cr3t@h/ HTTP/1.1\" 200 1 \
               \"http://joe:s3cr3t@r/\" \"bot (+http://joe:s3cr3t@b/)\"\n";
    let cdxj = "com,example)/ 20240101000000 {\"url\": \"http://joe:s3cr3t@h/\", \"redirect\": \"http://joe:s3cr3t@r/\", \
                \"more\": \"http:\\/\\/joe:s3cr3t@m\\/\"}\n";
    let jsonl: String =
        records().lines().map(|uri| format!("{}\n", serde_json::json!({ "u": uri, "v": uri }))).collect();
    vec![
        ("", records()),
        ("--repair", records()),
        ("--level none", records()),
        ("--spec rfc2396", format!("{}http://joe:s3cr3t@a_b:80/\n", records())),
        ("--base http://joe:s3cr3t@b/c", format!("{}x\n?y\n#z\n", records())),
        ("--base http://b/?u=http://joe:s3cr3t@c/", format!("{}#z\n\n", records())),
        ("--base-field 3 --from csv --uri-field 2", csv),
        ("--from heritrix", heritrix.to_owned()),
        ("--from clf", clf.to_owned()),
        ("--from cdxj", cdxj.to_owned()),
        ("--from jsonl --uri-field u", jsonl.clone()),
        ("--from jsonl --uri-field u --keep v", jsonl),
        ("--from heritrix --schema cc-index --fill", heritrix.to_owned()),
        ("--from cdxj --schema cc-index --fill", cdxj.to_owned()),
    ]
}

const COLUMNS: &str =
    "+offset,+source,+fingerprint,+surt,+canonical,+query_params,+query_params_raw,+host_ascii";

/// The files below `directory`, as they are.
fn all_bytes(directory: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for name in names(directory) {
        let path = directory.join(&name);
        match path.is_dir() {
            true => found.extend(all_bytes(&path)),
            false => found.push((name, std::fs::read(path).expect("a file"))),
        }
    }
    found
}

#[test]
fn no_column_contains_hidden_passwords() {
    for (line, input) in inputs() {
        for option in ["--mask-passwords", "--drop-userinfo"] {
            for format in ["parquet", "arrow", "csv", "jsonl"] {
                let dir = dir();
                let out = dir.path().join("out");
                std::fs::create_dir(&out).expect("a directory");
                let columns = match line.contains("cc-index") {
                    true => "--columns +flags,+error,+raw".to_owned(),
                    false => format!("--columns {COLUMNS} --canonical wayback"),
                };
                let line = format!(
                    "normalize {line} {option} {columns} --compression none --verify --summary json \
                     -o out/t.{format} --rejects out/r.{format}"
                );
                // Bytes that are not UTF-8, which have a column of their own.
                let input: Vec<u8> = input
                    .chars()
                    .flat_map(|c| if c == 'é' { vec![0xFF] } else { c.to_string().into() })
                    .collect();
                let done = urimill(&line).arg("-").stdin(&input).within(dir.path()).go();
                assert_eq!(done.code, Some(0), "{line}: {}", done.stderr);
                says_nothing(&line, &done);
                for (name, bytes) in all_bytes(&out) {
                    let hexadecimal: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
                    for secret in [SECRET, &hexadecimal] {
                        let is_there = memchr::memmem::find(&bytes, secret.as_bytes()).is_some();
                        let at = memchr::memmem::find(&bytes, secret.as_bytes()).unwrap_or_default();
                        let around = bytes[at.saturating_sub(80)..bytes.len().min(at + 40)].escape_ascii();
                        assert!(!is_there, "{line}: {name}: {around}");
                    }
                }
                if option == "--drop-userinfo" && !line.contains("cc-index") {
                    for row in read(&out.join(format!("t.{format}"))) {
                        assert!(row["userinfo"].is_null(), "{line}: {row:?}");
                    }
                }
            }
        }
    }
}

fn rows(line: &str, input: &str) -> Vec<Row> {
    let dir = dir();
    urimill(&format!("normalize - --summary none -o t.jsonl {line}")).stdin(input).within(dir.path()).ok();
    read(&dir.path().join("t.jsonl"))
}

#[test]
#[rustfmt::skip]
fn rows_are_made_after_hiding_user_information() {
    // (option, record, uri, raw, userinfo, flags)
    type Row<'a> = (&'a str, &'a str, &'a str, Option<&'a str>, Option<&'a str>, &'a str);
    let table: &[Row<'_>] = &[
        ("--mask-passwords", "http://joe:s3cr3t@h/", "http://joe:***@h/", None, Some("joe:***"), "has_userinfo has_password"),
        ("--mask-passwords", "HTTP://joe:s3cr3t@h/", "http://joe:***@h/", Some("HTTP://joe:***@h/"), Some("joe:***"),
            "has_userinfo has_password case_changed"),
        ("--mask-passwords", "http://joe@h/", "http://joe@h/", None, Some("joe"), "has_userinfo"),
        ("--mask-passwords", "http://www.bank.example:s3cr3t@h/", "http://www.bank.example:***@h/", None, Some("www.bank.example:***"),
            "has_userinfo has_password deceptive_userinfo"),
        ("--mask-passwords", "http://joe:s3cr3t@h/a b", "http://joe:***@h/a b", None, None, ""),
        ("--mask-passwords", "http://h/?u=http://joe:s3cr3t@i/", "http://h/?u=http://joe:***@i/", None, None, ""),
        ("--mask-passwords", "http://h/x:y@z", "http://h/x:y@z", None, None, ""),
        ("--drop-userinfo", "http://joe:s3cr3t@h/", "http://h/", None, None, "has_userinfo has_password"),
        ("--drop-userinfo", "HTTP://joe@H/", "http://h/", Some("HTTP://H/"), None, "has_userinfo case_changed"),
        ("--drop-userinfo", "http://j%6Fe@h/", "http://h/", None, None, "has_userinfo"),
        // The normal form is that of the remaining text.
        ("--drop-userinfo", "file://joe@localhost/a", "file:///a", Some("file://localhost/a"), None, "has_userinfo"),
        ("--drop-userinfo", "http://joe@h/a b", "http://h/a b", None, None, ""),
        ("--drop-userinfo --base http://u:s3cr3t@h/a", "b", "http://h/b", Some("b"), None, "has_userinfo has_password"),
        ("--mask-passwords --base http://u:s3cr3t@h/a", "#b", "http://u:***@h/a#b", Some("#b"), Some("u:***"),
            "has_userinfo has_password same_document"),
    ];
    for &(line, record, uri, raw, userinfo, flags) in table {
        let rows = rows(line, &format!("{record}\n"));
        let row = &rows[0];
        assert_eq!(row["uri"], uri, "{line} {record}");
        assert_eq!(row["raw"].as_str(), raw, "{line} {record}");
        assert_eq!(row["userinfo"].as_str(), userinfo, "{line} {record}");
        let names: Vec<_> = row["flags"].as_array().expect("a list").iter().filter_map(|name| name.as_str()).collect();
        assert_eq!(names.join(" "), flags, "{line} {record}");
    }
}

/// A hash of a URI would reveal its password to anyone who guesses it.
#[test]
fn keys_and_hashes_are_made_after_hiding_user_information() {
    let one =
        |record: &str, line: &str| rows(&format!("--columns +fingerprint,+surt {line}"), record).remove(0);
    for column in ["fingerprint", "surt"] {
        let masked = one("http://joe:s3cr3t@h/\n", "--mask-passwords");
        assert_eq!(masked[column], one("http://joe:***@h/\n", "")[column]);
        let dropped = one("http://joe:s3cr3t@h/\n", "--drop-userinfo");
        assert_eq!(dropped[column], one("http://h/\n", "")[column]);
    }
}

#[test]
fn dedupe_counts_after_hiding_user_information() {
    let dir = dir();
    let text = "http://joe:s3cr3t@h/\nhttp://ann:s3cr3t@h/\nhttp://joe:other@h/\nHTTP://h/\nhttp://joe:s3cr3t@h/a b\n";
    write(dir.path(), "in.txt", text);
    let uris = |option: &str| {
        let line = format!("dedupe in.txt {option} --verify --force -o d.jsonl --summary none");
        let done = urimill(&line).within(dir.path()).ok();
        says_nothing(&line, &done);
        let rows = read(&dir.path().join("d.jsonl"));
        let text = |row: &Row| format!("{} {}", row["records"], row["uri"].as_str().unwrap_or_default());
        rows.iter().map(text).collect::<Vec<_>>()
    };
    let masked = ["2 http://joe:***@h/", "1 http://ann:***@h/", "1 http://h/", "1 http://joe:***@h/a b"];
    assert_eq!(uris("--mask-passwords"), masked);
    assert_eq!(uris("--drop-userinfo"), ["4 http://h/", "1 http://h/a b"]);
    assert_eq!(uris("").len(), 5);
    let both = urimill("dedupe in.txt --mask-passwords --drop-userinfo").within(dir.path()).go();
    assert_eq!(both.code, Some(2), "{}", both.stderr);
}

/// Tables keep their columns, and these are hidden in too; so does what files say of themselves.
#[test]
fn tables_and_metadata() {
    let dir = dir();
    urimill("normalize - -o in.parquet --columns uri,raw,raw_bytes,query_params --summary none")
        .stdin(records())
        .within(dir.path())
        .ok();
    for option in ["--mask-passwords", "--drop-userinfo"] {
        let line = format!(
            "normalize in.parquet --from parquet --uri-field uri {option} --base http://u:s3cr3t@b/ --compression none \
             --force -o out.parquet --verify --summary json"
        );
        let done = urimill(&line).within(dir.path()).ok();
        says_nothing(&line, &done);
        assert_eq!(
            (&done.summary()["verified"], &done.summary()["verified_records"]),
            (&true.into(), &false.into())
        );
        let bytes = std::fs::read(dir.path().join("out.parquet")).expect("a file");
        assert!(memchr::memmem::find(&bytes, SECRET.as_bytes()).is_none(), "{line}");
        assert!(memchr::memmem::find(&bytes, b"urimill.hidden").is_some(), "{line}");
    }
}
