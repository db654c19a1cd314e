//! Fields that show that a connection was encrypted: a version of TLS, a cipher, a switch, an object, or the port of the
//! server. A scheme that is logged takes precedence.

/// How a field shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secure {
    /// By being there, unless it is a word for no: a version, a cipher, a switch, an object.
    Says,
    /// By port 443, alone or after an address.
    Port,
}

/// The values that servers write if there was no TLS.
const NO: [&[u8]; 12] =
    [b"", b"-", b"0", b"off", b"false", b"no", b"none", b"null", b"(null)", b"unknown", b"n/a", b"http"];

impl Secure {
    /// Whether `text` shows that the connection was encrypted.
    pub(super) fn is_shown(self, text: &[u8]) -> bool {
        match self {
            Secure::Says => !NO.iter().any(|no| text.eq_ignore_ascii_case(no)),
            Secure::Port => text == b"443" || text.ends_with(b":443"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_says_that_there_was_tls() {
        // (how, text, whether it says so)
        let cases: &[(Secure, &str, bool)] = &[
            (Secure::Says, "TLSv1.3", true),
            (Secure::Says, "SSLv3", true),
            (Secure::Says, "ECDHE-RSA-AES128-GCM-SHA256", true),
            (Secure::Says, "on", true),
            (Secure::Says, "true", true),
            (Secure::Says, "1", true),
            (Secure::Says, "1.3", true),
            (Secure::Says, "https", true),
            (Secure::Says, r#"{"proto":""}"#, true),
            (Secure::Says, "{}", true),
            (Secure::Says, "", false),
            (Secure::Says, "-", false),
            (Secure::Says, "off", false),
            (Secure::Says, "False", false),
            (Secure::Says, "0", false),
            (Secure::Says, "none", false),
            (Secure::Says, "NONE", false),
            (Secure::Says, "(null)", false),
            (Secure::Says, "http", false),
            (Secure::Port, "443", true),
            (Secure::Port, "10.0.0.1:443", true),
            (Secure::Port, "[2001:db8::1]:443", true),
            (Secure::Port, "8443", false),
            (Secure::Port, "10.0.0.1:80", false),
            (Secure::Port, "-", false),
        ];
        for (how, text, expected) in cases {
            assert_eq!(how.is_shown(text.as_bytes()), *expected, "{how:?} {text}");
        }
    }
}
