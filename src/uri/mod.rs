//! One URI reference: where its components stand, what its host is, or why it is none. Stands behind
//! the kernels (`simd`), which accept the common shapes, and holds the careful parser for the rest.

mod components;
mod host;
mod parse;
mod reject;

pub use components::{AsText, UriRef};
pub(crate) use host::classify;
pub use host::{Host, HostKind};
pub(crate) use parse::careful;
pub use reject::{Code, Component, Reject};
