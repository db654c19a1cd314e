//! Which specification reads texts, with the options that it has.

use std::borrow::Cow;

use urimill_uri::grammar::Spec;
use urimill_uri::normalize::{DefaultScheme, Level, RepairOptions, repair_with};
use urimill_uri::resolve::Mode;
use urimill_uri::{Standard, UriRef};

/// By which specification texts are read, with the options that it has.
///
/// ```
/// use urimill::Level;
/// use urimill::batch::{Normalizer, Options, Reading, RfcOptions};
///
/// let uri = |reading: Reading| {
///     let (batch, _) = Normalizer::new(Options { reading, ..Options::default() }).text(b"HTTP://H/a b")?;
///     let uris = arrow::array::AsArray::as_string_view(&batch["uri"]);
///     Ok::<_, urimill::Error>(uris.value(0).to_owned())
/// };
/// let repaired = RfcOptions { level: Level::Case, repair: true, ..RfcOptions::default() };
/// assert_eq!(uri(Reading::Rfc(repaired))?, "http://h/a%20b");
/// assert_eq!(uri(Reading::Whatwg)?, "http://h/a%20b");
/// # Ok::<(), urimill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// An RFC: its grammar decides what is valid.
    Rfc(RfcOptions),
    /// The WHATWG URL Standard, which reads as browsers do: a row is the URL, resolved against its base. It has one
    /// form, and repairs what it can.
    Whatwg,
}

/// How texts are read by an RFC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RfcOptions {
    /// The RFC.
    pub spec: Spec,
    /// The level of the normal form in `uri` and the components.
    pub level: Level,
    /// Whether to repair records outside the grammar where that is possible.
    pub repair: bool,
    /// The scheme that completes suffix references (RFC 3986 section 4.5), with `repair` and for records without a
    /// base.
    pub default_scheme: Option<DefaultScheme>,
    /// How to resolve a reference that repeats the base's scheme.
    pub mode: Mode,
}

impl RfcOptions {
    /// The level of the normal form, and the specification.
    pub(super) fn grade(self) -> (Level, Spec) {
        (self.level, self.spec)
    }

    /// The options of repair, for records that are repaired. A suffix reference is not resolved (4.5).
    pub fn repairs(self, is_resolved: bool) -> RepairOptions {
        let default_scheme = self.default_scheme.filter(|_| !is_resolved);
        RepairOptions::new().spec(self.spec).default_scheme(default_scheme)
    }

    /// A base, or a reference that is resolved against one, repaired where it is outside the grammar and `repair` is
    /// set.
    pub fn repaired(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self.repair && UriRef::parse_as(text, self.spec).is_err() {
            true => repair_with(text, self.repairs(true)),
            false => Cow::Borrowed(text),
        }
    }
}

impl Reading {
    /// The same with a normal form of this level, of which the URL Standard has none.
    pub fn at_level(self, level: Level) -> Reading {
        match self {
            Reading::Rfc(rfc) => Reading::Rfc(RfcOptions { level, ..rfc }),
            Reading::Whatwg => Reading::Whatwg,
        }
    }

    /// The specification.
    pub fn standard(self) -> Standard {
        match self {
            Reading::Rfc(rfc) => Standard::Rfc(rfc.spec),
            Reading::Whatwg => Standard::Whatwg,
        }
    }

    /// The options of the RFC; the defaults for the URL Standard, as it is compared with RFC 3986.
    pub fn rfc(self) -> RfcOptions {
        match self {
            Reading::Rfc(rfc) => rfc,
            Reading::Whatwg => RfcOptions::default(),
        }
    }
}

impl Default for Reading {
    fn default() -> Self {
        Reading::Rfc(RfcOptions::default())
    }
}
