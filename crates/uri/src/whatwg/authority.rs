//! The states of the basic URL parser (4.4) for credentials, host and port.

use super::host;
use super::parser::{Parsed, Parser};
use super::percent_encode as sets;
use super::scheme::Special;
use super::validation::{Report, State, ValidationError};

impl<R: Report> Parser<'_, '_, '_, '_, R> {
    /// Authority state, host state, port state.
    pub(super) fn authority(&mut self, from: usize) -> Parsed {
        self.report.enter(State::Authority);
        let is_special = self.special.is_some();
        let is_end = |&byte: &u8| matches!(byte, b'/' | b'?' | b'#') || byte == b'\\' && is_special;
        let end = self.text[from..].iter().position(is_end).map_or(self.text.len(), |at| from + at);
        self.out.extend_from_slice(b"//");
        let mut host_at = from;
        if let Some(at) = memchr::memrchr(b'@', &self.text[from..end]) {
            if R::IS_WANTED {
                let signs = memchr::memchr_iter(b'@', &self.text[from..=from + at]);
                signs.for_each(|at| self.report.report(ValidationError::InvalidCredentials, from + at));
            }
            self.credentials(from, from + at);
            host_at = from + at + 1;
            if host_at == end {
                return Err((ValidationError::HostMissing, end));
            }
        }
        let host_end = host_at + end_of_host(&self.text[host_at..end]);
        if host_end == host_at && (host_end < end || is_special) {
            return Err((ValidationError::HostMissing, host_at));
        }
        self.host(host_at, host_end)?;
        if host_end < end {
            self.port(host_end + 1, end)?;
        }
        self.path_start(end)
    }

    /// User name and password, which the last `@` before the host ends.
    fn credentials(&mut self, from: usize, end: usize) {
        let text = self.text;
        let text = &text[from..end];
        let (name, password) = match memchr::memchr(b':', text) {
            Some(colon) => (&text[..colon], &text[colon + 1..]),
            None => (text, &b""[..]),
        };
        sets::write(name, sets::USERINFO, self.out);
        if !password.is_empty() {
            self.out.push(b':');
            sets::write(password, sets::USERINFO, self.out);
        }
        if !name.is_empty() || !password.is_empty() {
            self.out.push(b'@');
        }
    }

    pub(super) fn host(&mut self, from: usize, end: usize) -> Parsed {
        self.report.enter(State::Host);
        self.split.host_start = self.len();
        host::write((&self.text[from..end], from), self.special.is_some(), self.out, self.report)
            .map_err(|(error, at)| (error, from + at))?;
        self.split.host_end = self.len();
        self.split.path_start = self.len();
        Ok(())
    }

    fn port(&mut self, from: usize, end: usize) -> Parsed {
        self.report.enter(State::Port);
        let mut port = 0u32;
        for (at, &digit) in self.text[from..end].iter().enumerate() {
            let Some(digit) = char::from(digit).to_digit(10) else {
                return Err((ValidationError::PortInvalid, from + at));
            };
            port = (port * 10 + digit).min(1 << 16);
        }
        let Ok(port) = u16::try_from(port) else {
            return Err((ValidationError::PortOutOfRange, from));
        };
        if from < end && self.special != Some(Special::Network(port)) {
            self.out.push(b':');
            let mut digits = [0; 5];
            let mut at = digits.len();
            let mut rest = port;
            while rest > 0 || at == digits.len() {
                at -= 1;
                digits[at] = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            self.out.extend_from_slice(&digits[at..]);
        }
        self.split.path_start = self.len();
        Ok(())
    }
}

/// The first colon of a host and port outside of brackets, or the end.
fn end_of_host(text: &[u8]) -> usize {
    let mut is_inside = false;
    let is_colon = |&byte: &u8| {
        match byte {
            b'[' => is_inside = true,
            b']' => is_inside = false,
            _ => {}
        }
        byte == b':' && !is_inside
    };
    text.iter().position(is_colon).unwrap_or(text.len())
}
