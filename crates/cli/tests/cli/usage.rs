//! urimill's help and version, and its answers to arguments that make no sense.

use std::collections::HashSet;

use super::run::{dir, names, urimill, write};

/// (arguments, what standard output has in it)
const ANSWERS: &[(&str, &[&str])] = &[
    (
        "--help",
        &[
            "normalize",
            "resolve",
            "relativize",
            "compare",
            "encode",
            "decode",
            "schema",
            "completions",
            "man",
            "Exit codes:",
            "130",
        ],
    ),
    ("-h", &["normalize", "Exit codes:"]),
    (
        "--version",
        &["urimill 0.", "commit:", "target:", "features: parquet ipc gzip", "kernels: scalar", "in use:"],
    ),
    (
        "normalize --help",
        &[
            "--output <FILE>",
            "--to <FORMAT>",
            "parquet, arrow, arrow-stream, csv, tsv, jsonl, uris",
            "none, case, percent, syntax, scheme",
            "--repair",
            "--default-scheme <SCHEME>",
            "keep, reject, drop, fail",
            "--rejects <FILE>",
            "--columns <LIST>",
            "--psl <FILE>",
            "--threads <N>",
            "--row-group-rows <N>",
            "--max-record <BYTES>",
            "auto, never, always",
            "text, json, none",
            "--force",
            "Examples:",
            "urimill help normalize",
            "urimill help exit-codes",
        ],
    ),
    ("normalize -h", &["--output <FILE>", "Examples:", "zcat", "normalize --help"]),
    (
        "help normalize",
        &[
            "The table has a row for each record",
            "[default: scheme]",
            "zstd, zstd:LEVEL (1 to 22), snappy, lz4, gzip, brotli or none",
            "gzip, zstd, bzip2 or xz",
            "Common Crawl's table, for existing queries",
            "Exit codes:",
        ],
    ),
    ("help", &["Usage: urimill <COMMAND>", "normalize"]),
    ("help exit-codes", &["Exit codes:", "134", "the index has no line"]),
    ("formats", &["--from NAME", "haproxy", "crawl.log", "--to NAME", "parquet"]),
    ("formats --to json", &["{\"inputs\":[{", "\"outputs\":[\"parquet\""]),
    (
        "check --help",
        &[
            "--spec <SPEC>",
            "rfc3986, rfc3986-errata, rfc2396",
            "auto, always, never",
            "text, jsonl",
            "help exit-codes",
        ],
    ),
    (
        "explain --help",
        &["--base <URI>", "--compat", "--repair", "auto, always, never", "text, json", "Exit codes:"],
    ),
    (
        "resolve --help",
        &["--base <URI>", "--compat", "--level <LEVEL>", "rfc3986-errata", "empty line", "Exit codes:"],
    ),
    ("relativize --help", &["--base <URI>", "blank lines stay blank", "Exit codes:"]),
    (
        "compare --help",
        &["--base <URI>", "[default: scheme]", "identical, case, percent, syntax, scheme", "not equal"],
    ),
    (
        "encode --help",
        &["--component <COMPONENT>", "[default: unreserved]", "--keep-triplets", "--null", "query-value"],
    ),
    ("decode --help", &["--from-uri", "--lenient", "--null", "On a terminal"]),
    (
        "dedupe --help",
        &[
            "--output <FILE>",
            "--memory <BYTES>",
            "--temp-dir <DIR>",
            "rfc3986, rfc3986-errata, rfc2396",
            "none, case, percent, syntax, scheme",
            "first_record",
            "--force",
            "Examples:",
            "help exit-codes",
        ],
    ),
    (
        "schema",
        &[
            "record            Int64",
            "raw_bytes         Binary",
            "host_parts        List<Utf8>",
            "flag_names        List<Utf8>",
            "haproxy",
            "offset",
            "rare_ipv4",
            "too_long",
        ],
    ),
    (
        "schema --from haproxy",
        &[
            "(--from haproxy)",
            "time Timestamp(ms, UTC)",
            "status Int32",
            "backend Utf8",
            "field_errors",
            "prefix has",
        ],
    ),
    ("schema --from w3c", &["status Int32", "duration_us Int64", "Every other field that the header"]),
    ("schema --from cdx", &["digest Utf8"]),
    ("schema --from squid --to json", &["{\"fields\":[", "\"format\":\"squid\""]),
    ("completions bash", &["_urimill()", "--on-invalid"]),
    ("completions zsh", &["#compdef urimill"]),
    ("completions fish", &["complete -c urimill"]),
    ("completions powershell", &["Register-ArgumentCompleter"]),
    ("completions elvish", &["edit:completion"]),
    ("man", &[".TH urimill 1", "urimill\\-normalize(1)", "Exit codes"]),
    ("man normalize", &[".TH urimill-normalize 1", "\\-\\-max\\-record", "Examples"]),
];

