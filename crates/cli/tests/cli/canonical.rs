//! Keys of web archives, canonical forms and the parameters of queries: the options, the output of each format, and the
//! refused uses.

use std::fs::File;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::run::{dir, names, urimill};
use super::table::read;

/// (options, input, the table as CSV)
const TABLES: &[(&str, &str, &str)] = &[
    // A relative reference and a reject have no key; `-` would be one in an index.
    (
        "--columns surt",
        "http://www.example.com:80/a/B?c\n/a\nhttp://a b/\ndns:example.com\n",
        "surt\n\"com,example)/a/b?c\"\n\n\ndns:example.com\n",
    ),
    // The same at every level: made of the text as read.
    ("--columns uri,surt --level none", "HTTP://WWW.H/%7E/../\n", "uri,surt\nHTTP://WWW.H/%7E/../,h)/\n"),
    ("--columns uri,surt", "HTTP://WWW.H/%7E/../\n", "uri,surt\nhttp://www.h/,h)/\n"),
    // The option brings the column, where it does not stand among the others already.
    ("--columns uri --canonical wayback", "http://h/?\n", "uri,canonical\nhttp://h/?,http://h/\n"),
    ("--columns canonical,uri --canonical wayback", "http://h/?\n", "canonical,uri\nhttp://h/,http://h/?\n"),
    (
        "--columns uri --canonical crawler-commons",
        "http://h:80/?b=&a\nmailto:a@b\n",
        "uri,canonical\nhttp://h/?b=&a,http://h/?a&b\nmailto:a@b,\n",
    ),
    ("--columns canonical --canonical w3lib", "http://h:80?b&a#f\n", "canonical\nhttp://h:80/?a=&b=\n"),
    // The meanings of references.
    (
        "--columns canonical,surt --canonical w3lib --base http://H:80/a/b",
        "../c\nhttp://[/\n",
        "canonical,surt\nhttp://h:80/c,h)/c\n,\n",
    ),
    // Parameters go from the form, and from nothing else.
    (
        "--columns surt,query --canonical w3lib --drop-tracking --drop-params p?,SID --drop-params=x*",
        "http://h/?p1=1&p=2&sid=3&utm_source=4&xyz\n",
        "surt,query,canonical\nh)/?p=2&p1=1&sid=3&utm_source=4&xyz,p1=1&p=2&sid=3&utm_source=4&xyz,http://h/?p=2\n",
    ),
    // CSV has no lists: they are written as in JSON Lines.
    (
        "--columns query_params,query_params_raw",
        "?a=%C3%BC+%22&a\n?\n/\n",
        "query_params,query_params_raw\n\
         \"[{\"\"key\"\":\"\"a\"\",\"\"value\"\":\"\"ü \\\"\"\"\"},{\"\"key\"\":\"\"a\"\",\"\"value\"\":null}]\",\
         \"[{\"\"key\"\":\"\"a\"\",\"\"value\"\":\"\"%C3%BC+%22\"\"},{\"\"key\"\":\"\"a\"\",\"\"value\"\":null}]\"\n\
         [],[]\n,\n",
    ),
    // Parameters of segments (RFC 2396 3.3): decoded, except for `+`; an opaque part has none.
    (
        "--columns path_params",
        "http://h/a;v=1;x/b/c;%C3%BC=%2F+;\n/a\nb;=\na b\nmailto:a;b\n",
        "path_params\n\
         \"[{\"\"segment\"\":1,\"\"key\"\":\"\"v\"\",\"\"value\"\":\"\"1\"\"},\
         {\"\"segment\"\":1,\"\"key\"\":\"\"x\"\",\"\"value\"\":null},\
         {\"\"segment\"\":3,\"\"key\"\":\"\"ü\"\",\"\"value\"\":\"\"/+\"\"},\
         {\"\"segment\"\":3,\"\"key\"\":\"\"\"\",\"\"value\"\":null}]\"\n\
         []\n\
         \"[{\"\"segment\"\":1,\"\"key\"\":\"\"\"\",\"\"value\"\":\"\"\"\"}]\"\n\
         \n\
         \"[{\"\"segment\"\":1,\"\"key\"\":\"\"b\"\",\"\"value\"\":null}]\"\n",
    ),
    ("--columns path_params --spec rfc2396", "mailto:a;b\n", "path_params\n[]\n"),
];

#[test]
fn tables() {
    for (options, input, expected) in TABLES {
        let done = urimill(&format!("normalize --to csv {options}")).stdin(*input).ok();
        assert_eq!(done.text(), *expected, "{options}");
    }
}

