//! The options for each record: specification, normal form, repair, resolution, and options of columns. They also make
//! the batches of a program that supplies its own records.

use std::path::PathBuf;

use serde_json::json;
use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_columns::batch;
use urimill_columns::batch::{Columns, Reading, RfcOptions};
use urimill_uri::Standard;
use urimill_uri::audit::PortRules;
use urimill_uri::canonical::{Canonical, DropParams, TRACKING_VERSION};
use urimill_uri::domain::SuffixList;
use urimill_uri::normalize::{DefaultScheme, Level};
use urimill_uri::passwords::Hide;
use urimill_uri::resolve::Mode;
use urimill_uri::simd::Isa;

use super::setting::{Setting, Settings};

/// How records are validated, normalized and resolved.
///
/// ```
/// use urimill::Level;
/// use urimill::batch::{Columns, Normalizer};
/// use urimill::run::NormalizeOptions;
///
/// let options = NormalizeOptions::new().level(Level::Syntax).repair(true);
/// let mut normalizer = Normalizer::new(options.batch_options(Columns::default(), false)?);
/// let (batch, tally) = normalizer.text(b"http://example.com/a b\n")?;
/// assert_eq!((batch.num_rows(), tally.repaired), (1, 1));
/// # Ok::<(), urimill::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct NormalizeOptions {
    pub(super) standard: Option<Standard>,
    pub(super) on_disagreement: OnDisagreement,
    pub(super) level: Option<Level>,
    pub(super) repair: bool,
    pub(super) default_scheme: Option<DefaultScheme>,
    pub(super) refang: bool,
    pub(super) base: Option<String>,
    pub(super) compat: bool,
    pub(super) psl: Option<From<SuffixList>>,
    pub(super) psl_unlisted: bool,
    pub(super) canonical: Option<Canonical>,
    pub(super) drop_params: Vec<String>,
    pub(super) drop_tracking: bool,
    pub(super) port_rules: Option<From<PortRules>>,
    pub(super) max_record: Option<usize>,
    pub(super) mask_passwords: bool,
    pub(super) drop_userinfo: bool,
    pub(super) show_passwords: bool,
    pub(super) isa: Option<Isa>,
}

/// The treatment of records that the URL Standard and the RFC read differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OnDisagreement {
    /// They are rows like any others.
    #[default]
    Keep,
    /// They are rejects, with the code [`Disagreement`](crate::Code::Disagreement).
    Reject,
}

