//! The builder of a run that makes references from targets.

use std::ffi::OsString;

use urimill_base::error::Result;
use urimill_uri::UriRef;
use urimill_uri::grammar::Spec;
use urimill_uri::resolve::{parse_base, relativize};

use super::texts::{AnswerTexts, TextStats, Unanswered};

/// Gives each URI the shortest reference that [`Resolve`](super::Resolve) turns into that URI, and each empty line an
/// empty line.
///
/// ```
/// use urimill::run::{AnswerTexts, Relativize};
///
/// let folder = tempfile::tempdir()?;
/// let (uris, references) = (folder.path().join("uris.txt"), folder.path().join("references.txt"));
/// std::fs::write(&uris, "http://example.com/c\n\nhttp://example.com/a/b?x\n")?;
/// let texts = AnswerTexts::new().inputs([uris]).write_to(&references);
/// let stats = Relativize::against("http://example.com/a/b").texts(texts).run(|_| {})?;
/// assert_eq!((stats.texts, stats.unanswered), (3, 0));
/// assert_eq!(std::fs::read_to_string(&references)?, "/c\n\n?x\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
pub struct Relativize {
    base: OsString,
    spec: Spec,
    texts: AnswerTexts,
}

impl Relativize {
    /// URIs from standard input; the references relative to `base` go to standard output.
    pub fn against(base: impl Into<OsString>) -> Self {
        Relativize { base: base.into(), spec: Spec::default(), texts: AnswerTexts::default() }
    }

    /// The specification that decides which texts are valid, and what a reference means.
    pub fn spec(self, spec: Spec) -> Self {
        Relativize { spec, ..self }
    }

    /// The inputs, and the output of references.
    pub fn texts(self, texts: AnswerTexts) -> Self {
        Relativize { texts, ..self }
    }

    /// Checks the options, and reads nothing.
    ///
    /// # Errors
    /// `Usage` if the base is not a URI by the specification (RFC 3986 section 5.1).
    pub fn validate(&self) -> Result<()> {
        self.base().map(drop)
    }

    /// Answers every URI. A text that is not a URI, and one that no reference leads to, has no answer: `unanswered` is
    /// called.
    ///
    /// # Errors
    /// Fails as [`validate`](Self::validate) and [`AnswerTexts::run`] do.
    pub fn run(self, unanswered: impl FnMut(Unanswered)) -> Result<TextStats> {
        let base = self.base()?;
        let keeps_empty = !self.texts.has_texts();
        self.texts.clone().run(
            |text, reference| {
                if keeps_empty && text.is_empty() {
                    return Ok(());
                }
                let target = UriRef::parse_as(text, self.spec).map_err(|reject| reject.to_string())?;
                let shortest = relativize(&base, &target).map_err(|error| error.sentence().to_owned())?;
                reference.extend_from_slice(shortest.as_bytes());
                Ok(())
            },
            unanswered,
        )
    }

    fn base(&self) -> Result<UriRef<'_>> {
        Ok(parse_base(self.base.as_encoded_bytes(), self.spec)?)
    }
}
