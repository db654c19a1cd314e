//! Whether the values of a member are those that its name promises.

use urimill_columns::batch::{is_address, is_moment};
use urimill_read::format::first_lines::{has_scheme, is_of_web};
use urimill_read::format::request;

use crate::check::{Check, is_number, is_time, is_value};
use crate::host::{self, endpoint, is_domain};

/// The values that a kind of members has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// A URI with a scheme, a path, or a host with a path.
    Url,
    /// A request line.
    Request,
    Path,
    Query,
    Scheme,
    /// A host, perhaps with a port.
    Host,
    /// A host with a dot in its name, or an address.
    Domain,
    Port,
    /// On or off, or an object that is only there with TLS.
    Switch,
    Method,
    Protocol,
    /// The version of HTTP alone.
    Version,
    Time,
    /// A day, and a time of day.
    Date,
    Clock,
    /// An address, perhaps with a port.
    Address,
    BareAddress,
    /// A number of three digits, from 100 to 599.
    Status,
    /// A whole number that is not negative.
    Count,
    Mime,
    /// A number, whose unit the name has or the text.
    Duration,
    /// The version of TLS.
    Tls,
    Cipher,
    /// Text without a space, or a number.
    Word,
    /// Text that is no number.
    Text,
}

/// A value of a member in the first lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sample {
    /// A string.
    Text(String),
    /// A number, as it is written, or a boolean.
    Plain(String),
    /// An object.
    Object,
}

impl Sample {
    /// A value that is neither null nor an object nor an array.
    pub(super) fn of(value: &serde_json::Value) -> Option<Sample> {
        match value {
            serde_json::Value::String(text) => Some(Sample::Text(text.clone())),
            plain @ (serde_json::Value::Number(_) | serde_json::Value::Bool(_)) => {
                Some(Sample::Plain(plain.to_string()))
            }
            _ => None,
        }
    }

    fn text(&self) -> &str {
        match self {
            Sample::Text(text) | Sample::Plain(text) => text,
            Sample::Object => "",
        }
    }

    /// Whether it says that there is no value.
    fn is_none(&self) -> bool {
        matches!(self, Sample::Text(text) if matches!(&**text, "" | "-"))
    }
}

/// The values of one member.
pub(super) struct Given<'v>(Vec<&'v Sample>);

