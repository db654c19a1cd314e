//! The tables that foreign readers are given. A feature that writes tables in a new way gets a line here.

/// A table, and the files that hold it.
pub(crate) struct Case {
    /// The name of the table's files.
    pub(crate) name: &'static str,
    /// The command without its output. `{optional}` stands for every optional column, `{shared}` for the folder of
    /// the corpora: where that is not there, the case is left out.
    pub(crate) line: &'static str,
    pub(crate) sinks: &'static [Sink],
    /// Options such as `--partition-by host_kind`, with which the table is written once more, as a directory of
    /// Parquet files; nothing for none.
    pub(crate) partitions: &'static str,
    /// Whether rows are looked for by every column, and statistics held against the rows.
    pub(crate) filters: bool,
}

/// A file that is written beside the JSON Lines file, which every table has.
pub(crate) struct Sink {
    pub(crate) format: &'static str,
    pub(crate) options: &'static str,
}

const fn sink(format: &'static str, options: &'static str) -> Sink {
    Sink { format, options }
}

pub(crate) const EVERY_SINK: &[Sink] = &[
    sink("parquet", ""),
    sink("parquet", "--compression snappy"),
    sink("parquet", "--compression lz4"),
    sink("parquet", "--compression none"),
    sink("parquet", "--compression lz4 --delta-texts"),
    sink("arrow", ""),
    sink("arrow-stream", ""),
    sink("csv", ""),
];
const COMPRESSED: &[Sink] = &[
    sink("parquet", "--compression zstd:9"),
    sink("parquet", "--compression gzip"),
    sink("parquet", "--compression brotli"),
];
/// Files with types.
const TYPED: &[Sink] = &[sink("parquet", ""), sink("arrow", "")];
const ROW_GROUPS: &[Sink] = &[sink("parquet", "--row-group-rows 100"), sink("arrow", "")];

const fn case(name: &'static str, line: &'static str, sinks: &'static [Sink]) -> Case {
    Case { name, line, sinks, partitions: "", filters: false }
}

const fn with_filters(case: Case) -> Case {
    Case { filters: true, ..case }
}

const fn with_partitions(partitions: &'static str, case: Case) -> Case {
    Case { partitions, ..case }
}

/// The samples of logs of servers, proxies and clouds, which are called as their formats.
pub(crate) fn of_logs() -> Vec<Case> {
    let samples = urimill_testkit::paths::repository().join("tests/samples/logs");
    let entries =
        std::fs::read_dir(&samples).expect("the samples").map(|entry| entry.expect("an entry").path());
    let mut logs: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "log")).collect();
    logs.sort();
    let case = |path: std::path::PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name in UTF-8");
        // One is of a format without its header.
        let format = name.trim_end_matches("-bare");
        let line = format!("normalize {} --from {format} --on-invalid keep", path.display());
        Case { name: name.to_owned().leak(), line: line.leak(), sinks: TYPED, partitions: "", filters: false }
    };
    logs.into_iter().map(case).collect()
}

