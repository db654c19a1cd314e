//! Rules between options, and ranges of numbers, a table a job: a job by its builder, the same arguments of the program's
//! command, and the options that the error names. A row whose arguments are empty has none in the program.

use urimill::run::{
    Check, Compression, Conversion, Dedupe, Extract, Header, InputFormat, InputOptions, Keep,
    NormalizeOptions, OnInvalid, Output, OutputFormat, TableSchema,
};
use urimill::uri::Start;
use urimill::{Level, OptionName, Spec, Standard};

/// A builder, its arguments, and the options that its error must name.
pub type Rule<Job> = (fn(Job) -> Job, &'static str, &'static [OptionName]);

fn csv() -> Output {
    Output::to("t.csv")
}

fn with(options: NormalizeOptions) -> Conversion {
    Conversion::new().normalize(options).write_to(csv())
}

/// What `urimill normalize` refuses.
pub const NORMALIZE: &[Rule<Conversion>] = &[
    // Reading.
    (|run| run.format(InputFormat::Csv), "--from csv", &[OptionName::Format, OptionName::UriField]),
    (|run| run.format(InputFormat::Jsonl), "--from jsonl", &[OptionName::Format, OptionName::UriField]),
    (|run| run.base_field("1"), "--base-field 1", &[OptionName::Format, OptionName::UriField]),
    (
        |run| run.format(InputFormat::Lines).uri_field("1"),
        "--from lines --uri-field 1",
        &[OptionName::UriField, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Clf).base_field("1"),
        "--from clf --base-field 1",
        &[OptionName::BaseField, OptionName::Format],
    ),
    (|run| run.header(Header::Yes), "--header yes", &[OptionName::Header, OptionName::Format]),
    (|run| run.no_quotes(true), "--no-quotes", &[OptionName::NoQuotes, OptionName::Format]),
    (
        |run| run.format(InputFormat::Clf).log_format("combined"),
        "--from clf --log-format combined",
        &[OptionName::LogFormat, OptionName::Format],
    ),
    (|run| run.delimiter(";"), "--delimiter ;", &[OptionName::Delimiter, OptionName::Format]),
    (
        |run| run.format(InputFormat::Clf).comment("#"),
        "--from clf --comment #",
        &[OptionName::Comment, OptionName::Format],
    ),
    (|run| run.comment(""), "--comment=", &[OptionName::Comment]),
    (
        |run| run.format(InputFormat::Warc).skip_lines(1),
        "--from warc --skip-lines 1",
        &[OptionName::SkipLines, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Csv).uri_field("1").uri_template("{1}"),
        "--from csv --uri-field 1 --uri-template {1}",
        &[OptionName::UriTemplate, OptionName::UriField],
    ),
    (
        |run| run.format(InputFormat::Lines).uri_template("{1}"),
        "--from lines --uri-template {1}",
        &[OptionName::UriTemplate, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Clf).request_line("1"),
        "--from clf --request-line 1",
        &[OptionName::RequestLine, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Warc).encoding("latin1".parse().expect("an encoding")),
        "--from warc --encoding latin1",
        &[OptionName::Encoding, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Csv).uri_field("1").delimiter(";;"),
        "--from csv --uri-field 1 --delimiter ;;",
        &[OptionName::Delimiter],
    ),
    (
        |run| run.format(InputFormat::Jsonl).uri_field("u").no_quotes(true),
        "--from jsonl --uri-field u --no-quotes",
        &[OptionName::NoQuotes, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Parquet).header(Header::No),
        "--from parquet --header no",
        &[OptionName::Header, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Lines).keep(Keep::Names(vec!["a".into()])),
        "--from lines --keep a",
        &[OptionName::Keep, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Lines).records("response".parse().expect("a type")),
        "--from lines --records response",
        &[OptionName::Records, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Lines).uri_field("+a"),
        "--from lines --uri-field +a",
        &[OptionName::UriField, OptionName::Format],
    ),
    (
        |run| run.format(InputFormat::Csv).uri_field("a,b,a"),
        "--from csv --uri-field a,b,a",
        &[OptionName::UriField],
    ),
    (
        |run| run.format(InputFormat::Csv).uri_field("+a"),
        "--from csv --uri-field +a",
        &[OptionName::Format, OptionName::UriField],
    ),
    (
        |run| run.format(InputFormat::Csv).uri_field("a,b").write_to(Output::stdout()),
        "--from csv --uri-field a,b -o -",
        &[OptionName::OutputFormat, OptionName::UriField],
    ),
    (
        |run| run.schema(TableSchema::CcIndex).uri_field("+referer"),
        "--schema cc-index --uri-field +referer",
        &[OptionName::Schema, OptionName::UriField],
    ),
    // Records.
    (
        |_| with(NormalizeOptions::new().default_scheme("https".parse().expect("a scheme"))),
        "--default-scheme https",
        &[OptionName::DefaultScheme, OptionName::Repair],
    ),
    (
        |_| {
            with(
                NormalizeOptions::new()
                    .repair(true)
                    .default_scheme("https".parse().expect("a scheme"))
                    .base("x:y"),
            )
        },
        "--repair --default-scheme https --base x:y",
        &[OptionName::DefaultScheme, OptionName::Base],
    ),
    (
        |_| {
            with(NormalizeOptions::new().repair(true).default_scheme("https".parse().expect("a scheme")))
                .format(InputFormat::Csv)
                .uri_field("1")
                .base_field("2")
        },
        "--repair --default-scheme https --from csv --uri-field 1 --base-field 2",
        &[OptionName::DefaultScheme, OptionName::BaseField],
    ),
    (
        |_| with(NormalizeOptions::new().compat(true)),
        "--compat",
        &[OptionName::Compat, OptionName::Base, OptionName::BaseField],
    ),
    (
        |_| with(NormalizeOptions::new().spec(Standard::Whatwg).level(Level::Case)),
        "--spec whatwg --level case",
        &[OptionName::Level, OptionName::Spec],
    ),
    (
        |_| with(NormalizeOptions::new().spec(Standard::Whatwg).repair(true)),
        "--spec whatwg --repair",
        &[OptionName::Repair, OptionName::Spec],
    ),
    (|_| with(NormalizeOptions::new().psl("list")), "--psl list", &[OptionName::Psl, OptionName::Columns]),
    (
        |_| with(NormalizeOptions::new().psl_unlisted(true)),
        "--psl-unlisted",
        &[OptionName::PslUnlisted, OptionName::Columns],
    ),
    (
        |_| with(NormalizeOptions::new().port_rules("rules")).columns(["uri"]),
        "--port-rules rules --columns uri",
        &[OptionName::PortRules, OptionName::Columns],
    ),
    (
        |run| run.columns(["+canonical"]),
        "--columns +canonical",
        &[OptionName::Columns, OptionName::Canonical],
    ),
    (
        |_| with(NormalizeOptions::new().drop_params(["a"])),
        "--drop-params a",
        &[OptionName::DropParams, OptionName::Canonical],
    ),
    (
        |_| with(NormalizeOptions::new().drop_tracking(true)),
        "--drop-tracking",
        &[OptionName::DropTracking, OptionName::Canonical],
    ),
    (
        |_| with(NormalizeOptions::new().mask_passwords(true).drop_userinfo(true)),
        "--mask-passwords --drop-userinfo",
        &[OptionName::MaskPasswords, OptionName::DropUserinfo],
    ),
    // Common Crawl's table.
    (|run| run.fill(true), "--fill", &[OptionName::Fill, OptionName::Schema]),
    (|run| run.wide_offsets(true), "--wide-offsets", &[OptionName::WideOffsets, OptionName::Schema]),
    (|run| run.crawl("x"), "--crawl x", &[OptionName::Crawl, OptionName::Schema]),
    (|run| run.subset("x"), "--subset x", &[OptionName::Subset, OptionName::Schema]),
    (
        |_| with(NormalizeOptions::new().level(Level::Case)).schema(TableSchema::CcIndex),
        "--schema cc-index --level case",
        &[OptionName::Schema, OptionName::Level],
    ),
    (
        |run| run.schema(TableSchema::CcIndex).columns(["host"]),
        "--schema cc-index --columns host",
        &[OptionName::Schema, OptionName::Columns],
    ),
    (
        |run| run.schema(TableSchema::CcIndex).format(InputFormat::Lines),
        "--schema cc-index --from lines",
        &[OptionName::Fill],
    ),
    (
        |run| run.schema(TableSchema::CcIndex).format(InputFormat::Parquet),
        "--schema cc-index --from parquet",
        &[OptionName::Schema],
    ),
    (
        |run| run.schema(TableSchema::CcIndex).on_invalid(OnInvalid::Keep),
        "--schema cc-index --on-invalid keep",
        &[OptionName::Fill, OptionName::OnInvalid],
    ),
    (
        |run| run.schema(TableSchema::CcIndex).write_to(Output::stdout()),
        "--schema cc-index -o -",
        &[OptionName::Schema, OptionName::Output, OptionName::OutputFormat],
    ),
    // Writing.
    (
        |run| run.on_invalid(OnInvalid::Reject),
        "--on-invalid reject",
        &[OptionName::OnInvalid, OptionName::Rejects],
    ),
    (
        |run| run.on_invalid(OnInvalid::Keep).rejects("r.csv"),
        "--on-invalid keep --rejects r.csv",
        &[OptionName::Rejects, OptionName::OnInvalid],
    ),
    (
        |run| run.on_invalid(OnInvalid::Fail).rejects("r.csv"),
        "--on-invalid fail --rejects r.csv",
        &[OptionName::Rejects, OptionName::OnInvalid],
    ),
    (|run| run.rejects("-"), "--rejects -", &[OptionName::Rejects]),
    (
        |run| run.rejects("r.csv").write_to(Output::to("t")),
        "-o t --rejects r.csv",
        &[OptionName::OutputFormat],
    ),
    (|run| run.temp_dir("/tmp"), "--temp-dir /tmp", &[OptionName::TempDir, OptionName::SortBy]),
    (
        |run| run.max_partitions(3),
        "--max-partitions 3",
        &[OptionName::MaxPartitions, OptionName::PartitionBy],
    ),
    (
        |run| run.partition_by(["scheme"]).write_to(Output::stdout()),
        "--partition-by scheme -o -",
        &[OptionName::PartitionBy, OptionName::Output],
    ),
    (
        |run| run.file_size(1 << 20).write_to(Output::stdout()),
        "--file-size 1M -o -",
        &[OptionName::FileSize, OptionName::Output],
    ),
    (
        |run| run.verify(true).write_to(Output::stdout()),
        "--verify -o -",
        &[OptionName::Verify, OptionName::Output],
    ),
    (
        |run| run.write_to(Output::to("t.jsonl").csv_safe(true)),
        "--csv-safe -o t.jsonl",
        &[OptionName::CsvSafe, OptionName::Output, OptionName::OutputFormat],
    ),
    (
        |run| run.columns(["host"]).write_to(Output::stdout()),
        "--columns host -o -",
        &[OptionName::OutputFormat, OptionName::Columns],
    ),
    (
        |run| run.sort_by(["host"]).write_to(csv().format(OutputFormat::Uris)),
        "--sort-by host --to uris",
        &[OptionName::OutputFormat, OptionName::SortBy],
    ),
    (
        |run| run.keep(Keep::All).write_to(Output::stdout()),
        "--keep all -o -",
        &[OptionName::OutputFormat, OptionName::Keep],
    ),
    (
        |run| run.partition_by(["scheme"]).write_to(Output::to("t/").format(OutputFormat::Uris)),
        "--partition-by scheme -o t/ --to uris",
        &[OptionName::OutputFormat, OptionName::PartitionBy],
    ),
    (
        |_| {
            with(NormalizeOptions::new().canonical("w3lib".parse().expect("a form")))
                .write_to(Output::stdout())
        },
        "--canonical w3lib -o -",
        &[OptionName::OutputFormat, OptionName::Canonical],
    ),
];