#[test]
fn answers_go_to_standard_output() {
    for (line, parts) in ANSWERS {
        let done = urimill(line).ok();
        assert_eq!(done.stderr, "", "{line}");
        // clap breaks the text into lines as it likes.
        let words: Vec<_> = done.text().split_whitespace().collect();
        for part in *parts {
            let part: Vec<_> = part.split_whitespace().collect();
            let is_in = words.windows(part.len()).any(|w| w.iter().zip(&part).all(|(w, p)| w.contains(p)));
            assert!(is_in || listed(&words, &part), "{line}: {part:?} is not in {}", done.text());
        }
        // Some of the completion scripts offer it.
        let hides = line.starts_with("completions") || !done.text().contains("--chunk");
        assert!(hides, "{line}: a hidden option shows");
    }
}

/// (arguments, the most lines of their help)
const LENGTHS: &[(&str, usize)] = &[
    ("normalize -h", 40),
    ("normalize --help", 120),
    ("dedupe --help", 120),
    ("check --help", 120),
    ("extract --help", 120),
    ("links --help", 120),
    ("report --help", 120),
    ("index --help", 120),
    ("top --help", 120),
    ("stats --help", 120),
];

#[test]
fn help_fits_on_pages() {
    for (line, most) in LENGTHS {
        let lines = urimill(line).ok().text().lines().count();
        assert!((20..=*most).contains(&lines), "{line}: {lines} lines, at most {most}");
    }
}

/// `--help` puts values with an explanation in a list of their own.
fn listed(words: &[&str], values: &[&str]) -> bool {
    values.iter().all(|value| words.contains(&format!("{}:", value.trim_end_matches(',')).as_str()))
}

/// (arguments, what the message has in it)
const MISTAKES: &[(&str, &[&str])] = &[
    ("", &["Usage:", "normalize"]),
    ("normalise", &["unrecognized subcommand 'normalise'", "similar", "'normalize'"]),
    ("normalize --treads 3", &["unexpected argument '--treads'", "similar", "'--threads'"]),
    ("normalize --level syntex", &["'syntex'", "none, case, percent, syntax, scheme", "'syntax'"]),
    ("normalize --to parket", &["'parket'", "'parquet'"]),
    ("normalize --spec rfc2396x", &["'rfc2396x'", "rfc3986"]),
    ("normalize --on-invalid sometimes", &["'sometimes'", "keep, reject, drop, fail"]),
    ("normalize --compression lzo", &["'lzo'", "zstd, snappy, lz4, gzip, brotli, none"]),
    ("normalize --threads 0", &["'0'", "1..=1024"]),
    ("normalize --encoding utf-17", &["'utf-17'", "utf-16le", "windows-1252"]),
    ("help nothing", &["no help about \"nothing\"", "exit-codes", "normalize"]),
    ("schema --from csv", &["--from csv has no columns of its own", "haproxy"]),
    ("normalize --threads many", &["'many'"]),
    ("normalize --row-group-rows 0", &["'0'"]),
    ("normalize --default-scheme https", &["--repair"]),
    ("normalize --repair --default-scheme https --base http://a/", &["--default-scheme", "--base"]),
    ("normalize --repair --default-scheme mailto", &["\"mailto\"", "such as https"]),
    ("normalize --repair --default-scheme htps", &["\"htps\"", "such as https"]),
    ("normalize --max-record 0", &["'0'", "1 to 512M"]),
    ("normalize --max-record 513M", &["1 to 512M"]),
    ("normalize --max-record 99999999999999999999", &["1 to 512M"]),
    ("normalize --max-record 5T", &["65536, 64K or 1M"]),
    ("normalize --max-record -5", &["-5"]),
    ("normalize --progress sometimes", &["auto, never, always"]),
    ("normalize --summary xml", &["text, json, none"]),
    ("normalize -o", &["a value is required", "FILE"]),
    ("resolve", &["--base <URI>"]),
    ("resolve --base x:y --level all", &["'all'", "none, case, percent, syntax, scheme"]),
    ("relativize x:y", &["--base <URI>"]),
    ("compare a", &["<B>"]),
    ("compare a b c", &["unexpected argument 'c'"]),
    ("compare a b --spec rfc1738", &["'rfc1738'", "rfc3986, rfc3986-errata, rfc2396"]),
    ("encode --component scheme a", &["'scheme'", "userinfo, host, path"]),
    ("encode -5", &["unexpected argument '-5'", "-- -5"]),
    ("decode --from-uri a", &["--component <COMPONENT>"]),
    ("decode --from-uri --component path --lenient a", &["cannot be used with"]),
    ("schema --to xml", &["text, json"]),
    ("completions tcsh", &["bash, elvish, fish, powershell, zsh"]),
];