pub(crate) const CASES: &[Case] = &[
    case("default", "normalize oddities.txt", EVERY_SINK),
    with_filters(case(
        "row-groups",
        "normalize oddities.txt sample.txt --columns {optional} --canonical w3lib",
        ROW_GROUPS,
    )),
    case("optional", "normalize oddities.txt --columns {optional} --canonical wayback --repair", EVERY_SINK),
    case("no-rows", "normalize empty.txt --columns {optional}", EVERY_SINK),
    case("only-rejects", "normalize rejects.txt --on-invalid keep --columns {optional}", EVERY_SINK),
    case("one-column", "normalize oddities.txt --columns query", EVERY_SINK),
    case("rfc2396", "normalize sample.txt --spec rfc2396 --level none --columns {optional}", TYPED),
    case("large-texts", "normalize large.txt --max-record 8M --columns {optional}", EVERY_SINK),
    case("distinct", "dedupe oddities.txt sample.txt oddities.txt", EVERY_SINK),
    case(
        "heritrix",
        "normalize heritrix.log --from heritrix --on-invalid keep --columns {optional}",
        EVERY_SINK,
    ),
    case("cdx", "normalize index.cdx --from cdx --on-invalid keep", EVERY_SINK),
    case("cdxj", "normalize index.cdxj --from cdxj --on-invalid keep", EVERY_SINK),
    case(
        "clf",
        "normalize access.log --from clf --base http://example.com/ --on-invalid keep --columns {optional}",
        EVERY_SINK,
    ),
    case("csv", "normalize fields.csv --from csv --uri-field url --columns +surt", EVERY_SINK),
    case("json", "normalize fields.jsonl --from jsonl --uri-field url --keep n,text,extra", EVERY_SINK),
    // Dictionaries end at a mebibyte, and the rest of a column is stored plainly.
    case(
        "dictionaries",
        "normalize distinct.csv --from csv --uri-field url --columns record,host --keep name",
        &[
            sink("parquet", ""),
            sink("parquet", "--row-group-rows 21000 --compression snappy"),
            sink("parquet", "--row-group-rows 21000 --delta-texts"),
            sink("arrow", ""),
        ],
    ),
    with_partitions(
        "--partition-by scheme,host_kind",
        case("partitions", "normalize oddities.txt sample.txt --columns {optional}", TYPED),
    ),
    // Partitions whose names have to be escaped, and files of few rows.
    with_partitions(
        "--partition-by text --file-size 2K",
        case("names", "normalize fields.csv --from csv --uri-field url", TYPED),
    ),
    with_partitions(
        "--partition-by port",
        with_filters(case(
            "sorted",
            "normalize oddities.txt sample.txt --columns {optional} --sort-by surt,record:desc",
            ROW_GROUPS,
        )),
    ),
    with_partitions(
        "--partition-by mime",
        case(
            "sorted-log",
            "normalize heritrix.log --from heritrix --on-invalid keep --sort-by time:desc,uri --memory 1M",
            EVERY_SINK,
        ),
    ),
    with_partitions(
        "--partition-by crawl,subset --sort-by url_surtkey",
        case(
            "cc-index",
            "normalize index.cdxj --from cdxj --schema cc-index --fill --wide-offsets --on-invalid keep --crawl C --subset s",
            EVERY_SINK,
        ),
    ),
    with_partitions(
        "--partition-by fetch_status",
        case(
            "cc-index-log",
            "normalize heritrix.log --from heritrix --schema cc-index --fill --on-invalid keep --sort-by url_surtkey",
            EVERY_SINK,
        ),
    ),
    with_partitions(
        "--partition-by warc_type",
        case("warc", "normalize a.warc.gz --from warc --columns {optional} --on-invalid keep", EVERY_SINK),
    ),
    case("wat", "normalize a.warc.gz --from wat --on-invalid keep", EVERY_SINK),
    case("arc", "normalize a.arc --from arc --on-invalid keep", EVERY_SINK),
    case("sitemap", "normalize sitemap.xml --from sitemap --on-invalid keep", EVERY_SINK),
    case("feed", "normalize feed.xml --from feed --on-invalid keep", EVERY_SINK),
    case("har", "normalize a.har --from har --on-invalid keep", EVERY_SINK),
    case("burp", "normalize items.xml --from burp --on-invalid keep", EVERY_SINK),
    case("nutch", "normalize crawldb.txt --from nutch --on-invalid keep", EVERY_SINK),
    case("seeds", "normalize seeds.txt --from seeds --on-invalid keep", EVERY_SINK),
    case("codecs", "normalize oddities.txt", COMPRESSED),
    with_partitions(
        "--partition-by kind --sort-by when,uri",
        case("table", "normalize fields.parquet --from parquet --uri-field url --columns +surt", EVERY_SINK),
    ),
    case("stream", "normalize fields.arrows --from arrow --uri-field url --sort-by number:desc", EVERY_SINK),
    // Several pages in a row group.
    case(
        "seeds",
        "normalize {shared}/eot2024_seedlists.txt --columns uri,host,port,surt,registered_domain,fingerprint",
        TYPED,
    ),
    case(
        "links",
        "normalize {shared}/html_refs.tsv --from tsv --base-field 1 --uri-field 2 --keep none",
        TYPED,
    ),
    with_filters(case(
        "crawl",
        "normalize {shared}/heritrix_crawl.log --from heritrix --columns {optional}",
        &[sink("parquet", "--row-group-rows 500"), sink("arrow", ""), sink("csv", "")],
    )),
    case("wayback", "normalize {shared}/openwayback_test-cdx.txt --from cdx --columns {optional}", TYPED),
    with_partitions(
        "--partition-by crawl,subset",
        case(
            "iana-cc-index",
            "normalize {shared}/pywb_iana.cdxj --from cdxj --schema cc-index --fill --crawl C --subset s --sort-by url_surtkey",
            EVERY_SINK,
        ),
    ),
    case("iana", "normalize {shared}/pywb_iana.cdxj --from cdxj --columns {optional}", EVERY_SINK),
    case(
        "apache",
        "normalize {shared}/apache_access_semicomplete.log --from clf --base http://semicomplete.com/",
        TYPED,
    ),
];
