//! Explains one text: its components, the effect of every step of normalization and resolution, the warnings of RFC
//! 3986 section 7, or the rule that it breaks; and where specifications differ on it. It uses all modules that decide
//! about one URI, and decides nothing itself.
//!
//! [`explain`] explains one text. [`Contrast`] compares specifications on one text, and the functions of [`bulk`] look
//! for rejects and differences in buffers of records.

pub mod bulk;
mod differ;
mod fault;
mod json;
mod resolution;
mod steps;
mod url;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;

pub use differ::{Aspect, Contrast, Difference};
pub use fault::{Fault, Found};
pub use resolution::{Branch, PathChange, PathRule, Resolution};
pub use steps::{Step, StepRule};
pub use url::UrlReading;

use crate::audit::{self, Flags, PortRules};
use crate::canonical::{self, path_params};
use crate::grammar::Spec;
use crate::host::{Host, HostKind, classify_as};
use crate::normalize::{self, DefaultScheme, Level, RepairOptions, normalize};
use crate::options::setters;
use crate::reference::{AsText, UriRef};
use crate::reject::{Code, Component, Reject};
use crate::resolve::Mode;

/// What to explain.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Options<'a> {
    /// The specification that decides.
    pub spec: Spec,
    /// The highest rung of the ladder to report.
    pub level: Level,
    /// The base that references are resolved against. It has a scheme and was parsed by `spec`.
    pub base: Option<UriRef<'a>>,
    /// The meaning of a reference that repeats the base's scheme.
    pub mode: Mode,
    /// Whether to continue with the result of [`repair`](crate::normalize::repair) for a reject.
    pub repair: bool,
    /// With repair: the scheme that completes suffix references (RFC 3986 section 4.5).
    pub default_scheme: Option<DefaultScheme>,
    /// Texts longer than this, in bytes, are rejects.
    pub max_record: usize,
    /// Which ports a URI may name without the flag `port_well_known_mismatch`.
    pub port_rules: &'a PortRules,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            spec: Spec::default(),
            level: Level::default(),
            base: None,
            mode: Mode::default(),
            repair: false,
            default_scheme: None,
            max_record: 1 << 20,
            port_rules: PortRules::NONE,
        }
    }
}

setters!(Options<'a> {
    spec: Spec,
    level: Level,
    base: Option<UriRef<'a>>,
    mode: Mode,
    repair: bool,
    default_scheme: Option<DefaultScheme>,
    max_record: usize,
    port_rules: &'a PortRules,
});

/// Everything known about one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The text as it was given.
    pub text: Vec<u8>,
    /// The specification that it was read by.
    pub spec: Spec,
    /// The highest rung in `steps`.
    pub level: Level,
    /// Why the text is not a URI reference; `None` for a valid one.
    pub fault: Option<Fault>,
    /// The text after repair: for every reject that can be mended, and, if repair was asked for, for a text with the
    /// prefix `URL:` and for a suffix reference.
    pub mended: Option<String>,
    /// The reference: the text, or its repaired form if repair was asked for. `None` for a reject.
    pub reference: Option<Reference>,
    /// What the URL Standard makes of the text, against the base if one was given; `None` for a text that is too long.
    pub url: Option<UrlReading>,
}

/// A valid reference, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its text.
    pub text: String,
    /// What kind of reference it is.
    pub form: Form,
    /// The components that are defined, in their order in the text.
    pub parts: Vec<Part>,
    /// The parameters of the path's segments.
    pub path_params: Vec<PathParam>,
    /// What the host is; `None` without an authority.
    pub host: Option<HostKind>,
    /// The address that the host means, if any; also that of a rare form (RFC 3986 section 7.4).
    pub address: Option<IpAddr>,
    /// How it was resolved, if a base was given.
    pub resolution: Option<Resolution>,
    /// What normalization changes, step by step, starting from the reference or its target.
    pub steps: Vec<Step>,
    /// The normal form of the reference, or of its target.
    pub normal: String,
    /// The flags, as in the row of a table of normal forms; they include those of resolution.
    pub flags: Flags,
}

/// A component with its offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which component.
    pub component: Component,
    /// Its first byte, without the delimiter before it.
    pub start: usize,
    /// The end of its last byte.
    pub end: usize,
    /// Its text.
    pub text: String,
}

/// A parameter of a segment of the path (RFC 2396 section 3.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathParam {
    /// The number of its segment, from 1.
    pub segment: usize,
    /// Its name, decoded.
    pub key: String,
    /// Its value, decoded; `None` without an `=`.
    pub value: Option<String>,
}

