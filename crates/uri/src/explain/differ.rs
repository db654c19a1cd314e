//! Where specifications differ on one text (RFC 3986, Appendix D.2). Every value compared comes from the parser, the
//! ladder and the resolution under that specification.

use super::resolution::is_same_document;
use super::{COMPONENTS, part};
use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::host::{HostKind, classify_as};
use crate::normalize::{Level, normalize};
use crate::reference::{AsText, UriRef};
use crate::reject::{Component, Reject};
use crate::resolve::parse_base;
use crate::resolve::{Mode, normal_form, resolve, target_at};
use crate::standard::Standard;
use crate::whatwg::{self, Url};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;

/// Two or more specifications, and what is compared under them.
#[derive(Debug, Clone)]
pub struct Contrast<'a> {
    specs: Vec<Standard>,
    level: Level,
    /// One per specification; empty if nothing is resolved.
    bases: Vec<Base<'a>>,
}

/// A base by one of the specifications.
#[derive(Debug, Clone)]
enum Base<'a> {
    Rfc(UriRef<'a>),
    Whatwg(Url<'a>),
}

/// In what respect two specifications differ on a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// Whether it is a valid reference.
    Validity,
    /// The text of a component.
    Component(Component),
    /// The kind of its host.
    HostKind,
    /// Its target against the base.
    Resolution,
    /// Whether it is a reference into the base's own document.
    SameDocument,
    /// The normal form, or with a base that of the target.
    NormalForm,
}

impl Aspect {
    /// The stable name: that of the component, if it is one.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Aspect::Validity => "validity",
            Aspect::Component(component) => component.as_str(),
            Aspect::HostKind => "host_kind",
            Aspect::Resolution => "resolution",
            Aspect::SameDocument => "same_document",
            Aspect::NormalForm => "normal_form",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub aspect: Aspect,
    /// By specification, in the order of the contrast. For [`Aspect::Validity`] the code of the reject or `valid`; for
    /// the others `None` if the specification rejects the text or the component is undefined.
    pub values: Vec<Option<String>>,
}

/// A text under one specification.
#[derive(Debug)]
struct View {
    /// In the order of [`COMPONENTS`].
    parts: Vec<Option<String>>,
    host_kind: Option<HostKind>,
    target: Option<String>,
    same_document: Option<bool>,
    normal: String,
}

impl<'a> Contrast<'a> {
    /// Compares `specs`, normal forms at `level`, and, with a base, targets. Components are those of the text; where
    /// the URL Standard is among the specifications, which has no others, those of the normal form.
    ///
    /// # Errors
    /// Usage: fewer than two specifications, or one of them twice; a base that one of them rejects, or that has no
    /// scheme.
    pub fn new<S: Into<Standard> + Copy>(
        specs: &[S],
        level: Level,
        base: Option<&'a str>,
    ) -> Result<Contrast<'a>> {
        let specs: Vec<Standard> = specs.iter().map(|&spec| spec.into()).collect();
        if specs.len() < 2 {
            return Err(Error::usage("a comparison needs two specifications at least"));
        }
        if let Some(twice) = specs.iter().enumerate().find(|(i, spec)| specs[..*i].contains(spec)) {
            return Err(Error::usage(format!("the specification {} is given twice", twice.1)));
        }
        let bases = match base {
            Some(base) => specs.iter().map(|&spec| Base::parse(base, spec)).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        Ok(Contrast { specs, level, bases })
    }

    /// The specifications, in the order in which they were given.
    #[must_use]
    pub fn specs(&self) -> &[Standard] {
        &self.specs
    }

    /// Whether references are resolved.
    pub(super) fn resolves(&self) -> bool {
        !self.bases.is_empty()
    }

    /// The bases, as they are given and in normal form.
    pub(super) fn base_texts(&self) -> impl Iterator<Item = String> {
        self.bases.iter().flat_map(|base| match base {
            Base::Rfc(base) => [base.as_str().to_owned(), normalize(base, self.level).into_owned()],
            Base::Whatwg(base) => [base.href().to_owned(), base.href().to_owned()],
        })
    }

