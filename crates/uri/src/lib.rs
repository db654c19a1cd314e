//! One URI: parsed, normalized, resolved and compared by RFC 3986, or by RFC 2396, with SIMD.
//!
//! ```
//! use urimill_uri::{Level, Uri};
//!
//! let uri: Uri = "http://Example.com/a/b?q=a+b".parse()?;
//! assert_eq!((uri.host(), uri.path(), uri.query()), (Some("Example.com"), "/a/b", Some("q=a+b")));
//! assert_eq!(uri.normalized(Level::Scheme), "http://example.com/a/b?q=a+b");
//! assert_eq!(uri.join("../c")?, "http://Example.com/c");
//! assert_eq!(uri.with_query("page=2")?, "http://Example.com/a/b?page=2");
//! assert_eq!(uri.query_params().next().unwrap().value().as_deref(), Some("a b"));
//!
//! let reject = Uri::parse("http://example.com/a b").unwrap_err();
//! assert_eq!((reject.code.as_str(), reject.offset), ("path_invalid_char", 20));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Begin with [`Uri`], which owns its text, or with [`UriRef`], which borrows it and allocates nothing; both have the
//! same methods, and functions take either by reference. [`Uri::builder`] makes one from parts, and
//! [`Uri::with_path`] and the like make copies with another part. A text outside the grammar is a [`Reject`]: a stable
//! code, the component, and the first byte that no URI reference has there. The rest of the crate:
//!
//! - [`normalize()`]: the ladder of section 6.2, up to the [`Level`] asked for
//! - [`resolve`]: a reference against its base (section 5), and [`resolve::relativize`], the way back
//! - [`compare()`]: the rung on which two references are equal
//! - [`encode`]: data into a component and out of it
//! - [`grammar`]: the tables of characters, schemes and ports
//!
//! # Features
//!
//! | feature | brings | packages |
//! |---|---|---|
//! | `std` (default) | the fastest kernel that the processor has, detected at run time | |
//! | `idna` | [`normalize::repair`], which mends texts that are not URIs; [`extract`], URIs in running text | `idna` |
//! | `psl` | [`domain`]: registered domains by the public suffix list; repair of `www.example.com/a` | `psl`, `twox-hash` |
//! | `canonical` | [`canonical`]: keys of web archives and canonical forms of other tools | `glob` |
//! | `audit` | [`audit`]: the warnings of section 7, as flags | `twox-hash` |
//! | `whatwg` | [`whatwg`]: URLs by the URL Standard, as browsers parse them; names outside ASCII with `idna` | |
//! | `serde` | `Serialize` and `Deserialize` of [`UriRef`] and [`Uri`], as texts | `serde_core` |
//! | `explain` | [`explain`]: everything known about one text, and where specifications differ | `serde_json` |
//!
//! `psl`, `canonical` and `audit` bring `idna`; `explain` brings all of these. By default the only dependency is
//! `memchr`.
//!
//! Without `std` the crate is `no_std` and needs `alloc`. The kernel is then the best one that the program is compiled
//! for (`-C target-feature=+avx2`). `psl`, `canonical` and `explain` need `std`.
//!
//! # Targets
//!
//! Every target that has `core` and `alloc`. Tested are x86-64 (AVX-512, AVX2 and the portable kernel), aarch64 (NEON)
//! and `wasm32-unknown-unknown`, where a module that parses, normalizes and resolves has 38.7 KB (`opt-level = "z"`,
//! LTO, `panic = "abort"`, `wasm-opt -Oz`; its allocator counts). The portable kernel serves all others.
//!
//! For many URIs at once, files and tables, use the package `urimill`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
// An answer that nobody reads is a mistake.
#![warn(clippy::must_use_candidate)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "audit")]
pub mod audit;
mod builder;
#[cfg(feature = "canonical")]
pub mod canonical;
pub mod compare;
#[cfg(feature = "psl")]
pub mod domain;
pub mod encode;
mod error;
#[cfg(feature = "explain")]
pub mod explain;
#[cfg(feature = "idna")]
pub mod extract;
pub mod grammar;
mod host;
#[cfg(feature = "idna")]
mod idn;
#[doc(hidden)]
pub mod internal;
pub mod normalize;
mod options;
mod parse;
pub mod passwords;
pub mod printable;
mod reference;
mod reject;
pub mod resolve;
mod segments;
#[cfg(feature = "serde")]
mod serde;
#[doc(hidden)]
pub mod simd;
#[cfg(feature = "whatwg")]
mod standard;
mod start;
mod uri;
#[cfg(feature = "whatwg")]
pub mod whatwg;

pub use builder::UriBuilder;
pub use compare::{Rung, compare};
pub use encode::{QueryParam, QueryParams};
pub use error::{Error, ErrorKind, Result};
pub use grammar::Spec;
pub use host::{Host, HostKind};
pub use normalize::{Level, normalize};
pub use reference::{AsText, UriRef};
pub use reject::{Code, Component, Reject};
pub use segments::{Params, QueryPairs, Segment, Segments};
#[cfg(feature = "whatwg")]
pub use standard::Standard;
pub use start::Start;
pub use uri::{AsUriRef, Uri};
