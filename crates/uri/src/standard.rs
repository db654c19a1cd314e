//! The specification by which texts are read: an RFC or the URL Standard.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::error::Error;
use crate::grammar::Spec;
use crate::grammar::chars::Charset;

/// A specification by which texts are read: an RFC's grammar, or the parser of the WHATWG URL Standard.
///
/// ```
/// use urimill_uri::{Spec, Standard};
///
/// assert_eq!("whatwg".parse::<Standard>()?, Standard::Whatwg);
/// assert_eq!("rfc2396".parse::<Standard>()?, Standard::from(Spec::Rfc2396));
/// # Ok::<(), urimill_uri::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standard {
    /// One of the RFCs.
    Rfc(Spec),
    /// The [URL Standard](crate::whatwg).
    Whatwg,
}

impl Standard {
    /// Every standard, the default first.
    pub const ALL: [Standard; 4] = [
        Standard::Rfc(Spec::Rfc3986),
        Standard::Rfc(Spec::Rfc3986Errata),
        Standard::Rfc(Spec::Rfc2396),
        Standard::Whatwg,
    ];

    /// The name on the command line and in file metadata.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Standard::Rfc(spec) => spec.as_str(),
            Standard::Whatwg => "whatwg",
        }
    }

    /// The RFC; for the URL Standard the one that it is compared with.
    #[must_use]
    pub const fn rfc(self) -> Spec {
        match self {
            Standard::Rfc(spec) => spec,
            Standard::Whatwg => Spec::Rfc3986,
        }
    }
}

impl Default for Standard {
    fn default() -> Self {
        Standard::Rfc(Spec::default())
    }
}

impl From<Spec> for Standard {
    fn from(spec: Spec) -> Standard {
        Standard::Rfc(spec)
    }
}

impl From<Standard> for Charset {
    fn from(standard: Standard) -> Charset {
        match standard {
            Standard::Rfc(spec) => spec.into(),
            Standard::Whatwg => Charset::Urls,
        }
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Standard {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|standard| standard.as_str() == name).ok_or_else(|| {
            Error::usage(format!(
                "there is no specification {name:?}: use rfc3986, rfc3986-errata, rfc2396 or whatwg"
            ))
        })
    }
}
