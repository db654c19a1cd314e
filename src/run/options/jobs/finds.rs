//! The jobs that write their findings, line by line.

use urimill_archives::index;
use urimill_base::option_name::OptionName::*;
use urimill_uri::Start;
use urimill_uri::grammar::Spec as Rfc;

use super::INPUTS;
use crate::run::choices::{ARCHIVES, ExtractFormat, IndexForm};
use crate::run::input_format::InputFormat;
use crate::run::options::reading::{BASE, BASE_FIELD, DAMAGE, READING, RECORD_TYPES, SKIP_BODIES};
use crate::run::options::records::*;
use crate::run::options::writing::*;
use crate::run::options::{Choice, Kind, Row, Rule, SEVERAL, excludes, needs, plain, told};

pub(super) const CHECK: &[&[Row]] = &[
    &[INPUTS],
    READING,
    &[
        BASE_FIELD.says(
            "The field that holds the base of the URI reference, named as for --uri-field: a record whose \
             base is no absolute URI is reported",
        )
        .rules(&[ONE_BASE]),
        Row { kind: Kind::Choices(standards), ..SPEC }.says(
            "The specification that decides what is valid; of several, separated by commas, the differences \
             are reported",
        ),
        Row::new(
            Require,
            Kind::Choice(|| plain(Start::ALL.map(Start::as_str))),
            "FORM",
            "What every record must be: any reference, a URI (with a scheme), or an absolute URI (with a \
             scheme, without a fragment)",
        )
        .default("reference")
        .common()
        .rules(&[ONE_STANDARD]),
        REFANG.says("Read records that were made harmless as what they were: hxxps://www[.]example[.]com"),
        Row {
            takes_hyphens: false,
            ..BASE.says(
                "With several specifications: resolve the records against this URI, and compare the targets \
                 too",
            )
        }
        .rules(&[OF_COMPARISON]),
        LEVEL
            .says("With several specifications: the normal form to compare [default: scheme]")
            .rules(&[OF_COMPARISON]),
        Row::new(
            OutputFormat,
            Kind::Choice(|| {
                told([
                    (
                        "text",
                        "Lines for people and editors: FILE:RECORD:COLUMN: CODE: SENTENCE, then the record \
                         and a caret",
                    ),
                    ("jsonl", "One JSON object a line and record"),
                ])
            }),
            "FORM",
            "Format of the reports",
        )
        .default("text")
        .of_program(),
        COLOR,
        THREADS.says("Number of threads [default: the number of processors]"),
        MAX_RECORD.says(
            "The longest record in bytes; longer records are rejected. K, M and G stand for 1024, 1024², \
             1024³",
        ),
        SHOW_PASSWORDS.says("Show passwords in the reports, which otherwise have *** in their place"),
        DAMAGE,
        PROGRESS.says("When to show a progress bar; auto: on a terminal that does not show the reports, too"),
        Row::switch(Quiet, "Do not print the summary on standard error").short('q').of_program(),
        CHUNK.default("1M"),
    ],
];

pub(super) const COLOR: Row = Row::new(
    Color,
    Kind::Choice(|| {
        told([
            ("auto", "On a terminal, unless NO_COLOR is set or TERM is dumb"),
            ("always", "Always"),
            ("never", "Never"),
        ])
    }),
    "WHEN",
    "When to use colours",
)
.default("auto")
.of_program();

/// The name of an RFC.
pub(super) const RFC: Kind = Kind::Choice(|| plain(Rfc::ALL.map(Rfc::as_str)));

const ONE_BASE: Rule = excludes(
    &[Spec],
    "{spec} names several specifications, which are compared against one base: give {base}, not {}",
)
.of(SEVERAL);

const ONE_STANDARD: Rule =
    excludes(&[Spec], "{} is for one specification: those of {spec} are compared on every reference")
        .of(SEVERAL)
        .when("!reference");

const OF_COMPARISON: Rule =
    needs(&[Spec], "{} is for a comparison: name two specifications, such as {spec rfc2396,rfc3986}")
        .of(SEVERAL);

fn standards() -> Vec<Choice> {
    plain(urimill_uri::Standard::ALL.map(urimill_uri::Standard::as_str))
}

