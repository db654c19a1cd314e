//! The jobs that count.

use urimill_base::option_name::OptionName::*;
use urimill_report::Condition;

use super::INPUTS;
use crate::run::options::reading::{BASES, DAMAGE, READING};
use crate::run::options::records::*;
use crate::run::options::writing::*;
use crate::run::options::{Kind, Row, is};

pub(super) const REPORT: &[&[Row]] = &[
    &[
        INPUTS_OR_STATES,
        Row::new(
            Page,
            Kind::Path,
            "FILE",
            "Write the page to FILE, one HTML file of at most 600 kB that needs no network; - is standard \
             output",
        )
        .short('o')
        .common(),
        Row::new(Json, Kind::Path, "FILE", "Write every figure to FILE as JSON; - is standard output")
            .common(),
        Row::new(
            State,
            Kind::Path,
            "FILE",
            "Write the state to FILE: what a later report takes as an input, to add up",
        )
        .common(),
        Row::new(Title, Kind::Text, "TEXT", "The title of the page [default: the names of the inputs]")
            .common(),
    ],
    READING,
    BASES,
    COUNTED,
    &[
        FORCE.says(
            "Replace existing output files; count an input twice that is there twice; and add up states that \
             hold the same input, whose records count twice then, or that were made with other options",
        ),
        MEMORY_OF_REPORT,
    ],
    RUNNING,
];

const INPUTS_OR_STATES: Row = INPUTS.says(
    "Files, patterns such as 'logs/*.gz', or - for standard input, which is the default; or states, all of \
     them",
);

/// Options about reading the records that a report counts.
const COUNTED: &[Row] = &[
    SPEC.without_default().says("The specification that decides what is valid [default: rfc3986]"),
    LEVEL.says(
        "The normal form that is counted (RFC 3986, 6.2); each level includes those before it [default: \
         scheme]",
    ),
    REPAIR.says("Repair records that are no URI references as browsers do"),
    PSL.says("The public suffix list, in the format of publicsuffix.org [default: the one built in]"),
    MAX_RECORD.without_default().says(
        "The longest record in bytes, up to 512M; longer ones are rejected. K, M and G stand for 1024, 1024², \
         1024³ [default: 1M]",
    ),
    DAMAGE,
];

const MEMORY_OF_REPORT: Row = MEMORY_OF_RUN.takes(Kind::Bytes(512 << 20, 1 << 50, "512M up")).says(
    "Memory for the run, 512M or more. K, M and G stand for 1024, 1024², 1024³ [default: 512M, or 320M and \
     64M a thread where that is more]",
);

pub(super) const TOP: &[&[Row]] = &[
    &[
        INPUTS_OR_STATES,
        Row::new(
            By,
            Kind::Text,
            "NAME",
            "What is counted: a figure of the report (host, registered_domain, template, trap, param, flags, \
             path, agent, robot, os, …), code for the codes of rejects, or a column of the table or of the log",
        )
        .required()
        .common(),
        Row::new(
            Where,
            Kind::Each(is::<Condition>),
            "CONDITION",
            "Count only records whose column has this value: column=value, or column!=value. An empty value \
             stands for null. Several of these must all fit",
        )
        .common(),
        Row::new(Number, Kind::Number(0, u32::MAX as u64), "N", "How many lines to show")
            .short('n')
            .default("20")
            .common(),
        Row {
            bare: Some("2"),
            ..Row::new(
                Watch,
                Kind::Number(1, u32::MAX as u64),
                "SECONDS",
                "Count again after this many seconds, as long as the inputs change; all of each input is read \
                 then",
            )
        }
        .of_program(),
        FORCE_TWICE,
    ],
    READING,
    BASES,
    COUNTED,
    TERMINAL,
];

const FORCE_TWICE: Row = FORCE.says(
    "Count an input twice that is there twice; and add up states that hold the same input, whose records \
     count twice then, or that were made with other options",
);

/// Options of a command that writes to the terminal.
const TERMINAL: &[Row] = &[
    MEMORY_OF_REPORT,
    THREADS.says("Number of threads [default: the number of processors]"),
    PROGRESS.says("When to show a progress bar; auto: on a terminal that does not show the results, too"),
];

pub(super) const STATS: &[&[Row]] = &[&[INPUTS_OR_STATES, FORCE_TWICE], READING, BASES, COUNTED, TERMINAL];
