//! The jobs that write tables of references.

use urimill_base::option_name::OptionName::*;
use urimill_pages::PageKind;
use urimill_pipeline::dedupe::MAX_RECORD as LONGEST_TO_COUNT;
use urimill_pipeline::edges::Node;
use urimill_read::format::Keep as Fields;

use super::INPUTS;
use crate::run::choices::OnInvalid as Invalid;
use crate::run::options::reading::{BASE, BASES, COMPAT, DAMAGE, READING};
use crate::run::options::records::*;
use crate::run::options::writing::*;
use crate::run::options::{Choice, Kind, Row, Rule, excludes, is, needs, plain, under};

pub(super) const NORMALIZE: &[&[Row]] = &[
    &[INPUTS],
    WRITING,
    LAYOUT,
    SORTING,
    READING,
    &under("Reading", [Row::new(
        Keep,
        Kind::Names(is::<Fields>),
        "FIELDS",
        "The other fields that become columns: all, none, or their names, separated by commas [default: all; \
         none where --columns says exactly which columns there are, and with --schema cc-index]",
    )
    .rules(&[OF_COLUMNS]), Row::new(
        SaveFormat,
        Kind::Path,
        "FILE",
        "Write the definition by which the first input was read to FILE, a format file to be corrected and given \
         back with --format-file: that of a known format of logs, of JSON whose members urimill has judged by their \
         names, or of the format string that --log-format has",
    )]),
    BASES,
    SCHEMA,
    &under("Records", [
        SPEC,
        LEVEL,
        REPAIR,
        DEFAULT_SCHEME,
        REFANG,
        ON_INVALID.takes(Kind::Choice(|| {
            invalid([
                "Keep its row, with its code in the column error; given explicitly, no input is refused for what it \
                 looks like",
                "Write it to the table that --rejects names; given explicitly, no input is refused for what it \
                 looks like",
            ])
        })),
        ON_DISAGREEMENT,
        REJECTS,
        COLUMNS,
        PSL,
        PSL_UNLISTED,
        CANONICAL,
        DROP_PARAMS,
        DROP_TRACKING,
        PORT_RULES,
        DAMAGE,
        HIDING[0],
        HIDING[1],
        MAX_RECORD,
    ]),
    &under("The run", [
        SHOW_PASSWORDS,
        VERIFY,
        Row::switch(
            TimeStages,
            "Measure how long each stage of the run works and waits for its turn; the summary lists them",
        ),
    ]),
    RUNNING,
];

const VERIFY: Row = Row::switch(
    Verify,
    "Publish the outputs only if, read back, they hold the input. Every record is checksummed: the bytes of \
     each record as read, if the columns include them (uri, raw and raw_bytes do), or else the rows made from \
     the records. The summary says which of the two was verified",
)
.common()
.rules(&[needs(&[Output], "{} reads the output back: name a file with {write_to FILE}")]);

