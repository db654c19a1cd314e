//! Options about reading records, and about the base of references in them.

use urimill_base::option_name::OptionName::*;
use urimill_read::format::RecordTypes;

use super::records::{OF_COLUMNS, OF_RFC};
use super::{Choice, Kind, Row, Rule, SEVERAL, excludes, is, named, needs, under};
use crate::run::input_format::InputFormat;

/// Where the URIs are in the inputs.
pub const READING: &[Row] = &under("Reading", [
    Row::new(
        Format,
        Kind::Open(formats),
        "FORMAT",
        "Format of the inputs, as urimill formats lists them, or the name of one that --format-file defines \
         [default: auto]",
    )
    .common(),
    Row::new(
        FormatFile,
        Kind::Paths,
        "FILE",
        "A file that defines a format of logs, or a folder of such files; several times for several. Inputs whose \
         format is detected may have it, and it comes before the formats that urimill knows. urimill formats \
         --test FILE tries its samples",
    ),
    Row::new(
        LogFormat,
        Kind::Text,
        "STRING",
        "Read a log whose lines this format string describes, as it stands in a configuration of Apache \
         (LogFormat) or nginx (log_format), or of another server with its name before it: haproxy:, squid:, \
         tomcat:, tomcat9:, trafficserver:, varnish:, envoy:. Or a nickname: common, combined, vhost_common, \
         vhost_combined, combinedio, squid:combined. %^ skips a field, … at the end takes the rest of a line",
    )
    .hyphens()
    .common()
    .rules(&[excludes(&[Format], "{} describes the format of the input: drop {other}")]),
    Row::new(
        Delimiter,
        Kind::Text,
        "CHARACTER",
        "The character between the fields of csv, in place of the comma",
    )
    .hyphens(),
    Row::new(
        Comment,
        Kind::Text,
        "PREFIX",
        "What lines of comments begin with in lines, csv and tsv, such as #: they are no records",
    )
    .hyphens(),
    Row::new(
        Encoding,
        Kind::Checked(is::<urimill_read::Encoding>),
        "ENCODING",
        "The encoding of the inputs: utf-16 (with a byte-order mark), utf-16le, utf-16be, latin1, \
         windows-1252 or another of the Encoding Standard. Offsets count bytes of the text in UTF-8 [default: \
         utf-8]",
    ),
    Row::new(
        UriField,
        Kind::Field,
        "FIELD",
        "The field that holds the URI. csv and tsv: its name in the header or its number from 1. jsonl: the \
         name of a member, or a path a.b[0].c. parquet and arrow: the name or number of a column, or a.b for \
         a field of a struct. In normalize further names, separated by commas, are of fields with further \
         URIs: their columns have the name as a prefix, as in src_host. A + before the first name leaves the \
         first URI where the format has it: +referer",
    )
    .hyphens()
    .common()
    .rules(&[
        OF_COLUMNS.when(SEVERAL),
        excludes(&[Schema], "the columns of {other} are about one URI: name one field with {}").of("cc-index")
        .when(SEVERAL),
    ]),
    Row::new(
        UriTemplate,
        Kind::Text,
        "TEMPLATE",
        "The URI made of several fields, as in https://{host}{path}?{query}, with fields named as for \
         --uri-field or, in logs, as columns are. A null field is left out with the ?, # or : before it",
    )
    .hyphens()
    .rules(&[Rule { others: &[RequestLine, UriField], ..ONE_SOURCE }]),
    Row::new(
        RequestLine,
        Kind::Field,
        "FIELD",
        "The field that holds the line of a request, such as GET /a HTTP/1.1, named as for --uri-field; adds \
         the columns method and protocol",
    )
    .hyphens()
    .rules(&[ONE_SOURCE]),
    Row::new(
        Header,
        Kind::Choice(|| named(urimill_read::format::Header::NAMED)),
        "WHETHER",
        "Whether the first record names the fields; auto: if a field is asked for by name",
    )
    .listing(),
    Row::switch(
        NoQuotes,
        "Treat quotes in csv and tsv as ordinary characters: every line is a record",
    ),
    RECORD_TYPES,
    SKIP_BODIES,
    Row::new(
        LastLine,
        Kind::Choice(|| named(urimill_read::LastLine::NAMED)),
        "WHAT",
        "What to do with the last line of a log that has no line feed, and so may be cut. mark: its row has \
         unfinished in field_errors, unless a quote or a bracket ends its last field. keep: nothing. drop: it \
         has no row, and the summary counts it [default: mark]",
    )
    .listing(),
    Row::new(
        SkipLines,
        Kind::Number(0, u32::MAX as u64),
        "N",
        "Skip the first lines of each input, such as a title before the header: they are no records, and record 1 \
         comes after them. For text alone [default: 0]",
    ),
    Row::new(
        Unwrap,
        Kind::Checked(is::<urimill_logs::Unwrap>),
        "WRAPPERS",
        "What to take off around each line of a log. auto: what most of the first lines have, up to four \
         wrappers, one in another; the summary names them. none: nothing. Or their names with commas between, \
         the outermost first: syslog, cri, docker, compose, journald, time, kubectl and others that \
         FORMATS.md lists; json:message, a member of an object; csv:_raw, a column of a table \
         [default: auto]",
    ),
]);

