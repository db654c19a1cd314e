//! Failures as rejects, for tables.

use super::validation::{Failure, ValidationError};
use crate::reject::{Code, Component, Reject};

impl From<Failure> for Reject {
    fn from(failure: Failure) -> Reject {
        let (code, component) = code(failure.error);
        Reject { code, component, offset: failure.offset }
    }
}

/// The code of a failure, and the faulty component. Validation errors that are not failures have no code.
fn code(error: ValidationError) -> (Code, Component) {
    use ValidationError as E;
    let code = match error {
        E::PortInvalid => return (Code::PortInvalid, Component::Port),
        E::PortOutOfRange => return (Code::PortOutOfRange, Component::Port),
        E::MissingSchemeNonRelativeUrl => return (Code::MissingSchemeNonRelativeUrl, Component::Scheme),
        E::DomainInvalidCodePoint => Code::DomainInvalidCodePoint,
        E::HostInvalidCodePoint => Code::HostInvalidCodePoint,
        E::Ipv4TooManyParts => Code::Ipv4TooManyParts,
        E::Ipv4NonNumericPart => Code::Ipv4NonNumericPart,
        E::Ipv4OutOfRangePart => Code::Ipv4OutOfRangePart,
        E::Ipv6Unclosed => Code::Ipv6Unclosed,
        E::Ipv6InvalidCompression => Code::Ipv6InvalidCompression,
        E::Ipv6TooManyPieces => Code::Ipv6TooManyPieces,
        E::Ipv6MultipleCompression => Code::Ipv6MultipleCompression,
        E::Ipv6InvalidCodePoint => Code::Ipv6InvalidCodePoint,
        E::Ipv6TooFewPieces => Code::Ipv6TooFewPieces,
        E::Ipv4InIpv6TooManyPieces => Code::Ipv4InIpv6TooManyPieces,
        E::Ipv4InIpv6InvalidCodePoint => Code::Ipv4InIpv6InvalidCodePoint,
        E::Ipv4InIpv6OutOfRangePart => Code::Ipv4InIpv6OutOfRangePart,
        E::Ipv4InIpv6TooFewParts => Code::Ipv4InIpv6TooFewParts,
        E::HostMissing => Code::HostMissing,
        E::DomainToAscii
        | E::IdnaLeftOut
        | E::Ipv4EmptyPart
        | E::Ipv4NonDecimalPart
        | E::InvalidUrlUnit
        | E::SpecialSchemeMissingFollowingSolidus
        | E::InvalidReverseSolidus
        | E::InvalidCredentials
        | E::FileInvalidWindowsDriveLetter
        | E::FileInvalidWindowsDriveLetterHost => Code::DomainToAscii,
    };
    (code, Component::Host)
}
