//! URLs by the [WHATWG URL Standard](https://url.spec.whatwg.org/), as browsers parse them.
//!
//! The standard has no grammar of valid URLs but a parser for any text: backslashes are slashes, tabs vanish, `0x7f.1`
//! is `127.0.0.1`, and nearly every text has a URL. RFC 3986 defines what a URI is, and this crate's
//! [`UriRef`](crate::UriRef) follows it. Two programs of one system that follow different specifications may see two
//! hosts in one text.
//!
//! [`Url`] is one URL: [`Url::parse`], [`Url::can_parse`], [`Url::validate`] with the validation errors. Section
//! numbers in this module are the standard's (its snapshot of summer 2026). There are no setters, and queries are
//! always encoded in UTF-8.
//!
//! Without the feature `idna` a domain outside ASCII fails with [`ValidationError::IdnaLeftOut`].

mod address;
mod authority;
mod disagreement;
mod host;
mod input;
mod parser;
mod path;
mod percent_encode;
mod plain;
mod reject;
mod relative;
mod scheme;
mod url;
mod validation;

pub use disagreement::{Disagreement, Disagreements, disagreements};
#[doc(hidden)]
pub use disagreement::{disagreements_of_path, write_compared};
#[doc(hidden)]
pub use plain::is_plain;
#[doc(hidden)]
pub use relative::write_relative;
#[doc(hidden)]
pub use scheme::is_special;
#[doc(hidden)]
pub use url::write;
pub use url::{OwnedUrl, Url, parse_base};
pub use validation::{Failure, State, TracedError, ValidationError};
