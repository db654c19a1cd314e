//! Where specifications differ on one text (RFC 3986, Appendix D.2). Every value compared comes from the parser, the
//! ladder and the resolution under that specification.

use super::resolution::is_same_document;
use super::{COMPONENTS, part};
use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::host::HostKind;
use crate::normalize::{Level, normalize};
use crate::reference::{AsText, UriRef};
use crate::reject::{Component, Reject};
use crate::resolve::parse_base;
use crate::resolve::{Mode, normal_form, resolve, target_at};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;

/// Two or more specifications, and what is compared under them.
#[derive(Debug, Clone)]
pub struct Contrast<'a> {
    specs: Vec<Spec>,
    level: Level,
    /// One per specification; empty if nothing is resolved.
    bases: Vec<UriRef<'a>>,
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
struct View<'a> {
    uri: UriRef<'a>,
    target: Option<String>,
    same_document: Option<bool>,
    normal: String,
}

impl<'a> Contrast<'a> {
    /// Compares `specs`, normal forms at `level`, and, with a base, targets.
    ///
    /// # Errors
    /// Usage: fewer than two specifications, or one of them twice; a base that one of them rejects, or that has no
    /// scheme.
    pub fn new(specs: &[Spec], level: Level, base: Option<&'a str>) -> Result<Contrast<'a>> {
        if specs.len() < 2 {
            return Err(Error::usage("a comparison needs two specifications at least"));
        }
        if let Some(twice) = specs.iter().enumerate().find(|(i, spec)| specs[..*i].contains(spec)) {
            return Err(Error::usage(format!("the specification {} is given twice", twice.1)));
        }
        let bases = match base {
            Some(base) => specs.iter().map(|&spec| parse_base(base, spec)).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        Ok(Contrast { specs: specs.to_vec(), level, bases })
    }

    /// The specifications, in the order in which they were given.
    #[must_use]
    pub fn specs(&self) -> &[Spec] {
        &self.specs
    }

    /// The bases, one per specification; empty if nothing is resolved.
    pub(super) fn bases(&self) -> &[UriRef<'a>] {
        &self.bases
    }

    /// The normal forms of [`Contrast::bases`].
    pub(super) fn normal_bases(&self) -> impl Iterator<Item = String> {
        self.bases.iter().map(|base| normalize(base, self.level).into_owned())
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
        let mut compare = |aspect, value: &dyn Fn(&View<'_>) -> Option<String>| {
            let values: Vec<_> = views.iter().map(|view| view.as_ref().ok().and_then(value)).collect();
            let mut accepted = views.iter().zip(&values).filter(|(view, _)| view.is_ok()).map(|(_, v)| v);
            let first = accepted.next();
            if accepted.any(|value| Some(value) != first) {
                found.push(Difference { aspect, values });
            }
        };
        for component in COMPONENTS {
            compare(Aspect::Component(component), &|view| part(&view.uri, component).map(str::to_owned));
        }
        compare(Aspect::HostKind, &|view| view.uri.host_kind().map(HostKind::as_str).map(str::to_owned));
        compare(Aspect::Resolution, &|view| view.target.clone());
        compare(Aspect::SameDocument, &|view| view.same_document.map(|same| same.to_string()));
        compare(Aspect::NormalForm, &|view| Some(view.normal.clone()));
        found
    }

    /// `text` under the specification `self.specs[i]`.
    fn view<'t, T: AsText + ?Sized>(&self, text: &'t T, i: usize) -> Result<View<'t>, Reject> {
        let uri = UriRef::parse_as(text, self.specs[i])?;
        let base = self.bases.get(i);
        let target = base.and_then(|base| resolve(base, &uri, Mode::Strict).ok());
        let same_document = base.and_then(|base| {
            let target = target_at(base, &uri, Mode::Strict, self.level).ok()?;
            Some(is_same_document(base, &uri, &target, self.level))
        });
        let normal = base.and_then(|base| normal_form(base, &uri, Mode::Strict, self.level).ok());
        let normal = normal.unwrap_or_else(|| normalize(&uri, self.level)).into_owned();
        Ok(View { uri, same_document, normal, target: target.map(|target| target.into_owned()) })
    }
}