/// What a reference begins with (RFC 3986 sections 3 and 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// A scheme: it is a URI.
    Uri,
    /// Two slashes.
    NetworkPath,
    /// One slash.
    AbsolutePath,
    /// Anything else, or nothing.
    RelativePath,
}

impl Form {
    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Form::Uri => "uri",
            Form::NetworkPath => "network_path",
            Form::AbsolutePath => "absolute_path",
            Form::RelativePath => "relative_path",
        }
    }

    /// The section that names it.
    #[must_use]
    pub const fn section(self, spec: Spec) -> &'static str {
        match (self, spec) {
            (Form::Uri, Spec::Rfc2396) => "RFC 2396, 3",
            (_, Spec::Rfc2396) => "RFC 2396, 5",
            (Form::Uri, _) => "RFC 3986, 3",
            (_, _) => "RFC 3986, 4.2",
        }
    }

    fn of(uri: &UriRef<'_>) -> Form {
        match uri {
            _ if uri.is_uri() => Form::Uri,
            _ if uri.authority().is_some() => Form::NetworkPath,
            _ if uri.path().starts_with('/') => Form::AbsolutePath,
            _ => Form::RelativePath,
        }
    }
}

impl Explanation {
    /// Whether the text, or what repair was allowed to make of it, is a URI reference.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.reference.is_some()
    }

    /// Whether `reference` is what repair made of the text.
    #[must_use]
    pub fn is_repaired(&self) -> bool {
        self.mended.is_some() && self.reference.is_some()
    }
}

/// Explains a text.
///
/// ```
/// use urimill_uri::explain::{Options, explain};
///
/// let told = explain("HTTP://example.com:80", &Options::default());
/// let reference = told.reference.unwrap();
/// let steps: Vec<_> = reference.steps.iter().map(|step| (step.rule.as_str(), step.after.as_str())).collect();
/// assert_eq!(steps, [
///     ("scheme_case", "http://example.com:80"),
///     ("empty_path", "http://example.com:80/"),
///     ("default_port", "http://example.com/"),
/// ]);
///
/// let told = explain("http://example.com/a b", &Options::default());
/// let fault = told.fault.unwrap();
/// assert_eq!((fault.reject.offset, fault.rule.unwrap().name()), (20, "pchar"));
/// assert_eq!(told.mended.as_deref(), Some("http://example.com/a%20b"));
/// ```
pub fn explain<T: AsText + ?Sized>(text: &T, options: &Options<'_>) -> Explanation {
    let bytes = text.as_bytes();
    let parsed = match bytes.len() > options.max_record {
        true => Err(bulk::too_long(bytes.len(), options.max_record)),
        false => UriRef::parse_as(text, options.spec),
    };
    let mended = match &parsed {
        Err(Reject { code: Code::TooLong, .. }) => None,
        Ok(_) if !(options.repair && is_mended_though_valid(bytes, options)) => None,
        _ => mended(bytes, options),
    };
    let reference = match (&mended, parsed) {
        (Some(mended), _) if options.repair => UriRef::parse_as(mended, options.spec).ok(),
        (_, parsed) => parsed.ok(),
    };
    let repaired = (options.repair && mended.is_some()).then_some(bytes);
    let reference = reference.map(|uri| Reference::of(&uri, repaired, options));
    Explanation {
        fault: parsed.err().map(|reject| Fault::new(bytes, reject, options.spec)),
        url: (bytes.len() <= options.max_record)
            .then(|| UrlReading::of(bytes, options.base.map(|base| base.as_str()), options.spec)),
        text: bytes.to_vec(),
        spec: options.spec,
        level: options.level,
        mended,
        reference,
    }
}

/// The repaired text, if it is a reference and differs from the text.
fn mended(text: &[u8], options: &Options<'_>) -> Option<String> {
    // White space alone means the base, as in browsers.
    if options.base.is_some() && text.iter().all(|&b| b <= b' ') {
        return Some(String::new());
    }
    let mended = normalize::repair_with(
        text,
        RepairOptions::new().spec(options.spec).default_scheme(options.default_scheme),
    );
    let uri = UriRef::parse_as(&mended, options.spec).ok()?;
    (uri.as_str().as_bytes() != text).then(|| uri.as_str().to_owned())
}

