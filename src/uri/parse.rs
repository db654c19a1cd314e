//! The careful parser: any text, every rule, one byte at a time. It finds what the kernels leave:
//! authorities with user information, port or IP literal, schemes other than the web's, and the
//! place and reason of what is wrong.
//!
//! Components are told apart as Appendix B's expression does (the first of `: / ? #`, then `//`,
//! then the first of `/ ? #`, of `? #` and of `#`); then each is held against its rule, left to
//! right, so that the first fault found is the first in the text.

use memchr::{memchr, memchr2};

use super::host::{self, Host};
use super::reject::{Code, Component, Reject};
use crate::grammar::chars::{self, Class, is};
use crate::grammar::ip::{self, Literal};
use crate::simd::Split;

/// Parses `text` whole: offsets of the components and, where there is an authority, the host.
pub(crate) fn careful(text: &[u8]) -> Result<(Split, Option<Host>), Reject> {
    parse(text).map_err(|reject| match std::str::from_utf8(text) {
        Ok(_) => reject,
        Err(_) => Reject { code: Code::NotUtf8, ..reject },
    })
}

fn parse(text: &[u8]) -> Result<(Split, Option<Host>), Reject> {
    let scheme_end = scheme(text, find(text, 0, |b| matches!(b, b':' | b'/' | b'?' | b'#')))?;
    let after_scheme = if scheme_end > 0 { scheme_end + 1 } else { 0 };

    let mut host = None;
    let (mut host_start, mut host_end, mut path_start) = (after_scheme, after_scheme, after_scheme);
    if text[after_scheme..].starts_with(b"//") {
        path_start = find(text, after_scheme + 2, |b| matches!(b, b'/' | b'?' | b'#'));
        let found = authority(text, after_scheme + 2, path_start)?;
        (host_start, host_end) = (found.start, found.end);
        host = Some(found.host);
    }

    let path_end = memchr2(b'?', b'#', &text[path_start..]).map_or(text.len(), |at| path_start + at);
    run(text, path_start, path_end, chars::PATH, (Component::Path, Code::PathInvalidChar))?;
    let query_end = memchr(b'#', &text[path_end..]).map_or(text.len(), |at| path_end + at);
    if path_end < query_end {
        run(text, path_end + 1, query_end, chars::QUERY, (Component::Query, Code::QueryInvalidChar))?;
    }
    if query_end < text.len() {
        let rule = (Component::Fragment, Code::FragmentInvalidChar);
        run(text, query_end + 1, text.len(), chars::QUERY, rule)?;
    }

    let [scheme_end, host_start, host_end, path_start, path_end, query_end, end] =
        [scheme_end, host_start, host_end, path_start, path_end, query_end, text.len()].map(|at| at as u32);
    Ok((Split { scheme_end, host_start, host_end, path_start, path_end, query_end, end }, host))
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
fn authority(text: &[u8], start: usize, end: usize) -> Result<FoundHost, Reject> {
    let rule = (Component::Userinfo, Code::UserinfoInvalidChar);
    match text[start..end].iter().position(|&b| b == b'@') {
        Some(at) => {
            let at = start + at;
            let Err(fault) = run(text, start, at, chars::USERINFO, rule) else {
                return host_and_port(text, at + 1, end);
            };
            match host_and_port(text, start, end) {
                Err(other) if other.offset > fault.offset => Err(other),
                _ => Err(fault),
            }
        }
        None => host_and_port(text, start, end).map_err(|fault| {
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

/// `host [ ":" port ]` with `host = IP-literal / IPv4address / reg-name` and `port = *DIGIT`
fn host_and_port(text: &[u8], start: usize, end: usize) -> Result<FoundHost, Reject> {
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
        run(text, start, host_end, chars::REG_NAME, (Component::Host, Code::HostInvalidChar))?;
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
