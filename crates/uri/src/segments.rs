//! The inside of a path and a query: segments (RFC 3986 section 3.3), their parameters (RFC 2396 section 3.3), and the
//! pairs that most queries consist of (RFC 3986 section 3.4).

use core::str::Split;

use crate::grammar::Spec;
use crate::reference::UriRef;

/// The segments of a path, which slashes separate.
#[derive(Debug, Clone)]
pub struct Segments<'a>(Option<Split<'a, char>>);

/// One segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment<'a>(&'a str);

/// The parameters of a segment, without the `;` before each.
#[derive(Debug, Clone)]
pub struct Params<'a>(Option<Split<'a, char>>);

/// The pairs of a query, which ampersands separate.
#[derive(Debug, Clone)]
pub struct QueryPairs<'a> {
    rest: Option<&'a str>,
}

impl<'a> QueryPairs<'a> {
    /// The pairs of a query without its `?`.
    pub(crate) fn of(query: &'a str) -> QueryPairs<'a> {
        QueryPairs { rest: Some(query) }
    }
}

impl<'a> UriRef<'a> {
    /// The names and values of the query as they are written; [`query_params`](Self::query_params) decodes them. Empty
    /// pieces are left out; a piece without `=` has no value.
    ///
    /// ```
    /// use urimill_uri::UriRef;
    ///
    /// let uri = UriRef::parse("http://example.com/?q=a%26b&&flag&r=x=y")?;
    /// let pairs: Vec<_> = uri.query_pairs().collect();
    /// assert_eq!(pairs, [("q", Some("a%26b")), ("flag", None), ("r", Some("x=y"))]);
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn query_pairs(&self) -> QueryPairs<'a> {
        QueryPairs { rest: self.query() }
    }

    /// The `opaque_part` of RFC 2396 (3): everything between the scheme and the fragment, if it does not begin with a
    /// slash. It is also the path. By RFC 3986 there is none: the same text is a path without a root, and perhaps a
    /// query.
    #[must_use]
    pub fn opaque_part(&self) -> Option<&'a str> {
        let is_opaque = self.spec() == Spec::Rfc2396
            && self.is_uri()
            && self.authority().is_none()
            && !self.path().starts_with('/');
        is_opaque.then(|| self.path())
    }

    /// The segments of the path. An empty path and an opaque part have none; other paths have one more than there are
    /// slashes between segments. The slash at the start of a path is before its first segment.
    ///
    /// ```
    /// use urimill_uri::{Spec, UriRef};
    ///
    /// let uri = UriRef::parse_as("http://example.com/a;v=1;x/b", Spec::Rfc2396)?;
    /// let segments: Vec<_> = uri.segments().map(|segment| (segment.name(), segment.params().collect())).collect();
    /// assert_eq!(segments, [("a", vec!["v=1", "x"]), ("b", vec![])]);
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn segments(&self) -> Segments<'a> {
        let path = self.path();
        if path.is_empty() || self.opaque_part().is_some() {
            return Segments(None);
        }
        Segments(Some(path.strip_prefix('/').unwrap_or(path).split('/')))
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        self.0.as_mut()?.next().map(Segment)
    }
}

/// From the last segment, which is often a file's name.
impl DoubleEndedIterator for Segments<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.as_mut()?.next_back().map(Segment)
    }
}

impl<'a> Segment<'a> {
    /// The whole segment.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// The segment without its parameters.
    #[must_use]
    pub fn name(self) -> &'a str {
        self.0.split(';').next().unwrap_or_default()
    }

    /// Its parameters, one for each semicolon.
    #[must_use]
    pub fn params(self) -> Params<'a> {
        Params(self.0.split_once(';').map(|(_, params)| params.split(';')))
    }
}

impl<'a> Iterator for Params<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0.as_mut()?.next()
    }
}

impl<'a> Iterator for QueryPairs<'a> {
    type Item = (&'a str, Option<&'a str>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.rest?;
            let (piece, behind) =
                rest.split_once('&').map_or((rest, None), |(piece, rest)| (piece, Some(rest)));
            self.rest = behind;
            if !piece.is_empty() {
                return Some(
                    piece.split_once('=').map_or((piece, None), |(name, value)| (name, Some(value))),
                );
            }
        }
    }
}
