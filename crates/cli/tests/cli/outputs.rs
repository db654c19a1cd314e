//! Ways to write a table: tabs between fields, texts that are compressed, codecs of Parquet, and directories by a part
//! of a value.

use std::io::Read;

use serde_json::json;

use super::run::{dir, names, urimill, write};
use super::table::{batches, jsonl};

const LIST: &str = "http://a/x\ty\nhttp://Example.org:80/%7e?q=\"1\"\nmailto:a,b@c\n\n/r\n";

/// The contents of a file, decompressed.
fn unpacked(bytes: &[u8], name: &str) -> Vec<u8> {
    let mut text = Vec::new();
    match name.rsplit('.').next() {
        Some("gz") => drop(flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text).expect("gzip")),
        Some("zst") => text = zstd::stream::decode_all(bytes).expect("zstd"),
        _ => text = bytes.to_vec(),
    }
    text
}

#[test]
fn texts_are_compressed_as_their_name_says() {
    let dir = dir();
    let long: String = (0..50_000).map(|n| format!("http://h/{n}\n")).collect();
    for (input, list) in [("list", LIST), ("long", &long[..]), ("nothing", "")] {
        write(dir.path(), input, list);
        for format in ["csv", "tsv", "jsonl", "txt"] {
            let plain = format!("{input}.{format}");
            urimill(&format!("normalize {input} --from lines -o {plain} --threads 1"))
                .within(dir.path())
                .ok();
            let expected = std::fs::read(dir.path().join(&plain)).expect("a file");
            for end in ["gz", "zst", "GZ"] {
                let name = format!("{plain}.{end}");
                let line = format!("normalize {input} --from lines -o {name} --threads 3 --verify");
                urimill(&line).within(dir.path()).ok();
                let stored = std::fs::read(dir.path().join(&name)).expect("a file");
                assert!(stored.len() < expected.len() || list.len() < 1000, "{name}");
                assert!(unpacked(&stored, &name.to_lowercase()) == expected, "{name}");
            }
        }
    }
    // The name of a file that is not text does not make one of it.
    urimill("normalize list -o t.parquet.gz").within(dir.path()).fails(2, &["no known extension"]);
}

#[test]
fn tabs_between_fields() {
    let dir = dir();
    let done = urimill("normalize --from lines --to tsv --columns record,uri,error").stdin(LIST).ok();
    let expected = "record\turi\terror\n1\t\"http://a/x\ty\"\tpath_invalid_char\n\
                    2\t\"http://example.org/~?q=\"\"1\"\"\"\tquery_invalid_char\n3\tmailto:a,b@c\t\n5\t/r\t\n";
    let found = done
        .text()
        .replace("Example.org:80/%7e", "example.org/~")
        .replace("\"mailto:a,b@c\"", "mailto:a,b@c");
    assert_eq!(found, expected);
    // It reads back as it was written.
    write(dir.path(), "t.tsv", done.text());
    let back = urimill("normalize t.tsv --uri-field uri --to jsonl --columns uri --keep record,error")
        .within(dir.path())
        .ok();
    let rows = jsonl(&back.stdout);
    assert_eq!(rows[0]["uri"], "http://a/x\ty");
    assert_eq!((&rows[2]["uri"], &rows[2]["field_error"]), (&json!("mailto:a,b@c"), &json!(null)));
    urimill("normalize t.tsv --uri-field uri -o u.tsv --verify --csv-safe").within(dir.path()).ok();
}

/// (option, what the file says of its pages)
#[test]
fn codecs_of_parquet() {
    let dir = dir();
    let list: String =
        (0..5000).map(|n| format!("http://example.org/a/{n}?q={}\n", n * 7919 % 1000)).collect();
    write(dir.path(), "list", &list);
    let mut tables = Vec::new();
    for codec in ["zstd", "zstd:1", "zstd:19", "snappy", "lz4", "gzip", "brotli", "none"] {
        let line =
            format!("normalize list -o {}.parquet --compression {codec} --verify", codec.replace(':', "-"));
        urimill(&line).within(dir.path()).ok();
        let path = dir.path().join(format!("{}.parquet", codec.replace(':', "-")));
        tables.push((codec, batches(&path), std::fs::metadata(&path).expect("a file").len()));
    }
    for (codec, table, _) in &tables[1..] {
        assert_eq!(*table, tables[0].1, "{codec}");
    }
    let size = |codec: &str| tables.iter().find(|(name, ..)| *name == codec).expect("a table").2;
    assert!(size("zstd:19") < size("zstd:1") && size("brotli") < size("none") && size("gzip") < size("none"));
    for wrong in ["zstd:0", "zstd:23", "zstd:x", "lzo"] {
        let done =
            urimill(&format!("normalize list -o t.parquet --compression {wrong}")).within(dir.path()).go();
        assert!(done.code == Some(2) && done.stderr.contains("zstd:LEVEL"), "{wrong}: {}", done.stderr);
    }
}