/// Whether repair changes this valid text: one with the prefix of Appendix C, which has the form of a scheme, or a
/// suffix reference that is to be completed.
fn is_mended_though_valid(text: &[u8], options: &Options<'_>) -> bool {
    text.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:"))
        || options.default_scheme.is_some() && normalize::is_suffix(text)
}

impl PathParam {
    fn of(param: canonical::PathParam<'_>) -> PathParam {
        PathParam {
            segment: param.segment(),
            key: param.name().into_owned(),
            value: param.value().map(|value| value.into_owned()),
        }
    }
}

impl Reference {
    /// `repaired` is the text before repair, for a mended reference.
    fn of(uri: &UriRef<'_>, repaired: Option<&[u8]>, options: &Options<'_>) -> Reference {
        let resolution =
            options.base.as_ref().and_then(|base| resolution::trace(base, uri, options.mode, options.level));
        let target = match &resolution {
            Some(resolution) => UriRef::parse_as(&resolution.target, options.spec).ok(),
            None => None,
        };
        let target = target.unwrap_or(*uri);
        let mut flags = flags(&target, options);
        let (text, split) = (uri.as_str().as_bytes(), uri.split());
        if let Some(read) = repaired {
            flags = flags | audit::of_repair(read, text, &split, host(uri));
        }
        if let Some(resolution) = &resolution {
            let has = |rule| resolution.path.iter().any(|change: &PathChange| change.rule == rule);
            flags.set(Flags::SAME_DOCUMENT, resolution.same_document);
            if has(PathRule::RemoveDotSegments) {
                // Repair may have removed some of what the reference holds.
                let of_data = audit::of_data(text, &split, normalize::survey(text));
                flags = flags | Flags::DOT_SEGMENTS_REMOVED | of_data;
            }
            flags.set(Flags::PERCENT_DECODED, has(PathRule::DecodeDots));
            audit::set_remarks(&mut flags, resolution.remarks);
        }
        Reference {
            text: uri.as_str().to_owned(),
            form: Form::of(uri),
            parts: parts(uri),
            path_params: path_params(uri).map(PathParam::of).collect(),
            host: uri.host_kind(),
            address: uri.host_address(),
            steps: steps::steps(&target, options.level),
            normal: normalize(&target, options.level).into_owned(),
            flags,
            resolution,
        }
    }
}

/// The components in their order in a text.
const COMPONENTS: [Component; 7] = [
    Component::Scheme,
    Component::Userinfo,
    Component::Host,
    Component::Port,
    Component::Path,
    Component::Query,
    Component::Fragment,
];

fn part<'a>(uri: &UriRef<'a>, component: Component) -> Option<&'a str> {
    match component {
        Component::Scheme => uri.scheme(),
        Component::Userinfo => uri.userinfo(),
        Component::Host => uri.host(),
        Component::Port => uri.port(),
        Component::Path => Some(uri.path()),
        Component::Query => uri.query(),
        Component::Fragment => uri.fragment(),
    }
}

/// The defined components with their offsets.
fn parts(uri: &UriRef<'_>) -> Vec<Part> {
    let split = uri.split();
    let start = |component| match component {
        Component::Scheme => 0,
        Component::Userinfo => split.after_scheme() + 2,
        Component::Host => split.host_start,
        Component::Port => split.host_end + 1,
        Component::Path => split.path_start,
        Component::Query => split.path_end + 1,
        Component::Fragment => split.query_end + 1,
    };
    let defined = COMPONENTS.into_iter().filter_map(|component| Some((component, part(uri, component)?)));
    defined
        .map(|(component, text)| {
            let start = start(component) as usize;
            Part { component, start, end: start + text.len(), text: text.to_owned() }
        })
        .collect()
}

/// The kind of a reference's host, and its address.
fn host(uri: &UriRef<'_>) -> Option<Host> {
    uri.host().map(|host| classify_as(host.as_bytes(), uri.spec()))
}

/// The flags of a reference as the column `flags` has them.
fn flags(uri: &UriRef<'_>, options: &Options<'_>) -> Flags {
    let (text, split, host, spec) = (uri.as_str().as_bytes(), uri.split(), host(uri), uri.spec());
    let triplets = normalize::survey(text);
    let flags = audit::of_reference(text, (&split, host), triplets, spec, options.port_rules);
    if options.level == Level::None {
        return flags;
    }
    let (mut normal, grade) = (Vec::with_capacity(text.len()), (options.level, spec));
    let (_, _, changes) = normalize::write(text, &split, host, triplets, grade, &mut normal);
    match normal == text {
        true => flags,
        false => flags | audit::of_changes(changes),
    }
}