#[test]
fn a_mistake_is_exit_code_2_with_a_hint() {
    for (line, parts) in MISTAKES {
        let done = urimill(line).go();
        assert_eq!((done.code, done.text()), (Some(2), ""), "{line}");
        for part in *parts {
            assert!(done.stderr.contains(part), "{line}: {part:?} is not in {}", done.stderr);
        }
    }
}

/// Options that are right one by one: (arguments, what the sentence has in it)
const CONTRADICTIONS: &[(&str, &[&str])] = &[
    ("normalize -o out", &["the name out has no known extension", ".parquet", "--to"]),
    ("normalize -o out.docx", &["out.docx", "--to"]),
    ("normalize -o out.csv --rejects bad", &["the name bad", "--to"]),
    ("normalize --on-invalid reject", &["--rejects FILE"]),
    ("normalize -o out.csv --to jsonl --rejects -", &["--rejects needs a file"]),
    ("normalize --on-invalid keep --rejects bad.csv", &["--on-invalid", "reject"]),
    ("normalize --on-invalid fail --rejects bad.csv", &["--on-invalid", "reject"]),
    ("normalize -o out.csv --rejects out.csv", &["out.csv", "both"]),
    ("normalize -o out.csv --rejects ./out.csv", &["out.csv", "both"]),
    ("normalize -o sub/../out.csv --rejects out.csv", &["out.csv", "both"]),
    ("normalize --columns host", &["uris", "only the column uri", "another format"]),
    ("normalize --to csv --columns hots", &["\"hots\"", "host, host_kind"]),
    ("normalize --to csv --columns host,host", &["\"host\"", "twice"]),
    ("normalize --to csv --columns host,+offset", &["all names or for none"]),
    ("normalize --to csv --columns ,", &["at least one column"]),
    ("normalize --psl many.txt --to csv", &["--psl", "--columns +registered_domain"]),
    ("normalize --psl many.txt --to csv --columns host,tld", &["--psl", "--columns +registered_domain"]),
    ("normalize - -", &["twice"]),
    ("normalize -o wide.parquet --columns flags --row-group-rows 1 many.txt", &["32768 row groups"]),
    ("man nosuch", &["\"nosuch\"", "normalize"]),
];

#[test]
fn a_contradiction_is_one_sentence_and_leaves_no_file() {
    let dir = dir();
    std::fs::create_dir(dir.path().join("sub")).expect("a directory");
    write(dir.path(), "many.txt", "x\n".repeat(32769));
    for (line, parts) in CONTRADICTIONS {
        urimill(line).within(dir.path()).stdin("http://a/\n").fails(2, parts);
        assert_eq!(names(dir.path()), ["many.txt", "sub"], "{line}");
    }
}

#[test]
fn an_unavailable_kernel_is_reported() {
    let mut run = urimill("normalize");
    run.command.env("URIMILL_ISA", "mmx");
    run.fails(2, &["URIMILL_ISA=mmx: mmx names no kernel", "scalar"]);
}

