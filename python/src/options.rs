//! Keywords to the library's options, which define defaults and rules.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PyString};
use urimill::audit::PortRules;
use urimill::batch::{Column, Columns, Options};
use urimill::domain::SuffixList;
use urimill::option_name::Mention;
use urimill::resolve::Mode;
use urimill::run::options::{Kind, RECORDS, Row, row};
use urimill::run::{NormalizeOptions, Setting, Settings};
use urimill::{ErrorKind, OptionName, Spec, Standard};

use crate::errors::usage;
use crate::errors::{Fault, Result, keyword};

/// The keywords of functions on columns that are not options of [`NormalizeOptions`].
const OF_COLUMNS: &[&str] = &["uri", "base", "own_bases", "columns", "keep", "strings", "threads", "stream"];

/// The keywords of a call.
#[derive(Clone)]
pub(crate) struct Keywords<'py>(Bound<'py, PyDict>);

impl<'py> Keywords<'py> {
    /// Wraps the keywords of a call, if there are any.
    pub(crate) fn given(py: Python<'py>, keywords: Option<Bound<'py, PyDict>>) -> Self {
        Keywords(keywords.unwrap_or_else(|| PyDict::new(py)))
    }

    /// The value of a keyword; `None` if it is missing or None.
    pub(crate) fn any(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// Whether a call has a keyword.
    fn has(&self, name: &str) -> bool {
        self.0.contains(name).unwrap_or(false)
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

    /// One text, or a list of texts.
    pub(crate) fn list(&self, name: &str) -> Result<Option<Vec<String>>> {
        match self.any(name)? {
            Some(one) if one.is_instance_of::<PyString>() => Ok(Some(vec![one.extract()?])),
            Some(_) => self.typed(name, "a str or a list of str"),
            None => Ok(None),
        }
    }

    /// Names from a list, or from a text with commas between them.
    pub(crate) fn names(&self, name: &str) -> Result<Option<Vec<String>>> {
        let is_text = self.any(name)?.is_some_and(|value| value.is_instance_of::<PyString>());
        let list = self.list(name)?;
        Ok(list.map(|list| match is_text {
            true => list[0].split(',').map(|name| name.trim().to_owned()).collect(),
            false => list,
        }))
    }

    /// The value that `text` parses to by the library's rules.
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

    /// The specification, which may be the URL Standard.
    pub(crate) fn standard(&self) -> Result<Standard> {
        Ok(self.parsed("spec")?.unwrap_or_default())
    }

    pub(crate) fn mode(&self) -> Result<Mode> {
        Ok(if self.is("compat")? { Mode::Compatible } else { Mode::Strict })
    }

    /// Fills a run with the options that the keywords of `function` name. Skips names for which `passes_over` holds.
    pub(crate) fn fill<R: Settings>(
        &self,
        mut run: R,
        function: &str,
        passes_over: impl Fn(&str) -> bool,
    ) -> Result<R> {
        urimill_cli::select_kernel()?;
        for name in self.0.keys() {
            let name: String = name.extract()?;
            if passes_over(&name) {
                continue;
            }
            let option = OptionName::ALL.iter().copied().find(|option| option.keyword() == name);
            let row = option.and_then(row).filter(|row| !row.is_of_program);
            let Some(row) = row else { return Err(unexpected(function, &name).into()) };
            if self.any(&name)?.is_none() {
                continue;
            }
            let setting = Setting::new(row.option, self.texts(&name, row)?);
            if !run.put(&setting)? {
                return Err(unexpected(function, &name).into());
            }
        }
        Ok(run)
    }

    /// Refuses options that `function` does not have: a builder has the options of all functions that fill it.
    pub(crate) fn refuse_others(&self, function: &str, has: impl Fn(OptionName) -> bool) -> Result<()> {
        match OptionName::ALL.iter().find(|&&option| self.has(option.keyword()) && !has(option)) {
            Some(option) => Err(unexpected(function, option.keyword()).into()),
            None => Ok(()),
        }
    }

    /// The value of an option as texts.
    fn texts(&self, name: &str, row: &Row) -> Result<Vec<OsString>> {
        let one = |text: Option<String>| text.into_iter().map(OsString::from).collect();
        let all = |list: Option<Vec<String>>| list.into_iter().flatten().map(OsString::from).collect();
        let has = |is: fn(&Bound<'py, PyAny>) -> bool| -> PyResult<bool> {
            Ok(self.any(name)?.is_some_and(|value| is(&value)))
        };
        Ok(match row.kind {
            Kind::Switch => one(Some(self.is(name)?.to_string())),
            Kind::Choice(_)
                if row.option == OptionName::Header && has(|it| it.is_instance_of::<PyBool>())? =>
            {
                one(Some(if self.is(name)? { "yes" } else { "no" }.to_owned()))
            }
            Kind::Path => self.path(name)?.into_iter().map(OsString::from).collect(),
            Kind::Paths => {
                let is_one = has(|it| !it.is_instance_of::<PyList>())?;
                let paths = if is_one {
                    self.path(name)?.map(|path| vec![path])
                } else {
                    self.typed(name, "a list of paths")?
                };
                paths.into_iter().flatten().map(|path: PathBuf| OsString::from(path)).collect()
            }
            Kind::List => all(self.names(name)?),
            Kind::Names(_) => all(self.list(name)?),
            // A record may have fields with several URIs.
            Kind::Field if has(|it| it.is_instance_of::<PyList>())? => all(self.list(name)?),
            Kind::Field if !has(|it| it.is_instance_of::<PyString>())? => {
                one(self.number(name, (0, i64::MAX as usize))?.map(|number| number.to_string()))
            }
            Kind::Number(least, most) | Kind::Count(least, most) => {
                let number = self.number(name, (least as usize, most as usize))?;
                one(number.map(|number| number.to_string()))
            }
            Kind::Bytes(..) if !has(|it| it.is_instance_of::<PyString>())? => {
                one(self.typed::<i64>(name, "an int or a str")?.map(|number| number.to_string()))
            }
            _ => one(self.text(name)?),
        })
    }

    /// The options for each row of a column or record of a table. `base` applies to all of them.
    fn of_columns(&self, function: &str, base: Option<&str>) -> Result<NormalizeOptions> {
        let (psl, port_rules) = (self.sent("psl")?, self.sent("port_rules")?);
        let passes_over = |name: &str| match name {
            "psl" => psl.is_some(),
            "port_rules" => port_rules.is_some(),
            name => OF_COLUMNS.contains(&name),
        };
        self.refuse_others(function, |option| {
            let is_of_record = RECORDS.iter().any(|row| row.option == option) || option == OptionName::Compat;
            is_of_record || OF_COLUMNS.contains(&option.keyword())
        })?;
        let mut options = self.fill(NormalizeOptions::new(), function, passes_over)?;
        if let Some(base) = base {
            options = options.base(base);
        }
        // A caller that sends work to other machines sends the suffix list and the port rules as bytes.
        if let Some(text) = &psl {
            options = options.suffix_list(SuffixList::parse(text, "the list that was sent")?);
        }
        Ok(match &port_rules {
            Some(text) => options.port_rules_in_memory(PortRules::parse(text, "the rules that were sent")?),
            None => options,
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

    /// The options of a batch. `base` applies to all rows; with `resolves` each row has its own base.
    pub(crate) fn options(&self, function: &str, base: Option<&str>, resolves: bool) -> Result<Options> {
        let options = self.of_columns(function, base)?;
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
                "the column {} is about files: use urimill.read or convert",
                column.as_str()
            ))),
            None => Ok(columns),
        }
    }

    /// The rules for ports, from a file or from bytes.
    pub(crate) fn port_rules(&self) -> Result<PortRules> {
        if let Some(text) = self.sent("port_rules")? {
            return Ok(PortRules::parse(&text, "the rules that were sent")?);
        }
        let path = self.path("port_rules")?;
        Ok(path.map_or_else(|| Ok(PortRules::default()), |path| urimill::lists::read_port_rules(&path))?)
    }
}

/// Python's error for a keyword that a function does not have.
fn unexpected(function: &str, name: &str) -> PyErr {
    PyTypeError::new_err(format!("{function}() got an unexpected keyword argument '{name}'"))
}

/// An option as messages of functions on columns name it: their `base` may be a column.
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
