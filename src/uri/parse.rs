//! The careful parser: any text, every rule, one byte at a time. It finds what the kernels leave:
//! authorities with user information, port or IP literal, schemes other than the web's, and the
//! place and reason of what is wrong.
//!
//! Components are told apart as Appendix B's expression does (the first of `: / ? #`, then `//`,
//! then the first of `/ ? #`, of `? #` and of `#`); then each is held against its rule, left to
//! right, so that the first fault found is the first in the text. RFC 2396 tells the same components apart;
//! its rules differ in the authority and in what has a scheme and no slash behind it.

use memchr::{memchr, memchr2};

use super::host::{self, Host};
use super::reject::{Code, Component, Reject};
use crate::grammar::chars::{self, Class, is};
use crate::grammar::ip::{self, Literal};
use crate::grammar::{Spec, rfc2396};
use crate::simd::Split;

/// Parses `text` whole: offsets of the components and, where there is an authority, the host.
pub(crate) fn careful(text: &[u8], spec: Spec) -> Result<(Split, Option<Host>), Reject> {
    parse(text, spec).map_err(|reject| match std::str::from_utf8(text) {
        Ok(_) => reject,
        Err(_) => Reject { code: Code::NotUtf8, ..reject },
    })
}

fn parse(text: &[u8], spec: Spec) -> Result<(Split, Option<Host>), Reject> {
    let scheme_end = scheme(text, find(text, 0, |b| matches!(b, b':' | b'/' | b'?' | b'#')))?;
    let after_scheme = if scheme_end > 0 { scheme_end + 1 } else { 0 };

    let mut host = None;
    let (mut host_start, mut host_end, mut path_start) = (after_scheme, after_scheme, after_scheme);
    if text[after_scheme..].starts_with(b"//") {
        path_start = find(text, after_scheme + 2, |b| matches!(b, b'/' | b'?' | b'#'));
        let found = match spec {
            Spec::Rfc3986 | Spec::Rfc3986Errata => {
                authority(text, after_scheme + 2, path_start, spec.reg_name())?
            }
            Spec::Rfc2396 => server_or_registry(text, after_scheme + 2, path_start)?,
        };
        (host_start, host_end) = (found.start, found.end);
        host = Some(found.host);
    }

    let is_opaque = spec == Spec::Rfc2396 && host.is_none() && opaque(text, scheme_end)?;
    let path_end = match is_opaque {
        // An opaque part holds question marks: there is no query.
        true => memchr(b'#', &text[path_start..]),
        false => memchr2(b'?', b'#', &text[path_start..]),
    };
    let path_end = path_end.map_or(text.len(), |at| path_start + at);
    let path = if is_opaque { rfc2396::URIC } else { class(spec, chars::PATH, rfc2396::PATH) };
    run(text, path_start, path_end, path, (Component::Path, Code::PathInvalidChar))?;
    let query_end = memchr(b'#', &text[path_end..]).map_or(text.len(), |at| path_end + at);
    let tail = class(spec, chars::QUERY, rfc2396::URIC);
    if path_end < query_end {
        run(text, path_end + 1, query_end, tail, (Component::Query, Code::QueryInvalidChar))?;
    }
    if query_end < text.len() {
        run(text, query_end + 1, text.len(), tail, (Component::Fragment, Code::FragmentInvalidChar))?;
    }

    let [scheme_end, host_start, host_end, path_start, path_end, query_end, end] =
        [scheme_end, host_start, host_end, path_start, path_end, query_end, text.len()].map(|at| at as u32);
    Ok((Split { scheme_end, host_start, host_end, path_start, path_end, query_end, end }, host))
}

/// The class of a component by RFC 3986 or by RFC 2396.
fn class(spec: Spec, newer: Class, older: Class) -> Class {
    match spec {
        Spec::Rfc3986 | Spec::Rfc3986Errata => newer,
        Spec::Rfc2396 => older,
    }
}

/// Whether what stands behind the scheme is an `opaque_part` (RFC 2396, 3): anything that does not begin with
/// a slash, but something.
fn opaque(text: &[u8], scheme_end: usize) -> Result<bool, Reject> {
    match text.get(scheme_end + 1) {
        _ if scheme_end == 0 => Ok(false),
        Some(b'/') => Ok(false),
        None | Some(b'#') => {
            Err(Reject { code: Code::PathEmpty, component: Component::Path, offset: scheme_end + 1 })
        }
        Some(_) => Ok(true),
    }
}

/// Where the first delimiter stands from `from` on, or the text's end: never far, so not worth a search by blocks.
#[inline(always)]
fn find(text: &[u8], from: usize, is_delimiter: impl Fn(u8) -> bool) -> usize {
    text[from..].iter().position(|&b| is_delimiter(b)).map_or(text.len(), |at| from + at)
}

/// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` where the first delimiter is a colon;
/// otherwise there is none.
fn scheme(text: &[u8], delimiter: usize) -> Result<usize, Reject> {
    if text.get(delimiter) != Some(&b':') {
        return Ok(0);
    }
    let reject = |code, offset| Err(Reject { code, component: Component::Scheme, offset });
    let name = &text[..delimiter];
    match name.first() {
        None => return reject(Code::SchemeEmpty, 0),
        Some(&first) if is(first, chars::ALPHA) && name.iter().all(|&b| is(b, chars::SCHEME)) => {
            return Ok(delimiter);
        }
        Some(_) => {}
    }
    // What is no scheme could still have been the first segment of a relative reference, which
    // holds no colon (4.2): so the text is right up to the colon, or to a byte that no segment holds.
    let rule = (Component::Scheme, Code::SchemeInvalidChar);
    let offset = match run(text, 0, delimiter, chars::PCHAR, rule) {
        Ok(()) => delimiter,
        Err(fault) => fault.offset,
    };
    reject(Code::SchemeInvalidChar, offset)
}

