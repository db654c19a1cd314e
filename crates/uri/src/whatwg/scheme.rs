//! Special schemes (4.2).

/// A special scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    /// `file`, which has neither a port nor credentials.
    File,
    /// `ftp`, `http`, `https`, `ws` and `wss`, with their default port.
    Network(u16),
}

impl Special {
    /// The default port.
    pub(super) fn default_port(self) -> Option<u16> {
        match self {
            Special::Network(port) => Some(port),
            Special::File => None,
        }
    }

    /// By a name in lower case.
    pub(super) fn of(scheme: &[u8]) -> Option<Special> {
        match scheme {
            b"http" | b"ws" => Some(Special::Network(80)),
            b"https" | b"wss" => Some(Special::Network(443)),
            b"ftp" => Some(Special::Network(21)),
            b"file" => Some(Special::File),
            _ => None,
        }
    }

    /// By a name as written.
    pub(super) fn of_any_case(scheme: &[u8]) -> Option<Special> {
        // The longest one is `https`.
        let mut lower = [0; 5];
        let lower = lower.get_mut(..scheme.len())?;
        lower.copy_from_slice(scheme);
        lower.make_ascii_lowercase();
        Special::of(lower)
    }
}

/// Whether a scheme, as written, is special.
#[must_use]
pub fn is_special(scheme: &[u8]) -> bool {
    Special::of_any_case(scheme).is_some()
}

/// The scheme at the beginning of a text: the offset of its colon.
pub(super) fn end(text: &[u8]) -> Option<usize> {
    if !text.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = text
        .iter()
        .position(|byte| !matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.'))?;
    (text[end] == b':').then_some(end)
}