/// What `urimill check` refuses.
pub const CHECK: &[Rule<Check>] = &[
    (|run| run.spec([Spec::Rfc3986; 0]), "", &[OptionName::Spec]),
    (|run| run.base("x:y"), "--base x:y", &[OptionName::Base]),
    (|run| run.level(Level::Case), "--level case", &[OptionName::Level]),
    (
        |run| run.spec([Spec::Rfc2396, Spec::Rfc3986]).require(Start::Uri),
        "--spec rfc2396,rfc3986 --require uri",
        &[OptionName::Require],
    ),
    (|run| run.threads(0), "--threads 0", &[OptionName::Threads]),
    (|run| run.read_as(InputOptions::new().keep(Keep::All)), "", &[OptionName::Keep]),
    (
        |run| {
            let input = InputOptions::new().format(InputFormat::Csv).uri_field("1").base_field("2");
            run.spec([Spec::Rfc2396, Spec::Rfc3986]).read_as(input)
        },
        "--spec rfc2396,rfc3986 --from csv --uri-field 1 --base-field 2",
        &[OptionName::Spec],
    ),
];

/// What `urimill extract` refuses.
pub const EXTRACT: &[Rule<Extract>] = &[
    (
        |run| run.no_suffix(true).default_scheme("https"),
        "--no-suffix --default-scheme https",
        &[OptionName::DefaultScheme],
    ),
    (|run| run.default_scheme("http:"), "--default-scheme http:", &[OptionName::DefaultScheme]),
    (|run| run.write_to("out.parquet"), "-o out.parquet", &[OptionName::OutputFormat]),
    (|run| run.chunk(0), "", &[OptionName::ChunkBytes]),
    (|run| run.threads(0), "--threads 0", &[OptionName::Threads]),
    (|run| run.read_as(InputOptions::new().keep(Keep::All)), "", &[OptionName::Keep]),
    (|run| run.read_as(InputOptions::new().format(InputFormat::Csv)), "--from csv", &[OptionName::Format]),
    (
        |run| run.read_as(InputOptions::new().format(InputFormat::Csv).uri_field("a").base_field("b")),
        "",
        &[OptionName::BaseField],
    ),
    (
        |run| run.read_as(InputOptions::new().format(InputFormat::Csv).uri_field("a,b")),
        "--from csv --uri-field a,b",
        &[OptionName::UriField],
    ),
];

