//! Keywords to the library's options, which have the defaults and the rules.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use urimill::audit::PortRules;
use urimill::batch::{Column, Columns, Options};
use urimill::domain::SuffixList;
use urimill::option_name::Mention;
use urimill::resolve::Mode;
use urimill::run::{NormalizeOptions, OnDisagreement, parse_bytes};
use urimill::{ErrorKind, OptionName, Spec, Standard};

use crate::errors::usage;
use crate::errors::{Fault, Result, keyword};

/// The names of the options that [`Keywords::normalize_options`] takes.
pub(crate) const OF_RECORDS: &[&str] = &[
    "spec",
    "on_disagreement",
    "level",
    "repair",
    "default_scheme",
    "refang",
    "compat",
    "psl",
    "psl_unlisted",
    "canonical",
    "drop_params",
    "drop_tracking",
    "port_rules",
    "max_record",
];

/// The keywords of a call, one by one.
#[derive(Clone)]
pub(crate) struct Keywords<'py>(Bound<'py, PyDict>);

impl<'py> Keywords<'py> {
    /// The keywords of a call, which may have none.
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
    pub(crate) fn parsed<T: std::str::FromStr<Err: Into<urimill::Error>>>(
        &self,
        name: &str,
    ) -> Result<Option<T>> {
        let parsed = self.text(name)?.map(|text| text.parse()).transpose();
        parsed.map_err(|error: T::Err| Fault::Own(error.into()))
    }

    pub(crate) fn spec(&self) -> Result<Spec> {
        Ok(self.parsed("spec")?.unwrap_or_default())
    }

    /// The specification where the URL Standard may be it.
    pub(crate) fn standard(&self) -> Result<Standard> {
        Ok(self.parsed("spec")?.unwrap_or_default())
    }

    pub(crate) fn mode(&self) -> Result<Mode> {
        Ok(if self.is("compat")? { Mode::Compatible } else { Mode::Strict })
    }

