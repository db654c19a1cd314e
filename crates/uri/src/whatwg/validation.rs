//! Validation errors by the standard's names (1.1). Some of them are failures: the input then has no URL.

use alloc::vec::Vec;
use core::fmt;

/// Defines the errors: variant, the standard's name, meaning.
macro_rules! validation_errors {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $sentence:literal;)*) => {
        /// A fault of an input, by its name in the URL Standard (1.1).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ValidationError {
            $($(#[$doc])* $variant,)*
        }

        impl ValidationError {
            /// Every validation error, in the order of the standard.
            pub const ALL: &'static [ValidationError] = &[$(ValidationError::$variant),*];

            /// The name in the standard.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(ValidationError::$variant => $name,)* }
            }

            /// The meaning, for people.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(ValidationError::$variant => $sentence,)* }
            }
        }
    };
}

validation_errors! {
    /// Failure.
    DomainToAscii = "domain-to-ASCII", "the domain cannot be written in ASCII by IDNA (UTS 46)";
    /// Failure.
    DomainInvalidCodePoint = "domain-invalid-code-point", "the domain holds a forbidden character";
    /// Failure.
    HostInvalidCodePoint = "host-invalid-code-point", "the host holds a forbidden character";
    /// An IPv4 address ends with a dot.
    Ipv4EmptyPart = "IPv4-empty-part", "the IPv4 address ends with a dot";
    /// Failure.
    Ipv4TooManyParts = "IPv4-too-many-parts", "the host ends in a number and has more than four parts";
    /// Failure.
    Ipv4NonNumericPart = "IPv4-non-numeric-part", "the host ends in a number and has a part that is none";
    /// A part is octal or hexadecimal.
    Ipv4NonDecimalPart = "IPv4-non-decimal-part", "a part of the IPv4 address is octal or hexadecimal";
    /// Failure, unless it is the last part and stands for several.
    Ipv4OutOfRangePart = "IPv4-out-of-range-part", "a part of the IPv4 address is too great";
    /// Failure.
    Ipv6Unclosed = "IPv6-unclosed", "the bracket of the IPv6 address is not closed";
    /// Failure.
    Ipv6InvalidCompression = "IPv6-invalid-compression", "the IPv6 address begins with a single colon";
    /// Failure.
    Ipv6TooManyPieces = "IPv6-too-many-pieces", "the IPv6 address has more than eight pieces";
    /// Failure.
    Ipv6MultipleCompression = "IPv6-multiple-compression", "the IPv6 address is compressed in two places";
    /// Failure.
    Ipv6InvalidCodePoint = "IPv6-invalid-code-point", "the IPv6 address holds a character that none has, or ends early";
    /// Failure.
    Ipv6TooFewPieces = "IPv6-too-few-pieces", "the IPv6 address has fewer than eight pieces";
    /// Failure.
    Ipv4InIpv6TooManyPieces = "IPv4-in-IPv6-too-many-pieces", "the IPv6 address has no room for its IPv4 address";
    /// Failure.
    Ipv4InIpv6InvalidCodePoint = "IPv4-in-IPv6-invalid-code-point", "the IPv4 address in the IPv6 address is malformed";
    /// Failure.
    Ipv4InIpv6OutOfRangePart = "IPv4-in-IPv6-out-of-range-part", "a part of the IPv4 address in the IPv6 address exceeds 255";
    /// Failure.
    Ipv4InIpv6TooFewParts = "IPv4-in-IPv6-too-few-parts", "the IPv4 address in the IPv6 address has fewer than four parts";
    /// A character that no URL holds unencoded, or a percent sign without two hexadecimal digits.
    InvalidUrlUnit = "invalid-URL-unit", "a character that has to be encoded, or a percent sign without two hexadecimal digits";
    /// `http:example.com`
    SpecialSchemeMissingFollowingSolidus = "special-scheme-missing-following-solidus", "the scheme is not followed by two slashes";
    /// Failure: a reference without a base, or with a base that nothing is relative to.
    MissingSchemeNonRelativeUrl = "missing-scheme-non-relative-URL", "there is no scheme, and no base to resolve against";
    /// A backslash where a slash is meant.
    InvalidReverseSolidus = "invalid-reverse-solidus", "a backslash is read as a slash";
    /// User name or password.
    InvalidCredentials = "invalid-credentials", "there is a user name or a password";
    /// Failure.
    HostMissing = "host-missing", "there is no host";
    /// Failure.
    PortOutOfRange = "port-out-of-range", "the port exceeds 65535";
    /// Failure.
    PortInvalid = "port-invalid", "the port holds a character that is not a digit";
    /// `file:c:/a` with a base.
    FileInvalidWindowsDriveLetter = "file-invalid-Windows-drive-letter", "a relative reference begins with a drive letter";
    /// `file://c:/a`
    FileInvalidWindowsDriveLetterHost = "file-invalid-Windows-drive-letter-host", "a drive letter stands in the place of the host";
    /// Failure, not in the standard: the host needs IDNA, and the crate was built without its feature `idna`.
    IdnaLeftOut = "idna-left-out", "the domain needs IDNA, which this program was built without";
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The reason why an input has no URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Failure {
    /// The validation error at which the standard's parser returns failure.
    pub error: ValidationError,
    /// The byte of the input that shows it: the first one that cannot be right, or the host's first if the host as a
    /// whole is wrong. The input's length if something is missing there.
    pub offset: usize,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (byte {})", self.error, self.error.sentence(), self.offset)
    }
}

