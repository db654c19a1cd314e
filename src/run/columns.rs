//! Which columns the table has, of urimill's own and of the records' other fields, and in which order: the option
//! `columns`. Which fields there are is known before the inputs are read only where the format knows its own.

use super::input_format::InputFormat;
use crate::batch::{Column, Columns, FIELD_ERRORS, Kept};
use crate::error::{Error, Result};
use crate::input::format::{KNOWN, Keep};

/// The columns that are asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnList {
    /// Those of urimill's own.
    pub(super) own: Columns,
    /// With names alone: all of them, in order.
    listed: Option<Vec<String>>,
    /// Fields with `+` before them, and with `-`.
    added: Vec<String>,
    dropped: Vec<String>,
}

/// The name of an own column, or that of the column of faults.
fn is_own(name: &str) -> bool {
    Column::ALL.iter().any(|column| column.as_str() == name)
}

impl ColumnList {
    /// Reads a list that changes `default`: see [`Columns::changed`]; other names are those of fields.
    ///
    /// # Errors
    /// Usage, where neither urimill nor the format has a column of a name, and as [`Columns::parse`].
    pub(super) fn parse(list: Option<&str>, format: InputFormat, default: Columns) -> Result<ColumnList> {
        let Some(list) = list else { return Ok(ColumnList { own: default, ..ColumnList::default() }) };
        let names = || list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let bare = |name: &str| name.trim_start_matches(['+', '-']).to_owned();
        let fields: Vec<String> = names().map(bare).filter(|name| !is_own(name)).collect();
        if fields.is_empty() {
            let is_exact = !names().any(|name| name.starts_with(['+', '-']));
            let listed = is_exact.then(|| names().map(bare).collect());
            return Ok(ColumnList { own: default.changed(list)?, listed, ..ColumnList::default() });
        }
        let known = KNOWN.iter().find(|(name, _)| *name == format.name()).map(|(_, known)| *known);
        let is_known = |name: &&String| {
            *name == FIELD_ERRORS
                || known.is_none_or(|known| known.iter().any(|field| field.name == name.as_str()))
        };
        if let Some(name) = fields.iter().find(|name| format == InputFormat::Lines || !is_known(name)) {
            let fields = known.into_iter().flatten().map(|field| field.name).collect::<Vec<_>>().join(", ");
            let fields =
                if fields.is_empty() { fields } else { format!(", or a field of {format}: {fields}") };
            return Err(no_column(name, &fields));
        }
        let signed = names().filter(|name| name.starts_with(['+', '-'])).count();
        if signed > 0 && signed < names().count() {
            return Err(Error::usage(
                "names with + or - change the default table: use a sign for all names or for none",
            ));
        }
        let twice = fields.iter().enumerate().find(|&(at, name)| fields[..at].contains(name));
        if let Some((_, name)) = twice {
            return Err(Error::usage(format!("the column {name:?} is named twice")));
        }
        let own = names().filter(|name| is_own(&bare(name))).collect::<Vec<_>>().join(",");
        let with = |sign: char| -> Vec<String> {
            names().filter(|name| name.starts_with(sign)).map(bare).filter(|name| !is_own(name)).collect()
        };
        Ok(ColumnList {
            own: match (own.is_empty(), signed) {
                (true, 0) => Columns::new([]),
                (true, _) => default,
                (false, _) => default.changed(&own)?,
            },
            listed: (signed == 0).then(|| names().map(bare).collect()),
            added: with('+'),
            dropped: with('-'),
        })
    }

    /// Which fields have to be read, where the caller has asked for `asked` with the option `keep`.
    pub(super) fn keep(&self, asked: Option<&Keep>) -> Keep {
        let listed = self.listed.iter().flatten().filter(|name| !is_own(name));
        let wanted: Vec<String> =
            listed.chain(&self.added).filter(|name| *name != FIELD_ERRORS).map(|name| field(name)).collect();
        let default = if self.listed.is_none() || self.names_faults_alone() { Keep::All } else { Keep::None };
        match asked.unwrap_or(&default) {
            Keep::All => Keep::All,
            Keep::Names(names) => {
                let more = wanted.into_iter().filter(|name| !names.contains(name));
                Keep::Names(names.iter().cloned().chain(more).collect())
            }
            Keep::None if wanted.is_empty() => Keep::None,
            Keep::None => Keep::Names(wanted),
        }
    }

    fn names_faults_alone(&self) -> bool {
        let mut fields = self.listed.iter().flatten().filter(|name| !is_own(name)).peekable();
        fields.peek().is_some() && fields.all(|name| name == FIELD_ERRORS)
    }

    /// Which columns of a table with the columns `own`, then those of `kept`, are asked for, in which order; `None` for
    /// all as they are. `asked` is the option `keep`. The columns of tables stand behind the others in any case.
    ///
    /// # Errors
    /// Usage, where there is no column of a name.
    pub(super) fn order(&self, kept: &Kept, asked: Option<&Keep>) -> Result<Option<Vec<usize>>> {
        let names_field = |names: &[String]| names.iter().any(|name| !is_own(name));
        let is_plain = !self.listed.as_deref().is_some_and(names_field);
        if !kept.passed().is_empty() || is_plain && self.added.is_empty() && self.dropped.is_empty() {
            return Ok(None);
        }
        let fields: Vec<&str> = kept.fields().iter().map(|field| field.name.as_str()).collect();
        let mut all: Vec<&str> = self.own.iter().map(Column::as_str).collect();
        all.extend(&fields);
        all.extend((kept.width() > 0).then_some(FIELD_ERRORS));
        let find = |name: &String| {
            let fields = fields.join(", ");
            let fields = if fields.is_empty() { fields } else { format!(", or a field: {fields}") };
            all.iter().position(|own| own == name).ok_or_else(|| no_column(name, &fields))
        };
        if let Some(listed) = &self.listed {
            let mut order = listed.iter().map(find).collect::<Result<Vec<_>>>()?;
            if asked.is_some_and(|keep| *keep != Keep::None) {
                order.extend(
                    (self.own.iter().count()..all.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>(),
                );
            }
            return Ok(Some(order));
        }
        self.added.iter().map(find).collect::<Result<Vec<_>>>()?;
        let dropped = self.dropped.iter().map(find).collect::<Result<Vec<_>>>()?;
        Ok(Some((0..all.len()).filter(|at| !dropped.contains(at)).collect()))
    }
}

/// The field of a column: one that is called as a column of urimill's has a name of its own there.
pub(super) fn field(column: &str) -> String {
    column.strip_prefix("field_").filter(|rest| is_own(rest)).unwrap_or(column).to_owned()
}

fn no_column(name: &str, fields: &str) -> Error {
    let own: Vec<_> = Column::ALL.iter().map(|column| column.as_str()).collect();
    Error::usage(format!("there is no column {name:?}: choose from {}{fields}", own.join(", ")))
}