    /// A number of bytes: an int, or a text such as 64K.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.any(name)? else { return Ok(None) };
        let bytes = match value.is_instance_of::<PyString>() {
            true => parse_bytes(&value.extract::<String>()?),
            false => self.typed::<i64>(name, "an int or a str")?.and_then(|n| u64::try_from(n).ok()),
        };
        let wrong =
            || usage(format!("{name} is {value}: give a number of bytes, such as 65536, \"64K\" or \"1M\""));
        bytes.ok_or_else(wrong).map(Some)
    }

    /// One of several names.
    pub(crate) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let found = choices.iter().find(|(choice, _)| *choice == text);
        let names = || choices.iter().map(|(choice, _)| *choice).collect::<Vec<_>>().join(", ");
        found
            .map(|&(_, value)| Some(value))
            .ok_or_else(|| usage(format!("{name} is {text:?}: use one of {}", names())))
    }

    /// Refuses keywords that nobody knows.
    pub(crate) fn check(&self, function: &str, known: &[&[&str]]) -> PyResult<()> {
        for name in self.0.keys() {
            let name: String = name.extract()?;
            if !known.iter().any(|names| names.contains(&name.as_str())) {
                return Err(PyTypeError::new_err(format!(
                    "{function}() got an unexpected keyword argument '{name}'"
                )));
            }
        }
        Ok(())
    }

    /// What is made of each record. `base` is the one for all.
    pub(crate) fn normalize_options(&self, base: Option<&str>) -> Result<NormalizeOptions> {
        urimill_cli::select_kernel()?;
        let mut options = NormalizeOptions::new()
            .repair(self.is("repair")?)
            .refang(self.is("refang")?)
            .mask_passwords(self.is("mask_passwords")?)
            .drop_userinfo(self.is("drop_userinfo")?)
            .compat(self.is("compat")?)
            .psl_unlisted(self.is("psl_unlisted")?)
            .drop_params(self.names("drop_params")?.unwrap_or_default())
            .drop_tracking(self.is("drop_tracking")?);
        if let Some(standard) = self.parsed::<Standard>("spec")? {
            options = options.spec(standard);
        }
        if let Some(level) = self.parsed("level")? {
            options = options.level(level);
        }
        let choices = [("keep", OnDisagreement::Keep), ("reject", OnDisagreement::Reject)];
        if let Some(what) = self.choice("on_disagreement", &choices)? {
            options = options.on_disagreement(what);
        }
        if let Some(scheme) = self.parsed("default_scheme")? {
            options = options.default_scheme(scheme);
        }
        if let Some(form) = self.parsed("canonical")? {
            options = options.canonical(form);
        }
        if let Some(bytes) = self.bytes("max_record")? {
            options = options.max_record(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        if let Some(base) = base {
            options = options.base(base);
        }
        // Whoever sends work elsewhere sends the list and the rules along.
        options = match self.sent("psl")? {
            Some(text) => options.suffix_list(SuffixList::parse(&text, "the list that was sent")?),
            None => match self.path("psl")? {
                Some(path) => options.psl(path),
                None => options,
            },
        };
        Ok(match self.sent("port_rules")? {
            Some(text) => options.port_rules_in_memory(PortRules::parse(&text, "the rules that were sent")?),
            None => match self.path("port_rules")? {
                Some(path) => options.port_rules(path),
                None => options,
            },
        })
    }

    pub(crate) fn path(&self, name: &str) -> Result<Option<PathBuf>> {
        self.typed(name, "a path")
    }

    fn sent(&self, name: &str) -> Result<Option<String>> {
        let bytes = self.any(name)?.filter(|value| value.is_instance_of::<PyBytes>());
        Ok(match bytes {
            Some(bytes) => Some(String::from_utf8_lossy(bytes.cast::<PyBytes>()?.as_bytes()).into_owned()),
            None => None,
        })
    }

    /// The options of a batch. `base` is the one for all rows; `resolves` says whether rows have their own.
    pub(crate) fn options(&self, base: Option<&str>, resolves: bool) -> Result<Options> {
        let options = self.normalize_options(base)?;
        let columns = self.columns(resolves)?;
        let columns = match self.any("canonical")? {
            Some(_) => columns.union(&Columns::new([Column::Canonical])),
            None => columns,
        };
        let made = options.batch_options(columns, resolves);
        made.map_err(|error| match error.kind() {
            ErrorKind::Usage => usage(error.in_words(on_columns)),
            _ => error.into(),
        })
    }

    fn columns(&self, own_bases: bool) -> Result<Columns> {
        let default = if own_bases { Columns::default_with_bases() } else { Columns::default() };
        let columns = match self.list("columns")? {
            Some(names) => default.changed(&names.join(","))?,
            None => default,
        };
        match [Column::Source, Column::Offset].into_iter().find(|&c| columns.contains(c)) {
            Some(column) => Err(usage(format!(
                "the column {} tells of files: it is there in urimill.read and convert",
                column.as_str()
            ))),
            None => Ok(columns),
        }
    }

    /// The file of rules for ports, or the rules themselves.
    pub(crate) fn port_rules(&self) -> Result<PortRules> {
        if let Some(text) = self.sent("port_rules")? {
            return Ok(PortRules::parse(&text, "the rules that were sent")?);
        }
        let path = self.path("port_rules")?;
        Ok(path.map_or_else(|| Ok(PortRules::default()), |path| urimill::lists::read_port_rules(&path))?)
    }
}

/// An option of the functions on columns, whose `base` may be a column.
fn on_columns(mention: &Mention<'_>) -> String {
    match mention.option {
        OptionName::BaseField => "base".to_owned(),
        _ => keyword(mention),
    }
}

impl From<pyo3::CastError<'_, '_>> for Fault {
    fn from(error: pyo3::CastError<'_, '_>) -> Fault {
        Fault::Python(error.into())
    }
}
