//! Resolution and its inverse as methods, with URIs as their answers.

use super::{Mode, ResolveError, relativize, resolve};
use crate::reference::{AsText, UriRef};
use crate::reject::{Code, Component, Reject};
use crate::uri::{AsUriRef, Uri};

impl UriRef<'_> {
    /// The target of a reference against this base (5.2), by the base's specification and in [`Mode::Strict`]. The
    /// reference is a text, or a parsed reference. [`resolve`] takes a mode, and copies no reference that is its own
    /// target.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let base: Uri = "http://example.com/a/b?q".parse()?;
    /// assert_eq!(base.join("../c#f")?, "http://example.com/c#f");
    /// assert_eq!(base.join("?page=2")?, "http://example.com/a/b?page=2");
    /// assert_eq!(base.join("a b").unwrap_err().code.as_str(), "path_invalid_char");
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    ///
    /// # Errors
    /// - `base_not_absolute` where this base has no scheme (5.1), whatever the reference is
    /// - where the reference does not match the grammar: see [`Reject`]
    pub fn join<T: AsText + ?Sized>(&self, reference: &T) -> Result<Uri, Reject> {
        // As in a batch: the fault is not in the reference, so no byte of it is.
        let no_base = Reject { code: Code::BaseNotAbsolute, component: Component::Scheme, offset: 0 };
        if !self.is_uri() {
            return Err(no_base);
        }
        let reference = UriRef::parse_as(reference, self.spec())?;
        let target = resolve(self, &reference, Mode::Strict).map_err(|_| no_base)?;
        Ok(Uri::of_valid(target.into_owned(), self.spec()))
    }

    /// The shortest reference that leads from `base` to this URI, so that joining the two gives this URI again:
    /// [`relativize`].
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let (base, target): (Uri, Uri) = ("http://example.com/a/b/c".parse()?, "http://example.com/a/x".parse()?);
    /// let reference = target.relative_to(&base).unwrap();
    /// assert_eq!(reference, "../x");
    /// assert_eq!(base.join(&reference)?, target);
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`relativize`] does.
    pub fn relative_to<'b>(&self, base: impl AsUriRef<'b>) -> Result<Uri, ResolveError> {
        let base = base.uri_ref();
        Ok(Uri::of_valid(relativize(&base, self)?.into_owned(), base.spec()))
    }
}

impl Uri {
    /// The target of a reference against this base (5.2): [`UriRef::join`].
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let base: Uri = "http://example.com/a/b?q".parse()?;
    /// assert_eq!(base.join("../c#f")?, "http://example.com/c#f");
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    ///
    /// # Errors
    /// Where this base has no scheme, and where the reference does not match the grammar.
    pub fn join<T: AsText + ?Sized>(&self, reference: &T) -> Result<Uri, Reject> {
        self.as_uri_ref().join(reference)
    }

    /// The shortest reference that leads from `base` to this URI: [`UriRef::relative_to`].
    ///
    /// # Errors
    /// Fails as [`relativize`] does.
    pub fn relative_to<'b>(&self, base: impl AsUriRef<'b>) -> Result<Uri, ResolveError> {
        self.as_uri_ref().relative_to(base)
    }
}