#[test]
fn rejects_leave_the_others_in_order() {
    let dir = dir();
    let columns = "record,surt,query_params,canonical";
    urimill(&format!("normalize --columns {columns} --canonical wayback --rejects bad.jsonl -o t.jsonl"))
        .within(dir.path())
        .stdin("http://a/?x=1\nhttp://a b/\n/?y\nHTTP://B/\n")
        .ok();
    assert_eq!(
        std::fs::read_to_string(dir.path().join("t.jsonl")).expect("a file"),
        "{\"record\":1,\"surt\":\"a)/?x=1\",\"query_params\":[{\"key\":\"x\",\"value\":\"1\"}],\"canonical\":\"http://a/?x=1\"}\n\
         {\"record\":3,\"surt\":null,\"query_params\":[{\"key\":\"y\",\"value\":null}],\"canonical\":null}\n\
         {\"record\":4,\"surt\":\"b)/\",\"query_params\":null,\"canonical\":\"http://b/\"}\n"
    );
    assert_eq!(read(&dir.path().join("bad.jsonl")).len(), 1);
}

/// One filters by keys, and names of parameters repeat.
#[test]
fn in_parquet() {
    let dir = dir();
    let input: String = (0..3000).map(|i| format!("http://h/{i};v={i}?a={i}&bb\n")).collect();
    urimill("normalize --columns surt,query_params,path_params --canonical w3lib --row-group-rows 1000 -o t.parquet")
        .within(dir.path())
        .stdin(input)
        .ok();
    let path = dir.path().join("t.parquet");
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("a file")).expect("Parquet");
    let metadata = reader.metadata();
    let columns = metadata.row_group(0).columns().iter().map(|column| {
        let (dictionary, statistics) =
            (column.dictionary_page_offset().is_some(), column.statistics().is_some());
        (column.column_path().string(), dictionary, statistics)
    });
    assert_eq!(
        columns.collect::<Vec<_>>(),
        [
            ("surt".to_owned(), false, true),
            ("query_params.list.element.key".to_owned(), true, false),
            ("query_params.list.element.value".to_owned(), true, false),
            ("path_params.list.element.segment".to_owned(), true, false),
            ("path_params.list.element.key".to_owned(), true, false),
            ("path_params.list.element.value".to_owned(), true, false),
            ("canonical".to_owned(), false, false),
        ]
    );
    assert_eq!(metadata.num_row_groups(), 3);
    let rows = read(&path);
    for (i, row) in rows.iter().enumerate() {
        let params = serde_json::json!([{"key": "a", "value": i.to_string()}, {"key": "bb", "value": null}]);
        assert_eq!(row["query_params"], params);
        let params = serde_json::json!([{"segment": 1, "key": "v", "value": i.to_string()}]);
        assert_eq!(row["path_params"], params);
        assert_eq!(row["surt"], format!("h)/{i};v={i}?a={i}&bb"));
    }
    assert_eq!(rows.len(), 3000);
}

#[test]
fn the_table_is_the_same_at_every_number_of_threads() {
    let dir = dir();
    let input: String = (0..20_000).map(|i| format!("HTTP://www.h{}.com/{i}?b={i}&a=%41\n", i % 7)).collect();
    let table = |threads: usize| {
        let columns = "+surt,+query_params,+query_params_raw --canonical crawler-commons";
        let line =
            format!("normalize --threads {threads} --chunk 10K -o {threads}.parquet --columns {columns}");
        urimill(&line).within(dir.path()).stdin(&input).ok();
        std::fs::read(dir.path().join(format!("{threads}.parquet"))).expect("a file")
    };
    assert!(table(1) == table(4), "the bytes of the file");
}

/// (options, parts of the sentence)
const REFUSED: &[(&str, &[&str])] = &[
    ("--columns +canonical", &["--canonical wayback, crawler-commons or w3lib"]),
    ("--canonical google", &["'google'", "wayback, crawler-commons, w3lib"]),
    ("--drop-tracking", &["--drop-tracking", "--canonical"]),
    ("--drop-params a", &["--drop-params", "--canonical"]),
    ("--canonical w3lib --drop-params a,b[", &["\"b[\" is not a pattern", "character"]),
    ("--canonical w3lib --to uris", &["only the column uri", "--canonical"]),
];

#[test]
fn what_makes_no_sense_is_refused() {
    let dir = dir();
    for (options, parts) in REFUSED {
        let done =
            urimill(&format!("normalize -o t.csv {options}")).within(dir.path()).stdin("http://h/\n").go();
        assert_eq!((done.code, done.text()), (Some(2), ""), "{options}: {}", done.stderr);
        for part in *parts {
            assert!(done.stderr.contains(part), "{options}: {part:?} is not in {}", done.stderr);
        }
        assert!(names(dir.path()).is_empty(), "{options}");
    }
}