const LOG: &str = "com,a)/ 20050604115959 http://a.com/ text/html 200 A - - 1 2 f.gz\n\
                   com,a)/1 20050604120000 http://a.com/1 text/html 200 A - - 1 2 f.gz\n\
                   com,b)/ 20050605000000 http://b.com/ text/html 200 A - - 1 2 f.gz\n\
                   com,b)/ x http://b.com/2 text/html 200 A - - 1 2 f.gz\n\
                   dns:c 20050701000000 dns:c text/dns 200 A - - 1 2 f.gz\n";

/// (columns, directories)
#[test]
fn directories_by_a_part_of_a_value() {
    const NULL: &str = "__HIVE_DEFAULT_PARTITION__";
    let table: &[(&str, &[&str])] = &[
        ("time:day", &["time_day=2005-06-04", "time_day=2005-06-05", "time_day=2005-07-01", NULL]),
        ("time:month", &["time_month=2005-06", "time_month=2005-07", NULL]),
        (
            "time:hour",
            &[
                "time_hour=2005-06-04-11",
                "time_hour=2005-06-04-12",
                "time_hour=2005-06-05-00",
                "time_hour=2005-07-01-00",
                NULL,
            ],
        ),
    ];
    for (by, directories) in table {
        let dir = dir();
        write(dir.path(), "log", LOG);
        let line = format!("normalize log --from cdx -o t/ --partition-by {by} --verify --on-invalid keep");
        urimill(&line).within(dir.path()).ok();
        let found: Vec<String> = names(&dir.path().join("t"))
            .into_iter()
            .filter(|name| !name.starts_with("_S") && !name.starts_with("_s"))
            .collect();
        assert_eq!(found.len(), directories.len(), "{by}: {found:?}");
        for directory in *directories {
            assert!(found.iter().any(|name| name.ends_with(directory)), "{by}: {directory} in {found:?}");
        }
        // The files keep the column.
        let first = dir.path().join("t").join(directories[0]).join("part-00000.parquet");
        assert!(batches(&first)[0].column_by_name("time").is_some(), "{by}");
    }
}

#[test]
fn directories_by_hash() {
    let dir = dir();
    let list: String =
        (0..2000).map(|n| format!("http://h{n}.example/\n")).chain(["/r\n".to_owned()]).collect();
    write(dir.path(), "list", &list);
    urimill("normalize list -o t/ --partition-by host:hash=8 --verify").within(dir.path()).ok();
    let found: Vec<String> =
        names(&dir.path().join("t")).into_iter().filter(|name| name.contains('=')).collect();
    let expected: Vec<String> = (0..8).map(|n| format!("host_hash={n}")).collect();
    assert_eq!(found[..8], expected);
    assert_eq!(found[8..], ["host_hash=__HIVE_DEFAULT_PARTITION__"]);
    let mut rows = 0;
    for name in &found {
        let file = dir.path().join("t").join(name).join("part-00000.parquet");
        let count: usize = batches(&file).iter().map(|batch| batch.num_rows()).sum();
        // A share of a hash is about as large as another.
        assert!(name.contains("DEFAULT") || (150..350).contains(&count), "{name}: {count}");
        rows += count;
    }
    assert_eq!(rows, 2001);
    let wrong: &[(&str, &str)] = &[
        ("host:day", "take a column of times"),
        ("record:month", "take a column of times"),
        ("host:hash=0", "as in host:hash=64"),
        ("host:week", "as in time:day"),
        ("host:hash=8,host:hash=9", "host_hash twice"),
        ("nothing:day", "no such column"),
    ];
    for (by, sentence) in wrong {
        urimill(&format!("normalize list -o u/ --partition-by {by}"))
            .within(dir.path())
            .fails(2, &[sentence]);
    }
}
