//! The jobs on single texts, and those that describe the program.

use urimill_archives::lookup;
use urimill_base::option_name::OptionName::*;
use urimill_uri::encode::Part;

use super::INPUTS;
use super::finds::{COLOR, RFC};
use crate::run::options::reading::{BASE, COMPAT, formats};
use crate::run::options::records::{DEFAULT_SCHEME, LEVEL, OF_RFC, PORT_RULES, REPAIR, SHOW_PASSWORDS, SPEC};
use crate::run::options::writing::{MEMORY_OF_RUN, schemas};
use crate::run::options::{Kind, Row, excludes, needs, plain, told};

pub(super) const EXPLAIN: &[&[Row]] = &[&[
    Row { kind: Kind::Texts, value: "URI", ..INPUTS }
        .says("URI references, after -- if one begins with a hyphen [default: the lines of standard input]"),
    SPEC.takes(RFC).says("The specification to read them by"),
    LEVEL
        .default("scheme")
        .rules(&[])
        .says("The normal form whose steps are shown (RFC 3986, 6.2); each level includes those before it"),
    Row { takes_hyphens: false, ..BASE }.says("Resolve them against this URI first"),
    COMPAT
        .rules(&[needs(&[Base], "")])
        .says("With --base: ignore the scheme of a reference if it is the base's (RFC 3986, 5.2.2)"),
    REPAIR.rules(&[]).says("Repair a reject, as normalize --repair does, and explain the result"),
    DEFAULT_SCHEME
        .rules(&[needs(&[Repair], "")])
        .says("With --repair: complete suffixes of URIs, such as www.w3.org/Addressing/, with SCHEME://"),
    PORT_RULES.says("Rules for the flag port_well_known_mismatch: see normalize --port-rules"),
    SHOW_PASSWORDS.says(
        "Show passwords, which are otherwise replaced by ***; positions always count in the original text",
    ),
    Row::new(
        OutputFormat,
        Kind::Choice(|| told([("text", "Lines for people"), ("json", "One JSON object a line and URI")])),
        "FORM",
        "Format of the output",
    )
    .default("text")
    .of_program(),
    COLOR,
]];

/// An RFC that decides which texts are valid, and what a reference means.
const SPEC_OF_MEANING: Row =
    SPEC.says("The specification that decides what is valid, and what a reference means");

pub(super) const RESOLVE: &[&[Row]] = &[&[
    Row { value: "REF", ..INPUTS }
        .says("References [default: the lines of standard input, where an empty line is the empty reference]"),
    BASE_OF_ALL.says("The URI against which they are resolved; its fragment is ignored"),
    COMPAT.rules(&[OF_RFC]).says("Ignore the scheme of a reference if it is the base's: http:g is g (RFC 3986, 5.2.2)"),
    LEVEL.default("none").rules(&[OF_RFC.when("!none")]).says(
        "The normal form of the targets; none is the target of RFC 3986, 5.2. From level percent on %2E is a dot when \
         dot segments are removed",
    ),
    REPAIR,
    SPEC_OF_MEANING,
]];

/// The base for resolving or relativizing each text.
const BASE_OF_ALL: Row = Row { takes_hyphens: false, ..BASE.takes(Kind::Raw) }.required();

pub(super) const RELATIVIZE: &[&[Row]] = &[&[
    Row { value: "URI", ..INPUTS }
        .says("URIs [default: the lines of standard input, where blank lines stay blank]"),
    BASE_OF_ALL.says("The URI against which the references will be resolved"),
    SPEC_OF_MEANING.takes(RFC),
]];

pub(super) const COMPARE: &[&[Row]] = &[&[
    Row::new(A, Kind::Raw, "A", "A URI reference").positional().required(),
    Row::new(B, Kind::Raw, "B", "Another one").positional().required(),
    Row { takes_hyphens: false, ..BASE.takes(Kind::Raw) }
        .says("Resolve both against URI before the comparison [default: compare them as written]"),
    Row::switch(IgnoreFragments, "Ignore fragments, to compare what would be fetched (RFC 3986, 6.1)"),
    Row::switch(
        AbsoluteOnly,
        "Refuse relative references, which have no meaning without a base (RFC 3986, 6.1): give --base for them",
    ),
    LEVEL.default("scheme").rules(&[]).says("The highest rung that counts as equal; none is identical"),
    SPEC.takes(RFC).says("The specification that decides what is valid, and equal"),
]];

