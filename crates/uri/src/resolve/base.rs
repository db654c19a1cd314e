//! The base that references are resolved against.

use alloc::format;
use alloc::string::String;

use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::reference::{AsText, UriRef};

/// Parses a base for resolution.
///
/// ```
/// use urimill_uri::Spec;
/// use urimill_uri::resolve::parse_base;
///
/// assert_eq!(parse_base("http://example.com/a", Spec::Rfc3986)?.path(), "/a");
/// let error = parse_base("/a", Spec::Rfc3986).expect_err("a relative reference");
/// assert!(error.to_string().starts_with("the base \"/a\" has no scheme"));
/// # Ok::<(), urimill_uri::Error>(())
/// ```
///
/// # Errors
/// Usage: a text that `spec` rejects, or that has no scheme (RFC 3986 section 5.1).
pub fn parse_base<T: AsText + ?Sized>(text: &T, spec: Spec) -> Result<UriRef<'_>> {
    let quoted = || String::from_utf8_lossy(text.as_bytes());
    match UriRef::parse_as(text, spec) {
        Ok(uri) if uri.is_uri() => Ok(uri),
        Ok(_) => Err(Error::usage(format!(
            "the base {:?} has no scheme, so nothing can be resolved against it: give a whole URI",
            quoted()
        ))),
        Err(reject) => {
            Err(Error::usage(format!("the base {:?} is no URI reference by {spec}: {reject}", quoted())))
        }
    }
}