impl<'v> Given<'v> {
    pub(super) fn new(samples: &'v [Sample]) -> Given<'v> {
        Given(samples.iter().filter(|sample| !sample.is_none()).collect())
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'v str> {
        self.0.iter().map(|sample| sample.text())
    }

    /// Whether there is a value, and all are right.
    fn all(&self, is_right: impl Fn(&str) -> bool) -> bool {
        !self.0.is_empty()
            && self.0.iter().all(|sample| !matches!(sample, Sample::Object) && is_right(sample.text()))
    }

    fn all_texts(&self, is_right: impl Fn(&str) -> bool) -> bool {
        self.0.iter().all(|sample| matches!(sample, Sample::Text(_))) && self.all(is_right)
    }

    /// Whether more than half are right: a client may send anything.
    fn most(&self, is_right: impl Fn(&str) -> bool) -> bool {
        let count = self.0.iter().filter(|sample| matches!(sample, Sample::Text(text) if is_right(text)));
        2 * count.count() > self.0.len()
    }

    /// Whether the values are such.
    pub(super) fn are(&self, values: Values) -> bool {
        match values {
            Values::Url => self.most(|text| is_url(text) || text.starts_with('/') || is_host_with_path(text)),
            Values::Request => self.most(|text| {
                request::parts(text.as_bytes(), 0, text.len()).is_some_and(|parts| parts.protocol.is_some())
            }),
            Values::Path => self.most(|text| text.starts_with('/')),
            Values::Query => {
                self.all_texts(|text| !text.contains(char::is_whitespace) && !text.contains("://"))
            }
            Values::Scheme => self.all_texts(is_scheme),
            Values::Host => self.all_texts(|text| is_host(text) || host::is_none(text.as_bytes())),
            Values::Domain => self.all_texts(|text| {
                let (name, _) = host::host_and_port(text.as_bytes());
                is_domain(name) || is_address(name) || name == b"localhost"
            }),
            Values::Port => self.all(|text| text.parse::<u16>().is_ok_and(|port| port > 0)),
            Values::Switch => {
                let is_one = |text: &str| SWITCHES.iter().any(|word| text.eq_ignore_ascii_case(word));
                let mut samples = self.0.iter();
                !self.0.is_empty()
                    && samples.all(|sample| matches!(sample, Sample::Object) || is_one(sample.text()))
            }
            Values::Method => self.all_texts(|text| {
                request::is_token(text.as_bytes())
                    && text.len() <= 20
                    && text.bytes().all(|b| b.is_ascii_uppercase() || matches!(b, b'-' | b'_'))
                    || METHODS.iter().any(|method| text.eq_ignore_ascii_case(method))
            }),
            Values::Protocol => self.all_texts(|text| request::is_protocol(text.as_bytes())),
            Values::Version => {
                self.all(|text| matches!(text, "0.9" | "1.0" | "1.1" | "2" | "2.0" | "3" | "3.0"))
            }
            Values::Time => self.all(|text| is_time(text.as_bytes()) && is_moment(text.as_bytes())),
            Values::Address => self.all_texts(|text| {
                text.split(',').all(|address| endpoint(address.trim().as_bytes()).is_some())
            }),
            Values::BareAddress => self.all_texts(|text| is_address(text.as_bytes())),
            Values::Status => {
                let is_status = |text: &str| matches!(text.parse::<u16>(), Ok(100..=599)) && text.len() == 3;
                // Servers write it where the client was gone before there was one.
                self.all(|text| is_status(text) || matches!(text, "0" | "000")) && self.texts().any(is_status)
            }
            Values::Count => self.all(|text| text.parse::<u64>().is_ok()),
            Values::Mime => self.all_texts(|text| text.contains('/') && !text.starts_with('/')),
            Values::Duration => self.all(|text| {
                let is_plain = || text.parse::<f64>().is_ok_and(f64::is_finite);
                !text.starts_with('-') && (is_number(text.as_bytes()) || is_plain())
            }),
            Values::Date => self.all_texts(|text| is_value(text.as_bytes(), Check::Date)),
            Values::Clock => self.all_texts(|text| is_value(text.as_bytes(), Check::Clock)),
            Values::Tls => self.all(|text| {
                let is_version = || matches!(text, "1.0" | "1.1" | "1.2" | "1.3");
                text.starts_with("TLS") || text.starts_with("SSL") || is_version()
            }),
            Values::Cipher => self.all_texts(|text| !text.contains(' ') && text.contains(['-', '_'])),
            Values::Word => self.all(|text| !text.contains(char::is_whitespace)),
            Values::Text => self.all_texts(|text| !is_number(text.as_bytes())),
        }
    }

    /// Whether each value ends with its unit: `126ms`.
    pub(super) fn have_units(&self) -> bool {
        self.all_texts(|text| is_number(text.as_bytes()) && text.ends_with('s'))
    }

    /// Whether more than half are URIs with a scheme, and whether all are.
    pub(super) fn are_whole(&self) -> (bool, bool) {
        let count = self.texts().filter(|text| is_url(text)).count();
        (2 * count > self.0.len(), count == self.0.len())
    }

    /// Whether more than half lack the scheme before a host.
    pub(super) fn lack_schemes(&self) -> bool {
        self.most(is_host_with_path)
    }
}

fn is_url(text: &str) -> bool {
    is_of_web(text.as_bytes()) && !text.contains(' ')
}

fn is_host_with_path(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    !has_scheme(host.as_bytes()) && is_domain(host.as_bytes())
}

fn is_host(text: &str) -> bool {
    let (name, _) = host::host_and_port(text.as_bytes());
    is_address(name)
        || !name.is_empty()
            && name.iter().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(b) || *b >= 0x80)
}

fn is_scheme(text: &str) -> bool {
    ["http", "https", "ws", "wss"].iter().any(|scheme| text.eq_ignore_ascii_case(scheme))
}

const SWITCHES: &[&str] = &["true", "false", "on", "off", "yes", "no", "0", "1"];
const METHODS: &[&str] = &["get", "post", "head", "put", "delete", "options", "connect", "patch", "trace"];
