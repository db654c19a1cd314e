//! Which ports a URI of a scheme may name (RFC 3986 section 7.2): the user's rules, then the registry.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use twox_hash::XxHash3_64;

use crate::error::{Error, Result};
use crate::grammar::ports;

/// Rules for the flag `port_well_known_mismatch`. Cloning them is cheap.
///
/// A text of lines `SCHEME allow PORTS` and `SCHEME flag PORTS`. `SCHEME` is a scheme, `*` for any, or `-` for
/// references without one; `PORTS` are numbers, ranges such as `8000-8999`, or `*` for all, with commas or spaces
/// between. What follows a `#` is a comment. The last rule that fits decides; where none does, a port below 1024 is
/// flagged if it belongs to a service (IANA's registry, and the ports that browsers block) and the scheme is not
/// compatible with it.
///
/// ```
/// use urimill_uri::audit::PortRules;
///
/// let rules = PortRules::parse("http  allow 81, 8000-8999\n*  flag 6000-6063  # X11\n", "my rules")?;
/// assert!(rules.flags("ftp", 6000) && !rules.flags("http", 81));
/// assert!(rules.flags("http", 25) && !rules.flags("git+ssh", 22));
/// # Ok::<(), urimill_uri::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct PortRules(Option<Arc<Given>>);

struct Given {
    rules: Vec<Rule>,
    version: String,
}

/// One line.
struct Rule {
    /// In lower case; `None` for any.
    scheme: Option<String>,
    flags: bool,
    /// First and last of each range.
    ports: Vec<(u16, u16)>,
}

impl fmt::Debug for PortRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PortRules").field(&self.version()).finish()
    }
}

impl PortRules {
    /// No rules: the registry decides.
    pub const NONE: &'static PortRules = &PortRules(None);

    /// Reads rules from a text; `name` is what [`version`](Self::version) calls them.
    ///
    /// # Errors
    /// Usage, with the line and the reason, where a line is not a rule.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        Self::given(text, name)
            .map_err(|what| Error::usage(format!("cannot use {name} as port rules: {what}")))
    }

    /// [`parse`](Self::parse) with only the reason as its error, for a caller that knows the full name of the file.
    #[doc(hidden)]
    pub fn given(text: &str, name: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut rules = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                rules.push(Rule::parse(line).map_err(|what| format!("line {number}: {what}"))?);
            }
        }
        let version = format!("{name} XXH3-64 {:016x}", XxHash3_64::oneshot(text.as_bytes()));
        Ok(PortRules(Some(Arc::new(Given { rules, version }))))
    }

    /// An identification of these rules for the metadata of tables: the file's name and hash. `None` without rules.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.0.as_ref().map(|given| given.version.as_str())
    }

    /// Whether there are none: IANA's registry decides.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|given| given.rules.is_empty())
    }

    /// Whether a URI of this scheme with this port is flagged. `scheme` is empty for a reference without one.
    #[must_use]
    pub fn flags(&self, scheme: &str, port: u16) -> bool {
        let rules = self.0.as_ref().map_or(&[][..], |given| &given.rules);
        match rules.iter().rev().find(|rule| rule.fits(scheme, port)) {
            Some(rule) => rule.flags,
            None => {
                port < ports::WELL_KNOWN_END
                    && ports::is_well_known(port)
                    && !ports::is_compatible(scheme.as_bytes(), port)
            }
        }
    }
}

impl Rule {
    fn parse(line: &str) -> Result<Rule, String> {
        let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let scheme = match words.next().unwrap_or_default() {
            "*" => None,
            "-" => Some(String::new()),
            scheme if is_scheme(scheme) => Some(scheme.to_ascii_lowercase()),
            other => {
                return Err(format!("{other:?} is not a scheme: give a scheme, * for any, or - for none"));
            }
        };
        let flags = match words.next() {
            Some("allow") => false,
            Some("flag") => true,
            Some(other) => return Err(format!("{other:?} is neither allow nor flag")),
            None => return Err("a rule is a scheme, allow or flag, and ports".to_owned()),
        };
        let ports = words.map(range).collect::<Result<Vec<_>, _>>()?;
        match ports.is_empty() {
            true => Err("there is no port: give numbers, ranges such as 8000-8999, or *".to_owned()),
            false => Ok(Rule { scheme, flags, ports }),
        }
    }

    fn fits(&self, scheme: &str, port: u16) -> bool {
        self.scheme.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(scheme))
            && self.ports.iter().any(|&(first, last)| (first..=last).contains(&port))
    }
}

/// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}

fn range(word: &str) -> Result<(u16, u16), String> {
    if word == "*" {
        return Ok((0, u16::MAX));
    }
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| is_number).ok_or_else(|| {
            format!("{text:?} is not a port: give numbers from 0 to 65535, ranges such as 8000-8999, or *")
        })
    };
    let (first, last) = match word.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(word)?, number(word)?),
    };
    match first <= last {
        true => Ok((first, last)),
        false => Err(format!("the range {word} ends before it begins")),
    }
}
