//! The basic URL parser (4.4), without state override. It goes through the standard's states by components, not by code
//! points: each state ends at the first of a few delimiters.

use alloc::vec::Vec;

use super::host;
use super::path::{self, Path};
use super::percent_encode as sets;
use super::scheme::{self, Special};
use super::validation::{Failure, Report, State, ValidationError};
use crate::simd::Split;

/// A URL as it is written: the offsets of its components.
///
/// Credentials are the split's user information; the path of a URL without a host that begins with two slashes is
/// after the `/.` that the serializer puts before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Parts {
    pub(super) split: Split,
    /// The path is opaque: the URL can be a base only for fragments.
    pub(super) is_opaque: bool,
}

impl Parts {
    /// The offsets as those of a URI reference. The `/.` before a path that begins with two slashes is part of the path
    /// here, as for a parser of references.
    pub(super) fn as_reference(&self) -> Split {
        let mut split = self.split;
        if !self.has_host() {
            split.path_start = split.scheme_end + 1;
            (split.host_start, split.host_end) = (split.path_start, split.path_start);
        }
        split
    }

    /// Whether there is a host, which may be empty.
    pub(super) fn has_host(&self) -> bool {
        self.split.host_start > self.split.scheme_end + 1
    }
}

/// A URL as a base.
#[derive(Clone, Copy)]
pub(super) struct Base<'b> {
    pub(super) href: &'b [u8],
    pub(super) parts: Parts,
}

impl<'b> Base<'b> {
    fn part(&self, from: u32, to: u32) -> &'b [u8] {
        &self.href[from as usize..to as usize]
    }

    fn scheme(&self) -> &'b [u8] {
        self.part(0, self.parts.split.scheme_end)
    }

    /// From the slashes to the path; empty without a host.
    fn authority(&self) -> &'b [u8] {
        let split = self.parts.split;
        match self.parts.has_host() {
            true => self.part(split.scheme_end + 1, split.path_start),
            false => b"",
        }
    }

    fn path(&self) -> &'b [u8] {
        self.part(self.parts.split.path_start, self.parts.split.path_end)
    }

    /// With its question mark.
    fn query(&self) -> &'b [u8] {
        self.part(self.parts.split.path_end, self.parts.split.query_end)
    }
}

/// Parses a text that has been decoded and cleaned, and appends the URL to `out`, which is unchanged if there is none.
/// Offsets of faults are within `text`.
pub(super) fn parse<R: Report>(
    text: &[u8],
    base: Option<Base<'_>>,
    out: &mut Vec<u8>,
    report: &mut R,
) -> Result<Parts, Failure> {
    let start = out.len();
    let mut parser =
        Parser { text, base, out, start, special: None, split: Split::default(), is_opaque: false, report };
    match parser.scheme_start() {
        Ok(()) => Ok(Parts { split: parser.split, is_opaque: parser.is_opaque }),
        Err((error, offset)) => {
            out.truncate(start);
            Err(Failure { error, offset })
        }
    }
}

/// The URL so far: its text in `out`, from `start` on.
pub(super) struct Parser<'t, 'b, 'o, 'r, R> {
    pub(super) text: &'t [u8],
    base: Option<Base<'b>>,
    pub(super) out: &'o mut Vec<u8>,
    start: usize,
    pub(super) special: Option<Special>,
    pub(super) split: Split,
    is_opaque: bool,
    pub(super) report: &'r mut R,
}

/// A component that has been read, or the reason why the input has no URL.
pub(super) type Parsed = Result<(), host::Fault>;

