//! The authority (RFC 3986 section 3.2, RFC 2396 section 3.2) in normal form: each part of this component has rules of
//! its own.

use super::percent::Writer;
use super::scheme::{self, Entry};
use super::{Changes, Level};
use crate::grammar::{Spec, rfc2396};
use crate::host::{Host, classify_as};
use alloc::vec::Vec;

/// An authority without its `//`: the place of its host, and the host's kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Authority<'a> {
    pub(super) text: &'a [u8],
    pub(super) host_start: usize,
    pub(super) host_end: usize,
    pub(super) host: Host,
}

/// The place of the host in the output, and its kind now.
pub(super) struct Written {
    pub(super) host_start: usize,
    pub(super) host_end: usize,
    pub(super) host: Host,
}

impl<'a> Authority<'a> {
    fn userinfo(&self) -> Option<&'a [u8]> {
        (self.host_start > 0).then(|| &self.text[..self.host_start - 1])
    }

    fn name(&self) -> &'a [u8] {
        &self.text[self.host_start..self.host_end]
    }

    fn port(&self) -> Option<&'a [u8]> {
        (self.host_end < self.text.len()).then(|| &self.text[self.host_end + 1..])
    }

    /// By RFC 3986: `[ userinfo "@" ] host [ ":" port ]`
    pub(super) fn write(
        &self,
        entry: Entry,
        level: Level,
        percent: &Writer,
        out: &mut Vec<u8>,
        done: &mut Changes,
    ) -> Written {
        let start = out.len();
        if let Some(userinfo) = self.userinfo() {
            percent.text(userinfo, out, done);
            out.push(b'@');
        }
        let from = out.len();
        let decoded = core::mem::take(&mut done.percent);
        percent.host(self.name(), out, done);
        // The kind of a host does not depend on case; a decoded character or a dropped name may change it.
        let mut is_same = !done.percent;
        done.percent |= decoded;
        if level >= Level::Scheme {
            scheme::write_host(self.host, out, from);
        }
        let kept = self.port().filter(|port| !entry.drops_port(port));
        if let Some(default) = entry.default_host() {
            // 6.2.3: an empty authority if the default host is all, its name beside user information or a port.
            let is_named = kept.is_some() || self.userinfo().is_some_and(|userinfo| !userinfo.is_empty());
            let name = &out[from..];
            if is_named && name.is_empty() {
                out.extend_from_slice(default);
                is_same = false;
            } else if !is_named && name == default {
                out.truncate(from);
                is_same = false;
            }
        }
        let to = out.len();
        self.write_port(kept, out, done);
        let host = if is_same { self.host } else { classify_as(&out[from..to], Spec::Rfc3986) };
        Written { host_start: from - start, host_end: to - start, host }
    }

    /// By RFC 2396: `server | reg_name`. Registry names are never equal under a change of case (6), and a name may turn
    /// out to be a server once its triplets are decoded.
    pub(super) fn write_rfc2396(
        &self,
        entry: Entry,
        percent: &Writer,
        out: &mut Vec<u8>,
        done: &mut Changes,
    ) -> Written {
        let start = out.len();
        percent.text(self.text, out, done);
        let Some(server) = rfc2396::server(&out[start..]) else {
            let host = classify_as(&out[start..], Spec::Rfc2396);
            return Written { host_start: 0, host_end: out.len() - start, host };
        };
        let (from, to) = (start + server.host_start, start + server.host_end);
        done.case |= out[from..to].iter().any(u8::is_ascii_uppercase);
        out[from..to].make_ascii_lowercase();
        if to < out.len() && entry.drops_port(&out[to + 1..]) {
            out.truncate(to);
            done.port = true;
        }
        let host = classify_as(&out[from..to], Spec::Rfc2396);
        Written { host_start: server.host_start, host_end: server.host_end, host }
    }

    fn write_port(&self, kept: Option<&[u8]>, out: &mut Vec<u8>, done: &mut Changes) {
        if let Some(port) = kept {
            out.push(b':');
            out.extend_from_slice(port);
        }
        done.port = self.port().is_some() && kept.is_none();
    }
}
