//! urimill turns logs full of URIs into columns.
//!
//! One way through the house, no way back:
//!
//! ```text
//! bytes ──> chunks ──> records ──> masks ──> components ──> verdict ──> normal form ──> columns ──> file
//!           input      input/format   simd        uri           uri        normalize       batch      output
//!                                └──────────────────────── pipeline drives it, run starts it ───────┘
//! ```
//!
//! For one URI start at [`UriRef`], for a reference and its base at [`resolve`], for data on its way into a
//! component and out of it at [`encode`], for many URIs at [`batch`], for whole files at [`pipeline`].
//!
//! What works on one URI is the package `urimill-uri`, with all of its features; a program that needs no more takes
//! that.

pub mod batch;
pub mod dedupe;
pub mod error;
#[doc(hidden)]
pub mod files;
pub mod input;
pub mod lists;
pub mod option_name;
pub mod output;
pub mod pipeline;
pub mod run;
pub mod sort;
pub mod table;
#[doc(hidden)]
pub mod threads;

// One URI is the package `urimill-uri`; here it has the paths that it has there.
#[doc(hidden)]
pub use urimill_uri::simd;
pub use urimill_uri::{
    Code, Component, HostKind, Level, Reject, Rung, Spec, Uri, UriBuilder, UriRef, audit, canonical, compare,
    domain, encode, explain, extract, grammar, normalize, passwords, printable, resolve,
};

pub use error::{Error, ErrorKind, Result};
pub use option_name::OptionName;

/// One URI reference: its components, what its host is, or why it is none.
pub mod uri {
    pub use urimill_uri::{
        AsText, Code, Component, Error, ErrorKind, Host, HostKind, Params, QueryPairs, Reject, Segment,
        Segments, Start, Uri, UriBuilder, UriRef,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