/// What `urimill dedupe` refuses.
pub const DEDUPE: &[Rule<Dedupe>] = &[
    (
        |run| run.normalize(NormalizeOptions::new().canonical("w3lib".parse().expect("a form"))),
        "--canonical w3lib",
        &[OptionName::Canonical],
    ),
    (|run| run.read_as(InputOptions::new().keep(Keep::All)), "", &[OptionName::Keep]),
    (|run| run.by("canonical"), "--by canonical", &[OptionName::By]),
    (|run| run.by("raw"), "--by raw", &[OptionName::By]),
    (
        |run| run.by("client").read_as(InputOptions::new().format(InputFormat::Lines)),
        "--by client --from lines",
        &[OptionName::By],
    ),
    (
        |run| run.by("host").normalize(NormalizeOptions::new().psl("list")),
        "--by host --psl list",
        &[OptionName::Psl],
    ),
    (
        |run| run.normalize(NormalizeOptions::new().max_record(65 << 20)),
        "--max-record 65M",
        &[OptionName::MaxRecord],
    ),
    (|run| run.write_to(Output::stdout()).verify(true), "-o - --verify", &[OptionName::Verify]),
    (|run| run.write_to(Output::to("t.txt").csv_safe(true)), "-o t.txt --csv-safe", &[OptionName::CsvSafe]),
    (
        |run| run.normalize(NormalizeOptions::new().mask_passwords(true).drop_userinfo(true)),
        "--mask-passwords --drop-userinfo",
        &[OptionName::MaskPasswords],
    ),
    (|run| run.threads(0), "--threads 0", &[OptionName::Threads]),
];