/// The host of an authority by place, and what it is.
struct FoundHost {
    start: usize,
    end: usize,
    host: Host,
}

/// `authority = [ userinfo "@" ] host [ ":" port ]`
///
/// Until an `@` is read the same bytes may be user information or host and port: a fault is where
/// the reading that goes further stops.
fn authority(text: &[u8], start: usize, end: usize, reg_name: Class) -> Result<FoundHost, Reject> {
    let rule = (Component::Userinfo, Code::UserinfoInvalidChar);
    match text[start..end].iter().position(|&b| b == b'@') {
        Some(at) => {
            let at = start + at;
            let Err(fault) = run(text, start, at, chars::USERINFO, rule) else {
                return host_and_port(text, at + 1, end, reg_name);
            };
            match host_and_port(text, start, end, reg_name) {
                Err(other) if other.offset > fault.offset => Err(other),
                _ => Err(fault),
            }
        }
        None => host_and_port(text, start, end, reg_name).map_err(|fault| {
            // Bytes of user information that no `@` ends: the byte at which it ought to stand.
            match run(text, start, end, chars::USERINFO, rule) {
                Ok(()) => Reject { offset: end.max(fault.offset), ..fault },
                Err(other) if other.offset <= fault.offset => fault,
                Err(other) if other.code == rule.1 => Reject { offset: other.offset, ..fault },
                Err(other) => other,
            }
        }),
    }
}

/// `authority = server | reg_name` (RFC 2396, 3.2): whatever a server is made of a registry's name is made of
/// too, so nothing but a byte outside that is a fault.
fn server_or_registry(text: &[u8], start: usize, end: usize) -> Result<FoundHost, Reject> {
    let is_userinfo = |offset: usize| memchr(b'@', &text[offset.min(end)..end]).is_some();
    run(text, start, end, rfc2396::REG_NAME, (Component::Host, Code::HostInvalidChar)).map_err(|fault| {
        match fault.code {
            Code::HostInvalidChar if is_userinfo(fault.offset) => {
                Reject { code: Code::UserinfoInvalidChar, component: Component::Userinfo, ..fault }
            }
            _ => fault,
        }
    })?;
    let found = match rfc2396::server(&text[start..end]) {
        Some(server) => (start + server.host_start, start + server.host_end),
        None => (start, end),
    };
    let host = host::classify_as(&text[found.0..found.1], Spec::Rfc2396);
    Ok(FoundHost { start: found.0, end: found.1, host })
}

/// `host [ ":" port ]` with `host = IP-literal / IPv4address / reg-name` and `port = *DIGIT`
fn host_and_port(text: &[u8], start: usize, end: usize, reg_name: Class) -> Result<FoundHost, Reject> {
    let host_reject = |code, offset| Err(Reject { code, component: Component::Host, offset });
    let (host_end, host) = if text[start..end].first() == Some(&b'[') {
        match ip::literal(&text[start + 1..end]) {
            Ok((literal, len)) => {
                let host = match literal {
                    Literal::V6(address) => Host::Ipv6(address),
                    Literal::Future => Host::IpvFuture,
                };
                (start + 1 + len, host)
            }
            Err(fault) => {
                let code = if fault.future { Code::HostIpvfutureMalformed } else { Code::HostIpv6Malformed };
                return host_reject(code, start + 1 + fault.offset);
            }
        }
    } else {
        let host_end = text[start..end].iter().position(|&b| b == b':').map_or(end, |at| start + at);
        run(text, start, host_end, reg_name, (Component::Host, Code::HostInvalidChar))?;
        (host_end, host::classify(&text[start..host_end]))
    };
    if host_end < end {
        if text[host_end] != b':' {
            return host_reject(Code::HostInvalidChar, host_end);
        }
        if let Some(at) = text[host_end + 1..end].iter().position(|b| !b.is_ascii_digit()) {
            let offset = host_end + 1 + at;
            return Err(Reject { code: Code::PortInvalidChar, component: Component::Port, offset });
        }
    }
    Ok(FoundHost { start, end: host_end, host })
}

/// `*( class / pct-encoded )` over `text[from..to]`.
fn run(
    text: &[u8],
    from: usize,
    to: usize,
    class: Class,
    (component, code): (Component, Code),
) -> Result<(), Reject> {
    let mut at = from;
    while at < to {
        if is(text[at], class) {
            at += 1;
            continue;
        }
        if text[at] != b'%' {
            return Err(Reject { code, component, offset: at });
        }
        for digit in [at + 1, at + 2] {
            if digit >= to {
                return Err(Reject { code: Code::PercentTruncated, component, offset: to });
            }
            if !is(text[digit], chars::HEXDIG) {
                return Err(Reject { code: Code::PercentInvalidDigit, component, offset: digit });
            }
        }
        at += 3;
    }
    Ok(())
}