impl<R: Report> Parser<'_, '_, '_, '_, R> {
    /// The length of the URL so far.
    pub(super) fn len(&self) -> u32 {
        (self.out.len() - self.start) as u32
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// Whether the byte at `at` is a slash, or a backslash that counts as one.
    fn is_slash(&self, at: usize) -> bool {
        match self.byte(at) {
            Some(b'/') => true,
            Some(b'\\') => self.special.is_some(),
            _ => false,
        }
    }

    /// [`Parser::is_slash`], which reports a backslash.
    fn takes_slash(&mut self, at: usize) -> bool {
        let is_slash = self.is_slash(at);
        if is_slash && self.text[at] == b'\\' {
            self.report.report(ValidationError::InvalidReverseSolidus, at);
        }
        is_slash
    }

    /// The first of `?` and `#` from `at` on, or the end.
    fn path_end(&self, at: usize) -> usize {
        memchr::memchr2(b'?', b'#', &self.text[at..]).map_or(self.text.len(), |found| at + found)
    }

    /// Scheme start state, scheme state.
    fn scheme_start(&mut self) -> Parsed {
        self.report.enter(State::Scheme);
        let Some(end) = scheme::end(self.text) else {
            return self.no_scheme();
        };
        self.out.extend(self.text[..end].iter().map(u8::to_ascii_lowercase));
        self.split.scheme_end = end as u32;
        self.special = Special::of(&self.out[self.start..]);
        self.out.push(b':');
        let at = end + 1;
        let is_of_base = |base: &Base<'_>| base.scheme() == &self.out[self.start..self.start + end];
        match self.special {
            Some(Special::File) => {
                if !self.text[at..].starts_with(b"//") {
                    self.report.report(ValidationError::SpecialSchemeMissingFollowingSolidus, at);
                }
                self.file(at)
            }
            Some(Special::Network(_)) => {
                let has_slashes = self.text[at..].starts_with(b"//");
                if !has_slashes {
                    self.report.report(ValidationError::SpecialSchemeMissingFollowingSolidus, at);
                    if let Some(base) = self.base.filter(is_of_base) {
                        return self.relative(at, base);
                    }
                }
                self.special_authority(if has_slashes { at + 2 } else { at })
            }
            None if self.byte(at) != Some(b'/') => self.opaque_path(at),
            None if self.byte(at + 1) == Some(b'/') => self.authority(at + 2),
            None => {
                self.without_host();
                self.path(at + 1)
            }
        }
    }

    /// No scheme state.
    fn no_scheme(&mut self) -> Parsed {
        self.report.enter(State::NoScheme);
        let failure = Err((ValidationError::MissingSchemeNonRelativeUrl, 0));
        let Some(base) = self.base else {
            return failure;
        };
        self.out.extend_from_slice(base.scheme());
        self.split.scheme_end = self.len();
        self.special = Special::of(base.scheme());
        self.out.push(b':');
        match self.special {
            _ if base.parts.is_opaque => {
                if self.byte(0) != Some(b'#') {
                    return failure;
                }
                self.without_host();
                self.out.extend_from_slice(base.path());
                self.split.path_end = self.len();
                self.out.extend_from_slice(base.query());
                self.split.query_end = self.len();
                self.is_opaque = true;
                self.fragment(0);
                Ok(())
            }
            Some(Special::File) => self.file(0),
            _ => self.relative(0, base),
        }
    }

    /// Relative state, relative slash state. The base has the scheme that has been written.
    fn relative(&mut self, at: usize, base: Base<'_>) -> Parsed {
        self.report.enter(State::Relative);
        if self.takes_slash(at) {
            self.report.enter(State::RelativeSlash);
            // A special URL takes any number of slashes, the others exactly two.
            return match self.takes_slash(at + 1) {
                true if self.special.is_some() => self.special_authority(at + 2),
                true => self.authority(at + 2),
                false => {
                    self.copy_authority(base);
                    self.path(at + 1)
                }
            };
        }
        self.copy_authority(base);
        self.relative_path(at, base)
    }

    /// The relative state and the file state for a reference that does not begin with a slash.
    fn relative_path(&mut self, at: usize, base: Base<'_>) -> Parsed {
        self.out.extend_from_slice(base.path());
        match self.byte(at) {
            Some(b'?' | b'#') | None => {}
            Some(_) => {
                self.shorten();
                return self.path(at);
            }
        }
        self.end_path();
        if self.byte(at) != Some(b'?') {
            self.out.extend_from_slice(base.query());
            self.split.query_end = self.len();
            self.fragment(at);
        } else {
            self.query(at);
        }
        Ok(())
    }

    fn copy_authority(&mut self, base: Base<'_>) {
        if !base.parts.has_host() {
            return self.without_host();
        }
        // The offsets are those of the base, since the scheme is.
        self.out.extend_from_slice(base.authority());
        let split = base.parts.split;
        (self.split.host_start, self.split.host_end) = (split.host_start, split.host_end);
        self.split.path_start = self.len();
    }

    /// The host is null.
    fn without_host(&mut self) {
        let at = self.len();
        (self.split.host_start, self.split.host_end, self.split.path_start) = (at, at, at);
    }

    /// Special authority ignore slashes state: `at` is after the two expected slashes.
    fn special_authority(&mut self, at: usize) -> Parsed {
        self.report.enter(State::SpecialAuthorityIgnoreSlashes);
        let mut from = at;
        while self.is_slash(from) {
            self.report.report(ValidationError::SpecialSchemeMissingFollowingSolidus, from);
            from += 1;
        }
        self.authority(from)
    }

    /// File state, file slash state, file host state.
    fn file(&mut self, at: usize) -> Parsed {
        self.report.enter(State::File);
        let base = self.base.filter(|base| base.scheme() == b"file");
        if self.takes_slash(at) {
            self.report.enter(State::FileSlash);
            if self.takes_slash(at + 1) {
                return self.file_host(at + 2);
            }
            self.file_authority(base);
            let rest = &self.text[at + 1..];
            if let Some(base) = base
                && !path::starts_with_windows_drive_letter(rest)
                && let Some(drive) = path::windows_drive_of(base.path())
            {
                self.out.extend_from_slice(drive);
            }
            return self.path(at + 1);
        }
        self.file_authority(base);
        match base {
            Some(_) if path::starts_with_windows_drive_letter(&self.text[at..]) => {
                self.report.report(ValidationError::FileInvalidWindowsDriveLetter, at);
                self.path(at)
            }
            Some(base) => self.relative_path(at, base),
            None => self.path(at),
        }
    }

    /// The host of the base, or the empty one.
    fn file_authority(&mut self, base: Option<Base<'_>>) {
        match base {
            Some(base) => self.copy_authority(base),
            None => {
                self.out.extend_from_slice(b"//");
                self.without_host();
            }
        }
    }

    fn file_host(&mut self, from: usize) -> Parsed {
        self.report.enter(State::FileHost);
        let is_end = |&byte: &u8| matches!(byte, b'/' | b'\\' | b'?' | b'#');
        let end = self.text[from..].iter().position(is_end).map_or(self.text.len(), |at| from + at);
        self.out.extend_from_slice(b"//");
        if path::is_windows_drive_letter(&self.text[from..end]) {
            self.report.report(ValidationError::FileInvalidWindowsDriveLetterHost, from);
            self.without_host();
            // The drive letter is passed to the path as it was read here, where no unit is checked.
            return self.path_after(from, end);
        }
        if from == end {
            self.without_host();
        } else {
            self.host(from, end)?;
            self.report.enter(State::FileHost);
            let host_start = self.start + self.split.host_start as usize;
            if &self.out[host_start..] == b"localhost" {
                self.out.truncate(host_start);
                self.without_host();
            }
        }
        self.path_start(end)
    }

    /// Path start state.
    pub(super) fn path_start(&mut self, at: usize) -> Parsed {
        self.report.enter(State::PathStart);
        match self.is_slash(at) {
            true => {
                self.takes_slash(at);
                self.path(at + 1)
            }
            false if self.special.is_some() => self.path(at),
            // Only a query or a fragment can be here.
            false => {
                self.end_path();
                self.query(at);
                Ok(())
            }
        }
    }

    fn as_path(&mut self) -> Path<'_> {
        let start = self.start + self.split.path_start as usize;
        Path { out: self.out, start, special: self.special }
    }