const ONE_SOURCE: Rule = excludes(&[UriField], "{} and {other} both say where the URI is: give one of them");

pub(super) const RECORD_TYPES: Row = Row::new(
    Records,
    Kind::Names(is::<RecordTypes>),
    "TYPES",
    "The records of web archives that are read, by type: all, or types separated by commas, as in \
     response,revisit; in a WAT, those that describe records of these types [default: all]",
);

pub(super) const SKIP_BODIES: Row = Row::switch(
    SkipBodies,
    "Do not decompress the bodies of records in .warc.gz and .arc.gz, where nobody asks for them: several \
     times as fast. The end of a record is found by its length, which stands in its header and at its end. \
     Damage in a body is not noticed, and a hostile page can forge a record: for archives of a known origin. \
     No effect with --on-damage keep or skip",
);

/// The treatment of damaged inputs.
pub(super) const DAMAGE: Row = Row::new(
    OnDamage,
    Kind::Choice(|| named(crate::read::OnDamage::NAMED)),
    "WHAT",
    "What to do if an input is truncated or damaged. fail: end the run and publish nothing. keep: keep the \
     records before the damage, and continue with the next input. skip: also continue after the damage, at \
     the next member of a compressed file. With keep and skip the outputs are published, the summary names \
     the damage, and the exit code is 3",
)
.default("fail")
.listing()
.common();

/// The base of references.
pub const BASES: &[Row] = &under("The base of references", [BASE_FIELD, BASE, COMPAT]);

pub(super) const BASE_FIELD: Row = Row::new(
    BaseField,
    Kind::Field,
    "FIELD",
    "The field that holds the base of the URI reference, named as for --uri-field. Where it is empty, --base \
     is used. The column base of a table has the base that was used",
)
.hyphens()
.common();

pub(super) const BASE: Row = Row::new(
    Base,
    Kind::Text,
    "URI",
    "Resolve each reference against URI (RFC 3986, 5); the output is about the targets",
)
.hyphens()
.common();

pub(super) const COMPAT: Row =
    Row::switch(Compat, "Ignore the scheme of a reference if it is the base's: http:g is g (5.2.2)").rules(
        &[
            OF_RFC,
            needs(
                &[Base, BaseField],
                "{} says how to resolve, and there is no base: give {base URI} or {base_field FIELD}",
            ),
        ],
    );

pub(super) fn formats() -> Vec<Choice> {
    InputFormat::all().map(|format| Choice { name: format.name(), meaning: format.meaning() }).collect()
}
