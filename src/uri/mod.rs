//! One URI reference: where its components stand, what its host is, or why it is none. Stands behind
//! the kernels (`simd`), which accept the common shapes, and holds the careful parser for the rest.

mod components;
mod host;
mod parse;
mod reject;
mod segments;
mod start;

pub use components::{AsText, UriRef};
pub(crate) use host::classify_as;
pub use host::{Host, HostKind};
pub(crate) use parse::{careful, careful_behind};
pub use reject::{Code, Component, Reject};
pub use segments::{Params, Segment, Segments};
pub use start::Start;