    fn shorten(&mut self) {
        self.as_path().shorten();
    }

    /// Path state, from after a slash or the start of a relative path.
    fn path(&mut self, at: usize) -> Parsed {
        self.path_after(at, at)
    }

    /// [`Parser::path`], when the parser enters the path state at the byte `read`.
    fn path_after(&mut self, at: usize, read: usize) -> Parsed {
        self.report.enter(State::Path);
        let end = self.path_end(at);
        let text = self.text;
        let text = &text[at..end];
        if R::IS_WANTED {
            self.report_path(read, end);
        }
        self.as_path().append(text);
        self.end_path();
        self.query(end);
        Ok(())
    }

    fn report_path(&mut self, at: usize, end: usize) {
        let text = &self.text[at..end];
        let is_special = self.special.is_some();
        for offset in sets::invalid_units(text) {
            let error = match text[offset] {
                b'\\' if is_special => ValidationError::InvalidReverseSolidus,
                _ => ValidationError::InvalidUrlUnit,
            };
            self.report.report(error, at + offset);
        }
    }

    /// The path is complete. Without an authority, a path that begins with two slashes would be read as one.
    fn end_path(&mut self) {
        let at = self.split.path_start as usize;
        let has_host = self.split.host_start > self.split.scheme_end + 1;
        if !has_host && !self.is_opaque && self.out[self.start + at..].starts_with(b"//") {
            let at = self.start + at;
            self.out.splice(at..at, *b"/.");
            self.split.path_start += 2;
        }
        self.split.path_end = self.len();
    }

    /// Opaque path state.
    fn opaque_path(&mut self, at: usize) -> Parsed {
        self.report.enter(State::OpaquePath);
        self.without_host();
        self.is_opaque = true;
        let end = self.path_end(at);
        let mut path = &self.text[at..end];
        host::report_units(path, at, self.report);
        // A space at the path's end would be lost when the URL is parsed again, unless it is encoded.
        let ends_in_space = end < self.text.len() && path.last() == Some(&b' ');
        if ends_in_space {
            path = &path[..path.len() - 1];
        }
        sets::write(path, sets::C0_CONTROL, self.out);
        if ends_in_space {
            self.out.extend_from_slice(b"%20");
        }
        self.split.path_end = self.len();
        self.query(end);
        Ok(())
    }

    /// Query state and the states after it.
    fn query(&mut self, at: usize) {
        self.split.query_end = self.len();
        let mut end = at;
        if self.byte(at) == Some(b'?') {
            end = memchr::memchr(b'#', &self.text[at..]).map_or(self.text.len(), |found| at + found);
            self.report.enter(State::Query);
            let text = &self.text[at + 1..end];
            host::report_units(text, at + 1, self.report);
            let set = if self.special.is_some() { sets::SPECIAL_QUERY } else { sets::QUERY };
            self.out.push(b'?');
            sets::write_text(text, set, self.out);
            self.split.query_end = self.len();
        }
        self.fragment(end);
    }

    /// Fragment state.
    fn fragment(&mut self, at: usize) {
        if self.byte(at) == Some(b'#') {
            self.report.enter(State::Fragment);
            let text = &self.text[at + 1..];
            host::report_units(text, at + 1, self.report);
            self.out.push(b'#');
            sets::write_text(text, sets::FRAGMENT, self.out);
        }
        self.split.end = self.len();
    }
}
