//! Parse, normalize and resolve, each with a result in one line: the program prints it, and the module leaves it in its
//! memory.

use alloc::vec::Vec;

use urimill_uri::resolve::{self, Mode};
use urimill_uri::{Level, Reject, UriRef};

/// The components that are defined, each after its letter and before a tab.
pub fn parse(text: &[u8], out: &mut Vec<u8>) {
    let uri = match UriRef::parse(text) {
        Ok(uri) => uri,
        Err(reject) => return refuse(reject, out),
    };
    let components = [
        (b's', uri.scheme()),
        (b'u', uri.userinfo()),
        (b'h', uri.host()),
        (b'o', uri.port()),
        (b'p', Some(uri.path())),
        (b'q', uri.query()),
        (b'f', uri.fragment()),
    ];
    for (letter, component) in components {
        if let Some(component) = component {
            out.push(letter);
            out.extend_from_slice(component.as_bytes());
            out.push(b'\t');
        }
    }
}

/// The normal form at the level of this number.
pub fn normalize(text: &[u8], level: usize, out: &mut Vec<u8>) {
    let level = Level::ALL.get(level).copied().unwrap_or(Level::Scheme);
    match UriRef::parse(text) {
        Ok(uri) => out.extend_from_slice(urimill_uri::normalize(&uri, level).as_bytes()),
        Err(reject) => refuse(reject, out),
    }
}

/// The target of the second text against the first as base.
pub fn resolve(base: &[u8], text: &[u8], out: &mut Vec<u8>) {
    match (UriRef::parse(base), UriRef::parse(text)) {
        (Ok(base), Ok(uri)) => match resolve::resolve(&base, &uri, Mode::Strict) {
            Ok(target) => out.extend_from_slice(target.as_bytes()),
            Err(error) => out.extend_from_slice(error.as_str().as_bytes()),
        },
        (Err(reject), _) | (_, Err(reject)) => refuse(reject, out),
    }
}

/// The code, and the offset in decimal digits.
fn refuse(reject: Reject, out: &mut Vec<u8>) {
    out.extend_from_slice(reject.code.as_str().as_bytes());
    out.push(b' ');
    let offset = reject.offset as usize;
    let mut place = 1;
    while place <= offset / 10 {
        place *= 10;
    }
    while place > 0 {
        out.push(b'0' + (offset / place % 10) as u8);
        place /= 10;
    }
}
