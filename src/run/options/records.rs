//! Options for each record, and for records that are not URI references.

use urimill_base::option_name::OptionName::*;
use urimill_uri::Standard;
use urimill_uri::normalize;

use super::{Kind, LENGTH, Row, Rule, excludes, is, named, needs, plain, told};
use crate::run::normalize_options;

/// Reading of references, and columns made from each.
pub const RECORDS: &[Row] = &[
    SPEC,
    ON_DISAGREEMENT,
    LEVEL,
    REPAIR,
    DEFAULT_SCHEME,
    REFANG,
    PSL,
    PSL_UNLISTED,
    CANONICAL,
    DROP_PARAMS,
    DROP_TRACKING,
    PORT_RULES,
    HIDING[0],
    HIDING[1],
    MAX_RECORD,
];

pub(super) const SPEC: Row = Row::new(
    Spec,
    Kind::Choice(|| plain(Standard::ALL.map(Standard::as_str))),
    "SPEC",
    "The specification by which texts are read: an RFC decides what is valid; whatwg, the URL Standard, reads \
     as browsers do",
)
.default("rfc3986")
.common();

pub(super) const LEVEL: Row = Row::new(
    Level,
    Kind::Choice(|| plain(normalize::Level::ALL.map(normalize::Level::as_str))),
    "LEVEL",
    "The normal form to write (RFC 3986, 6.2); each level includes those before it. Not with --schema \
     cc-index [default: scheme]",
)
.common()
.rules(&[OF_RFC.when("!scheme"), AS_FETCHED]);

/// The URL Standard has one form of each URL, and accepts nearly every text.
pub(super) const OF_RFC: Rule =
    excludes(&[Spec], "{} is for the RFCs, and {other} reads as browsers do: drop one of them").of("whatwg");

const AS_FETCHED: Rule = excludes(
    &[Schema],
    "the columns of {other} hold URIs as they were fetched: drop {}, or use {level none}",
)
.of("cc-index")
.when("!none");

/// The format of a list has one column.
pub(super) const OF_COLUMNS: Rule = excludes(
    &[OutputFormat],
    "the format uris has only the column uri: choose another format with {output_format} for {}",
)
.of("uris");

pub(super) const REPAIR: Row = Row::switch(
    Repair,
    "Repair texts that are no URI references as browsers do: white space, delimiters around them, characters \
     that need encoding",
)
.common()
.rules(&[OF_RFC]);

pub(super) const DEFAULT_SCHEME: Row = Row::new(
    DefaultScheme,
    Kind::Checked(is::<normalize::DefaultScheme>),
    "SCHEME",
    "With --repair: complete suffixes of URIs, such as www.w3.org/Addressing/, with SCHEME://. Only for lists \
     of such texts: script.pl becomes a host, too",
)
.rules(&[
    needs(&[Repair], "{} completes the texts that {repair true} repairs: give both"),
    excludes(&[Base, BaseField], "{} completes references, and {other} resolves them: give one of them"),
]);

pub(super) const REFANG: Row =
    Row::switch(Refang, "Read texts that were made harmless as what they were: hxxps://www[.]example[.]com");

pub(super) const ON_DISAGREEMENT: Row = Row::new(
    OnDisagreement,
    Kind::Choice(|| {
        let [keep, reject] = normalize_options::OnDisagreement::NAMED.map(|(name, _)| name);
        told([(keep, "It is a row like others"), (reject, "It is a reject with the code disagreement")])
    }),
    "WHAT",
    "What to do where the URL Standard and the RFC see different things. reject puts the record with the \
     rejects; the column disagreement says what they see",
)
.default("keep");

pub(super) const PSL: Row = Row::new(
    Psl,
    Kind::Path,
    "FILE",
    "The public suffix list for columns such as registered_domain, in the format of publicsuffix.org; rules \
     outside its sections count as ICANN's [default: the one built in]",
);

