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
//! component and out of it at [`encode`], for many URIs at [`batch`], for whole files at [`pipeline`].
//!
//! # Features
//!
//! All are on by default. A call that needs a missing feature fails with an error that names it.
//!
//! - `parquet`: reads and writes Parquet. Its pages are compressed by snappy, LZ4, and the other codecs that are built
//!   in.
//! - `ipc`: reads and writes Arrow IPC, files and streams.
//! - `gzip`, `zstd`, `bzip2`, `xz`: read compressed inputs; `gzip` and `zstd` also compress text outputs, pages of
//!   Parquet and buffers of Arrow files that are read. `gzip` also reads WACZ files, which are zip archives.
//! - `brotli`: pages of Parquet, and pages of the web in archives that [`run::Extract`] and [`run::Links`] read.
//! - `cc-index`: the table of Common Crawl's columnar index, [`common_crawl`].
//!
//! The functions on one URI are the package `urimill-uri`, with all of its features; a program that needs only these
//! can depend on it alone.

mod formats;
pub mod read;
pub mod run;

#[doc(inline)]
pub use urimill_archives::{common_crawl, index, lookup};
#[doc(inline)]
pub use urimill_base::{error, lists, option_name, streams, threads};
#[doc(hidden)]
pub use urimill_base::{files, locks};
#[doc(inline)]
pub use urimill_columns::{batch, templates, traps};
#[doc(inline)]
pub use urimill_pipeline as pipeline;
#[doc(inline)]
pub use urimill_pipeline::{dedupe, edges, sort, verify};
#[doc(inline)]
pub use urimill_report as report;
#[doc(inline)]
pub use urimill_write as write;

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
        AsText, Code, Component, Error, ErrorKind, Host, HostKind, Params, QueryPairs, Reject, Segment,
        Segments, Start, Uri, UriBuilder, UriRef,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