    /// Every difference on one text. Two rejects are not a difference, whatever their codes: the codes are urimill's,
    /// not the specifications'.
    ///
    /// ```
    /// use urimill_uri::explain::{Aspect, Contrast};
    /// use urimill_uri::{Level, Spec};
    ///
    /// let contrast = Contrast::new(&[Spec::Rfc3986, Spec::Rfc2396], Level::Scheme, None)?;
    /// assert_eq!(contrast.differences("http://example.com/a"), []);
    /// let found = contrast.differences("http://[::1]/");
    /// assert_eq!(found[0].aspect, Aspect::Validity);
    /// assert_eq!(found[0].values[0].as_deref(), Some("valid"));
    /// # Ok::<(), urimill_uri::Error>(())
    /// ```
    pub fn differences<T: AsText + ?Sized>(&self, text: &T) -> Vec<Difference> {
        let views: Vec<_> = (0..self.specs.len()).map(|i| self.view(text, i)).collect();
        let mut found = Vec::new();
        if views.iter().any(Result::is_ok) && views.iter().any(Result::is_err) {
            let verdict = |view: &Result<_, Reject>| match view {
                Ok(_) => "valid".to_owned(),
                Err(reject) => reject.code.as_str().to_owned(),
            };
            let values = views.iter().map(|view| Some(verdict(view))).collect();
            found.push(Difference { aspect: Aspect::Validity, values });
        }
        if views.iter().filter(|view| view.is_ok()).count() < 2 {
            return found;
        }
        let mut compare = |aspect, value: &dyn Fn(&View) -> Option<String>| {
            let values: Vec<_> = views.iter().map(|view| view.as_ref().ok().and_then(value)).collect();
            let mut accepted = views.iter().zip(&values).filter(|(view, _)| view.is_ok()).map(|(_, v)| v);
            let first = accepted.next();
            if accepted.any(|value| Some(value) != first) {
                found.push(Difference { aspect, values });
            }
        };
        for (at, component) in COMPONENTS.into_iter().enumerate() {
            compare(Aspect::Component(component), &|view| view.parts[at].clone());
        }
        compare(Aspect::HostKind, &|view| view.host_kind.map(HostKind::as_str).map(str::to_owned));
        compare(Aspect::Resolution, &|view| view.target.clone());
        compare(Aspect::SameDocument, &|view| view.same_document.map(|same| same.to_string()));
        compare(Aspect::NormalForm, &|view| Some(view.normal.clone()));
        found
    }

    /// `text` under the specification `self.specs[i]`.
    fn view<T: AsText + ?Sized>(&self, text: &T, i: usize) -> Result<View, Reject> {
        match (self.specs[i], self.bases.get(i)) {
            (Standard::Rfc(spec), base) => {
                let base = base.and_then(|base| match base {
                    Base::Rfc(base) => Some(base),
                    Base::Whatwg(_) => None,
                });
                self.view_of_rfc(UriRef::parse_as(text, spec)?, base)
            }
            (Standard::Whatwg, base) => {
                let base = base.and_then(|base| match base {
                    Base::Rfc(_) => None,
                    Base::Whatwg(base) => Some(base),
                });
                Ok(View::of_url(&Url::parse(text, base)?, base))
            }
        }
    }

    fn view_of_rfc(&self, uri: UriRef<'_>, base: Option<&UriRef<'_>>) -> Result<View, Reject> {
        let target = base.and_then(|base| resolve(base, &uri, Mode::Strict).ok());
        let same_document = base.and_then(|base| {
            let target = target_at(base, &uri, Mode::Strict, self.level).ok()?;
            Some(is_same_document(base, &uri, &target, self.level))
        });
        let normal = base.and_then(|base| normal_form(base, &uri, Mode::Strict, self.level).ok());
        let normal = normal.unwrap_or_else(|| normalize(&uri, self.level)).into_owned();
        let parts =
            |uri: &UriRef<'_>| COMPONENTS.map(|component| part(uri, component).map(str::to_owned)).to_vec();
        let (parts, host_kind) = match self.specs.contains(&Standard::Whatwg) {
            false => (parts(&uri), uri.host_kind()),
            true => {
                let uri = UriRef::parse_as(&normal, uri.spec())?;
                (parts(&uri), uri.host_kind())
            }
        };
        Ok(View { parts, host_kind, same_document, target: target.map(|target| target.into_owned()), normal })
    }
}

impl<'a> Base<'a> {
    fn parse(text: &'a str, spec: Standard) -> Result<Base<'a>> {
        Ok(match spec {
            Standard::Rfc(spec) => Base::Rfc(parse_base(text, spec)?),
            Standard::Whatwg => Base::Whatwg(whatwg::parse_base(text)?),
        })
    }
}

impl View {
    fn of_url(url: &Url<'_>, base: Option<&Url<'_>>) -> View {
        let href = url.href();
        // The offsets are in order and the text is ASCII; what the standard leaves in a URL need not be a reference.
        let host = url.has_host().then(|| classify_as(url.hostname().as_bytes(), Spec::Rfc3986).kind());
        let uri = UriRef::of_split(href.as_bytes(), url.split(), host, Spec::Rfc3986);
        let document = |href: &str| href.split('#').next().unwrap_or_default().to_owned();
        View {
            parts: COMPONENTS.map(|component| part(&uri, component).map(str::to_owned)).to_vec(),
            host_kind: host,
            target: base.map(|_| href.to_owned()),
            same_document: base.map(|base| document(base.href()) == document(href)),
            normal: href.to_owned(),
        }
    }
}
