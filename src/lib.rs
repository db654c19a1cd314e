//! urimill turns logs full of URIs into columns.
//!
//! Data goes one way:
//!
//! ```text
//! files ──> chunks ──> records ──> offsets ──> record batches ──> rows in order ──> files
//!      read       read::format    batch       batch::columns     sort              write
//!                             └──── pipeline drives it, run starts it, verify watches it ────┘
//! ```
//!
//! For one URI start at [`UriRef`], for a reference and its base at [`resolve`], for data on its way into a
//! component and out of it at [`encode`], for many URIs in memory at [`par`] or [`batch`], for whole
//! files at [`run`].
//!
//! # Features
//!
//! All but `futures` are on by default. A call that needs a missing feature fails with an error that names it.
//!
//! - `parquet`: reads and writes Parquet. Its pages are compressed by snappy, LZ4, and the other codecs that are built
//!   in.
//! - `ipc`: reads and writes Arrow IPC, files and streams.
//! - `gzip`, `zstd`, `bzip2`, `xz`: read compressed inputs; `gzip` and `zstd` also compress text outputs, pages of
//!   Parquet and buffers of Arrow files that are read. `gzip` also reads WACZ files, which are zip archives.
//! - `brotli`: pages of Parquet, and pages of the web in archives that [`run::Extract`] and [`run::Links`] read.
//! - `cc-index`: the table of Common Crawl's columnar index, [`common_crawl`].
//! - `futures`: runs as asynchronous streams of record batches, `run::BatchStream`.
//!
//! The functions on one URI are the package `urimill-uri`, with all of its features; a program that needs only these
//! can depend on it alone.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// The features with which the package is built.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "parquet")]
    "parquet",
    #[cfg(feature = "ipc")]
    "ipc",
    #[cfg(feature = "gzip")]
    "gzip",
    #[cfg(feature = "zstd")]
    "zstd",
    #[cfg(feature = "bzip2")]
    "bzip2",
    #[cfg(feature = "xz")]
    "xz",
    #[cfg(feature = "brotli")]
    "brotli",
    #[cfg(feature = "cc-index")]
    "cc-index",
];

mod formats;
pub mod par;
pub mod read;
pub mod run;

/// Arrow, in the version whose types are in the interface of this package.
#[doc(no_inline)]
pub use {arrow_array, arrow_buffer, arrow_schema};

#[doc(inline)]
pub use urimill_archives::common_crawl;
#[doc(inline)]
pub use urimill_base::{error, lists, option_name, streams, threads};
#[doc(hidden)]
pub use urimill_base::{files, locks, memory};

/// Many URIs: batches of records become Arrow record batches.
pub mod batch {
    #[doc(inline)]
    pub use urimill_columns::batch::{
        BATCH_ROWS, Cell, Column, Columns, Example, ExtraColumns, ExtraField, FIELD_ERRORS, FurtherUri, Kind,
        LineSplits, MAX_ROWS, Normalizer, ORDINARY_COLUMNS, OddRows, Options, Origin, Original, Reading,
        Records, Remap, RfcOptions, TableRows, Taken, Tally, TargetForm, Text, TimeForm, Unfit, Unit,
        components, fitted, holds_texts,
    };
}

/// Templates of URIs: how a URI is made, and which template many of them have.
pub mod templates {
    #[doc(inline)]
    pub use urimill_columns::templates::{Learned, Parts, write};
}

/// Traps of crawlers that a URI shows.
pub mod traps {
    #[doc(inline)]
    pub use urimill_columns::traps::{Trap, trap};
}

/// Runs the data through all stages: threads, order, back-pressure, accounts.
pub mod pipeline {
    #[doc(inline)]
    pub use urimill_pipeline::{
        Ahead, Destination, Divided, ForeignTable, FormatCheck, Jobs, Look, Looked, OnInvalid, Plan,
        Progress, Summary, Totals, UncommittedRun, complete, each_batch, each_job, run, with_rejects,
        write_batches, write_made,
    };
}

/// Distinct rows.
pub mod dedupe {
    #[doc(inline)]
    pub use urimill_pipeline::dedupe::{
        Key, MAX_RECORD, Options, Rungs, Summary, Verifier, check_temp_dir, run, schema, schema_by,
    };
}

/// Links between hosts, domains or pages, counted.
pub mod edges {
    #[doc(inline)]
    pub use urimill_pipeline::edges::{
        Destination, FIELDS, LinkCounts, Node, Options, SORTED_BY, Summary, run, schema,
    };
}

/// Rows in order, also those that memory does not hold.
pub mod sort {
    #[doc(inline)]
    pub use urimill_pipeline::sort::{Merge, Options, RowSelection, Sorter};
}

/// Compares what was written with what was read.
pub mod verify {
    #[doc(inline)]
    pub use urimill_pipeline::verify::{OutputVerifier, Value, Verified, Verifier};
}

/// Record batches become files.
pub mod write {
    #[doc(inline)]
    pub use urimill_write::{
        Compression, DirectoryOptions, FlagNames, Format, OutputSize, PageLimits, SUCCESS, Sink, SinkOptions,
        SortKey, StagedDirectory, StagedSink, Target, Temporaries, Turns, UncommittedOutput, Written, create,
        create_directory, export_schema, same_file, same_target, to_plain,
    };
}

/// The figures of a report, its states and its page.
pub mod report {
    #[doc(inline)]
    pub use urimill_report::{
        Accounts, By, Circle, Circles, Condition, Conflict, Counted, Distinct, Figure, HostFetches, Item,
        LONGEST, MOST_PAGE_BYTES, Making, Parameter, Parameters, Part, SameContent, State, Twice, Unit,
        fields, run, shell_word, top,
    };
}

/// The index of web archives.
pub mod index {
    #[doc(inline)]
    pub use urimill_archives::index::{
        Destination, LeftOut, Like, LineForm, Options, PAGES, SORTED_BY, Summary, run, table_schema,
    };
}

/// Captures in an index of web archives, found by their URIs.
pub mod lookup {
    #[doc(inline)]
    pub use urimill_archives::lookup::{Line, Lookup, Match, Query};
}

// The functions on single URIs are the package `urimill-uri`; its paths are the same here.
#[doc(hidden)]
pub use urimill_uri::simd;
pub use urimill_uri::{
    Code, Component, HostKind, Level, Reject, Rung, Spec, Standard, Uri, UriBuilder, UriRef, audit,
    canonical, compare, domain, encode, explain, extract, grammar, normalize, passwords, printable, resolve,
    whatwg,
};

pub use urimill_base::error::{Error, ErrorKind, Result};
pub use urimill_base::option_name::OptionName;

/// One URI reference: its components, the kind of its host, or the reason why it is not one.
pub mod uri {
    pub use urimill_uri::{
        AsText, AsUriRef, Code, Component, Error, ErrorKind, Host, HostKind, Params, QueryPairs, QueryParam,
        QueryParams, Reject, Segment, Segments, Start, Uri, UriBuilder, UriRef,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/GUIDE.md")]
struct Guide;
