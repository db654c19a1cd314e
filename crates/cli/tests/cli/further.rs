//! `--uri-field href,src`: further URIs of a record, in the same pass. Their columns are compared with those of a run
//! that takes them for the first.

use std::path::Path;

use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl, read};

/// The columns that a further URI has by default.
const COLUMNS: [&str; 12] = [
    "uri",
    "scheme",
    "userinfo",
    "host",
    "host_kind",
    "port",
    "path",
    "query",
    "fragment",
    "flags",
    "error",
    "error_offset",
];

const CSV: &str = "\
id,href,src,page
1,http://h/a,HTTP://G:80/%7e,http://p/
2,../b?c,img/x.png,http://p/q/r
3,http://h/|,http://g/,http://p/
4,http://h/,<b>,http://p/
5,,x,http://p/q/
6,x,,http://p/
7,\"\",\"\",http://p/#f
8,http://h/,http://user@[::1]:8080/a;b#c,
9,y,//g/\"x,nonsense
10,http://h/,http://g/1
";
const JSONL: &str = "\
{\"u\": \"http://h/\", \"v\": \"http:\\/\\/g\\/%41\", \"n\": 1}
{\"u\": \"http://h/|\", \"v\": null}
{\"u\": null, \"v\": \"|\"}
{\"v\": \"http://g/\", \"u\": \"HTTP://h\"}
{\"u\": \"http://h/\"}
{\"u\": \"http://h/\", \"v\": [\"http://g/\"]}
";
const CLF: &str = "\
192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5 \"http://www.google.com/search?q=a\" \"x\"
192.0.2.1 - - [17/May/2015:10:05:04 +0000] \"GET /b|c HTTP/1.1\" 200 5 \"http://h/ a\" \"x\"
192.0.2.1 - - [17/May/2015:10:05:05 +0000] \"GET /c HTTP/1.1\" 400 5 \"-\" \"x\"
192.0.2.2 - - [17/May/2015:10:05:06 +0000] \"-\" 408 0 \"android-app://com.google/\" \"-\"
";

fn rows(dir: &Path, line: &str) -> Vec<Row> {
    let line = format!("normalize in {line} --on-invalid keep -o t.jsonl --force --verify");
    urimill(&line).within(dir).ok();
    read(&dir.join("t.jsonl"))
}

/// (input, options, the fields, what of the options is left where the second is the first)
const RUNS: &[(&str, &str, &str, &str)] = &[
    (CSV, "--from csv", "href,src", ""),
    ("a\thttp://h/\thttp://g/\nb\t|\tHTTP://G\n", "--from tsv --header no", "2,3", ""),
    (CSV, "--from csv --level none --spec rfc2396", "href,src", ""),
    (CSV, "--from csv --repair --base http://base/x/", "href,src", ""),
    (CSV, "--from csv --base-field page", "href,src", ""),
    (CSV, "--from csv --base-field page --base http://base/x/", "href,src", ""),
    (CSV, "--from csv --keep none", "href,src", ""),
    (CSV, "", "href,src", ""),
    (JSONL, "--from jsonl", "u,v", ""),
    (JSONL, "", "u,v", ""),
    (CLF, "", "+referer", "--from csv"),
];

#[test]
fn a_further_uri_has_the_columns_of_a_first_one() {
    let dir = dir();
    for (input, options, fields, _) in RUNS {
        write(dir.path(), "in", input);
        let plus = fields.starts_with('+');
        let second = fields.trim_start_matches('+').rsplit(',').next().expect("a name");
        let prefix =
            if second.parse::<u32>().is_ok() { format!("field_{second}") } else { second.to_owned() };
        let what = format!("{options} --uri-field {fields}");
        let both = rows(dir.path(), &what);
        // The first is what it is without the second.
        let first = fields.split(',').next().expect("a name");
        let alone = rows(
            dir.path(),
            &if plus { (*options).to_owned() } else { format!("{options} --uri-field {first}") },
        );
        assert_eq!(both.len(), alone.len(), "{what}");
        for (both, alone) in both.iter().zip(&alone) {
            for column in COLUMNS.iter().chain(&["record", "raw"]) {
                assert_eq!(both[*column], alone[*column], "{what}: {column} of {both:?}");
            }
        }
        if plus {
            continue;
        }
        let other = rows(dir.path(), &format!("{options} --uri-field {second}"));
        for (both, other) in both.iter().zip(&other) {
            // A field that is not there, or is not text, has its fault in the column of faults.
            let is_field =
                |value: &Value| matches!(value.as_str(), Some("field_missing" | "record_malformed"));
            let is_fault = is_field(&other["error"]);
            for column in COLUMNS {
                let found = &both[&format!("{prefix}_{column}")];
                if is_fault {
                    assert!(
                        found.is_null() || *found == json!([]) || both[&prefix].is_string(),
                        "{what}: {both:?}"
                    );
                } else {
                    assert_eq!(*found, other[column], "{what}: {column} of {both:?}");
                }
            }
        }
    }
}

#[test]
fn the_referer_of_a_log() {
    let dir = dir();
    write(dir.path(), "in", CLF);
    let rows = rows(dir.path(), "--uri-field +referer");
    let found: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!([row["path"], row["error"], row["referer"], row["referer_host"], row["referer_error"]])
        })
        .collect();
    assert_eq!(
        found,
        [
            json!(["/a", null, "http://www.google.com/search?q=a", "www.google.com", null]),
            json!([null, "path_invalid_char", "http://h/ a", null, "path_invalid_char"]),
            json!(["/c", null, null, null, null]),
            json!([null, null, "android-app://com.google/", "com.google", null]),
        ]
    );
    assert_eq!(rows[1]["referer_error_offset"], 9);
    // By the first alone a record is a reject; the others have their codes in both tables.
    let line = "normalize in --uri-field +referer -o ok.jsonl --rejects bad.jsonl --force --summary json";
    let done = urimill(line).within(dir.path()).ok();
    assert_eq!((read(&dir.path().join("ok.jsonl")).len(), read(&dir.path().join("bad.jsonl")).len()), (3, 1));
    assert_eq!(read(&dir.path().join("bad.jsonl"))[0]["referer_error"], "path_invalid_char");
    let summary: Value = serde_json::from_str(done.stderr.lines().last().expect("a summary")).expect("JSON");
    assert_eq!((&summary["rejects"], &summary["further_rejects"]), (&json!(1), &json!({"referer": 1})));
    let done = urimill("normalize in --uri-field +referer --to csv").within(dir.path()).ok();
    assert!(done.stderr.contains("further URIs, referer: 1 reject\n"), "{}", done.stderr);
}

#[test]
fn every_output_holds_them() {
    let dir = dir();
    write(
        dir.path(),
        "in",
        CSV.lines()
            .skip(1)
            .cycle()
            .take(9000)
            .fold(CSV.lines().next().expect("a header").to_owned() + "\n", |text, line| text + line + "\n"),
    );
    let options = "--from csv --uri-field href,src --base-field page --base http://b/ --columns \
                   record,uri,src_uri,src_host,src_flags,src_registered_domain,src_surt,src_host_parts,error,src_error,\
                   src_error_offset,src_query_params";
    let line = |output: &str| {
        format!("normalize in {options} --verify --force -o {output} --threads 3 --chunk 20000")
    };
    urimill(&line("t.jsonl")).within(dir.path()).ok();
    let expected = read(&dir.path().join("t.jsonl"));
    assert_eq!(expected.len(), 9000);
    for output in ["t.parquet", "t.arrow", "t.arrows", "t.csv", "t.tsv"] {
        urimill(&line(output)).within(dir.path()).ok();
        if output.ends_with("sv") {
            continue;
        }
        let found = read(&dir.path().join(output));
        let plain = |row: &Row| {
            json!([row["record"], row["src_uri"], row["src_host"], row["src_error"], row["src_surt"]])
        };
        assert!(found.iter().map(plain).eq(expected.iter().map(plain)), "{output}");
    }
    // Flags by name in texts, bits in tables.
    let flags = |row: &Row| row["src_flags"].clone();
    assert!(flags(&expected[7]).as_array().is_some_and(|names| names.contains(&json!("has_userinfo"))));
    assert!(flags(&read(&dir.path().join("t.parquet"))[7]).is_number());
    let text = std::fs::read_to_string(dir.path().join("t.csv")).expect("a file");
    assert!(text.lines().nth(8).is_some_and(|line| line.contains("has_userinfo")), "{text:.2000}");
    for layout in [
        "--sort-by src_host,record",
        "--partition-by src_scheme",
        "--sort-by src_uri:desc --partition-by src_host_kind",
    ] {
        let options = "--from csv --uri-field href,src --base-field page --base http://b/";
        let line = format!("normalize in {options} --verify --force -o d/ {layout}");
        let done = urimill(&line).within(dir.path()).ok();
        assert!(done.stderr.contains("9,000 rows"), "{line}: {}", done.stderr);
    }
    // Tables give the same values.
    urimill("normalize in --from csv --uri-field href --columns +src,+page -o in.parquet")
        .within(dir.path())
        .ok();
    let line =
        "normalize in.parquet --uri-field uri,src --base-field page --base http://b/ --verify -o out.parquet";
    urimill(line).within(dir.path()).ok();
    let table = read(&dir.path().join("out.parquet"));
    let found: Vec<_> = table.iter().map(|row| &row["src_host"]).collect();
    let first: Vec<_> = expected.iter().map(|row| &row["src_host"]).collect();
    assert_eq!(found[..8], first[..8]);
}

#[test]
fn which_columns_there_are() {
    let dir = dir();
    write(dir.path(), "in", CSV);
    // (options, the columns)
    let default: Vec<String> = COLUMNS.iter().map(|column| format!("src_{column}")).collect();
    let names = |options: &str| -> Vec<String> {
        let line = format!("normalize in --from csv --uri-field href,src {options} --to csv");
        let done = urimill(&line).within(dir.path()).ok();
        done.text().lines().next().expect("a header").split(',').map(str::to_owned).collect()
    };
    let all = names("");
    let own = all.iter().position(|name| *name == default[0]).expect("its columns");
    assert_eq!(all[own..][..default.len()], default);
    assert_eq!(all[own + default.len()..], ["id", "src", "page", "field_errors"]);
    assert_eq!(names("--columns uri,src_host"), ["uri", "src_host"]);
    assert_eq!(names("--columns src_surt,id,src_uri"), ["src_surt", "id", "src_uri"]);
    let changed = names("--columns +src_surt,-src_port,+surt,-page");
    assert!(changed.contains(&"src_surt".to_owned()) && changed.contains(&"surt".to_owned()), "{changed:?}");
    assert!(
        !changed.contains(&"src_port".to_owned()) && !changed.contains(&"page".to_owned()),
        "{changed:?}"
    );
    assert!(changed.contains(&"port".to_owned()), "{changed:?}");
    // Three of them.
    let three =
        "normalize in --from csv --uri-field href,src,page --columns uri,src_host,page_host --to jsonl";
    let rows = jsonl(&urimill(three).within(dir.path()).ok().stdout);
    assert_eq!(
        json!([rows[0]["uri"], rows[0]["src_host"], rows[0]["page_host"]]),
        json!(["http://h/a", "g", "p"])
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let dir = dir();
    write(dir.path(), "in", CSV);
    write(dir.path(), "log", CLF);
    write(dir.path(), "list", "http://h/\n");
    write(dir.path(), "twice.csv", "a,b,b_host\nhttp://h/,http://g/,x\n");
    let cases: &[(&str, &[&str])] = &[
        ("normalize in --from csv --uri-field href,href -o t.csv", &["--uri-field href", "twice"]),
        ("normalize in --from csv --uri-field href,,src -o t.csv", &["a field without a name"]),
        ("normalize in --from csv --uri-field href,nosuch -o t.csv", &["nosuch"]),
        ("normalize in --from csv --uri-field +src -o t.csv", &["--from csv needs the field of the URI"]),
        (
            "normalize in --from csv --uri-field href,src",
            &["the format uris has only the column uri", "--uri-field"],
        ),
        ("normalize log --uri-field +status -o t.csv", &["--uri-field status holds no texts"]),
        ("normalize log --uri-field +nosuch -o t.csv", &["there is no field for --uri-field nosuch"]),
        ("normalize list --uri-field +referer -o t.csv", &["referer"]),
        ("normalize list --from lines --uri-field +referer -o t.csv", &["needs a format with fields"]),
        (
            "normalize log --uri-field +referer --schema cc-index --fill -o t.csv",
            &["about one URI", "--uri-field"],
        ),
        (
            "normalize twice.csv --from csv --uri-field a,b -o t.csv",
            &["a field of the records is called b_host"],
        ),
        ("normalize in --from csv --uri-field href,src --columns src_nosuch -o t.csv", &["src_nosuch"]),
        (
            "normalize in --from csv --uri-field href,src --columns src_host,src_host -o t.csv",
            &["named twice"],
        ),
        ("dedupe in --from csv --uri-field href,src", &["one URI of each record is looked at"]),
        ("check in --from csv --uri-field href,src", &["one URI of each record is looked at"]),
    ];
    for (line, parts) in cases {
        urimill(line).within(dir.path()).fails(2, parts);
    }
}
