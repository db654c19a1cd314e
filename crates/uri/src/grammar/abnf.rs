//! The lines of the grammars as text, for messages that quote the rule a text breaks. The tables of
//! [`chars`](super::chars) and the parser decide; they were written after these lines.

use super::Spec;

/// A line of a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The whole line: the rule's name, an equals sign, its definition.
    pub line: &'static str,
    /// Where it is defined: the specification's name and the section.
    pub section: &'static str,
}

impl Rule {
    /// The rule's name: the text before the equals sign.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.line.split_once('=').map_or(self.line, |(name, _)| name.trim_end())
    }
}

/// A symbol of the grammar that a text is checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// The name before the first colon.
    Scheme,
    /// Everything after the scheme's colon.
    SchemeSpecificPart,
    /// The text between `//` and the path.
    Authority,
    /// The text before the `@`.
    Userinfo,
    /// The name of a host or a registry.
    Name,
    /// A literal that begins with a bracket.
    Ipv6,
    /// A literal that begins with a bracket and a `v`.
    IpvFuture,
    /// The text after the host's colon.
    Port,
    /// A character of a path.
    Path,
    /// Everything after the scheme, if it does not begin with a slash: only in RFC 2396.
    OpaquePart,
    /// The text after the `?`.
    Query,
    /// The text after the `#`.
    Fragment,
    /// A percent sign and its digits.
    Triplet,
    /// A URI without a fragment.
    AbsoluteUri,
}

impl Symbol {
    /// All of them.
    pub const ALL: [Symbol; 14] = [
        Symbol::Scheme,
        Symbol::SchemeSpecificPart,
        Symbol::Authority,
        Symbol::Userinfo,
        Symbol::Name,
        Symbol::Ipv6,
        Symbol::IpvFuture,
        Symbol::Port,
        Symbol::Path,
        Symbol::OpaquePart,
        Symbol::Query,
        Symbol::Fragment,
        Symbol::Triplet,
        Symbol::AbsoluteUri,
    ];

    /// The line that defines it by `spec`.
    #[must_use]
    pub const fn rule(self, spec: Spec) -> Rule {
        match spec {
            Spec::Rfc2396 => self.rfc2396(),
            Spec::Rfc3986Errata if matches!(self, Symbol::Name) => rule(
                r#"reg-name = *( unreserved / pct-encoded / "-" / "." )"#,
                "RFC 3986, 3.2.2, with erratum 4942",
            ),
            Spec::Rfc3986 | Spec::Rfc3986Errata => self.rfc3986(),
        }
    }

    const fn rfc3986(self) -> Rule {
        match self {
            Symbol::Scheme => rule(r#"scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )"#, "RFC 3986, 3.1"),
            Symbol::SchemeSpecificPart => {
                rule(r##"URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]"##, "RFC 3986, 3")
            }
            Symbol::Authority => rule(r#"authority = [ userinfo "@" ] host [ ":" port ]"#, "RFC 3986, 3.2"),
            Symbol::Userinfo => {
                rule(r#"userinfo = *( unreserved / pct-encoded / sub-delims / ":" )"#, "RFC 3986, 3.2.1")
            }
            Symbol::Name => rule("reg-name = *( unreserved / pct-encoded / sub-delims )", "RFC 3986, 3.2.2"),
            Symbol::Ipv6 => rule(r#"IP-literal = "[" ( IPv6address / IPvFuture  ) "]""#, "RFC 3986, 3.2.2"),
            Symbol::IpvFuture => {
                rule(r#"IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )"#, "RFC 3986, 3.2.2")
            }
            Symbol::Port => rule("port = *DIGIT", "RFC 3986, 3.2.3"),
            Symbol::Path | Symbol::OpaquePart => {
                rule(r#"pchar = unreserved / pct-encoded / sub-delims / ":" / "@""#, "RFC 3986, 3.3")
            }
            Symbol::Query => rule(r#"query = *( pchar / "/" / "?" )"#, "RFC 3986, 3.4"),
            Symbol::Fragment => rule(r#"fragment = *( pchar / "/" / "?" )"#, "RFC 3986, 3.5"),
            Symbol::Triplet => rule(r#"pct-encoded = "%" HEXDIG HEXDIG"#, "RFC 3986, 2.1"),
            Symbol::AbsoluteUri => {
                rule(r#"absolute-URI = scheme ":" hier-part [ "?" query ]"#, "RFC 3986, 4.3")
            }
        }
    }

    const fn rfc2396(self) -> Rule {
        match self {
            Symbol::Scheme => rule(r#"scheme = alpha *( alpha | digit | "+" | "-" | "." )"#, "RFC 2396, 3.1"),
            Symbol::SchemeSpecificPart | Symbol::AbsoluteUri => {
                rule(r#"absoluteURI = scheme ":" ( hier_part | opaque_part )"#, "RFC 2396, 3")
            }
            Symbol::Authority => rule("authority = server | reg_name", "RFC 2396, 3.2"),
            Symbol::Userinfo => rule(
                r#"userinfo = *( unreserved | escaped | ";" | ":" | "&" | "=" | "+" | "$" | "," )"#,
                "RFC 2396, 3.2.2",
            ),
            // RFC 2396 has no IP literals: brackets are checked against the rule for names.
            Symbol::Name | Symbol::Ipv6 | Symbol::IpvFuture => rule(
                r#"reg_name = 1*( unreserved | escaped | "$" | "," | ";" | ":" | "@" | "&" | "=" | "+" )"#,
                "RFC 2396, 3.2.1",
            ),
            Symbol::Port => rule("port = *digit", "RFC 2396, 3.2.2"),
            Symbol::Path => rule(
                r#"pchar = unreserved | escaped | ":" | "@" | "&" | "=" | "+" | "$" | ",""#,
                "RFC 2396, 3.3",
            ),
            Symbol::OpaquePart => rule("opaque_part = uric_no_slash *uric", "RFC 2396, 3"),
            Symbol::Query => rule("query = *uric", "RFC 2396, 3.4"),
            Symbol::Fragment => rule("fragment = *uric", "RFC 2396, 4.1"),
            Symbol::Triplet => rule(r#"escaped = "%" hex hex"#, "RFC 2396, 2.4.1"),
        }
    }
}

const fn rule(line: &'static str, section: &'static str) -> Rule {
    Rule { line, section }
}
