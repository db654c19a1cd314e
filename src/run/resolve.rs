//! The builder of a run that resolves references against a base.

use std::borrow::Cow;
use std::ffi::OsString;

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_uri::Standard;
use urimill_uri::UriRef;
use urimill_uri::normalize::{Level, RepairOptions, repair_reference};
use urimill_uri::resolve::{Mode, normal_form, parse_base, remarks};
use urimill_uri::whatwg;
use urimill_uri::whatwg::Url;

use super::options::{self, Job};
use super::texts::{AnswerTexts, TextStats, Unanswered};

/// Resolves references against a base (RFC 3986 section 5), each to one line.
///
/// ```
/// use urimill::run::{AnswerTexts, Resolve};
///
/// let folder = tempfile::tempdir()?;
/// let (references, targets) = (folder.path().join("references.txt"), folder.path().join("targets.txt"));
/// std::fs::write(&references, "../c\n?x\n")?;
/// let stats = Resolve::against("http://example.com/a/b")
///     .texts(AnswerTexts::new().inputs([references]).write_to(&targets))
///     .run(|unanswered| eprintln!("{}: {}", unanswered.text, unanswered.reason))?;
/// assert_eq!((stats.texts.texts, stats.texts.unanswered), (2, 0));
/// assert_eq!(std::fs::read_to_string(&targets)?, "http://example.com/c\nhttp://example.com/a/b?x\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
pub struct Resolve {
    base: OsString,
    standard: Standard,
    mode: Mode,
    level: Level,
    repair: bool,
    texts: AnswerTexts,
}

/// The counts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ResolveStats {
    /// The references.
    pub texts: TextStats,
    /// References that the base does not fit because it is not hierarchical, as in `mailto:a@b` (RFC 3986 section
    /// 1.2.3, RFC 2396 section 5). Their targets are those of the algorithm.
    pub unsuitable_base: u64,
}

impl Resolve {
    /// References relative to `base`, whose fragment is ignored. They come from standard input, and the targets, by RFC
    /// 3986 section 5.2, go to standard output.
    pub fn against(base: impl Into<OsString>) -> Self {
        Resolve {
            base: base.into(),
            standard: Standard::default(),
            mode: Mode::default(),
            level: Level::None,
            repair: false,
            texts: AnswerTexts::default(),
        }
    }

    /// The specification that decides which texts are valid, and what a reference means. By the URL Standard the target
    /// is the serialized URL.
    pub fn spec(self, standard: impl Into<Standard>) -> Self {
        Resolve { standard: standard.into(), ..self }
    }

    /// How to resolve a reference that repeats the base's scheme (RFC 3986 section 5.2.2).
    pub fn mode(self, mode: Mode) -> Self {
        Resolve { mode, ..self }
    }

    /// The normal form of the targets; none by default.
    pub fn level(self, level: Level) -> Self {
        Resolve { level, ..self }
    }

    /// Repairs texts that are not references, as browsers do.
    pub fn repair(self, repair: bool) -> Self {
        Resolve { repair, ..self }
    }

    /// The inputs, and the output of targets.
    pub fn texts(self, texts: AnswerTexts) -> Self {
        Resolve { texts, ..self }
    }

    /// Checks the options, and reads nothing.
    ///
    /// # Errors
    /// `Usage` if the base is not a URI by the specification (RFC 3986 section 5.1), and for options of the RFCs with
    /// the URL Standard.
    pub fn validate(&self) -> Result<()> {
        options::check(Job::Resolve, |option| match option {
            OptionName::Spec => Some(self.standard.as_str()),
            OptionName::Level => Some(self.level.as_str()),
            OptionName::Repair => self.repair.then_some(""),
            OptionName::Compat => (self.mode != Mode::Strict).then_some(""),
            _ => None,
        })?;
        Ok(self.standard.check_base(self.base.as_encoded_bytes())?)
    }

    /// Resolves every reference. A text that is not a reference has no target: `unanswered` is called.
    ///
    /// # Errors
    /// Fails as [`validate`](Self::validate) and [`AnswerTexts::run`] do.
    pub fn run(self, unanswered: impl FnMut(Unanswered)) -> Result<ResolveStats> {
        self.validate()?;
        let Standard::Rfc(spec) = self.standard else { return self.run_whatwg(unanswered) };
        let base = parse_base(self.base.as_encoded_bytes(), spec)?;
        let mut unsuitable_base = 0;
        let texts = self.texts.clone().run(
            |text, target| {
                let text = match self.repair {
                    true => repair_reference(text, RepairOptions::new().spec(spec)),
                    false => Cow::Borrowed(text),
                };
                let reference = UriRef::parse_as(&*text, spec).map_err(|reject| reject.to_string())?;
                let resolved = normal_form(&base, &reference, self.mode, self.level);
                target.extend_from_slice(resolved.map_err(|error| error.to_string())?.as_bytes());
                let remarks = remarks(&base, &reference, self.mode);
                unsuitable_base += u64::from(remarks.is_ok_and(|remarks| remarks.unsuitable_base));
                Ok(())
            },
            unanswered,
        )?;
        Ok(ResolveStats { texts, unsuitable_base })
    }

    fn run_whatwg(&self, unanswered: impl FnMut(Unanswered)) -> Result<ResolveStats> {
        let base = whatwg::parse_base(self.base.as_encoded_bytes())?;
        let texts = self.texts.clone().run(
            |text, target| {
                let url = Url::parse(text, Some(&base)).map_err(|failure| failure.to_string())?;
                target.extend_from_slice(url.href().as_bytes());
                Ok(())
            },
            unanswered,
        )?;
        Ok(ResolveStats { texts, unsuitable_base: 0 })
    }
}
