//! The public items that only this package has: owned URIs, their traits, typed parts, and the builder. The rules of
//! the RFCs are tested in `tests/spec` of the package `urimill`, which re-exports everything else.

#![allow(clippy::unwrap_used, clippy::type_complexity)]

mod builder;
mod copies;
mod options;
mod owned;
mod parts;
#[cfg(feature = "serde")]
mod serde;
