//! urimill turns logs full of URIs into columns.
//!
//! One way through the house, no way back:
//!
//! ```text
//! bytes ──> chunks ──> records ──> masks ──> components ──> verdict ──> normal form ──> columns ──> file
//!           input      input/format   simd        uri           uri        normalize       batch      output
//!                                └──────────────────────── pipeline drives it, cli starts it ───────┘
//! ```
//!
//! For one URI start at [`UriRef`], for a reference and its base at [`resolve`], for data on its way into a
//! component and out of it at [`encode`], for many URIs at [`batch`], for whole files at [`pipeline`].

pub mod audit;
pub mod batch;
pub mod canonical;
pub mod cli;
pub mod compare;
pub mod dedupe;
pub mod domain;
pub mod encode;
pub mod error;
pub mod explain;
pub mod extract;
#[doc(hidden)]
pub mod files;
pub mod grammar;
pub mod input;
pub mod normalize;
pub mod option_name;
pub mod output;
pub mod passwords;
pub mod pipeline;
pub mod printable;
pub mod resolve;
pub mod run;
pub mod simd;
pub mod sort;
pub mod table;
mod threads;
pub mod uri;

pub use compare::{Rung, compare};
pub use error::{Error, ErrorKind, Result};
pub use grammar::Spec;
pub use normalize::{Level, normalize};
pub use option_name::OptionName;
pub use uri::{Code, Component, HostKind, Reject, UriRef};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