#[test]
fn the_schema_as_json_names_every_column_flag_and_code() {
    let schema: serde_json::Value =
        serde_json::from_slice(&urimill("schema --to json").ok().stdout).expect("JSON");
    let list = |of: &str, key: &str| -> Vec<String> {
        let items = schema[of].as_array().expect("a list").iter();
        items.map(|item| item[key].as_str().expect("text").to_owned()).collect()
    };
    let columns = list("columns", "name");
    assert_eq!(columns[..2], ["record", "uri"]);
    assert!(columns.contains(&"fingerprint".to_owned()));
    assert_eq!(list("columns", "type")[..2], ["Int64", "Utf8"]);
    assert!(list("flags", "name").contains(&"deceptive_userinfo".to_owned()));
    assert!(list("errors", "code").contains(&"percent_truncated".to_owned()));
    let text = urimill("schema").ok();
    for name in [columns, list("flags", "name"), list("errors", "code")].concat() {
        assert!(text.text().contains(&name), "{name}");
    }
    // The meanings of the columns are in a column of their own.
    for (section, is_default) in text.text().split("\n\n").zip([true, false]) {
        let columns = schema["columns"].as_array().expect("a list").iter();
        let columns: Vec<_> = columns.filter(|column| column["default"] == is_default).collect();
        let places = section.lines().skip(1).zip(&columns).map(|(line, column)| {
            let meaning = column["meaning"].as_str().expect("text");
            line.find(&format!(" {meaning}")).unwrap_or_else(|| panic!("{line}"))
        });
        let places: HashSet<_> = places.collect();
        assert_eq!((places.len(), section.lines().count()), (1, columns.len() + 1), "{section}");
    }
}

/// (an example as help prints it, what help says of it, what is on standard output)
const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "urimill resolve --base http://example.com/a/b ../c '?x' '#y'",
        "http://example.com/c, http://example.com/a/b?x and http://example.com/a/b#y",
        "http://example.com/c\nhttp://example.com/a/b?x\nhttp://example.com/a/b#y\n",
    ),
    (
        "urimill relativize --base http://example.com/a/b http://example.com/c https://example.com/",
        "/c and https://example.com/",
        "/c\nhttps://example.com/\n",
    ),
    ("urimill compare http://example.com/%7Ea HTTP://example.com/~a", "prints percent", "percent\n"),
    (
        "urimill compare --base http://example.com/a/b ../c /c",
        "prints identical: both are http://example.com/c",
        "identical\n",
    ),
    (
        "urimill compare --ignore-fragments http://example.com/#a http://example.com/#b",
        "prints identical",
        "identical\n",
    ),
    (
        "urimill compare --level syntax http://example.com http://example.com:80/",
        "prints scheme, and the exit code is 1",
        "scheme\n",
    ),
    ("urimill encode --component segment 'AC/DC 100%'", "AC%2FDC%20100%25", "AC%2FDC%20100%25\n"),
    ("urimill encode --component path --keep-triplets '/a b/%41'", "/a%20b/%41", "/a%20b/%41\n"),
    ("urimill decode AC%2FDC%20100%25", "AC/DC 100%", "AC/DC 100%\n"),
    ("urimill decode --from-uri --component query 'http://example.com/?q=caf%C3%A9'", "q=café", "q=café\n"),
];

#[test]
fn the_examples_of_help_are_true() {
    for &(example, said, stdout) in EXAMPLES {
        let mut words = Vec::new();
        for (number, part) in example.split('\'').enumerate() {
            match number % 2 {
                0 => words.extend(part.split_whitespace()),
                _ => words.push(part),
            }
        }
        let help = urimill(&format!("{} --help", words[1])).ok();
        let lines: Vec<_> = help.text().lines().map(str::trim).collect();
        assert!(lines.windows(2).any(|pair| pair == [example, said]), "{example}\n{}", help.text());
        let run = words[2..].iter().fold(urimill(words[1]), |run, word| run.arg(word));
        assert_eq!(run.go().text(), stdout, "{example}");
    }
}