/// Numbers of `urimill normalize` that are out of their range. A row's arguments end with the value that the error has.
pub const RANGES: &[Rule<Conversion>] = &[
    (|run| run.threads(0), "--threads 0", &[OptionName::Threads]),
    (|run| run.threads(1025), "--threads 1025", &[OptionName::Threads]),
    (|run| run.memory(1), "--memory 1", &[OptionName::Memory]),
    (|run| run.file_size(3), "--file-size 3", &[OptionName::FileSize]),
    (
        |run| run.partition_by(["scheme"]).max_partitions(0),
        "--partition-by scheme --max-partitions 0",
        &[OptionName::MaxPartitions],
    ),
    (|run| run.chunk(0), "", &[OptionName::ChunkBytes]),
    (|_| with(NormalizeOptions::new().max_record(0)), "--max-record 0", &[OptionName::MaxRecord]),
    (
        |_| with(NormalizeOptions::new().max_record(1 << 30)),
        "--max-record 1073741824",
        &[OptionName::MaxRecord],
    ),
    (
        |run| run.write_to(Output::to("t.parquet").row_group_rows(0)),
        "-o t.parquet --row-group-rows 0",
        &[OptionName::RowGroupRows],
    ),
    (
        |run| run.write_to(Output::to("t.parquet").compression(Compression::Zstd(23))),
        "-o t.parquet --compression zstd(23)",
        &[OptionName::Compression],
    ),
];
