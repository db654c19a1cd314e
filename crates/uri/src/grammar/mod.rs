//! The specifications as data: character classes, IP literals, schemes. All modules that decide anything use it;
//! nothing here depends on buffers, batches or files.

pub mod abnf;
pub mod chars;
mod class;
pub mod ip;
#[cfg(target_arch = "x86_64")]
pub(crate) mod pairs;
pub mod ports;
pub mod rfc2396;
pub mod scheme;

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::error::Error;
use chars::Class;

/// The specification that decides what is valid, what a reference means and which forms are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Spec {
    /// RFC 3986 (STD 66), as published.
    #[default]
    Rfc3986,
    /// RFC 3986 with reported errata applied: 4942 (`reg-name` without `sub-delims`), 2933 (a base path that ends in
    /// `/..`) and 4547 (more `..` than levels). None of them is verified.
    Rfc3986Errata,
    /// RFC 2396, which RFC 3986 has replaced.
    Rfc2396,
}

impl From<Spec> for chars::Charset {
    fn from(spec: Spec) -> chars::Charset {
        match spec {
            // A registered name that the errata refuse is not one that the kernels accept.
            Spec::Rfc3986 | Spec::Rfc3986Errata => chars::Charset::Rfc3986,
            Spec::Rfc2396 => chars::Charset::Rfc2396,
        }
    }
}

impl Spec {
    /// Every specification, the default first.
    pub const ALL: [Spec; 3] = [Spec::Rfc3986, Spec::Rfc3986Errata, Spec::Rfc2396];

    /// The characters that never need encoding (2.3 of either specification).
    pub(crate) const fn unreserved(self) -> Class {
        match self {
            Spec::Rfc3986 | Spec::Rfc3986Errata => chars::UNRESERVED,
            Spec::Rfc2396 => rfc2396::UNRESERVED,
        }
    }

    /// The characters of a registered name, triplets apart (3.2.2; RFC 2396, 3.2.1). Erratum 4942:
    /// `reg-name = *( unreserved / pct-encoded / "-" / "." )`
    pub(crate) const fn reg_name(self) -> Class {
        match self {
            Spec::Rfc3986 => chars::REG_NAME,
            Spec::Rfc3986Errata => chars::UNRESERVED,
            Spec::Rfc2396 => rfc2396::REG_NAME,
        }
    }

    /// The name on the command line and in file metadata.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Spec::Rfc3986 => "rfc3986",
            Spec::Rfc3986Errata => "rfc3986-errata",
            Spec::Rfc2396 => "rfc2396",
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|spec| spec.as_str() == name).ok_or_else(|| {
            Error::usage(format!(
                "there is no specification {name:?}: use rfc3986, rfc3986-errata or rfc2396"
            ))
        })
    }
}
