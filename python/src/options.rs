//! Keywords to options, with the defaults and the rules of the command line.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use urimill::Spec;
use urimill::audit::PortRules;
use urimill::batch::{Column, Columns, Options};
use urimill::canonical::{Canonical, DropParams};
use urimill::domain::SuffixList;
use urimill::normalize::DefaultScheme;
use urimill::resolve::Mode;
use urimill::simd::Isa;

use crate::engine::usage;
use crate::errors::{Fault, Result};

/// The keywords of a call, one by one.
#[derive(Clone)]
pub(crate) struct Keywords<'py>(Bound<'py, PyDict>);

impl<'py> Keywords<'py> {
    /// Those of a call, which may have none.
    pub(crate) fn given(py: Python<'py>, keywords: Option<Bound<'py, PyDict>>) -> Self {
        Keywords(keywords.unwrap_or_else(|| PyDict::new(py)))
    }

    /// The value of one; `None` where it is not given.
    pub(crate) fn any(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    fn typed<T: for<'a> FromPyObject<'a, 'py>>(&self, name: &str, what: &str) -> Result<Option<T>> {
        let Some(value) = self.any(name)? else { return Ok(None) };
        match value.extract::<T>() {
            Ok(value) => Ok(Some(value)),
            Err(_) => {
                let kind = value.get_type().name()?;
                Err(PyTypeError::new_err(format!("{name} must be {what}, not {kind}")).into())
            }
        }
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<String>> {
        self.typed(name, "a str")
    }

    pub(crate) fn is(&self, name: &str) -> Result<bool> {
        Ok(self.typed(name, "True or False")?.unwrap_or(false))
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>> {
        self.typed(name, "True, False or None")
    }

    pub(crate) fn number(&self, name: &str, (least, most): (usize, usize)) -> Result<Option<usize>> {
        let number: Option<i64> = self.typed(name, "an int")?;
        match number {
            Some(n) if !usize::try_from(n).is_ok_and(|n| (least..=most).contains(&n)) => {
                Err(usage(format!("{name} is {n}: give a number from {least} to {most}")))
            }
            other => Ok(other.map(|n| n as usize)),
        }
    }

    /// One text, or several.
    pub(crate) fn list(&self, name: &str) -> Result<Option<Vec<String>>> {
        match self.any(name)? {
            Some(one) if one.is_instance_of::<PyString>() => Ok(Some(vec![one.extract()?])),
            Some(_) => self.typed(name, "a str or a list of str"),
            None => Ok(None),
        }
    }

    /// Several names: those of a list, or of a text with commas between.
    pub(crate) fn names(&self, name: &str) -> Result<Option<Vec<String>>> {
        let is_text = self.any(name)?.is_some_and(|value| value.is_instance_of::<PyString>());
        let list = self.list(name)?;
        Ok(list.map(|list| match is_text {
            true => list[0].split(',').map(|name| name.trim().to_owned()).collect(),
            false => list,
        }))
    }

    /// What `text` parses to, by the library's own rules.
    pub(crate) fn parsed<T: std::str::FromStr<Err = urimill::Error>>(&self, name: &str) -> Result<Option<T>> {
        Ok(self.text(name)?.map(|text| text.parse()).transpose()?)
    }

    pub(crate) fn spec(&self) -> Result<Spec> {
        Ok(self.parsed("spec")?.unwrap_or_default())
    }

    pub(crate) fn mode(&self) -> Result<Mode> {
        Ok(if self.is("compat")? { Mode::Compatible } else { Mode::Strict })
    }

    /// The options of a batch. `base` is the one for all rows; `resolves` says whether rows have their own.
    pub(crate) fn options(&self, base: Option<&str>, resolves: bool) -> Result<Options> {
        Isa::chosen()?;
        let canonical: Option<Canonical> = self.parsed("canonical")?;
        let columns = self.columns(canonical, resolves)?;
        let default_scheme: Option<DefaultScheme> = self.parsed("default_scheme")?;
        let repair = self.is("repair")?;
        let resolves = resolves || base.is_some();
        if default_scheme.is_some() && !repair {
            return Err(usage("default_scheme completes what repair=True mends: give both"));
        }
        if default_scheme.is_some() && resolves {
            return Err(usage(
                "default_scheme completes references, and base resolves them: give one of them",
            ));
        }
        if self.is("compat")? && !resolves {
            return Err(usage("compat says how to resolve, and there is no base: give base"));
        }
        let defaults = Options::default();
        let options = Options {
            spec: self.spec()?,
            level: self.parsed("level")?.unwrap_or_default(),
            repair,
            default_scheme,
            mode: self.mode()?,
            max_record: self.number("max_record", (1, 512 << 20))?.unwrap_or(defaults.max_record),
            suffix_list: self.suffix_list(&columns)?,
            port_rules: self.port_rules(Some(&columns))?,
            columns,
            canonical,
            drop_params: self.drops(canonical)?,
            ..defaults
        };
        Ok(match base {
            Some(base) => options.with_base(base)?,
            None => options,
        })
    }

    fn columns(&self, canonical: Option<Canonical>, own_bases: bool) -> Result<Columns> {
        let default = if own_bases { Columns::default_with_bases() } else { Columns::default() };
        let columns = match self.list("columns")? {
            Some(names) => default.changed(&names.join(","))?,
            None => default,
        };
        if let Some(column) = [Column::Source, Column::Offset].into_iter().find(|&c| columns.contains(c)) {
            let name = column.as_str();
            return Err(usage(format!(
                "the column {name} tells of files: it is there in urimill.read and convert"
            )));
        }
        match canonical {
            Some(_) => Ok(columns.union(&Columns::new([Column::Canonical]))),
            None if columns.contains(Column::Canonical) => Err(usage(format!(
                "the column canonical needs to know which form: give canonical, one of {}",
                Canonical::ALL.map(Canonical::as_str).join(", ")
            ))),
            None => Ok(columns),
        }
    }

    fn suffix_list(&self, columns: &Columns) -> Result<SuffixList> {
        let unlisted = self.is("psl_unlisted")?;
        if unlisted && !columns.use_suffix_list() {
            return Err(usage(
                "psl_unlisted is for columns that need a public suffix list: ask for one, as in columns=\"+registered_domain\"",
            ));
        }
        let list = self.listed_suffixes(columns)?;
        Ok(if unlisted { list.with_prevailing_rule() } else { list })
    }

    fn listed_suffixes(&self, columns: &Columns) -> Result<SuffixList> {
        // Whoever sends work elsewhere sends the list along.
        if let Some(list) = self.any("psl")?.filter(|list| list.is_instance_of::<PyBytes>()) {
            let text = String::from_utf8_lossy(list.cast::<PyBytes>()?.as_bytes());
            return Ok(SuffixList::parse(&text, "the list that was sent")?);
        }
        let path: Option<PathBuf> = self.typed("psl", "a path")?;
        match path {
            Some(_) if !columns.use_suffix_list() => Err(usage(
                "psl is for columns that need a public suffix list: ask for one, as in columns=\"+registered_domain\"",
            )),
            Some(path) => Ok(SuffixList::read(&path)?),
            None => Ok(SuffixList::embedded()),
        }
    }

    /// For `columns`, where a table is made.
    pub(crate) fn port_rules(&self, columns: Option<&Columns>) -> Result<PortRules> {
        // Whoever sends work elsewhere sends the rules along.
        if let Some(rules) = self.any("port_rules")?.filter(|rules| rules.is_instance_of::<PyBytes>()) {
            let text = String::from_utf8_lossy(rules.cast::<PyBytes>()?.as_bytes());
            return Ok(PortRules::parse(&text, "the rules that were sent")?);
        }
        let path: Option<PathBuf> = self.typed("port_rules", "a path")?;
        match path {
            Some(_) if columns.is_some_and(|columns| !columns.contains(Column::Flags)) => {
                Err(usage("port_rules is for the column flags: ask for it, as in columns=\"+flags\""))
            }
            Some(path) => Ok(PortRules::read(&path)?),
            None => Ok(PortRules::default()),
        }
    }

    fn drops(&self, canonical: Option<Canonical>) -> Result<DropParams> {
        let (patterns, tracking) =
            (self.names("drop_params")?.unwrap_or_default(), self.is("drop_tracking")?);
        if canonical.is_none() && (tracking || !patterns.is_empty()) {
            return Err(usage(
                "drop_params and drop_tracking act on the column canonical: give canonical too",
            ));
        }
        let drops = DropParams::none().and_patterns(&patterns)?;
        Ok(if tracking { drops.and_tracking() } else { drops })
    }
}

impl From<pyo3::CastError<'_, '_>> for Fault {
    fn from(error: pyo3::CastError<'_, '_>) -> Fault {
        Fault::Python(error.into())
    }
}