pub(super) const PSL_UNLISTED: Row = Row::switch(
    PslUnlisted,
    "Where the list has no rule for a name, use its last label as suffix. The list's own algorithm does so: \
     local for printer.local [default: the name has neither suffix nor registered domain, because most such \
     names are of private networks, or mistyped]",
);

pub(super) const CANONICAL: Row = Row::new(
    Canonical,
    Kind::Choice(|| {
        plain(urimill_uri::canonical::Canonical::ALL.map(urimill_uri::canonical::Canonical::as_str))
    }),
    "FORM",
    "Add the column canonical, the form in which another tool writes URIs. It is made from the reference as \
     read, resolved if there is a base",
)
.common()
.rules(&[OF_COLUMNS]);

/// Options for the column canonical.
pub(super) const OF_CANONICAL: Rule =
    needs(&[Canonical], "{} acts on the column canonical: give {canonical} too");

pub(super) const DROP_PARAMS: Row = Row::new(
    DropParams,
    Kind::List,
    "PATTERN,…",
    "Drop query parameters from canonical, by name, separated by commas; * and ? match any characters, [ab] \
     one of these",
)
.rules(&[OF_CANONICAL]);

pub(super) const DROP_TRACKING: Row = Row::switch(
    DropTracking,
    "Drop parameters from canonical that only say where a visitor came from, such as utm_source",
)
.rules(&[OF_CANONICAL]);

pub(super) const PORT_RULES: Row = Row::new(
    PortRules,
    Kind::Path,
    "FILE",
    "Rules for the flag port_well_known_mismatch, which come before the registry of ports: lines such \
     as 'http allow 81, 8000-8999' and '* flag 6000-6063' (* is any scheme, - none; the last line that fits \
     decides)",
);

/// Parts of user information that outputs leave out.
pub(super) const HIDING: &[Row; 2] = &[
    Row::switch(
        MaskPasswords,
        "Write *** for passwords in user information, in every column of the table and of the rejects; keys, \
         hashes and rows are made from the masked URIs",
    )
    .rules(&[excludes(&[DropUserinfo], "{} and {other} exclude each other: give one of them")]),
    Row::switch(
        DropUserinfo,
        "Remove user information, name and password, from every column of the table and of the rejects; flags \
         still say that there was some",
    ),
];

pub(super) const SHOW_PASSWORDS: Row = Row::switch(
    ShowPasswords,
    "Show passwords in messages and in the summary, which otherwise have *** in their place",
);

pub(super) const MAX_RECORD: Row = Row::new(
    MaxRecord,
    LENGTH,
    "BYTES",
    "The longest record in bytes, up to 512M; longer records are rejected. K, M and G stand for 1024, 1024², \
     1024³",
)
.default("1M");

pub(super) const ON_INVALID: Row = Row::new(
    OnInvalid,
    Kind::Choice(|| named(crate::run::choices::OnInvalid::NAMED)),
    "WHAT",
    "What to do with a record that is no URI reference [default: keep; with --rejects: reject; with --schema \
     cc-index and without --fill: fail]",
)
.common()
.rules(&[
    needs(&[Rejects], "{on_invalid reject} needs a file: give {rejects FILE}").when("reject"),
    excludes(
        &[Verify],
        "{other} reads back what was read, and {on_invalid drop} drops some of it: leave one of them out",
    )
    .when("drop"),
]);

pub(super) const REJECTS: Row = Row::new(
    Rejects,
    Kind::Path,
    "FILE",
    "File for rejected records: a table of its own, in the format of its extension, or else of --to",
)
.common()
.rules(&[excludes(
    &[OnInvalid],
    "{} takes the invalid records out of the table: drop {on_invalid}, or use {on_invalid reject}",
)
.of("!reject")]);

pub(super) const COLUMNS: Row = Row::new(
    Columns,
    Kind::Names(|_| Ok(())),
    "LIST",
    "Columns of the table, including other fields of the records, by name, separated by commas. +NAME and \
     -NAME change the default (see urimill schema); with --schema cc-index only +NAME",
)
.hyphens()
.common()
.rules(&[OF_COLUMNS]);