impl OnDisagreement {
    /// Every choice by its name.
    pub const NAMED: [(&'static str, OnDisagreement); 2] =
        [("keep", OnDisagreement::Keep), ("reject", OnDisagreement::Reject)];
}

/// The source of a list.
#[derive(Debug, Clone)]
pub(super) enum From<T> {
    File(PathBuf),
    Memory(Box<T>),
}

impl Settings for NormalizeOptions {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        use OptionName::*;
        match setting.option() {
            Spec => self.standard = Some(setting.parsed()?),
            OnDisagreement => self.on_disagreement = setting.one_of(self::OnDisagreement::NAMED)?,
            Level => self.level = Some(setting.parsed()?),
            Repair => self.repair = setting.is_on()?,
            DefaultScheme => self.default_scheme = Some(setting.parsed()?),
            Refang => self.refang = setting.is_on()?,
            Base => self.base = Some(setting.text()?),
            Compat => self.compat = setting.is_on()?,
            Psl => self.psl = Some(From::File(setting.path())),
            PslUnlisted => self.psl_unlisted = setting.is_on()?,
            Canonical => self.canonical = Some(setting.parsed()?),
            DropParams => self.drop_params = setting.list()?,
            DropTracking => self.drop_tracking = setting.is_on()?,
            PortRules => self.port_rules = Some(From::File(setting.path())),
            MaxRecord => self.max_record = Some(setting.length()?),
            MaskPasswords => self.mask_passwords = setting.is_on()?,
            DropUserinfo => self.drop_userinfo = setting.is_on()?,
            ShowPasswords => self.show_passwords = setting.is_on()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl NormalizeOptions {
    /// The defaults: RFC 3986, the normal form of [`Level::Scheme`], nothing repaired, no base.
    pub fn new() -> Self {
        NormalizeOptions::default()
    }

    /// The specification by which texts are read: an RFC's grammar, or the parser of the WHATWG URL Standard
    /// ([`Standard::Whatwg`]), which has no levels of normal forms and needs no repair.
    pub fn spec(self, standard: impl Into<Standard>) -> Self {
        NormalizeOptions { standard: Some(standard.into()), ..self }
    }

    /// The treatment of records that the URL Standard and the RFC read differently; the column
    /// [`disagreement`](crate::batch::Column::Disagreement) lists the differences.
    pub fn on_disagreement(self, on_disagreement: OnDisagreement) -> Self {
        NormalizeOptions { on_disagreement, ..self }
    }

    /// The normal form (RFC 3986, 6.2); each level includes those before it.
    pub fn level(self, level: Level) -> Self {
        NormalizeOptions { level: Some(level), ..self }
    }

    /// Repairs texts that are not URI references, as browsers do: white space, delimiters around them, characters that
    /// need encoding.
    pub fn repair(self, repair: bool) -> Self {
        NormalizeOptions { repair, ..self }
    }

    /// With `repair`, and for references that are not resolved: completes suffix references (RFC 3986, 4.5), such as
    /// `www.w3.org/Addressing/`, with a scheme.
    pub fn default_scheme(self, scheme: DefaultScheme) -> Self {
        NormalizeOptions { default_scheme: Some(scheme), ..self }
    }

    /// Reads texts that were defanged, as `hxxp://example[.]com`, in their original form.
    pub fn refang(self, refang: bool) -> Self {
        NormalizeOptions { refang, ..self }
    }

    /// Resolves each reference against this URI (RFC 3986, 5), unless its record has a base of its own.
    pub fn base(self, base: impl Into<String>) -> Self {
        NormalizeOptions { base: Some(base.into()), ..self }
    }

    /// Ignores a reference's scheme if it is the base's: `http:g` is `g` (RFC 3986, 5.2.2).
    pub fn compat(self, compat: bool) -> Self {
        NormalizeOptions { compat, ..self }
    }

    /// The file of the public suffix list for columns such as `registered_domain`, in the form of publicsuffix.org.
    pub fn psl(self, file: impl Into<PathBuf>) -> Self {
        NormalizeOptions { psl: Some(From::File(file.into())), ..self }
    }

    /// Like [`psl`](Self::psl), with a list in memory.
    pub fn suffix_list(self, list: SuffixList) -> Self {
        NormalizeOptions { psl: Some(From::Memory(Box::new(list))), ..self }
    }

    /// Takes the last label as the suffix of a name that the public suffix list has no rule for.
    pub fn psl_unlisted(self, psl_unlisted: bool) -> Self {
        NormalizeOptions { psl_unlisted, ..self }
    }

    /// Adds the column `canonical`: the form that another tool makes from the reference as it was read, and resolved.
    pub fn canonical(self, form: Canonical) -> Self {
        NormalizeOptions { canonical: Some(form), ..self }
    }

    /// Drops parameters of the query from `canonical`, by name; `*` and `?` match any characters, `[ab]` one of these.
    pub fn drop_params(self, patterns: impl IntoIterator<Item: Into<String>>) -> Self {
        NormalizeOptions { drop_params: patterns.into_iter().map(Into::into).collect(), ..self }
    }

    /// Drops parameters from `canonical` that only record where a visitor came from, such as `utm_source`.
    pub fn drop_tracking(self, drop_tracking: bool) -> Self {
        NormalizeOptions { drop_tracking, ..self }
    }

    /// The file of rules for the ports that a scheme may name without the flag `port_well_known_mismatch`.
    pub fn port_rules(self, file: impl Into<PathBuf>) -> Self {
        NormalizeOptions { port_rules: Some(From::File(file.into())), ..self }
    }

    /// Like [`port_rules`](Self::port_rules), with rules in memory.
    pub fn port_rules_in_memory(self, rules: PortRules) -> Self {
        NormalizeOptions { port_rules: Some(From::Memory(Box::new(rules))), ..self }
    }

    /// The longest record in bytes, at most 512 MiB; longer ones are rejected. 1 MiB by default.
    pub fn max_record(self, bytes: usize) -> Self {
        NormalizeOptions { max_record: Some(bytes), ..self }
    }

    /// Writes `***` in place of a password in user information, in every column of the outputs.
    pub fn mask_passwords(self, mask_passwords: bool) -> Self {
        NormalizeOptions { mask_passwords, ..self }
    }

    /// Drops user information, name and password, from every column of the outputs.
    pub fn drop_userinfo(self, drop_userinfo: bool) -> Self {
        NormalizeOptions { drop_userinfo, ..self }
    }

    /// Shows the passwords in records that errors and statistics quote, which are `***` otherwise.
    pub fn show_passwords(self, show_passwords: bool) -> Self {
        NormalizeOptions { show_passwords, ..self }
    }

    /// The kernel, instead of the fastest of this machine.
    pub fn isa(self, isa: Isa) -> Self {
        NormalizeOptions { isa: Some(isa), ..self }
    }

    /// The options of batches with `columns`; with `own_bases` each record has its base. Reads the files that the
    /// options name.
    ///
    /// # Errors
    /// Usage, if options contradict each other or a base, a list or a pattern makes no sense; `Io` if a file cannot be
    /// read.
    pub fn batch_options(&self, columns: Columns, own_bases: bool) -> Result<batch::Options> {
        self.check(own_bases)?;
        self.check_columns(&columns)?;
        self.read(columns)
    }

    /// [`batch_options`](Self::batch_options) after the checks.
    pub(super) fn read(&self, columns: Columns) -> Result<batch::Options> {
        let suffix_list = match &self.psl {
            None => SuffixList::embedded(),
            Some(From::File(path)) => urimill_base::lists::read_suffix_list(path)?,
            Some(From::Memory(list)) => (**list).clone(),
        };
        let port_rules = match &self.port_rules {
            None => PortRules::default(),
            Some(From::File(path)) => urimill_base::lists::read_port_rules(path)?,
            Some(From::Memory(rules)) => (**rules).clone(),
        };
        let drop_params = DropParams::none().and_patterns(&self.drop_params)?;
        let defaults = batch::Options::default();
        let options = batch::Options {
            reading: match self.standard() {
                Standard::Whatwg => Reading::Whatwg,
                Standard::Rfc(spec) => Reading::Rfc(RfcOptions {
                    spec,
                    level: self.level.unwrap_or_default(),
                    repair: self.repair,
                    default_scheme: self.default_scheme,
                    mode: if self.compat { Mode::Compatible } else { Mode::Strict },
                }),
            },
            reject_disagreements: self.on_disagreement == OnDisagreement::Reject,
            refang: self.refang,
            max_record: self.longest(),
            columns,
            suffix_list: if self.psl_unlisted { suffix_list.with_prevailing_rule() } else { suffix_list },
            canonical: self.canonical,
            drop_params: if self.drop_tracking { drop_params.and_tracking() } else { drop_params },
            port_rules,
            show_passwords: self.show_passwords,
            hide: self.hidden(),
            isa: self.isa,
            ..defaults
        };
        match &self.base {
            Some(base) => options.with_base(base),
            None => Ok(options),
        }
    }

    /// Whether an option differs from its default.
    pub(super) fn has(&self, option: OptionName) -> bool {
        use OptionName::*;
        match option {
            Spec => self.standard.is_some(),
            OnDisagreement => self.on_disagreement != self::OnDisagreement::default(),
            Level => self.level.is_some(),
            Repair => self.repair,
            DefaultScheme => self.default_scheme.is_some(),
            Refang => self.refang,
            Base => self.base.is_some(),
            Compat => self.compat,
            Psl => self.psl.is_some(),
            PslUnlisted => self.psl_unlisted,
            Canonical => self.canonical.is_some(),
            DropParams => !self.drop_params.is_empty(),
            DropTracking => self.drop_tracking,
            PortRules => self.port_rules.is_some(),
            MaxRecord => self.max_record.is_some(),
            MaskPasswords => self.mask_passwords,
            DropUserinfo => self.drop_userinfo,
            _ => false,
        }
    }

    /// The specification.
    pub(super) fn standard(&self) -> Standard {
        self.standard.unwrap_or_default()
    }

    /// The longest record.
    pub(super) fn longest(&self) -> usize {
        self.max_record.unwrap_or(1 << 20)
    }

    /// The user information that outputs must not contain.
    pub(super) fn hidden(&self) -> Hide {
        match (self.mask_passwords, self.drop_userinfo) {
            (_, true) => Hide::UserInfo,
            (true, _) => Hide::Passwords,
            _ => Hide::Nothing,
        }
    }

    /// Files that are read for settings.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let psl = match &self.psl {
            Some(From::File(path)) => Some(path),
            _ => None,
        };
        let port_rules = match &self.port_rules {
            Some(From::File(path)) => Some(path),
            _ => None,
        };
        psl.into_iter().chain(port_rules)
    }

    /// The options that decide the meaning of figures in a report, without those that are not set and have no effect.
    /// `options` was made from them.
    pub(super) fn decisive(&self, options: &batch::Options) -> Vec<(OptionName, String)> {
        let has_level = matches!(options.reading, Reading::Rfc(_));
        let on = |is_on: bool| is_on.then(|| true.to_string());
        let own = [
            (OptionName::Spec, Some(self.standard().as_str().to_owned())),
            (OptionName::Level, has_level.then(|| options.reading.rfc().level.as_str().to_owned())),
            (OptionName::Repair, on(self.repair)),
            (OptionName::Base, options.base.clone()),
            (OptionName::Compat, on(self.compat)),
            (OptionName::Psl, self.psl.as_ref().map(|_| options.suffix_list.version().to_owned())),
            (OptionName::PslUnlisted, on(self.psl_unlisted)),
            (OptionName::DefaultScheme, self.default_scheme.map(|scheme| scheme.as_str().to_owned())),
        ];
        own.into_iter().filter_map(|(option, value)| Some((option, value?))).collect()
    }

    /// The entries about these options, which have become `options`, in the metadata of files, and about the table's
    /// schema if it is not urimill's; `own_bases` as above.
    pub(super) fn metadata(
        &self,
        options: &batch::Options,
        schema: Option<&str>,
        own_bases: bool,
    ) -> Vec<(&'static str, String)> {
        let mut pairs = vec![("urimill.specification", self.standard().as_str().to_owned())];
        if let Reading::Rfc(rfc) = options.reading {
            pairs.push(("urimill.level", rfc.level.as_str().to_owned()));
            pairs.push(("urimill.repair", rfc.repair.to_string()));
        }
        let mut add = |key, value: Option<String>| pairs.extend(value.map(|value| (key, value)));
        add("urimill.schema", schema.map(str::to_owned));
        add("urimill.default_scheme", self.default_scheme.map(|scheme| scheme.as_str().to_owned()));
        add("urimill.refang", self.refang.then(|| true.to_string()));
        add("urimill.base", self.base.clone());
        let mode = if self.compat { "compatible" } else { "strict" };
        add("urimill.resolution", (self.base.is_some() || own_bases).then(|| mode.to_owned()));
        let suffix_list = Some(&options.suffix_list).filter(|_| options.columns.use_suffix_list());
        add("urimill.public_suffix_list", suffix_list.map(|list| list.version().to_owned()));
        let is_unlisted = suffix_list.is_some_and(SuffixList::has_prevailing_rule);
        add("urimill.public_suffix_unlisted", is_unlisted.then(|| "*".to_owned()));
        add("urimill.canonical", self.canonical.map(|form| form.as_str().to_owned()));
        let patterns = || json!(self.drop_params).to_string();
        add("urimill.drop_params", (!self.drop_params.is_empty()).then(patterns));
        add("urimill.tracking_parameters", self.drop_tracking.then(|| TRACKING_VERSION.to_string()));
        add("urimill.port_rules", options.port_rules.version().map(str::to_owned));
        pairs
    }
}