/// The treatment of invalid records, with texts for the first two.
fn invalid([keep, reject]: [&'static str; 2]) -> Vec<Choice> {
    let meanings =
        [keep, reject, "Drop it; the summary says how many there were", "Stop the run with exit code 1"];
    let names = Invalid::NAMED.into_iter().zip(meanings);
    names.map(|((name, _), meaning)| Choice { name, meaning }).collect()
}

pub(super) const DEDUPE: &[&[Row]] = &[
    &[INPUTS],
    WRITING,
    READING,
    BASES,
    &[
        SPEC.says(
            "The specification that decides what is valid and which texts are equal; whatwg, the URL \
             Standard, reads as browsers do",
        ),
        Row::new(
            By,
            Kind::Text,
            "KEY",
            "What decides which records are equal: uri, their normal form; surt, canonical, template, trap or \
             another column such as host; or a field of the records, by name. A record without a value there \
             is compared by its URI",
        )
        .default("uri")
        .common(),
        CANONICAL.says(
            "With --by canonical: the form in which another tool writes the reference as read, resolved if \
             there is a base",
        )
        .rules(&[OF_KEY]),
        DROP_PARAMS.says(
            "With --by canonical: drop query parameters, by name, separated by commas; * and ? match any \
             characters, [ab] one of these",
        )
        .rules(&[OF_KEY, OF_CANONICAL]),
        DROP_TRACKING.says(
            "With --by canonical: drop parameters that only say where a visitor came from, such as utm_source",
        )
        .rules(&[OF_KEY, OF_CANONICAL]),
        PSL.says(
            "The public suffix list for keys such as registered_domain [default: the one built in]",
        ),
        LEVEL.says(
            "The normal form in which texts are equal (RFC 3986, 6.2); each level includes those before it \
             [default: scheme]",
        ),
        REPAIR,
        REFANG,
    ],
    HIDING,
    &[
        VERIFY.says(
            "Checksum every record, read the complete output back, and publish it only if its rows, each as \
             often as its count says, stand for the records that were read, and no two rows stand for the \
             same record",
        ),
        DAMAGE,
        MEMORY_OF_RUN.says(
            "Memory for the run. Records to count beyond it go to temporary files [default: 512M, or 64M for \
             each thread if that is more]",
        ),
        TEMP_DIR.says(
            "Directory for temporary files, which have no names and disappear with the run [default: the \
             system's place for them]",
        ),
        MAX_RECORD.takes(Kind::Bytes(1, LONGEST_TO_COUNT as u64, "1 to 64M")).says(
            "The longest record in bytes, up to 64M; longer records are rejected. K, M and G stand for 1024, \
             1024², 1024³",
        ),
    ],
    RUNNING,
];

/// A graph consists of two texts about names.
const OF_GRAPH: &[Rule] = &[
    needs(&[Edges], ""),
    excludes(
        &[Edges],
        "{graph true} is for names, and URIs have none: give {edges host\u{FDD2}registered_domain}",
    )
    .of("uri"),
    needs(&[Output], "{graph true} writes a directory of two files: give {write_to DIR/}"),
    excludes(
        &[OutputFormat, CsvSafe, Verify],
        "{other} is for tables, and {graph true} writes texts: drop one of them",
    ),
];

const OF_KEY: Rule =
    needs(&[By], "{} does not affect which records are equal: say {by canonical}, or drop it")
        .of("canonical");

pub(super) const LINKS: &[&[Row]] = &[
    &[INPUTS.says(
        "Files, patterns such as 'pages/*.html', or - for standard input, which is the default",
    )],
    WRITING,
    LAYOUT,
    &[
        SORT_BY,
        TEMP_DIR,
        Row::new(
            Format,
            Kind::Choice(|| {
                let choice = |kind: PageKind| Choice { name: kind.name(), meaning: kind.meaning() };
                PageKind::ALL.map(choice).into()
            }),
            "FORMAT",
            "What the inputs are",
        )
        .default("auto"),
        BASE.says(
            "The base of pages that do not say where they were retrieved: files, and records without a URI \
             (RFC 3986, 5.1.4) [default: a file's own file: URI]",
        ),
        Row::new(
            Encoding,
            Kind::Checked(is::<urimill_read::Encoding>),
            "ENCODING",
            "The encoding of files, whatever they say of themselves: utf-8, latin1, shift_jis or another of \
             the Encoding Standard [default: by byte-order mark, meta element or XML declaration, else \
             windows-1252]",
        ),
        COMPAT,
        SPEC.says(
            "The specification by which references are read: an RFC decides what is valid; whatwg, the URL \
             Standard, reads as browsers do",
        ),
        LEVEL.says(
            "The normal form to write (RFC 3986, 6.2); each level includes those before it [default: scheme]",
        ),
        REPAIR,
        ON_INVALID
            .takes(Kind::Choice(|| {
                invalid([
                    "Keep its row, with its code in the column error",
                    "Write it to the table that --rejects names",
                ])
            }))
            .says(
                "What to do with a text that is no URI reference [default: keep; with --rejects: reject]",
            ),
        REJECTS.says(
            "File for texts that are no URI references: a table of its own, in the format of its extension, \
             or else of --to",
        ),
        COLUMNS.says(
            "Columns of the table, by name, separated by commas. +NAME and -NAME change the default (see \
             urimill schema)",
        ),
        PSL.says(
            "The public suffix list for internal and columns such as registered_domain, in the format of \
             publicsuffix.org [default: the one built in]",
        ),
        DAMAGE,
    ],
    HIDING,
    &[
        SHOW_PASSWORDS,
        VERIFY.says(
            "Checksum every reference, read the complete outputs back, and publish them only if they hold \
             them: as read, if the columns include those (uri, raw and raw_bytes do), or else the rows made \
             from them",
        ),
        MAX_RECORD.says(
            "The longest reference in bytes, up to 512M; longer ones are rejected. K, M and G stand for 1024, \
             1024², 1024³",
        ),
        Row::new(
            Edges,
            Kind::Choice(|| plain(Node::ALL.map(Node::as_str))),
            "WHAT",
            "Count the links from one host, registered domain or page to another, in place of a table of links: in \
             the columns source, target, links, pages",
        )
        .common()
        .rules(&[excludes(&[Columns, Rejects, OnInvalid, SortBy, PartitionBy, FileSize, MaxPartitions], "")]),
        Row::switch(
            Graph,
            "With --edges: write a directory of two texts as Common Crawl publishes its graphs. vertices.txt.gz \
             has a line for each name, its number and its labels from the right; edges.txt.gz has the numbers \
             of source and target",
        )
        .rules(OF_GRAPH),
    ],
    RUNNING,
];