pub(super) const EXTRACT: &[&[Row]] = &[
    &[INPUTS],
    READING,
    &[
        OUTPUT.says("Write to FILE [default: standard output, also as -]"),
        Row::new(
            OutputFormat,
            Kind::Choice(|| {
                let meanings = [
                    "The URIs alone, one a line",
                    "One JSON object a line: source, offset and length in bytes, raw (as written), uri, kind, \
                     delimiter; of records also their number, and the page of a web archive",
                ];
                let names = ExtractFormat::NAMED.into_iter().zip(meanings);
                names.map(|((name, _), meaning)| Choice { name, meaning }).collect()
            }),
            "FORMAT",
            "The format of the output [default: by the extension of FILE, or uris]",
        ),
        SPEC.takes(RFC).says("The specification that the URIs follow"),
        LEVEL
            .default("none")
            .rules(&[])
            .says("The normal form to write (RFC 3986, 6.2); each level includes those before it"),
        DEFAULT_SCHEME
            .takes(Kind::Text)
            .rules(&[])
            .says("The scheme that completes www.example.com (RFC 3986, 4.5) [default: http]"),
        Row::switch(
            NoSuffix,
            "Do not report texts without a scheme: www.example.com, and relative references in <URL:…>",
        )
        .rules(&[excludes(&[DefaultScheme], "{other} completes what {} drops: give one of them")]),
        REFANG.says(
            "Find URIs that were made harmless, as what they were: hxxps://www[.]example[.]com, \
             example[.]com/a",
        ),
        DAMAGE,
        THREADS.says("Number of threads that search records [default: the number of processors]"),
        MEMORY_OF_RUN.says(
            "Memory for the run: fewer records are searched at the same time, and a table that needs half of \
             it at once is refused [default: 512M, or 64M for each thread if that is more]",
        ),
        TEMP_DIR.says(
            "Directory for temporary files, which have no names and disappear with the run: texts of more \
             than 16 MiB in web archives are stored there [default: the system's place for them]",
        ),
        PROGRESS.says("When to show a progress bar; auto: on a terminal that does not show the URIs, too"),
        FORCE.says("Replace an existing output file"),
        CHUNK.takes(Kind::Number(1, 1 << 30)).default("262144").says("How much is read at once, in bytes"),
    ],
];

pub(super) const INDEX: &[&[Row]] = &[
    &[
        INPUTS.says(
            "Archives, patterns such as 'crawl/*.warc.gz', or - for standard input, which is the default",
        ),
        OUTPUT.says(
            "Write to FILE, compressed if its name ends with .gz or .zst; with --to zipnum to the directory \
             FILE [default: standard output, also as -]",
        ),
        Row::new(
            OutputFormat,
            Kind::Choice(|| plain(IndexForm::ALL.map(IndexForm::as_str))),
            "FORM",
            "The form of the index: cdxj; cdx of eleven fields; cdx9, of nine; zipnum, a directory of CDXJ in \
             compressed blocks; parquet, a table with a column for each member of CDXJ [default: cdx or \
             parquet for a FILE that ends so, else cdxj]",
        )
        .rules(&[DIRECTORY]),
        Row::new(
            Like,
            Kind::Choice(|| plain(index::Like::ALL.map(index::Like::as_str))),
            "TOOL",
            "The tool whose lines these are to be, which differ: in the form of the digest, the status of \
             revisits, the record types, and whether one of equal lines is left out",
        )
        .default("cdxj-indexer"),
        Row::new(
            Format,
            Kind::Choice(|| plain(ARCHIVES.map(InputFormat::name))),
            "FORMAT",
            "What the inputs are [default: by the beginning of each]",
        ),
        Row { value: "TYPE,…", ..RECORD_TYPES }.says(
            "The record types that have a line, separated by commas, or all [default: those of the tool]",
        ),
        Row::switch(
            NoPost,
            "Make keys of targets alone. Without this option the key of an answer to a POST or PUT also has \
             the method and the body, as arguments (__wb_method=post&…), because replay tools look it up by \
             them",
        ),
        Row::switch(
            Unsorted,
            "Leave the lines in the order of the records. Tools that search an index need it sorted",
        )
        .rules(&[SORTED.of("zipnum"), SORTED.of("parquet")]),
        Row::new(
            Shards,
            Kind::Count(1, 1 << 16),
            "N",
            "With --to zipnum: the number of files that hold the blocks [default: 1]",
        )
        .rules(&[OF_ZIPNUM]),
        Row::new(
            BlockLines,
            Kind::Count(1, 1 << 32),
            "N",
            "With --to zipnum: the lines of a block [default: 3000]",
        )
        .rules(&[OF_ZIPNUM]),
        Row::new(
            Root,
            Kind::Path,
            "DIR",
            "Name the files in the index by their paths below DIR [default: without directories]",
        ),
        SKIP_BODIES,
        DAMAGE,
        MEMORY_OF_RUN.says(
            "Memory for the run. Lines to sort beyond it go to temporary files [default: 512M, or 64M for \
             each thread if that is more]",
        ),
        TEMP_DIR.says(
            "Directory for temporary files, which have no names and disappear with the run [default: the \
             system's place for them]",
        ),
        FORCE.says("Replace an existing index"),
    ],
    RUNNING,
];

const OF_ZIPNUM: Rule =
    needs(&[OutputFormat], "{} is for {output_format zipnum}: drop it, or give that").of("zipnum");

const DIRECTORY: Rule =
    needs(&[Output], "{output_format zipnum} writes a directory: give {write_to DIR/}").when("zipnum");

const SORTED: Rule = excludes(&[OutputFormat], "{other} is sorted: drop {unsorted true}");