pub(super) const LOOKUP: &[&[Row]] = &[&[
    Row { kind: Kind::Texts, value: "URL", ..INPUTS }.says(
        "URLs, with a scheme or without, or keys such as 'com,example)/a' [default: the lines of standard input]",
    ),
    Row::new(
        Index,
        Kind::Path,
        "INDEX",
        "The index: a sorted CDXJ file, a directory of ZipNum, the list of its blocks (.idx), or a table (Parquet) that \
         `urimill index` made",
    )
    .short('i')
    .required(),
    Row::new(
        Match,
        Kind::Choice(|| plain(lookup::Match::ALL.map(lookup::Match::as_str))),
        "HOW",
        "Which lines are meant: of the same key; whose key begins so; of the same host; of the host and those below it",
    )
    .default("exact"),
    Row::new(
        Since,
        Kind::Text,
        "TIME",
        "Only captures from this time on: its first digits, such as 202511, up to 17 with milliseconds",
    ),
    Row::new(Until, Kind::Text, "TIME", "Only captures up to this time: 2025 is all of that year"),
    Row::new(Limit, Kind::Number(1, i64::MAX as u64), "N", "At most this many lines for each URL"),
    Row::switch(
        Scan,
        "Read the whole index instead of searching it: for an index whose lines are not sorted by their bytes",
    ),
    MEMORY_OF_RUN.default("512M").says(
        "Memory for lines and pages of the index, and for what describes them; an index that needs more is an error",
    ),
]];

/// The component of a URI that is encoded or decoded.
const COMPONENT: Row =
    Row::new(Component, Kind::Choice(|| plain(Part::ALL.map(Part::as_str))), "COMPONENT", "").short('c');

const NULL: Row = Row::switch(
    Null,
    "Texts on standard input end with NUL bytes instead of line ends, and so do the results",
)
.short('z');

const SPEC_OF_COMPONENT: Row =
    SPEC.takes(RFC).says("The specification that decides what a component can hold");

pub(super) const ENCODE: &[&[Row]] = &[&[
    Row { value: "TEXT", ..INPUTS }.says("Data, any bytes [default: the lines of standard input]"),
    COMPONENT
        .default("unreserved")
        .says("The component for which the data is encoded: every byte that it cannot hold, and every %"),
    Row::switch(KeepTriplets, "Keep triplets such as %41, for texts that are encoded in part").short('k'),
    NULL,
    SPEC_OF_COMPONENT,
]];

pub(super) const DECODE: &[&[Row]] = &[&[
    Row { value: "TEXT", ..INPUTS }
        .says("Components or parts of them [default: the lines of standard input]"),
    COMPONENT.says(
        "The component that the texts are: a character that it cannot hold is an error, because it should have been \
         encoded, or split off before",
    ),
    Row::switch(
        FromUri,
        "The texts are URI references: split each, then decode its COMPONENT, which is empty if it is undefined",
    )
    .short('u')
    .rules(&[needs(&[Component], ""), excludes(&[Lenient], "")]),
    Row::switch(Lenient, "Keep a % that begins no triplet, and accept every character"),
    NULL,
    SPEC_OF_COMPONENT,
]];

pub(super) const SCHEMA: &[&[Row]] = &[&[
    Row::new(
        OutputFormat,
        Kind::Choice(|| told([("text", "A table for people"), ("json", "One JSON object")])),
        "FORM",
        "Format of the output",
    )
    .default("text")
    .of_program(),
    Row::new(Schema, Kind::Choice(schemas), "SCHEMA", "The table to describe").default("table"),
    Row::new(
        Format,
        Kind::Choice(formats),
        "FORMAT",
        "Describe only the columns of the other fields of this format",
    )
    .listing()
    .rules(&[excludes(&[Schema], "")]),
]];

pub(super) const FORMATS: &[&[Row]] = &[&[
    Row::new(
        Named,
        Kind::Text,
        "NAME",
        "A format, or a file that defines one: its fields with their types and meanings, and an example [default: the \
         list of formats]",
    )
    .positional()
    .of_program(),
    Row::new(
        Test,
        Kind::Paths,
        "FILE",
        "Try the samples of a file that defines a format, or of the files of a folder: each value that differs, and \
         where a line stops fitting",
    )
    .rules(&[excludes(&[Named], "{} tries files, and {other} shows one format: give one of them")])
    .of_program(),
    Row::new(
        OutputFormat,
        Kind::Choice(|| {
            told([
                ("text", "A table for people"),
                ("json", "One JSON object"),
                ("toml", "With NAME: the file that defines the format, to begin another one with"),
            ])
        }),
        "FORM",
        "Format of the output",
    )
    .default("text")
    .of_program(),
]];

pub(super) const HELP: &[&[Row]] =
    &[&[Row::new(Topic, Kind::Text, "TOPIC", "A command, or exit-codes [default: the program]")
        .positional()
        .of_program()]];

pub(super) const COMPLETIONS: &[&[Row]] = &[&[Row::new(
    Shell,
    Kind::Choice(|| plain(["bash", "elvish", "fish", "powershell", "zsh"])),
    "SHELL",
    "The shell to write the script for",
)
.positional()
.required()
.of_program()]];

pub(super) const MAN: &[&[Row]] =
    &[&[Row::new(Subcommand, Kind::Text, "SUBCOMMAND", "The subcommand whose page to print")
        .positional()
        .of_program()]];