impl core::error::Error for Failure {}

/// A state of the basic URL parser (4.4), or several states that are handled together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Scheme start state, scheme state.
    Scheme,
    /// No scheme state.
    NoScheme,
    /// Relative state.
    Relative,
    /// Relative slash state.
    RelativeSlash,
    /// Special authority ignore slashes state.
    SpecialAuthorityIgnoreSlashes,
    /// Authority state.
    Authority,
    /// Host state.
    Host,
    /// Port state.
    Port,
    /// File state.
    File,
    /// File slash state.
    FileSlash,
    /// File host state.
    FileHost,
    /// Path start state.
    PathStart,
    /// Path state.
    Path,
    /// Opaque path state.
    OpaquePath,
    /// Query state.
    Query,
    /// Fragment state.
    Fragment,
}

impl State {
    /// The name in the standard.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Scheme => "scheme state",
            State::NoScheme => "no scheme state",
            State::Relative => "relative state",
            State::RelativeSlash => "relative slash state",
            State::SpecialAuthorityIgnoreSlashes => "special authority ignore slashes state",
            State::Authority => "authority state",
            State::Host => "host state",
            State::Port => "port state",
            State::File => "file state",
            State::FileSlash => "file slash state",
            State::FileHost => "file host state",
            State::PathStart => "path start state",
            State::Path => "path state",
            State::OpaquePath => "opaque path state",
            State::Query => "query state",
            State::Fragment => "fragment state",
        }
    }
}

/// A validation error, and the state of the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedError {
    /// The error.
    pub error: ValidationError,
    /// The byte of the input.
    pub offset: usize,
    /// The state of the parser; `None` before the first one, when the input is trimmed.
    pub state: Option<State>,
}

/// The validation errors of a parse, and the states that it went through.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) errors: Vec<TracedError>,
    /// The last state that was entered.
    pub(super) state: Option<State>,
}

impl Report for Trace {
    const IS_WANTED: bool = true;
    fn report(&mut self, error: ValidationError, offset: usize) {
        self.errors.push(TracedError { error, offset, state: self.state });
    }
    fn enter(&mut self, state: State) {
        self.state = Some(state);
    }
}

/// Receives the validation errors that are not failures. Most callers need none, and then they are not searched for.
pub(super) trait Report {
    /// Whether to search for them.
    const IS_WANTED: bool;
    fn report(&mut self, error: ValidationError, offset: usize);
    /// The parser enters a state.
    fn enter(&mut self, _: State) {}
}

/// A receiver that needs none.
pub(super) struct Silent;

impl Report for Silent {
    const IS_WANTED: bool = false;
    fn report(&mut self, _: ValidationError, _: usize) {}
}

impl Report for Vec<(ValidationError, usize)> {
    const IS_WANTED: bool = true;
    fn report(&mut self, error: ValidationError, offset: usize) {
        self.push((error, offset));
    }
}
